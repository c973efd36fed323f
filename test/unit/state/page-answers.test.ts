// Nothing is lost where pages lack invoices that are watched, are refused, or fail.
import { expect } from 'chai';
import { describe, itLong as it, itWhole } from '#test';
import { type Invoice, watchInvoice } from 'paystate';
import { openPaged, type PagedShop } from './paged.ts';
import { altered, type Answers, record, refusal } from './shop.ts';

const MINUTE = 60_000;
const OPEN = /\(state eq 'UNPAID' or state eq 'PENDING'\)/;

/** Makes invoices, one each second, and watches them until all are read in turn. */
async function watchMany(shop: PagedShop, count: number) {
  const all = await shop.makeAt(Array.from({ length: count }, (_, n) => n));
  await shop.sandbox.advance(11 * MINUTE);
  const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
  await shop.sandbox.advance(2 * MINUTE);
  forget(shop);
  return {
    all,
    logs,
    stateOf: (n: number) => logs[n]!.values.at(-1)!.value.state,
    /** Longest time since a read of one of them, milliseconds. */
    age: () =>
      Math.max(
        ...all
          .filter((_, n) => !logs[n]!.ended)
          .map((one) => shop.sandbox.clock.now() - watchInvoice(shop.client, one).status().readAt!),
      ),
    stop: () => {
      for (const log of logs) log.stop();
    },
  };
}

function forget(shop: PagedShop): void {
  shop.pages.length = 0;
  shop.requests.length = 0;
}

function pay({ sandbox }: PagedShop, { invoiceId }: Invoice): void {
  for (const state of ['PENDING', 'PAID']) sandbox.move('invoice', invoiceId, state);
}

const singleReads = (shop: PagedShop) =>
  shop.requests.filter(({ path }) => path === '/v1/invoices/{invoiceId}');

/** Refuses lists of invoices with such filters. */
const refusing =
  (isRefused: (filter: string) => boolean, status = 400, code = 'INVALID_DATA_QUERY'): Answers =>
  async (url, ask) =>
    isRefused(new URL(url).searchParams.get('$filter') ?? '') ? refusal(status, code) : ask();

const byAny = (filter: string) => filter.includes('created');
const byStates = (filter: string) => filter.includes('state eq');
const bySpans = (filter: string) => filter.split('created gt').length > 2;
const bySpanAndIds = (filter: string) => byAny(filter) && filter.includes('invoiceId');

describe('pages of what is open', () => {
  for (const [declare, count, pages] of [
    [it, 90, 1],
    [it, 300, 3],
    [itWhole, 1_000, 10],
  ] as const)
    declare(
      `of ${count} show by its absence that one is paid, cancelled or reversed: it is read with the next page`,
      async () => {
        const shop = openPaged();
        const watched = await watchMany(shop, count);
        for (const [n, states] of [
          [137 % count, ['PENDING', 'PAID']],
          [42, ['CANCELLED']],
          [255 % count, ['PENDING', 'PAID', 'REVERSED']],
          [count - 1, ['PENDING', 'PAID']],
        ] as const) {
          forget(shop);
          const { invoiceId } = watched.all[n]!;
          for (const state of states) shop.sandbox.move('invoice', invoiceId, state);
          while (watched.stateOf(n) === 'UNPAID' && shop.pages.length < 2 * pages)
            await shop.sandbox.advance(100);
          await shop.sandbox.advance(100);
          expect(watched.stateOf(n)).to.equal(states.at(-1));
          const byId = shop.pages.filter(({ asked }) => asked.has(invoiceId));
          // where pages take less than a base period it does not wait for the next one
          const isAlone = pages === 1;
          expect([singleReads(shop).length, byId.length]).to.deep.equal(isAlone ? [1, 0] : [0, 1]);
          expect(shop.pages.length, 'within a round and a page').to.be.at.most(pages + 1);
          await shop.sandbox.advance(20_000);
        }
        expect(shop.pages.every(({ filter }) => OPEN.test(filter))).to.equal(true);
        watched.stop();
      },
    );

  for (const [name, isRefused, singles] of [
    ['ids', bySpanAndIds, 3],
    ['states', byStates, 0],
    ['several spans', bySpans, 0],
    ['several spans or states', (filter: string) => bySpans(filter) || byStates(filter), 0],
    ['several spans or ids', (filter: string) => bySpans(filter) || bySpanAndIds(filter), 5],
  ] as const)
    itWhole(
      `go on without ${name} where the service refuses that, and show what is paid`,
      async () => {
        const shop = openPaged(refusing(isRefused));
        const watched = await watchMany(shop, 300);
        const paid = [10, 200, 201, 202, 299];
        for (const n of paid) pay(shop, watched.all[n]!);
        await shop.sandbox.advance(15_000);
        expect(paid.map(watched.stateOf)).to.deep.equal(paid.map(() => 'PAID'));
        await shop.sandbox.advance(5 * MINUTE);
        expect(watched.age(), 'each is read in each round').to.be.at.most(10_000);
        expect(shop.pages.filter(({ filter }) => isRefused(filter)).length).to.be.at.most(1);
        expect(singleReads(shop).length).to.be.at.most(singles);
        watched.stop();
      },
    );

  it('that are refused leave all to single reads at once, until lists are tried again', async () => {
    let isForbidden = false;
    const shop = openPaged((url, ask) =>
      isForbidden ? refusing(byAny, 403, 'FORBIDDEN')(url, ask) : ask(),
    );
    const watched = await watchMany(shop, 300);
    isForbidden = true;
    await shop.sandbox.advance(50_000);
    expect(shop.pages).to.have.length(1);
    expect(singleReads(shop).length, 'by the pace of the plan').to.be.within(30, 45);
    isForbidden = false;
    await shop.sandbox.advance(30_000);
    expect(watched.age()).to.be.at.most(10_000);
    expect(watched.logs.every(({ values }) => values.at(-1)!.freshness === 'live')).to.equal(true);
    watched.stop();
  });

  for (const failure of ['status 500', 'a broken connection'])
    it(`that fail, one or three of them, with ${failure} lose nothing`, async () => {
      let failures = 0;
      const shop = openPaged(async (_url, ask) => {
        if (failures <= 0) return ask();
        failures--;
        if (failure === 'status 500') return refusal(500, 'INTERNAL_ERROR');
        throw new TypeError('fetch failed');
      });
      const watched = await watchMany(shop, 300);
      for (const times of [1, 3]) {
        failures = times;
        const paid = [5 + times, 205 + times];
        for (const n of paid) pay(shop, watched.all[n]!);
        await shop.sandbox.advance(30_000);
        expect(failures).to.equal(0);
        expect(paid.map(watched.stateOf)).to.deep.equal(['PAID', 'PAID']);
        expect(watched.age()).to.be.at.most(10_000);
        const areLive = watched.logs.every(({ values }) => values.at(-1)!.freshness === 'live');
        expect(areLive).to.equal(true);
      }
      watched.stop();
    });

  it('and single reads that do not hold a row keep its watch where it is young or known, and end it else', async () => {
    const hidden = new Set<string>();
    const isHidden = (url: string) => [...hidden].some((id) => url.includes(`/v1/invoices/${id}`));
    const shop = openPaged(
      async (_url, ask) =>
        altered(await ask(), (page: { items: Invoice[] }) => ({
          ...page,
          items: page.items.filter(({ invoiceId }) => !hidden.has(invoiceId)),
        })),
      {},
      {},
      async (url, ask) => (isHidden(url) ? refusal(404, 'NOT_FOUND') : ask()),
    );
    const watched = await watchMany(shop, 300);
    const young = await shop.invoice(); // made by this client just now
    hidden.add(young.invoiceId);
    const log = record(watchInvoice(shop.client, young));
    await shop.sandbox.advance(15_000);
    expect(log.ended, 'a copy may lag').to.equal(undefined);
    hidden.clear();
    await shop.sandbox.advance(15_000);
    expect(log.values.at(-1)).to.nested.include({ freshness: 'live', 'value.state': 'UNPAID' });
    hidden.add(watched.all[77]!.invoiceId); // an invoice is never deleted: this is a fault
    const unknown = record(watchInvoice(shop.client, '0e4b3f63-0000-4000-8000-000000000001'));
    forget(shop);
    await shop.sandbox.advance(3 * MINUTE);
    expect(unknown.ended).to.nested.include({ 'error.code': 'NOT_FOUND' });
    expect(watched.logs[77]!.values.at(-1)).to.nested.include({
      freshness: 'stale',
      'error.code': 'NOT_FOUND',
    });
    expect(singleReads(shop).length, 'ever more seldom').to.be.at.most(15);
    const { all } = watched;
    const readAt = all.map((one) => watchInvoice(shop.client, one).status().readAt!);
    const latest = shop.sandbox.clock.now() - 10_000;
    expect(readAt.filter((at) => at < latest)).to.have.length(1);
    expect(watched.logs.filter(({ ended }) => ended)).to.have.length(0);
    log.stop();
    watched.stop();
  });
});
