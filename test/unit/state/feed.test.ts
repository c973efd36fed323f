import { describe, it, itLong } from '#test';
import { expect } from 'chai';
import { createClient, eventFeed } from 'paystate';
import { type Habits, happen, openFeedServer, walk } from './feed-server.ts';
import { internalsOf } from '../core/internals.ts';

const MINUTE = 60_000;

/** Every event once, in whatever order it became readable. */
function expectAll(ids: readonly string[], count: number): void {
  expect(new Set(ids).size, 'no event twice').to.equal(ids.length);
  expect(ids.length, 'no event lost').to.equal(count);
}

describe('the event feed', () => {
  for (const [name, habits, late] of [
    ['as published', {}, undefined],
    ['pages of 37', { page: 37 }, undefined],
    ['pages of 1', { page: 1 }, undefined],
    ['six digits printed of seven', { digits: 6 }, undefined],
    ['whole seconds printed', { digits: 0 }, undefined],
    ['a count that is hidden', { hidesCount: true }, undefined],
    ['a count that is hidden, pages of 37', { hidesCount: true, page: 37 }, undefined],
    ['an order that is ignored', { order: 'asc' }, undefined],
    ['an order that shuffles', { order: 'shuffled' }, undefined],
    ['an order that is ignored, and no time', { order: 'asc', hidesDate: true }, undefined],
    ['an order that shuffles, and no time', { order: 'shuffled', hidesDate: true }, undefined],
    ['every tenth event five seconds late', {}, (n: number) => (n % 10 === 0 ? 5_000 : 20)],
    ['every twentieth event five minutes late', {}, (n: number) => (n % 20 === 0 ? 299_000 : 20)],
  ] as [string, Habits, ((n: number) => number) | undefined][])
    itLong(`brings each event once: ${name}`, async () => {
      const server = openFeedServer(habits);
      const log = walk(server);
      await server.sandbox.advance(10_000);
      happen(server, habits.page === 1 ? 40 : 300, 3 * MINUTE, late);
      await server.sandbox.advance(12 * MINUTE);
      log.stop();
      expectAll(log.ids, server.happenings.length);
      expect(log.gaps).to.deep.equal([]);
    });

  for (const [name, habits, spread, most] of [
    ['with one timestamp', {}, 0, 500],
    ['in a second, the count hidden, pages of 37', { hidesCount: true, page: 37 }, 997, 900],
  ] as const)
    itLong(`brings a burst of 350 ${name}, and does not go round in circles`, async () => {
      const server = openFeedServer(habits);
      const log = walk(server);
      await server.sandbox.advance(10_000);
      happen(server, 350, spread);
      await server.sandbox.advance(10 * MINUTE);
      log.stop();
      expectAll(log.ids, 350);
      expect(server.requests).to.be.below(most);
    });

  it('says gap where a second has more events than a page and $skip does nothing, and goes on', async () => {
    const server = openFeedServer({ ignoresSkip: true, hidesCount: true });
    const log = walk(server);
    await server.sandbox.advance(10_000);
    happen(server, 350, 0);
    await server.sandbox.advance(MINUTE);
    expect(log.gaps[0]?.reason).to.equal('unstable order');
    expect(server.requests).to.be.below(100);
    happen(server, 3, 0);
    await server.sandbox.advance(MINUTE);
    log.stop();
    expect(log.ids).to.include.members(['event-350', 'event-351', 'event-352']);
  });

  itLong('is not led astray by an event dated an hour ahead', async () => {
    const server = openFeedServer();
    const log = walk(server);
    await server.sandbox.advance(10_000);
    const now = server.sandbox.clock.now();
    server.happenings.push({ id: 'ahead', at: now + 60 * MINUTE, rest: 0, visible: now });
    happen(server, 200, 5 * MINUTE, (n) => (n % 7) * 1_000);
    await server.sandbox.advance(10 * MINUTE);
    log.stop();
    expectAll(log.ids, 201);
  });

  for (const rate of [0.1, 1, 2])
    itLong(`costs about one request a poll at ${rate} events a second`, async () => {
      const server = openFeedServer();
      const log = walk(server);
      await server.sandbox.advance(10_000);
      happen(server, rate * 1_500, 25 * MINUTE, (n) =>
        n % 100 === 0 ? 200_000 : n % 10 === 0 ? 5_000 : 20,
      );
      await server.sandbox.advance(10 * MINUTE);
      server.requests = 0;
      await server.sandbox.advance(10 * MINUTE);
      expect(server.requests).to.be.within(295, 375);
      await server.sandbox.advance(12 * MINUTE);
      log.stop();
      expectAll(log.ids, server.happenings.length);
    });

  it('begins now: what is older than a moment is not told', async () => {
    const server = openFeedServer();
    happen(server, 50, 0);
    await server.sandbox.advance(MINUTE);
    const log = walk(server);
    await server.sandbox.advance(MINUTE);
    happen(server, 1, 0);
    await server.sandbox.advance(MINUTE);
    log.stop();
    expect(log.ids).to.deep.equal(['event-50']);
  });

  it('begins now, and tells what is older where it can be read only later', async () => {
    const server = openFeedServer();
    happen(server, 50, 0, (n) => (n < 10 ? 90_000 + n * 20_000 : 20));
    await server.sandbox.advance(MINUTE);
    const log = walk(server);
    await server.sandbox.advance(5 * MINUTE);
    log.stop();
    expect(log.ids.toSorted()).to.deep.equal(Array.from({ length: 10 }, (_, n) => `event-${n}`));
    expect(log.gaps).to.deep.equal([]);
  });

  it('begins at a date, oldest first, page by page', async () => {
    const server = openFeedServer();
    const from = new Date(server.sandbox.clock.now()).toISOString();
    await server.sandbox.advance(1_000);
    happen(server, 2_000, 24 * 60 * MINUTE);
    await server.sandbox.advance(24 * 60 * MINUTE);
    const log = walk(server, from);
    await server.sandbox.advance(MINUTE);
    log.stop();
    expectAll(log.ids, 2_000);
    expect(log.ids).to.deep.equal(server.happenings.map(({ id }) => id));
    expect(server.requests).to.be.below(100);
  });

  itLong('says gap where the history has ended, and brings the rest', async () => {
    const server = openFeedServer();
    const from = new Date(server.sandbox.clock.now()).toISOString();
    await server.sandbox.advance(1_000);
    happen(server, 100, 1_000);
    await server.sandbox.advance(40 * 24 * 60 * MINUTE);
    happen(server, 10, 0);
    await server.sandbox.advance(1_000);
    const log = walk(server, from);
    await server.sandbox.advance(10 * MINUTE);
    log.stop();
    expectAll(log.ids, 10);
    expect(log.gaps).to.have.length(1);
    expect(log.gaps[0]!.startsAt).to.equal(Date.parse(from));
  });

  itLong('goes on after the service was away, and loses nothing', async () => {
    const server = openFeedServer();
    let isAway = false;
    const { clientOptions: connection } = server.sandbox;
    const inner = server.client;
    const client = createClient({
      ...connection,
      fetch: async (url, init) =>
        isAway
          ? Promise.reject(new TypeError('gone'))
          : (await internalsOf(inner).authorize(false)).send({
              url,
              method: 'GET',
              signal: init.signal!,
            }),
    });
    const log = walk({ ...server, client });
    await server.sandbox.advance(10_000);
    isAway = true;
    happen(server, 500, 20 * MINUTE);
    await server.sandbox.advance(30 * MINUTE);
    isAway = false;
    await server.sandbox.advance(10 * MINUTE);
    log.stop();
    expectAll(log.ids, 500);
    expect(log.gaps).to.deep.equal([]);
  });

  it('refuses a date that is none', () => {
    const { client } = openFeedServer();
    expect(() => eventFeed(client, { from: 'yesterday' })).to.throw(
      /^from: must be a Date or an ISO 8601 string, such as \d{4}-/,
    );
  });
});
