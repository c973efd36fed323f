// Protects: many events at once cost few requests, and nothing is lost where many cannot be read together.
import { expect } from 'chai';
import { createClient, productionRateLimits } from 'paystate';
import type { SandboxOptions } from 'paystate/sandbox';
import { rateLimitStoreOf } from 'paystate/stores';
import { describe, it, itLong } from '#test';
import { HOUR, MINUTE, openShop, SECOND, type Shop } from './shop.ts';

const COUNT = 12;

interface Reads {
  readonly alone: number;
  readonly lists: number;
}

/** Requests for invoices since a number of requests. */
const readsSince = ({ sandbox }: Shop, from: number): Reads => {
  const reads = sandbox.log.slice(from).filter(({ method }) => method === 'GET');
  const lists = reads.filter(({ path }) => /^\/v1\/invoices(\?|$)/.test(path)).length;
  return { alone: reads.filter(({ path }) => /^\/v1\/invoices\/./.test(path)).length, lists };
};

/** Many invoices whose payments are told at the same moment, and what reading them took. */
const sellMany = async (
  world: SandboxOptions = {},
  before: (shop: Shop) => unknown = () => {},
): Promise<Reads & { readonly shop: Shop }> => {
  const shop = await openShop({}, world);
  const ids: string[] = [];
  for (let made = 0; made < COUNT; made++) ids.push(await shop.create());
  await shop.sandbox.advance(10 * SECOND);
  const from = shop.sandbox.log.length;
  before(shop);
  await Promise.all(ids.map((id) => shop.pay(id)));
  await shop.sandbox.advance(10 * SECOND);
  const reads = readsSince(shop, from);
  await shop.live(HOUR);
  expect(new Set(shop.effects)).to.have.length(COUNT);
  expect(shop.effects.every((effect) => effect.endsWith(' PAID PAID 1'))).to.equal(true);
  expect(shop.problems).to.deep.equal([]);
  return { ...reads, shop };
};

describe('inbox: events that come together', () => {
  it('are read by one list, and not one by one', async () => {
    const { alone, lists } = await sellMany();
    expect(lists).to.be.within(1, 3);
    expect(alone).to.be.at.most(2);
  });

  it('are read one by one where lists are not allowed, and lists are not tried again', async () => {
    const { alone, lists } = await sellMany({}, ({ sandbox }) =>
      sandbox.fault({
        method: 'GET',
        path: '/v1/invoices',
        action: { status: 403, code: 'FORBIDDEN' },
      }),
    );
    expect(lists).to.equal(1);
    expect(alone).to.be.at.least(COUNT);
  });

  itLong('are read by shorter lists where the service refuses long ones', async () => {
    const { lists } = await sellMany({ filterLimits: { comparisons: 4 } });
    expect(lists).to.be.above(3);
  });

  it('are read one by one where the list does not hold them', async () => {
    const { alone, lists } = await sellMany({}, ({ sandbox }) =>
      sandbox.fault({
        method: 'GET',
        path: '/v1/invoices',
        action: { stale: HOUR },
      }),
    );
    expect(lists).to.be.above(0);
    expect(alone).to.be.at.least(COUNT);
  });

  it('W16: wait in the store and not in memory where the rate limit has no place for long, and none is lost', async () => {
    const others = { limit: 20, window: 10 * MINUTE, block: HOUR };
    const rateLimits = { ...productionRateLimits, others };
    const shop = await openShop(
      ({ sandbox }) => ({ client: createClient({ ...sandbox.clientOptions, rateLimits }) }),
      { rateLimits },
    );
    const ids: string[] = [];
    for (let made = 0; made < 6; made++) ids.push(await shop.create());
    for (const id of ids) {
      await shop.pay(id);
      await shop.sandbox.advance(SECOND);
    }
    const now = shop.sandbox.clock.now();
    const due = await shop.run(shop.inbox.drain());
    expect(shop.sandbox.clock.now() - now).to.be.at.most(6 * SECOND);
    expect(due! - now).to.be.above(6 * SECOND);
    expect((await shop.inbox.status()).open).to.be.above(0);
    await shop.live(2 * HOUR);
    expect(new Set(shop.effects)).to.have.length(ids.length);
    expect(shop.sandbox.log.filter(({ status }) => status === 429)).to.deep.equal([]);
  });

  it('are read soon after the rate limit has room again, however long it had none', async () => {
    let isFull = false;
    const rateLimitStore = rateLimitStoreOf({
      take: async () => ({ delay: isFull ? 10 * SECOND : 0, blockedFor: 0 }),
      block: async () => {},
      read: async () => ({ delay: 0, blockedFor: 0, used: 0, part: 1 }),
    });
    const shop = await openShop(({ sandbox }) => ({
      client: createClient({ ...sandbox.clientOptions, rateLimitStore }),
    }));
    const ids: string[] = [];
    for (let made = 0; made < COUNT; made++) ids.push(await shop.create());
    isFull = true;
    for (const id of ids) await shop.pay(id);
    for (let minute = 0; minute < 60; minute++) await shop.live(MINUTE);
    expect(shop.effects).to.deep.equal([]);
    isFull = false;
    await shop.live(MINUTE / 2);
    expect(new Set(shop.effects)).to.have.length(COUNT);
  });
});
