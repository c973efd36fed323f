// What counting costs, how it finds a change, and when it gives way to polls and comes back.
import { describe, itLong } from '#test';
import { expect } from 'chai';
import { type Invoice, watchInvoice, watchReceives } from 'paystate';
import { invoices } from './invoices.ts';
import { inPage } from './page.ts';
import { altered, type Answers, openShop, record, refusal, type Shop } from './shop.ts';

const MINUTE = 60_000;

const openDeaf = (answers?: Answers, changes = {}) =>
  openShop({}, answers, { capabilities: { feed: false }, callTimeout: 60 * MINUTE, ...changes });

/** A request that only counts. */
const isCount = (url: string) => url.includes('state%20eq') && /top=1(&|$)/.test(url);

/** Watches all and waits until they are counted. */
async function watchCounted(shop: Shop, all: readonly Invoice[]) {
  const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
  await shop.sandbox.advance(90_000);
  const watched = {
    logs,
    last: (n: number) => logs[n]!.values.at(-1)!,
    areLive: () => logs.every(({ values }) => values.at(-1)!.freshness === 'live'),
    plan: () => watchInvoice(shop.client, all[0]!).status().reason.split(',')[0],
    stop: (from = 0, to = logs.length) => {
      for (const log of logs.slice(from, to)) log.stop();
    },
    /** How many requests were sent in this time. */
    async sentIn(ms: number) {
      const before = shop.requests.length;
      await shop.sandbox.advance(ms);
      return shop.requests.length - before;
    },
  };
  expect(watched.plan()).to.equal('count look');
  expect(watched.areLive()).to.equal(true);
  return watched;
}

describe('counting', () => {
  itLong('is one request each two seconds, and a payment is found by halving', async () => {
    const shop = openDeaf();
    const all = await invoices(shop, 300);
    const watched = await watchCounted(shop, all);
    expect(await watched.sentIn(MINUTE)).to.equal(30);
    const reasons = shop.requests.slice(-30).map(({ reason }) => reason);
    expect(new Set(reasons)).to.deep.equal(new Set(['inventory, by count look']));
    for (const n of [0, 137, 299]) {
      await shop.pay(all[n]!);
      const paidAt = shop.sandbox.clock.now();
      // one count, eight halves at most, and the section or the invoice itself
      expect(await watched.sentIn(2_000), `${n}`).to.be.within(3, 11);
      expect(watched.last(n)).to.nested.include({ 'value.state': 'PAID', freshness: 'live' });
      expect(watched.last(n).asOf - paidAt).to.be.within(0, 2_000);
      expect(await watched.sentIn(MINUTE), 'nothing is asked for it any more').to.equal(30);
    }
    expect(watched.logs.filter(({ values }) => values.length > 1)).to.have.length(3);
    watched.stop();
  });

  itLong('finds all of many payments at once', async () => {
    const shop = openDeaf();
    const all = await invoices(shop, 300);
    const watched = await watchCounted(shop, all);
    const paid = [3, 4, 5, 90, 150, 151, 222, 298];
    for (const n of paid)
      for (const state of ['PENDING', 'PAID'])
        shop.sandbox.move('invoice', all[n]!.invoiceId, state);
    await shop.sandbox.advance(6_000);
    const seen = all.flatMap((_, n) => (watched.last(n).value.state === 'PAID' ? [n] : []));
    expect(seen).to.deep.equal(paid);
    expect(watched.areLive()).to.equal(true);
    watched.stop();
  });

  itLong('that fails three times in a row gives way to polls for ten minutes', async () => {
    let isBroken = false;
    const shop = openDeaf(async (url, ask) =>
      isBroken && isCount(url) ? refusal(503, 'SERVICE_UNAVAILABLE') : ask(),
    );
    const all = await invoices(shop, 100);
    const watched = await watchCounted(shop, all);
    isBroken = true;
    await shop.sandbox.advance(2_000);
    expect(watched.last(7)).to.nested.include({
      freshness: 'stale',
      'error.code': 'SERVICE_UNAVAILABLE',
    });
    await shop.sandbox.advance(10_000);
    expect(watched.plan()).to.equal('polling');
    expect(watched.areLive()).to.equal(true);
    shop.requests.length = 0;
    await shop.sandbox.advance(9 * MINUTE);
    const counts = shop.requests.filter(({ reason }) => reason.startsWith('inventory'));
    expect(counts).to.have.length(0);
    expect(watched.areLive()).to.equal(true);
    isBroken = false;
    await shop.sandbox.advance(3 * MINUTE);
    expect(watched.plan()).to.equal('count look');
    expect(watched.areLive()).to.equal(true);
    watched.stop();
  });

  itLong('that fails now and then stays, and so does one that nothing explains', async () => {
    let kind: 'right' | 'broken' | 'wrong' = 'right';
    const shop = openDeaf(async (url, ask) => {
      if (kind === 'right' || !isCount(url)) return ask();
      if (kind === 'broken') return refusal(503, 'SERVICE_UNAVAILABLE');
      return altered(await ask(), (page: { count: number }) => ({
        ...page,
        count: page.count + 1,
      }));
    });
    const all = await invoices(shop, 300);
    const watched = await watchCounted(shop, all);
    for (const [trouble, ms] of [
      ['broken', 4_000],
      ['wrong', 18_000],
    ] as const)
      for (let round = 0; round < 3; round++) {
        kind = trouble;
        await shop.sandbox.advance(ms);
        kind = 'right';
        await shop.sandbox.advance(20_000);
        expect(watched.plan(), trouble).to.equal('count look');
        expect(watched.areLive(), trouble).to.equal(true);
      }
    kind = 'wrong';
    await shop.sandbox.advance(MINUTE);
    expect(watched.plan()).to.equal('polling');
    await shop.pay(all[50]!);
    await shop.sandbox.advance(10_000);
    expect(watched.last(50).value.state).to.equal('PAID');
    kind = 'right';
    await shop.sandbox.advance(11 * MINUTE);
    expect(watched.plan()).to.equal('count look');
    watched.stop();
  });

  itLong(
    'reads past hundreds of others that were made between those that are watched',
    async () => {
      const shop = openDeaf();
      const all = await invoices(shop, 700);
      await shop.sandbox.advance(MINUTE);
      const own = all.filter((_, n) => n < 30 || n % 7 === 0);
      const watched = await watchCounted(shop, own);
      expect(await watched.sentIn(MINUTE)).to.be.within(30, 31);
      for (const n of [2, 60, own.length - 1]) {
        await shop.pay(own[n]!);
        await shop.sandbox.advance(2_500);
        expect(watched.last(n).value.state, `${n}`).to.equal('PAID');
      }
      await shop.pay(all[101]!);
      expect(await watched.sentIn(4_000), 'a foreign one is found once').to.be.within(3, 14);
      expect(await watched.sentIn(MINUTE)).to.be.within(30, 31);
      watched.stop();
    },
  );

  itLong('is not given up over others that are paid again and again', async () => {
    const shop = openDeaf();
    const first = await invoices(shop, 60);
    await shop.sandbox.advance(5 * MINUTE);
    const others = await invoices(shop, 60);
    await shop.sandbox.advance(5 * MINUTE);
    const all = [...first, ...(await invoices(shop, 60))];
    const watched = await watchCounted(shop, all);
    for (const { invoiceId } of others.slice(0, 20)) {
      for (const state of ['PENDING', 'PAID']) shop.sandbox.move('invoice', invoiceId, state);
      await shop.sandbox.advance(2_000);
    }
    expect(watched.plan()).to.equal('count look');
    expect(watched.logs.every(({ values }) => values.length === 1)).to.equal(true);
    expect(await watched.sentIn(MINUTE)).to.be.within(30, 40);
    watched.stop();
  });

  itLong('that is no longer exact gives way to polls, and is no failure of any value', async () => {
    let isExact = true;
    const shop = openDeaf(async (url, ask) =>
      isExact || !isCount(url)
        ? ask()
        : altered(await ask(), (page: object) => ({ ...page, isCountUnknown: true })),
    );
    const all = await invoices(shop, 100);
    const watched = await watchCounted(shop, all);
    isExact = false;
    await shop.sandbox.advance(3 * MINUTE);
    expect(watched.plan()).to.equal('polling');
    expect(watched.areLive()).to.equal(true);
    for (const { values } of watched.logs)
      for (const { error } of values) expect(error).to.equal(undefined);
    watched.stop();
  });

  itLong('no longer counts what was left, and takes in what comes', async () => {
    const shop = openDeaf();
    const first = await invoices(shop, 120);
    await shop.sandbox.advance(5 * MINUTE);
    const second = await invoices(shop, 120);
    const old = await watchCounted(shop, first);
    const watched = await watchCounted(shop, second);
    old.stop();
    await shop.sandbox.advance(MINUTE);
    await shop.pay(first[60]!);
    expect(await watched.sentIn(MINUTE), 'nothing is asked for what was left').to.equal(30);
    await shop.pay(second[60]!);
    await shop.sandbox.advance(2_000);
    expect(watched.last(60).value.state).to.equal('PAID');
    const again = record(watchInvoice(shop.client, first[61]!));
    await shop.sandbox.advance(MINUTE);
    await shop.pay(first[61]!);
    await shop.sandbox.advance(2_000);
    expect(again.values.at(-1)!.value.state).to.equal('PAID');
    watched.stop();
  });

  itLong('leaves what cannot be counted to polls, within the limits', async () => {
    const shop = openDeaf();
    const all = await invoices(shop, 150);
    const requests = [];
    for (let n = 0; n < 3; n++)
      requests.push(await shop.sandbox.run(shop.client.receiveRequests.create({ onchain: {} })));
    const logs = requests.map((request) => record(watchReceives(shop.client, request)));
    await shop.sandbox.advance(MINUTE);
    const watched = await watchCounted(shop, all);
    const sent = await watched.sentIn(10 * MINUTE);
    expect(sent).to.be.within(600, 700);
    expect(shop.sandbox.blocks).to.equal(0);
    await shop.pay(all[77]!);
    await shop.sandbox.advance(4_000);
    expect(watched.last(77).value.state).to.equal('PAID');
    const now = shop.sandbox.clock.now();
    for (const { values } of logs) expect(values.at(-1)!.freshness).to.equal('live');
    for (const request of requests) {
      const { readAt } = watchReceives(shop.client, request).status();
      expect(now - readAt!, 'read not long ago').to.be.below(25_000);
    }
    watched.stop();
  });

  itLong('in a hidden page asks once a minute, finds nothing out, and fails nothing by that', () =>
    inPage(async (page) => {
      const shop = openDeaf();
      const all = await invoices(shop, 100);
      await shop.sandbox.advance(5 * MINUTE);
      const later = await invoices(shop, 20);
      const watched = await watchCounted(shop, all);
      const added = later.map((invoice) => record(watchInvoice(shop.client, invoice)));
      await shop.sandbox.advance(500);
      page.hide();
      await shop.pay(all[40]!);
      expect(await watched.sentIn(5 * MINUTE)).to.be.within(4, 6);
      page.show();
      await shop.sandbox.advance(2_500);
      expect(watched.last(40).value.state).to.equal('PAID');
      await shop.sandbox.advance(MINUTE);
      expect(watched.plan()).to.equal('count look');
      for (const { values } of [...watched.logs, ...added]) {
        expect(values.at(-1)!.freshness).to.equal('live');
        for (const { error } of values) expect(error).to.equal(undefined);
      }
      for (const log of added) log.stop();
      watched.stop();
      await shop.sandbox.advance(0);
    }),
  );

  itLong('asks at once when a page is shown again, however small its share is', () =>
    inPage(async (page) => {
      const shop = openDeaf(undefined, { rateLimitShare: 0.1 });
      const all = await invoices(shop, 100);
      const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
      await shop.sandbox.advance(20 * MINUTE);
      expect(watchInvoice(shop.client, all[0]!).status().reason).to.match(/^count look/);
      page.hide();
      await shop.sandbox.advance(5 * MINUTE);
      const before = shop.requests.length;
      while (shop.requests.length === before) await shop.sandbox.advance(500);
      await shop.sandbox.advance(25_000); // what was asked within a period is not asked again
      await shop.pay(all[40]!);
      page.show();
      await shop.sandbox.advance(2_500);
      expect(logs[40]!.values.at(-1)!.value.state).to.equal('PAID');
      for (const log of logs) log.stop();
      await shop.sandbox.advance(0);
    }),
  );
});
