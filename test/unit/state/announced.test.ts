// A value is never live while a change of it was announced and no read shows it: it says `pending` until then.
import { expect } from 'chai';
import {
  firstValue,
  invalidate,
  type Invoice,
  watchBalances,
  watchInvoice,
  watchInvoices,
} from 'paystate';
import { checkout, type CheckoutView } from 'paystate/flows';
import { describe, it, itLong } from '#test';
import { invoices } from './invoices.ts';
import { altered, openShop, record, refusal, type Shop } from './shop.ts';

const LAG = 30_000;

/** A shop whose single reads show an invoice as UNPAID for as long as they lag. */
function lagging(signed = false): { shop: Shop; lag(isLagging: boolean): void } {
  let isLagging = false;
  const shop = openShop({ signed }, async (url, ask) =>
    isLagging && /\/v1\/invoices\/[^/?]+$/.test(url)
      ? altered(await ask(), (json: Invoice) => ({ ...json, state: 'UNPAID' }))
      : ask(),
  );
  return { shop, lag: (now) => void (isLagging = now) };
}

describe('an announced change', () => {
  it('whose reads lag for 25 s is pending for all of that time, and never live', async () => {
    const { shop, lag } = lagging();
    const { invoiceId } = await shop.invoice();
    const log = record(watchInvoice(shop.client, invoiceId));
    await shop.sandbox.advance(1_000);
    lag(true);
    for (const state of ['PENDING', 'PAID'] as const)
      shop.sandbox.move('invoice', invoiceId, state);
    invalidate(shop.client, 'invoice', invoiceId);
    for (let second = 0; second < 25; second++) {
      expect(log.values.at(-1)).to.include({ freshness: 'stale', pending: 'announced' });
      expect(log.values.at(-1)).to.include({ error: undefined });
      await shop.sandbox.advance(1_000);
    }
    lag(false);
    await shop.sandbox.advance(8_000);
    expect(log.values.at(-1)).to.nested.include({ freshness: 'live', 'value.state': 'PAID' });
    expect([log.values.length, log.ended]).to.deep.equal([3, 'complete']);
  });

  itLong('that is older than any replica is over with the first read', async () => {
    let isAway = false;
    const shop = openShop({}, async (_url, ask) =>
      isAway ? refusal(503, 'SERVICE_UNAVAILABLE') : ask(),
    );
    const all = await invoices(shop, 200);
    const logs = all.map((one) => record(watchInvoice(shop.client, one)));
    await shop.sandbox.advance(60_000);
    isAway = true;
    await shop.sandbox.advance(150_000);
    for (const state of ['PENDING', 'UNPAID'] as const)
      for (const { invoiceId } of all.slice(0, 60)) shop.sandbox.move('invoice', invoiceId, state);
    await shop.sandbox.advance(150_000);
    isAway = false;
    await shop.sandbox.advance(25_000);
    const late = logs.filter(({ values }) => values.at(-1)?.freshness !== 'live');
    expect(late).to.have.length(0);
    for (const log of logs) log.stop();
  });

  it('that is none is over with the first read that was sent 30 s later', async () => {
    const shop = openShop();
    const one = await shop.invoice();
    const log = record(watchInvoice(shop.client, one));
    await shop.sandbox.advance(1_000);
    invalidate(shop.client, 'invoice', one.invoiceId);
    await shop.sandbox.advance(LAG - 100);
    expect(log.values.at(-1)).to.include({ freshness: 'stale', pending: 'announced' });
    await shop.sandbox.advance(3_000);
    expect(log.values.at(-1)).to.include({ freshness: 'live', pending: undefined });
    expect(log.values.map(({ freshness }) => freshness)).to.deep.equal(['live', 'stale', 'live']);
    log.stop();
  });

  it('that was announced shortly before the first read is pending too', async () => {
    const { shop, lag } = lagging();
    const { invoiceId } = await shop.invoice();
    lag(true);
    shop.sandbox.move('invoice', invoiceId, 'PENDING');
    invalidate(shop.client, 'invoice', invoiceId);
    await shop.sandbox.advance(5_000);
    const log = record(watchInvoice(shop.client, invoiceId));
    await shop.sandbox.advance(1_000);
    expect(log.values).to.have.length(1);
    expect(log.values[0]).to.include({ freshness: 'stale', pending: 'announced' });
    lag(false);
    await shop.sandbox.advance(25_000);
    expect(log.values.at(-1)).to.nested.include({ freshness: 'live', 'value.state': 'PENDING' });
    log.stop();
  });

  it('whose move a read has shown before is not pending, though the service tells of two', async () => {
    const shop = openShop();
    const one = await shop.invoice();
    const single = watchInvoice(shop.client, one, { until: 'never' });
    const log = record(single);
    const rows = record(watchInvoices(shop.client));
    await shop.sandbox.advance(60_500);
    await shop.pay(one);
    await shop.sandbox.run(single.refresh());
    const [said, listed] = [log.values.length, rows.values.length];
    const told = shop.requests.filter(({ operation }) => operation === 'events.list').length;
    await shop.sandbox.advance(20_000);
    const tells = shop.requests.filter(({ operation }) => operation === 'events.list').length;
    expect(tells, 'events were read').to.be.above(told);
    expect(log.values.at(-1)).to.nested.include({ freshness: 'live', 'value.state': 'PAID' });
    expect(log.values.slice(said), 'no word of doubt').to.deep.equal([]);
    expect(rows.values.slice(listed).map(({ pending }) => pending)).to.not.include('announced');
    expect(rows.values.at(-1)).to.include({ freshness: 'live' });
    log.stop();
    rows.stop();
  });

  it('of a settled invoice is pending until a read shows that it was reversed', async () => {
    let isLagging = false;
    const shop = openShop({}, async (url, ask) =>
      isLagging && /\/v1\/invoices\/[^/?]+$/.test(url)
        ? altered(await ask(), (json: Invoice) => ({ ...json, state: 'PAID' }))
        : ask(),
    );
    const one = await shop.invoice();
    await shop.pay(one);
    const log = record(watchInvoice(shop.client, one, { until: 'never' }));
    await shop.sandbox.advance(60_000);
    isLagging = true;
    await shop.sandbox.payer.reverse(one.invoiceId);
    invalidate(shop.client, 'invoice', one.invoiceId);
    await shop.sandbox.advance(20_000);
    expect(log.values.at(-1)).to.include({ freshness: 'stale', pending: 'announced' });
    isLagging = false;
    await shop.sandbox.advance(15_000);
    expect(log.values.at(-1)).to.nested.include({ freshness: 'live', 'value.state': 'REVERSED' });
    log.stop();
  });

  it('that some event may have made is no announcement: balances stay live', async () => {
    const shop = openShop();
    const [one] = [await shop.invoice(), await firstBalances(shop)];
    const balances = record(watchBalances(shop.client));
    const log = record(watchInvoice(shop.client, one));
    await shop.sandbox.advance(60_000);
    const { length } = balances.values;
    shop.sandbox.move('invoice', one.invoiceId, 'PENDING');
    await shop.sandbox.advance(60_000);
    expect(balances.values.slice(length)).to.deep.equal([]);
    expect(balances.values.at(-1)!.freshness).to.equal('live');
    balances.stop();
    log.stop();
  });

  it('changes nothing of a code on show, and the page hears what is pending', async () => {
    const { shop } = lagging(true);
    const { invoiceId } = await shop.invoice();
    const log = record<CheckoutView>(checkout(shop.client, { invoiceId }));
    await shop.sandbox.advance(2_000);
    const before = log.values.at(-1)!;
    invalidate(shop.client, 'invoice', invoiceId);
    await shop.sandbox.advance(1_000);
    const after = log.values.at(-1)!;
    expect(after).to.deep.equal({ ...before, freshness: 'stale', pending: 'announced' });
    log.stop();
  });
});

async function firstBalances({ client, sandbox }: Shop): Promise<unknown> {
  return sandbox.run(firstValue(watchBalances(client)));
}
