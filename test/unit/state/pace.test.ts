// The pace of the watches: what they may send of the limit, evenly, with and without the caller's own calls.
import { expect } from 'chai';
import { describe, itLong as it, itWhole } from '#test';
import { type ClientOptions, type Invoice, invalidate, watchInvoice } from 'paystate';
import { openPaged, type PagedShop } from './paged.ts';
import { inPage } from './page.ts';
import { record } from './shop.ts';

const MINUTE = 60_000;

/** Watches 1,000 invoices, made one each second. */
async function watchThousand(changes: Partial<ClientOptions> = {}) {
  const shop = openPaged(undefined, changes);
  const all = await shop.makeAt(Array.from({ length: 1_000 }, (_, n) => n));
  await shop.sandbox.advance(11 * MINUTE);
  const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
  const stop = () => {
    for (const log of logs) log.stop();
  };
  return { shop, all, logs, stop };
}

/** Lets minutes pass with `own` own calls in each; returns the requests of watching by minute. */
async function minutesOf(shop: PagedShop, minutes: number, own: number): Promise<number[]> {
  const counts: number[] = [];
  for (let minute = 0; minute < minutes; minute++) {
    const before = watchRequests(shop).length;
    if (own === 0) await shop.sandbox.advance(MINUTE);
    for (let n = 0; n < own; n++) {
      shop.client.balances.list().catch(() => {});
      await shop.sandbox.advance(MINUTE / own);
    }
    counts.push(watchRequests(shop).length - before);
  }
  return counts;
}

const watchRequests = (shop: PagedShop) =>
  shop.requests.filter(({ priority }) => priority === 'normal');

const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);

describe('the pace of 1,000 watches', () => {
  for (const [declare, name, changes, own, most] of [
    [itWhole, 'half of the limit', {}, 0, 500],
    [itWhole, 'four fifths where the share is given', { rateLimitShare: 1 }, 0, 800],
    [itWhole, 'half of the limit without 10 own calls a minute', {}, 10, 400],
    [itWhole, 'four fifths without 40 own calls a minute', { rateLimitShare: 1 }, 40, 400],
  ] as const)
    declare(`takes ${name}, evenly`, async () => {
      const { shop, stop } = await watchThousand(changes);
      await minutesOf(shop, 11, own);
      const minutes = await minutesOf(shop, 10, own);
      const perTen = (most * 600) / 610;
      expect(sum(minutes)).to.be.within(0.95 * perTen, 1.05 * perTen);
      expect(Math.min(...minutes), 'no empty minute').to.be.above(0.6 * (perTen / 10));
      expect(Math.max(...minutes), 'no burst').to.be.below(1.4 * (perTen / 10));
      expect(shop.sandbox.blocks).to.equal(0);
      stop();
    });

  itWhole('is not starved by a burst of 30 own calls at the start', async () => {
    const { shop, stop } = await watchThousand();
    for (let n = 0; n < 30; n++) shop.client.balances.list().catch(() => {});
    const minutes = await minutesOf(shop, 10, 0);
    expect(Math.min(...minutes)).to.be.at.least(20);
    expect(sum(minutes)).to.be.within(400, 620);
    stop();
  });

  itWhole(
    'is a page each 18 s with 80 own calls a minute: what changed travels with pages',
    async () => {
      const { shop, all, logs, stop } = await watchThousand();
      await minutesOf(shop, 12, 80);
      const before = watchRequests(shop).length;
      const late: Invoice[] = await shop.makeAtOnce(5);
      const more = late.map((invoice) => record(watchInvoice(shop.client, invoice)));
      for (const n of [5, 500, 900]) {
        for (const state of ['PENDING', 'PAID'])
          shop.sandbox.move('invoice', all[n]!.invoiceId, state);
        invalidate(shop.client, 'invoice', all[n]!.invoiceId);
      }
      let isRefreshed = false;
      void watchInvoice(shop.client, all[7]!)
        .refresh()
        .then(() => (isRefreshed = true));
      await minutesOf(shop, 2, 80);
      expect(watchRequests(shop).length - before).to.be.within(5, 16);
      expect(isRefreshed).to.equal(true);
      expect(more.every(({ values }) => values.length > 0)).to.equal(true);
      for (const n of [5, 500, 900]) expect(logs[n]!.values.at(-1)!.value.state).to.equal('PAID');
      for (const log of more) log.stop();
      stop();
    },
  );

  itWhole(
    'asks no more for what waited for a page and was left, and leaves no timers',
    async () => {
      const { shop, stop } = await watchThousand();
      await minutesOf(shop, 12, 80);
      const [first, ...late] = await shop.makeAtOnce(6);
      const other = record(watchInvoice(shop.client, first!.invoiceId)); // takes the next page early
      await shop.sandbox.advance(1_000);
      const more = late.map((invoice) => record(watchInvoice(shop.client, invoice.invoiceId)));
      await shop.sandbox.advance(60);
      shop.pages.length = 0;
      const before = shop.requests.length;
      for (const log of more) log.stop();
      await minutesOf(shop, 1, 80);
      const isAsked = ({ invoiceId }: Invoice) =>
        shop.pages.some(({ asked }) => asked.has(invoiceId));
      expect(late.some(isAsked)).to.equal(false);
      const paths = shop.requests.slice(before).map(({ path }) => path);
      expect(paths).not.to.include('/v1/invoices/{invoiceId}');
      other.stop();
      stop();
      await shop.sandbox.advance(0);
      expect(shop.timers()).to.equal(0);
    },
  );

  it('loses nothing that waits for a page while the document is hidden', () =>
    inPage(async (page) => {
      const { shop, all, logs, stop } = await watchThousand();
      await minutesOf(shop, 12, 80);
      for (const state of ['PENDING', 'PAID'])
        shop.sandbox.move('invoice', all[400]!.invoiceId, state);
      invalidate(shop.client, 'invoice', all[400]!.invoiceId);
      const [late] = await shop.makeAtOnce(1);
      const log = record(watchInvoice(shop.client, late!));
      await shop.sandbox.advance(60);
      page.hide();
      await shop.sandbox.advance(20_000);
      page.show();
      await shop.sandbox.advance(2 * MINUTE);
      expect(logs[400]!.values.at(-1)!.value.state).to.equal('PAID');
      expect(log.values.length).to.be.above(0);
      log.stop();
      stop();
      await shop.sandbox.advance(0);
    }));
});
