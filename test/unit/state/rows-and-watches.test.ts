// A row of a list and a watch of it know the same: what one is told, the other shows.
import { expect } from 'chai';
import {
  invalidate,
  type KnownListSnapshot,
  type ListSnapshot,
  type Watch,
  watchAllReceives,
  watchInvoice,
  watchInvoices,
} from 'paystate';
import { describe, it, itLong } from '#test';
import { invoices } from './invoices.ts';
import { openShop, record, type Record, refusal } from './shop.ts';

const MINUTE = 60_000;

const follow = <T>(watch: Watch<ListSnapshot<T>>): Record<KnownListSnapshot<T>> =>
  record(watch) as unknown as Record<KnownListSnapshot<T>>;

interface Told {
  readonly freshness: string;
  readonly pending?: string | undefined;
}

const pick = ({ freshness, pending }: Told): Told => ({ freshness, pending });

describe('a row of a list', () => {
  it('is what a watch of it begins with, the same object, as fresh as the list', async () => {
    const shop = openShop();
    const [paid, open] = await invoices(shop, 2);
    await shop.pay(paid!);
    const list = follow(watchInvoices(shop.client));
    await shop.sandbox.advance(1_000);
    const { items } = list.values.at(-1)!;
    const watches = [open!, paid!].map((invoice) => watchInvoice(shop.client, invoice));
    expect(watches.map((watch) => watch.current().value)).to.deep.equal(items);
    const logs = watches.map((watch) => record(watch));
    for (const [at, { values }] of logs.entries()) {
      expect(values[0]).to.include({ freshness: 'live' });
      expect(values[0]!.value).to.equal(items[at]);
    }
    expect(logs.map(({ ended }) => ended)).to.deep.equal([undefined, 'complete']);
    for (const log of [list, ...logs]) log.stop();
  });

  it('is kept for five minutes after the list, and no longer', async () => {
    const shop = openShop();
    const [one] = await invoices(shop, 1);
    const list = follow(watchInvoices(shop.client));
    await shop.sandbox.advance(1_000);
    const [row] = list.values.at(-1)!.items;
    list.stop();
    await shop.sandbox.advance(4 * MINUTE);
    const current = () => watchInvoice(shop.client, one!).current();
    expect(current()).to.include({ freshness: 'stale', value: row });
    await shop.sandbox.advance(2 * MINUTE);
    expect(current()).to.deep.equal({ freshness: 'loading' });
    expect(shop.timers()).to.equal(0);
  });

  it('stays while its own watch comes and goes, and while that one fails', async () => {
    let isRefused = false;
    const shop = openShop({}, async (url, ask) =>
      isRefused && /invoices\/[^/?]+$/.test(url) ? refusal(422, 'UNPROCESSABLE_ENTITY') : ask(),
    );
    const [one] = await invoices(shop, 2);
    const list = follow(watchInvoices(shop.client));
    await shop.sandbox.advance(1_000);
    const { items } = list.values.at(-1)!;
    record(watchInvoice(shop.client, one!)).stop();
    await shop.sandbox.advance(0);
    invalidate(shop.client, 'invoice', one!.invoiceId);
    expect(list.values.at(-1)).to.include({ pending: 'announced' });
    await shop.sandbox.advance(MINUTE);
    isRefused = true;
    const log = record(watchInvoice(shop.client, one!, { until: 'never' }));
    await shop.sandbox.advance(2 * MINUTE);
    expect(list.values.at(-1)).to.include({ freshness: 'live', items });
    log.stop();
    await shop.pay(one!);
    await shop.sandbox.advance(5_000);
    expect(list.values.at(-1)).to.deep.include({ changed: [one!.invoiceId] });
    list.stop();
  });

  it('that is announced is pending in its list, and in its watch, for as long', async () => {
    const shop = openShop();
    const [one] = await invoices(shop, 3);
    const logs = [
      record<Told>(watchInvoice(shop.client, one!, { until: 'never' })),
      follow(watchInvoices(shop.client)),
      follow(watchInvoices(shop.client, {}, { limit: 50 })),
    ];
    const last = () => logs.map(({ values }) => values.at(-1)!);
    await shop.sandbox.advance(5_000);
    shop.sandbox.move('invoice', one!.invoiceId, 'PENDING');
    invalidate(shop.client, 'invoice', one!.invoiceId);
    for (const each of last()) expect(each).to.include({ pending: 'announced' });
    await shop.sandbox.advance(3_000);
    for (const { values } of logs.slice(1))
      expect(values.at(-1), 'both lists agree').to.include(pick(logs[0]!.values.at(-1)!));
    await shop.sandbox.advance(MINUTE); // its event was a second announcement
    for (const each of last()) expect(each).to.include({ freshness: 'live', pending: undefined });
    for (const log of logs) log.stop();
  });

  itLong('of two lists of receives is one object, and ends in both', async () => {
    const { client, sandbox } = openShop();
    const request = await sandbox.run(client.receiveRequests.create({ onchain: {} }));
    const { receiveRequestId } = request;
    const logs = [{}, { receiveRequestId }].map((filter) =>
      follow(watchAllReceives(client, filter)),
    );
    void sandbox.payer.pay(request.onchain!.address, { amount: '0.001' });
    await sandbox.advance(MINUTE);
    const last = () => logs.map(({ values }) => values.at(-1)!);
    expect(last().map(({ items }) => items.map(({ state }) => state))).to.deep.equal([
      ['PENDING'],
      ['PENDING'],
    ]);
    expect(last()[0]!.items[0]).to.equal(last()[1]!.items[0]);
    await sandbox.advance(20 * MINUTE);
    for (const { items, ...rest } of last()) {
      expect(items.map(({ state }) => state)).to.deep.equal(['COMPLETED']);
      expect(rest).to.include({ freshness: 'live', pending: undefined });
    }
    for (const log of logs) log.stop();
  });
});
