// The process dies at every point between a delivery and its last commit, in turn: its memory is gone, the store stays.
import { expect } from 'chai';
import type { MemoryTransaction } from 'paystate/stores';
import { describe, it, itLong } from '#test';
import {
  changed,
  DAY,
  HOUR,
  MINUTE,
  openDeafShop,
  openShop,
  type Options,
  SECOND,
  type Shop,
} from './shop.ts';

/** Never resolves. */
const forever = (): Promise<never> => new Promise(() => {});

/** Options of a process that dies at its n-th step: before or after anything that takes time. */
const mortal = (
  shop: Shop,
  lastStep: number,
  given: Options,
): { readonly options: Options; isDead(): boolean } => {
  let step = 0;
  const dies = (): boolean => ++step >= lastStep;
  const around =
    <A extends unknown[], R>(act: (...given: A) => R | Promise<R>) =>
    async (...given: A): Promise<R> => {
      if (dies()) return forever();
      const result = await act(...given);
      return dies() ? forever() : result;
    };
  const store = changed(shop.store, {});
  const on = Object.fromEntries(
    Object.entries(given.on ?? {}).map(([name, handler]) => [
      name,
      around(handler as () => unknown),
    ]),
  );
  return {
    isDead: () => step >= lastStep,
    options: {
      on,
      read: { invoice: around(async (id: string) => shop.client.invoices.get(id)) },
      store: changed(store, {
        add: around(store.add),
        lease: around(store.lease),
        commit: around(store.commit),
        deadLetter: around(store.deadLetter),
        counts: around(store.counts),
      }),
    },
  };
};

const shipping = (shop: Shop): Options => ({
  on: {
    invoicePaid(invoice, context) {
      shop.log('paid')(invoice, context);
      context.tx((tx: MemoryTransaction) =>
        tx.put('shipped', ((tx.get('shipped') as number | undefined) ?? 0) + 1),
      );
    },
  },
});

describe('inbox: a process that dies', () => {
  itLong(
    'W3, W4, W5: loses nothing at any step, ships under one key, and writes exactly once',
    async () => {
      let steps = 0;
      const runs: number[] = [];
      for (let lastStep = 1; ; lastStep++) {
        const shop = await openShop(shipping);
        const id = await shop.create();
        await shop.sandbox.advance(MINUTE);
        const { options, isDead } = mortal(shop, lastStep, shipping(shop));
        shop.restart(options);
        await shop.pay(id);
        await shop.sandbox.advance(SECOND);
        if (!isDead()) break;
        steps = lastStep;
        shop.restart();
        await shop.live(10 * MINUTE);
        expect(
          new Set(shop.effects.map((effect) => effect.replace(/ \d+$/, ''))),
          `step ${lastStep}`,
        ).to.deep.equal(new Set(['paid #1 PAID PAID']));
        expect(shop.effects.length, `step ${lastStep}`).to.be.within(1, 2);
        expect(
          shop.effects.map((effect) => effect.slice(-1)),
          `step ${lastStep}`,
        ).to.deep.equal(shop.effects.length === 2 ? ['1', '2'] : [shop.effects[0]!.slice(-1)]);
        expect(shop.store.valueOf('shipped'), `step ${lastStep}`).to.equal(1);
        await shop.live(HOUR);
        expect((await shop.inbox.status()).open, `step ${lastStep}`).to.equal(0);
        runs.push(shop.effects.length);
      }
      expect(steps).to.be.above(15);
      // Only a death between the handler and its commit makes it run twice.
      expect(runs.filter((count) => count === 2)).to.have.length.within(1, 3);
    },
  );

  itLong('again and again still ships', async () => {
    const shop = await openShop(shipping);
    const id = await shop.create();
    await shop.pay(id);
    for (let lastStep = 3; lastStep < 24; lastStep++) {
      shop.restart(mortal(shop, lastStep, shipping(shop)).options);
      void shop.inbox.drain();
      await shop.sandbox.advance(6 * MINUTE);
    }
    shop.restart();
    await shop.live(HOUR);
    expect(shop.store.valueOf('shipped')).to.equal(1);
    expect(new Set(shop.effects.map((effect) => effect.replace(/ \d+$/, '')))).to.deep.equal(
      new Set(['paid #1 PAID PAID']),
    );
    expect((await shop.inbox.status()).open).to.equal(0);
  });

  it('before a handler has begun delays it by a minute; inside one, by leaseDuration', async () => {
    for (const [dying, delay] of [
      [{ read: { invoice: forever } }, MINUTE],
      [{ on: { invoicePaid: forever } }, 5 * MINUTE],
    ] as const) {
      const shop = await openShop(shipping);
      shop.restart({ ...shipping(shop), ...(dying as Options) });
      await shop.pay(await shop.create());
      await shop.sandbox.advance(SECOND);
      shop.restart();
      await shop.live(delay - 10 * SECOND);
      expect(shop.effects, `${delay}`).to.deep.equal([]);
      await shop.live(20 * SECOND);
      expect(
        shop.effects.map((effect) => effect.replace(/ \d+$/, '')),
        `${delay}`,
      ).to.deep.equal(['paid #1 PAID PAID']);
    }
  });

  it('that comes back late to what it looked at begins no handler', async () => {
    const shop = await openShop(shipping);
    let answer = (): void => {};
    const late = (id: string) =>
      new Promise<void>((resolve) => void (answer = resolve)).then(() =>
        shop.client.invoices.get(id),
      );
    shop.restart({ ...shipping(shop), read: { invoice: late } });
    await shop.pay(await shop.create());
    await shop.sandbox.advance(SECOND);
    shop.restart();
    await shop.live(2 * MINUTE);
    answer();
    await shop.live(10 * MINUTE);
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1']);
  });

  itLong('W9: before the answer left is answered the next time', async () => {
    const shop = await openShop(shipping);
    const { options } = mortal(shop, 1, shipping(shop));
    shop.restart(options);
    await shop.pay(await shop.create());
    await shop.sandbox.advance(SECOND);
    expect(shop.effects).to.deep.equal([]);
    shop.restart();
    await shop.sandbox.advance(30 * SECOND);
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1']);
  });
});

describe('inbox: a network that lies', () => {
  for (const seed of ['one', 'two'])
    itLong(
      `N4: with deliveries lost, doubled, late and in any order, an outage and deaths, every invoice ships once (seed ${seed})`,
      async () => {
        const shop = await openShop(shipping, { seed });
        for (const [delivery, probability] of [
          ['lost-before', 0.3],
          ['duplicated', 0.3],
          ['reordered', 0.2],
          ['lost-after', 0.1],
        ] as const)
          shop.sandbox.fault({ delivery, probability });
        await shop.run(shop.inbox.reconcile());
        const ids: string[] = [];
        for (let round = 0; round < 10; round++) {
          const id = await shop.create();
          if (round % 5 !== 4) ids.push(id);
          await shop.sandbox.advance(20 * SECOND);
          if (round % 5 !== 4) await shop.pay(id);
          else await shop.run(shop.client.invoices.cancel(id));
          if (round === 5)
            shop.sandbox.fault({
              delivery: { status: 502 },
              from: shop.sandbox.clock.now(),
              to: shop.sandbox.clock.now() + 2 * HOUR,
            });
          if (round % 4 === 1) shop.restart(mortal(shop, 5 + round, shipping(shop)).options);
          if (round % 4 === 3) shop.restart();
          await shop.sandbox.advance(MINUTE);
        }
        shop.restart();
        await shop.sandbox.advance(6 * HOUR);
        await shop.run(shop.inbox.reconcile());
        await shop.live(HOUR);
        const shipped = new Map<string, number>();
        for (const effect of shop.effects)
          shipped.set(effect.split(' ')[1]!, (shipped.get(effect.split(' ')[1]!) ?? 0) + 1);
        expect(shipped.size).to.equal(ids.length);
        expect(Math.max(...shipped.values())).to.be.at.most(3);
        expect(shop.store.valueOf('shipped')).to.equal(ids.length);
        const { open, deadLetters, recordedTo, handledTo } = await shop.inbox.status();
        expect([open, deadLetters, handledTo]).to.deep.equal([0, 0, recordedTo]);
        expect(shop.answers.filter((answer) => answer !== 200 && answer !== 503)).to.deep.equal([]); // 503 by those who died
      },
    );

  it('with no webhook at all ships by the feed', async () => {
    const shop = await openDeafShop(shipping);
    await shop.run(shop.inbox.reconcile());
    for (let count = 0; count < 20; count++) await shop.pay(await shop.create());
    await shop.sandbox.advance(DAY);
    await shop.run(shop.inbox.reconcile());
    expect(shop.store.valueOf('shipped')).to.equal(20);
    expect(shop.effects).to.have.length(20);
  });
});
