import { describe, itLong, itWhole, sized } from '#test';
import { expect } from 'chai';
import { type Invoice, watchInvoice, watchReceives } from 'paystate';
import { invoices } from './invoices.ts';
import { openShop, record, refusal, type Shop } from './shop.ts';

const MINUTE = 60_000;

/** Most requests in any ten minutes. */
function mostInWindow(times: readonly number[]): number {
  return Math.max(
    0,
    ...times.map((at, n) => times.slice(n).filter((t) => t < at + 600_000).length),
  );
}

/** Longest time without an entry, from the first to the last. */
function longestPause(times: readonly number[]): number {
  return Math.max(0, ...times.slice(1).map((at, n) => at - times[n]!));
}

const timesOf = (shop: Shop, isOne: (path: string, priority: string) => boolean) =>
  shop.requests.filter((one) => isOne(one.path, one.priority)).map(({ sentAt }) => sentAt);

const isFeed = (path: string) => path === '/v1/events';
const isLook = (path: string, priority: string) => priority === 'normal' && !isFeed(path);

/** Pays invoices one after another at different moments; returns how late each was seen. */
async function delays(shop: Shop, all: readonly Invoice[], count: number): Promise<number[]> {
  const seen: number[] = [];
  for (let n = 0; n < count; n++) {
    const invoice = all[(n * 7) % all.length]!;
    await shop.sandbox.advance(9_000 + ((n * 389) % 2_000));
    await shop.pay(invoice);
    const paidAt = shop.sandbox.clock.now();
    const stop = watchInvoice(shop.client, invoice).subscribe(({ value }) => {
      if (value?.state === 'PAID') seen.push(shop.sandbox.clock.now() - paidAt);
    });
    await shop.sandbox.advance(60_000);
    stop();
  }
  return seen;
}

describe('the plan of the watches', () => {
  for (const [declare, count, rateLimits, most] of [
    [itLong, 5, 'production', 2_500],
    [itWhole, 40, 'production', 2_500],
    [itWhole, 200, 'production', 4_500],
    [itLong, 40, 'test', 7_000],
  ] as const)
    declare(
      `sees a payment within ${most} ms, however old ${count} invoices are (${rateLimits})`,
      async () => {
        const shop = openShop({ rateLimits, seed: count });
        const all = await invoices(shop, count);
        const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
        await shop.sandbox.advance(sized(15, 40) * MINUTE);
        shop.requests.length = 0;
        const late = await delays(shop, all, 5);
        expect(late).to.have.length(5);
        expect(Math.max(...late)).to.be.at.most(most);
        expect(shop.sandbox.blocks).to.equal(0);
        for (const log of logs) log.stop();
      },
    );

  itWhole('takes half of the limit at most, a change and what confirms it aside', async () => {
    for (const count of sized([1, 16, 300], [1, 15, 16, 100, 300])) {
      const shop = openShop({ seed: count });
      const all = await invoices(shop, count);
      const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
      await shop.sandbox.advance(sized(12, 20) * MINUTE);
      expect(mostInWindow(timesOf(shop, () => true)), `${count}`).to.be.within(295, 500);
      for (const log of logs) log.stop();
    }
  });

  itWhole('without a feed is steady: no watch is forgotten', async () => {
    const shop = openShop({}, undefined, { capabilities: { feed: false } });
    const all = await invoices(shop, 200);
    const logs = all.map(({ invoiceId }) => record(watchInvoice(shop.client, invoiceId)));
    await shop.sandbox.advance(20 * MINUTE);
    const times = timesOf(shop, () => true);
    expect(mostInWindow(times)).to.be.at.most(500);
    expect(longestPause(times)).to.be.at.most(20_000);
    const before = shop.sandbox.clock.now();
    await shop.pay(all[77]!);
    await shop.sandbox.advance(10_000);
    const { value, asOf } = logs[77]!.values.at(-1)!;
    expect(value.state).to.equal('PAID');
    expect(asOf - before).to.be.at.most(10_000);
    expect(shop.sandbox.blocks).to.equal(0);
    for (const log of logs) log.stop();
  });

  itWhole(
    'looks first at many by id at half of the limit, and the feed is never silent',
    async () => {
      const shop = openShop();
      const all = await invoices(shop, 1_000);
      await shop.sandbox.advance(11 * MINUTE);
      const logs = all.map(({ invoiceId }) => record(watchInvoice(shop.client, invoiceId)));
      await shop.sandbox.advance(MINUTE);
      expect(shop.requests.length, 'first minute').to.be.at.most(67 + 60);
      expect(logs.every(({ values }) => values.length > 0)).to.equal(true);
      await shop.sandbox.advance(20 * MINUTE);
      expect(logs.every(({ values }) => values.at(-1)!.freshness === 'live')).to.equal(true);
      expect(mostInWindow(timesOf(shop, () => true))).to.be.at.most(600);
      expect(longestPause(timesOf(shop, isFeed))).to.be.at.most(10_000);
      for (const log of logs) log.stop();
    },
  );

  itWhole(
    'leaves the shop its places while 500 receive requests are looked at one by one',
    async () => {
      const shop = openShop();
      const patient = shop.client.withOptions({ callTimeout: 3_600_000 });
      const made = [];
      for (let n = 0; n < 500; n++)
        made.push(shop.sandbox.run(patient.receiveRequests.create({ onchain: {} })));
      const all = await Promise.all(made);
      await shop.sandbox.advance(61 * MINUTE);
      shop.requests.length = 0;
      const logs = all.map((request) => record(watchReceives(shop.client, request)));
      const failures: unknown[] = [];
      for (let second = 0; second < 20 * 60; second += 6) {
        shop.client.balances.list().catch((error) => void failures.push(error));
        await shop.sandbox.advance(6_000);
      }
      expect(failures).to.deep.equal([]);
      expect(logs.every(({ values }) => values.length > 0)).to.equal(true);
      expect(mostInWindow(timesOf(shop, isLook))).to.be.at.most(450);
      expect(longestPause(timesOf(shop, isFeed))).to.be.at.most(20_000);
      expect(shop.sandbox.blocks).to.equal(0);
      for (const log of logs) log.stop();
    },
  );

  itWhole('reads 1,000 in turn, evenly, and each of them every 30 seconds', async () => {
    const shop = openShop();
    const all = await invoices(shop, 1_000);
    await shop.sandbox.advance(11 * MINUTE);
    const logs = all.map(({ invoiceId }) => record(watchInvoice(shop.client, invoiceId)));
    await shop.sandbox.advance(2 * MINUTE);
    shop.requests.length = 0;
    const minutes: number[] = [];
    for (let minute = 0; minute < 10; minute++) {
      const before = shop.requests.length;
      await shop.sandbox.advance(MINUTE);
      minutes.push(shop.requests.length - before);
    }
    const mean = shop.requests.length / minutes.length;
    expect(Math.max(...minutes)).to.be.at.most(1.3 * mean);
    expect(logs.every(({ values }) => values.length <= 3)).to.equal(true);
    const half = shop.sandbox.clock.now() - 30_000;
    const readAt = all.map(
      ({ invoiceId }) => watchInvoice(shop.client, invoiceId).status().readAt!,
    );
    expect(Math.min(...readAt), 'each one in the last half minute').to.be.greaterThan(half);
    for (const log of logs) log.stop();
  });
});

describe('a service that is away', () => {
  for (const count of [10, 200, 1_000])
    itWhole(
      `for five minutes is asked seldom, and ${count} watches are live within a minute after`,
      async () => {
        let isDown = false;
        const shop = openShop({ seed: count }, (_url, ask) =>
          isDown ? Promise.resolve(refusal(503, 'SERVICE_UNAVAILABLE')) : ask(),
        );
        const all = await invoices(shop, count);
        const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
        await shop.sandbox.advance(5 * MINUTE);
        isDown = true;
        shop.requests.length = 0;
        await shop.sandbox.advance(MINUTE);
        expect(logs.every(({ values }) => values.at(-1)!.freshness === 'stale')).to.equal(true);
        expect(watchInvoice(shop.client, all[3]!).status().noGapSince).to.equal(undefined);
        isDown = false;
        const { lnInvoice } = await shop.sandbox.run(shop.client.invoices.quote(all[3]!.invoiceId));
        isDown = true;
        await shop.sandbox.payer.pay(lnInvoice);
        await shop.sandbox.advance(4 * MINUTE);
        expect(shop.requests.length, 'one probe at a time').to.be.at.most(30);
        isDown = false;
        await shop.sandbox.advance(MINUTE);
        expect(logs[3]!.values.at(-1)!.value.state).to.equal('PAID');
        expect(logs.every(({ values }) => values.at(-1)!.freshness === 'live')).to.equal(true);
        expect(shop.requests.length).to.be.at.most(100);
        for (const log of logs) log.stop();
      },
    );

  itWhole(
    'in its feed alone leaves the watches to polls, and the feed is tried again',
    async () => {
      let isDown = false;
      const shop = openShop({}, (url, ask) =>
        isDown && url.includes('/v1/events')
          ? Promise.resolve(refusal(503, 'SERVICE_UNAVAILABLE'))
          : ask(),
      );
      const all = await invoices(shop, 200);
      const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
      await shop.sandbox.advance(2 * MINUTE);
      isDown = true;
      await shop.sandbox.advance(MINUTE);
      expect(watchInvoice(shop.client, all[0]!).status().reason).to.match(/^polling/);
      shop.requests.length = 0;
      await shop.sandbox.advance(10 * MINUTE);
      expect(timesOf(shop, isFeed).length, 'after 1, 2 and 5 minutes').to.be.within(2, 3);
      expect(logs.every(({ values }) => values.at(-1)!.freshness === 'live')).to.equal(true);
      isDown = false;
      await shop.sandbox.advance(11 * MINUTE);
      expect(watchInvoice(shop.client, all[0]!).status().reason).to.match(/^event feed/);
      for (const log of logs) log.stop();
    },
  );
});
