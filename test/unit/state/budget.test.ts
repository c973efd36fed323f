// All reads of watching together keep the budget of the plan, in any ten minutes and at once.
import { expect } from 'chai';
import { type ClientOptions, createClient, type RequestView, watchReceives } from 'paystate';
import { rateLimitStoreOf } from 'paystate/stores';
import { describe, itLong as it, itWhole } from '#test';
import { openShop, record } from './shop.ts';
import { asking, receiveRequests } from './single-reads.ts';

const MINUTE = 60_000;
const WINDOW = 10 * MINUTE;

/** Returns the most requests of watching in any ten minutes, and in any five seconds. */
function mostOf(requests: readonly RequestView[]): { window: number; burst: number } {
  const times = requests.filter(({ priority }) => priority === 'normal').map((one) => one.sentAt);
  const most = (ms: number) =>
    Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + ms).length));
  return { window: most(WINDOW), burst: most(5_000) };
}

describe('the budget of single watches', () => {
  for (const [name, changes, own, most] of [
    ['four fifths where the share is given', { rateLimitShare: 1 }, 0, 800],
    ['four fifths without 20 own calls a minute', { rateLimitShare: 1 }, 20, 600],
  ] as const)
    it(`is ${name} in any ten minutes, with a burst of a fifth of it`, async () => {
      const shop = openShop({}, undefined, { capabilities: { feed: false }, ...changes });
      const all = await receiveRequests(shop, 250);
      if (own > 0) await asking(shop, own, 11);
      shop.requests.length = 0;
      const logs = all.map((request) => record(watchReceives(shop.client, request)));
      if (own > 0) await asking(shop, own, 20);
      else await shop.sandbox.advance(20 * MINUTE);
      const { window, burst } = mostOf(shop.requests);
      expect(window).to.be.within(0.9 * most, 1.02 * most);
      expect(burst).to.be.within(0.15 * most, 0.2 * most + 6);
      expect(shop.sandbox.blocks).to.equal(0);
      for (const log of logs) log.stop();
    });

  it('is never silent for 20 s beside 80 own calls a minute, nor after their end', async () => {
    const shop = openShop({}, undefined, { capabilities: { feed: false } });
    const all = await receiveRequests(shop, 300);
    const logs = all.map((request) => record(watchReceives(shop.client, request)));
    await asking(shop, 80, 5);
    await shop.sandbox.advance(3 * MINUTE);
    const times = shop.requests
      .filter(({ priority }) => priority === 'normal')
      .map(({ sentAt }) => sentAt);
    const pauses = times.slice(1).map((at, n) => at - times[n]!);
    expect(Math.max(...pauses, shop.sandbox.clock.now() - times.at(-1)!)).to.be.below(20_000);
    for (const log of logs) log.stop();
  });

  itWhole(
    'is four fifths for each of two clients with a shared store, which keeps both in the limit',
    async () => {
      const shop = openShop();
      const { clock } = shop.sandbox;
      const times: number[] = [];
      const fresh = (window: number) => {
        while (times[0]! <= clock.monotonic() - window) times.shift(); // all windows are of one length
        return times;
      };
      const store = rateLimitStoreOf({
        take(_bucket, { places, window }) {
          const used = fresh(window);
          if (used.length >= places)
            return { delay: used[0]! + window - clock.monotonic(), blockedFor: 0 };
          times.push(clock.monotonic());
          return { delay: 0, blockedFor: 0 };
        },
        block: () => {},
        read: (_bucket, { window }) => ({
          delay: 0,
          blockedFor: 0,
          used: fresh(window).length,
          part: 1,
        }),
      });
      const all = await receiveRequests(shop, 40);
      const open = () => {
        const requests: RequestView[] = [];
        const { fetch } = shop.sandbox.clientOptions;
        const options: ClientOptions = {
          ...shop.sandbox.clientOptions,
          fetch: (url, init) => fetch!(url, init), // as another process: the store alone counts both
          rateLimitStore: store,
          capabilities: { feed: false },
          onRequest: (view) => void requests.push(view),
        };
        const client = createClient(options);
        const watch = () => all.map((request) => record(watchReceives(client, request)));
        return { requests, watch };
      };
      const [one, other] = [open(), open()];
      const logs = one.watch();
      await shop.sandbox.advance(12 * MINUTE);
      expect(mostOf(one.requests).window).to.be.within(0.9 * 800, 1.02 * 800);
      const more = other.watch();
      await shop.sandbox.advance(12 * MINUTE);
      const together = [...one.requests, ...other.requests];
      const { window } = mostOf(together.sort((a, b) => a.sentAt - b.sentAt));
      expect(window).to.be.within(800, 1_000);
      expect(shop.sandbox.blocks).to.equal(0);
      for (const log of [...logs, ...more]) log.stop();
    },
  );
});
