// Watching must not take more requests unseen, nor become slower than the manual says.
import { expect } from 'chai';
import { describe, it, itLong, itWhole } from '#test';
import { watchInvoice, watchRates } from 'paystate';
import { invoices } from './invoices.ts';
import { openShop, record, refusal } from './shop.ts';

const MINUTE = 60_000;

const countIn = (times: readonly number[], from: number, to: number) =>
  times.filter((at) => at >= from && at < to).length;

describe('watching', () => {
  for (const [declare, rateLimits, hasFeed, count, plan, most] of [
    [itWhole, 'production', true, 15, 'polling', 300],
    [itLong, 'production', true, 16, 'polling', 300],
    [itWhole, 'production', true, 90, 'polling', 300],
    [itWhole, 'production', true, 200, 'event feed', 490],
    [itWhole, 'production', false, 100, 'polling', 300],
    [itLong, 'test', true, 15, 'polling', 106],
    [itWhole, 'test', true, 16, 'polling', 106],
    [itWhole, 'test', false, 200, 'polling', 172],
  ] as const)
    declare(
      `${count} invoices takes about ${most} requests in ten minutes by ${plan} (${rateLimits})`,
      async () => {
        const changes = hasFeed ? {} : { capabilities: { feed: false }, callTimeout: 60 * MINUTE };
        const shop = openShop({ rateLimits }, undefined, changes);
        const all = await invoices(shop, count);
        const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
        await shop.sandbox.advance(5 * MINUTE);
        shop.requests.length = 0;
        await shop.sandbox.advance(10 * MINUTE);
        expect(watchInvoice(shop.client, all[0]!).status().reason.split(',')[0]).to.equal(plan);
        expect(shop.requests.length).to.be.within(0.95 * most, 1.05 * most);
        expect(logs.every(({ values }) => values.length === 1)).to.equal(true);
        for (const log of logs) log.stop();
      },
    );

  itLong(
    'rates takes fewer requests the longer they are watched, and one in a quarter of a minute at last',
    async () => {
      const shop = openShop();
      const begun = shop.sandbox.clock.now();
      const log = record(watchRates(shop.client));
      await shop.sandbox.advance(70 * MINUTE);
      const times = shop.requests.map(({ sentAt }) => sentAt - begun);
      const counts = [0, 1, 2, 4, 8, 16, 64].map((at) =>
        countIn(times, at * MINUTE, (at + 1) * MINUTE),
      );
      expect(counts).to.deep.equal([31, 30, 15, 8, 4, 4, 4]);
      log.stop();
    },
  );

  for (const count of [1, 40])
    it(`${count} while the service is away takes a probe after 2, 4, 8, 16 and each 20 s, or half of that`, async () => {
      let isDown = false;
      const shop = openShop({}, async (_url, ask) =>
        isDown ? refusal(503, 'SERVICE_UNAVAILABLE') : ask(),
      );
      const all = await invoices(shop, count);
      const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
      await shop.sandbox.advance(2 * MINUTE);
      isDown = true;
      shop.requests.length = 0;
      await shop.sandbox.advance(4 * MINUTE);
      const times = shop.requests.map(({ sentAt }) => sentAt);
      const gaps = times.slice(1).map((at, n) => (at - times[n]!) / 1_000);
      expect(gaps.length).to.be.within(12, 22);
      for (const [n, gap] of gaps.entries()) {
        const most = Math.min(20, 2 ** (n + 1));
        expect(gap, `pause ${n + 1}`).to.be.within(most / 2, most);
      }
      expect(shop.requests.some(({ reason }) => reason.startsWith('probe, '))).to.equal(true);
      isDown = false;
      await shop.sandbox.advance(32_000);
      expect(logs.every(({ values }) => values.at(-1)!.freshness === 'live')).to.equal(true);
      for (const log of logs) log.stop();
    });
});
