import { describe, it, itLong } from '#test';
import { expect } from 'chai';
import { createClient, watchInvoice } from 'paystate';
import { type Habits, happen, openFeedServer, walk } from './feed-server.ts';
import { invoices } from './invoices.ts';
import { altered, openShop, record } from './shop.ts';
import { internalsOf } from '../core/internals.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('an event feed in trouble', () => {
  for (const [name, habits] of [
    ['a clock an hour ahead', { ahead: HOUR }],
    ['no time from the service', { hidesDate: true }],
    ['a clock an hour ahead, and no time from the service', { hidesDate: true, ahead: HOUR }],
    ['a clock an hour behind, and no time from the service', { hidesDate: true, ahead: -HOUR }],
  ] as [string, Habits][])
    itLong(`with ${name} brings each event once, for one request a poll`, async () => {
      const server = openFeedServer(habits);
      happen(server, 5, MINUTE);
      await server.sandbox.advance(20 * MINUTE);
      const log = walk(server);
      await server.sandbox.advance(10_000);
      happen(server, 300, 20 * MINUTE, (n) => (n % 50 === 0 ? 200_000 : 20));
      await server.sandbox.advance(10 * MINUTE);
      server.requests = 0;
      await server.sandbox.advance(10 * MINUTE);
      expect(server.requests).to.be.within(295, 330);
      await server.sandbox.advance(6 * MINUTE);
      log.stop();
      expect(log.ids.length).to.equal(300);
      expect(new Set(log.ids).size).to.equal(300);
      expect(log.gaps).to.deep.equal([]);
    });

  itLong(
    'without a time from the service is not led astray by an event dated an hour ahead',
    async () => {
      const server = openFeedServer({ hidesDate: true });
      happen(server, 5, MINUTE);
      await server.sandbox.advance(2 * MINUTE);
      const log = walk(server);
      await server.sandbox.advance(10_000);
      const now = server.sandbox.clock.now();
      server.happenings.push({ id: 'ahead', at: now + HOUR, rest: 0, visible: now });
      happen(server, 100, 5 * MINUTE);
      await server.sandbox.advance(10 * MINUTE);
      log.stop();
      expect(log.ids.length).to.equal(101);
    },
  );

  it('that has had no event at all brings the first one', async () => {
    const server = openFeedServer({ hidesDate: true });
    const log = walk(server);
    await server.sandbox.advance(MINUTE);
    happen(server, 3, 1_000);
    await server.sandbox.advance(MINUTE);
    log.stop();
    expect(log.ids).to.have.length(3);
  });

  itLong('begins now, also where what is older fills several pages', async () => {
    const server = openFeedServer();
    happen(server, 350, MINUTE);
    await server.sandbox.advance(2 * MINUTE);
    const log = walk(server);
    await server.sandbox.advance(MINUTE);
    log.stop();
    expect(log.ids).to.deep.equal([]);
  });

  itLong('costs one request a poll where times are printed in whole seconds', async () => {
    const server = openFeedServer({ digits: 0 });
    const log = walk(server);
    await server.sandbox.advance(10_000);
    happen(server, 1_500, 25 * MINUTE);
    await server.sandbox.advance(10 * MINUTE);
    server.requests = 0;
    await server.sandbox.advance(10 * MINUTE);
    expect(server.requests).to.be.within(295, 375);
    await server.sandbox.advance(12 * MINUTE);
    log.stop();
    expect(new Set(log.ids).size).to.equal(1_500);
    expect(log.ids).to.have.length(1_500);
  });

  itLong(
    'says gap for an event that is counted and on no page for five minutes, once',
    async () => {
      const server = openFeedServer({ phantoms: 1 });
      const log = walk(server);
      happen(server, 40, 20 * MINUTE);
      await server.sandbox.advance(4 * MINUTE);
      expect(log.gaps).to.deep.equal([]);
      await server.sandbox.advance(20 * MINUTE);
      log.stop();
      expect(log.gaps.map(({ reason }) => reason)).to.deep.equal(['counted, but not listed']);
      expect(log.ids).to.have.length(40);
      expect(server.requests, 'and does not search without end').to.be.below(900);
    },
  );

  itLong(
    'says gap with its id for an event that cannot be read, and brings the others',
    async () => {
      const server = openFeedServer({ garbles: 'event-7' });
      const log = walk(server);
      await server.sandbox.advance(10_000);
      happen(server, 20, MINUTE);
      await server.sandbox.advance(10 * MINUTE);
      log.stop();
      expect(log.ids).to.have.length(19);
      expect(log.gaps.map(({ eventId }) => eventId)).to.deep.equal(['event-7']);
      expect(log.gaps[0]!.startsAt).to.be.within(
        server.happenings[7]!.at - 1_000,
        server.happenings[7]!.at,
      );
    },
  );

  it('goes on when a network answers with its own page', async () => {
    const server = openFeedServer();
    let isPortal = false;
    const inner = server.client;
    const client = createClient({
      ...server.sandbox.clientOptions,
      fetch: async (url, init) =>
        isPortal
          ? new Response('<html>please log in</html>')
          : (await internalsOf(inner).authorize(false)).send({
              url,
              method: 'GET',
              signal: init.signal!,
            }),
    });
    const log = walk({ ...server, client });
    await server.sandbox.advance(10_000);
    isPortal = true;
    happen(server, 20, MINUTE);
    await server.sandbox.advance(5 * MINUTE);
    isPortal = false;
    await server.sandbox.advance(MINUTE);
    log.stop();
    expect(log.ids).to.have.length(20);
  });
});

describe('watches that a feed covers', () => {
  /** Two hundred watches, the first of which is paid when the feed has begun to answer like this. */
  async function paidBeside(answer: (page: { items: unknown[]; count: number }) => object) {
    let isOff = false;
    const shop = openShop({}, async (url, ask) =>
      isOff && url.includes('/v1/events') ? altered(await ask(), answer) : ask(),
    );
    const all = await invoices(shop, 200);
    await shop.sandbox.advance(40_000);
    const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
    await shop.sandbox.advance(MINUTE);
    expect(watchInvoice(shop.client, all[0]!).status().reason).to.match(/^event feed/);
    isOff = true;
    await shop.sandbox.advance(10_000);
    await shop.pay(all[0]!);
    const stop = () => {
      for (const log of logs) log.stop();
    };
    return { shop, last: () => logs[0]!.values.at(-1)!, stop };
  }

  for (const item of [null, 5, 'text', []])
    itLong(
      `see a payment at once also where ${JSON.stringify(item)} stands among the events`,
      async () => {
        const { shop, last, stop } = await paidBeside(({ items, count }) => ({
          items: [item, ...items],
          count: count + 1,
        }));
        await shop.sandbox.advance(5_000);
        expect(last().value.state).to.equal('PAID');
        stop();
      },
    );

  itLong('do not rely for long on a feed that has lost the events it has shown', async () => {
    const { shop, last, stop } = await paidBeside(() => ({ items: [], count: 0 }));
    await shop.sandbox.advance(90_000);
    expect(last().value.state).to.equal('PAID');
    stop();
  });
});
