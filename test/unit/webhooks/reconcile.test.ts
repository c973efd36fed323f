import { expect } from 'chai';
import { type ClientOptions, createClient, RefusedError } from 'paystate';
import type { Sandbox } from 'paystate/sandbox';
import type { InboxStore, MemoryTransaction } from 'paystate/stores';
import { describe, it, itLong } from '#test';
import { changed, DAY, HOUR, MINUTE, openDeafShop, openShop, SECOND } from './shop.ts';

describe('inbox: the feed', () => {
  it('brings what no webhook brought, once', async () => {
    const shop = await openDeafShop();
    await shop.run(shop.inbox.reconcile());
    const id = await shop.create();
    await shop.pay(id);
    await shop.sandbox.advance(5 * MINUTE);
    expect(await shop.run(shop.inbox.reconcile())).to.deep.equal({
      found: 3,
      gaps: [],
      complete: true,
    });
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1']);
    expect((await shop.run(shop.inbox.reconcile())).found).to.equal(0);
    await shop.live(HOUR);
    expect(shop.effects).to.have.length(1);
  });

  it('and webhooks are one queue: what both bring is one event', async () => {
    const shop = await openShop();
    await shop.run(shop.inbox.reconcile());
    const id = await shop.create();
    await shop.pay(id);
    await shop.sandbox.advance(MINUTE);
    expect((await shop.run(shop.inbox.reconcile())).found).to.equal(0);
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1']);
  });

  it('is read on from where the last process kept its mark', async () => {
    const shop = await openDeafShop();
    await shop.run(shop.inbox.reconcile());
    const first = (await shop.inbox.status()).recordedTo!;
    for (let day = 0; day < 5; day++) {
      await shop.pay(await shop.create());
      await shop.sandbox.advance(DAY);
      shop.restart();
    }
    expect(await shop.run(shop.inbox.reconcile())).to.include({ found: 15, complete: true });
    expect(shop.effects).to.have.length(5);
    const { recordedTo, handledTo } = await shop.inbox.status();
    expect(recordedTo).to.be.above(first + 3 * DAY);
    expect(handledTo).to.equal(recordedTo);
  });

  it('leases events for as long as a read may take, and no longer than it is told to', async () => {
    const durations: number[] = [];
    const noted = (given: { readonly store: InboxStore<MemoryTransaction> }) =>
      changed(given.store, {
        lease: (now, duration, ...rest) => {
          durations.push(duration);
          return given.store.lease(now, duration, ...rest);
        },
      });
    const shop = await openDeafShop();
    const slow = createClient({ ...shop.sandbox.clientOptions, callTimeout: 70_000 });
    shop.restart({ store: noted(shop), client: slow });
    await shop.run(shop.inbox.drain());
    shop.restart({ store: noted(shop), client: slow, leaseDuration: 40_000 });
    await shop.run(shop.inbox.drain());
    expect(durations[0]).to.be.within(75_000, 110_000);
    expect(durations.at(-1)).to.equal(40_000);
  });

  it('never moves its mark back where nothing new has come', async () => {
    const shop = await openDeafShop();
    await shop.run(shop.inbox.reconcile());
    await shop.pay(await shop.create());
    await shop.sandbox.advance(HOUR);
    await shop.run(shop.inbox.reconcile());
    const { recordedTo } = await shop.inbox.status();
    await shop.sandbox.advance(MINUTE);
    await shop.run(shop.inbox.reconcile());
    expect((await shop.inbox.status()).recordedTo).to.equal(recordedTo);
  });

  it('lets ids be forgotten after 30 days and not before', async () => {
    const shop = await openDeafShop();
    const id = await shop.create();
    const again = async (): Promise<number> => {
      const before = shop.reads();
      await shop.deliver('invoice.created', id, { id: 'the same' });
      await shop.live(MINUTE);
      return shop.reads() - before;
    };
    expect(await again()).to.equal(1);
    for (const [days, looks] of [
      [1, 0],
      [28, 0],
      [2, 1],
    ] as const) {
      await shop.sandbox.advance(days * DAY);
      await shop.run(shop.inbox.reconcile());
      expect(await again(), `after ${days} more days`).to.equal(looks);
    }
  });

  it('starts with now: what was before is not shipped', async () => {
    const shop = await openDeafShop();
    await shop.pay(await shop.create());
    await shop.sandbox.advance(HOUR);
    await shop.run(shop.inbox.reconcile());
    await shop.live(HOUR);
    await shop.run(shop.inbox.reconcile());
    expect(shop.effects).to.deep.equal([]);
  });

  it('is read again from the old mark when its events could not be kept', async () => {
    const shop = await openDeafShop();
    await shop.run(shop.inbox.reconcile());
    await shop.pay(await shop.create());
    shop.restart({
      store: changed(shop.store, {
        add: async () => {
          throw new Error('disk full');
        },
      }),
    });
    await shop.run(shop.inbox.reconcile()).then(
      () => {
        throw new Error('it was not rejected');
      },
      ({ message }: Error) => expect(message).to.equal('disk full'),
    );
    shop.restart();
    expect((await shop.run(shop.inbox.reconcile())).found).to.equal(3);
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1']);
  });

  it('keeps its mark moving while nothing happens, so that the history never ends before it', async () => {
    const shop = await openDeafShop();
    await shop.run(shop.inbox.reconcile());
    for (let week = 0; week < 8; week++) {
      await shop.sandbox.advance(7 * DAY);
      expect((await shop.run(shop.inbox.reconcile())).gaps).to.deep.equal([]);
    }
    await shop.pay(await shop.create());
    await shop.run(shop.inbox.reconcile());
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1']);
  });

  it('does not move its mark by a clock of ours that is wrong', async () => {
    for (const clockSkew of [-2 * HOUR, 2 * HOUR]) {
      const shop = await openDeafShop((self) => ({
        client: createClient(self.sandbox.clientOptionsFor({ clockSkew })),
      }));
      await shop.run(shop.inbox.reconcile());
      for (let round = 0; round < 4; round++) {
        await shop.pay(await shop.create());
        await shop.sandbox.advance(10 * MINUTE);
        await shop.run(shop.inbox.reconcile());
      }
      expect(shop.effects, String(clockSkew)).to.have.length(4);
    }
  });

  itLong('tells of what is gone, after more than 30 days', async () => {
    const shop = await openDeafShop();
    await shop.run(shop.inbox.reconcile());
    await shop.pay(await shop.create());
    await shop.sandbox.advance(40 * DAY);
    const { gaps } = await shop.run(shop.inbox.reconcile());
    expect(gaps.map(({ reason }) => reason)).to.deep.equal(['older than the history']);
    expect(shop.problems).to.deep.include({ kind: 'gap', gap: gaps[0] });
  });

  it('that is refused is said, and what is kept is worked on all the same', async () => {
    const shop = await openShop((self) => ({
      client: createClient(self.sandbox.clientOptionsFor({ scopes: ['partner.invoice.read'] })),
    }));
    const id = await shop.create();
    await shop.pay(id);
    await shop.run(shop.inbox.reconcile()).then(
      () => {
        throw new Error('it was not rejected');
      },
      (error: unknown) => {
        expect(error).to.be.instanceOf(RefusedError);
        expect(error).to.include({ neededScope: 'partner.webhooks.manage' });
      },
    );
    await shop.sandbox.advance(SECOND);
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1']);
  });
});

/** A connection of the sandbox whose answers about events are changed on their way. */
const rewriting = (
  sandbox: Sandbox,
  rewrite: (page: { items: { id: string }[]; count?: number }) => void,
): ClientOptions => {
  const { clientOptions: connection } = sandbox;
  return {
    ...connection,
    async fetch(input, init) {
      const answer = await connection.fetch!(input, init);
      if (!String(input).includes('/v1/events')) return answer;
      const page = (await answer.json()) as { items: { id: string }[]; count?: number };
      rewrite(page);
      return Response.json(page, { status: answer.status, headers: answer.headers });
    },
  };
};

describe('inbox: a feed that is hard to read', () => {
  it('ends at no id that is none: it is told of once, and its entity is looked at', async () => {
    const strange = 'x'.repeat(201);
    const shop = await openDeafShop((self) => ({
      client: createClient(
        rewriting(self.sandbox, ({ items }) =>
          items.forEach((event, at) => {
            if (at % 2 === 0) event.id = `${strange}${event.id}`;
          }),
        ),
      ),
    }));
    await shop.run(shop.inbox.reconcile());
    for (let count = 0; count < 4; count++) await shop.pay(await shop.create());
    for (let round = 0; round < 3; round++) {
      await shop.sandbox.advance(2 * MINUTE);
      expect((await shop.run(shop.inbox.reconcile())).complete).to.equal(true);
    }
    await shop.live(HOUR);
    expect(shop.effects).to.have.length(4);
    const gaps = shop.problems.flatMap((problem) => (problem.kind === 'gap' ? [problem.gap] : []));
    expect(new Set(gaps.map(({ reason }) => reason))).to.deep.equal(
      new Set(['an event without a valid id']),
    );
    for (const { startsAt, endsAt } of gaps) {
      expect(endsAt - startsAt).to.equal(1_000);
      expect(shop.sandbox.clock.now() - startsAt).to.be.within(0, 2 * HOUR);
    }
    expect(gaps.length).to.be.within(4, 12);
    expect(JSON.stringify(shop.problems)).not.to.include(strange);
    expect((await shop.inbox.status()).open).to.equal(0);
  });

  itLong('keeps its mark where it is after an incomplete reading, and loses nothing', async () => {
    const shop = await openDeafShop((self) => ({
      client: createClient(rewriting(self.sandbox, (page) => void delete page.count)),
    }));
    await shop.run(shop.inbox.reconcile());
    const { recordedTo } = await shop.inbox.status();
    await shop.sandbox.advance(HOUR);
    let paid = 0;
    for (let round = 0; round < 10; round++) {
      for (let count = 0; count < 7; count++, paid++) await shop.pay(await shop.create());
      await shop.sandbox.advance(50 * SECOND);
    }
    expect((await shop.run(shop.inbox.reconcile())).complete).to.equal(false);
    expect((await shop.inbox.status()).recordedTo).to.equal(recordedTo);
    await shop.sandbox.advance(20 * MINUTE);
    expect((await shop.run(shop.inbox.reconcile())).complete).to.equal(true);
    await shop.live(HOUR);
    expect(shop.effects).to.have.length(paid);
    expect((await shop.inbox.status()).recordedTo).to.be.above(recordedTo!);
  });

  itLong('begins its mark where a long first reading began', async () => {
    const shop = await openDeafShop((self) => ({
      client: createClient({
        ...self.sandbox.clientOptions,
        attemptTimeout: 5 * MINUTE,
        callTimeout: 5 * MINUTE,
      }),
    }));
    for (let count = 0; count < 60; count++)
      await shop.create().then((id) => shop.run(shop.client.invoices.cancel(id)));
    const endSlow = shop.sandbox.fault({
      method: 'GET',
      path: '/v1/events',
      action: { delay: 4 * MINUTE },
    });
    const reading = shop.inbox.reconcile();
    await shop.sandbox.advance(9 * MINUTE); // the newest page has been read
    endSlow();
    await shop.pay(await shop.create());
    const endBegun = shop.sandbox.fault({
      method: 'GET',
      path: '/v1/events',
      action: { delay: 4 * MINUTE },
    });
    await shop.run(reading);
    endBegun();
    await shop.sandbox.advance(10 * MINUTE);
    await shop.run(shop.inbox.reconcile());
    await shop.live(HOUR);
    expect(shop.effects.filter((effect) => effect.startsWith('paid'))).to.deep.equal([
      'paid #61 PAID PAID 1',
    ]);
  });
});

describe('inbox: marks', () => {
  itLong('W12: a poison event holds back handledTo alone, and is told of on day 25', async () => {
    let poison = '';
    const shop = await openShop((self) => ({
      on: {
        async invoicePaid(invoice, effect) {
          if (invoice.invoiceId === poison) return self.sandbox.clock.wait(60 * DAY);
          return self.log('paid')(invoice, effect);
        },
      },
      leaseDuration: 60 * DAY,
    }));
    await shop.run(shop.inbox.reconcile());
    poison = await shop.create();
    const since = shop.sandbox.clock.now();
    await shop.pay(poison);
    for (let day = 1; day <= 26; day++) {
      await shop.sandbox.advance(DAY);
      await shop.pay(await shop.create());
      await shop.sandbox.advance(SECOND);
      await shop.run(shop.inbox.reconcile());
      const late = shop.problems.some(({ kind }) => kind === 'backlog-late');
      expect(late, `day ${day}`).to.equal(day >= 25);
    }
    expect(shop.effects).to.have.length(26);
    const { recordedTo, handledTo } = await shop.inbox.status();
    expect(recordedTo! - since).to.be.above(24 * DAY);
    expect(handledTo! - since).to.be.within(-MINUTE, MINUTE);
  });

  it('a feed that cannot be read is told of after an hour', async () => {
    const shop = await openShop();
    await shop.run(shop.inbox.reconcile());
    const { recordedTo } = await shop.inbox.status();
    const endFault = shop.sandbox.fault({
      method: 'GET',
      path: '/v1/events',
      action: { status: 503, code: 'SERVICE_UNAVAILABLE' },
    });
    const kinds: string[] = [];
    for (let count = 0; count < 6; count++) {
      await shop.sandbox.advance(15 * MINUTE);
      await shop.run(shop.inbox.reconcile()).catch(() => {});
      kinds.push(shop.problems.some(({ kind }) => kind === 'feed-late') ? 'late' : 'well');
    }
    expect(kinds).to.deep.equal(['well', 'well', 'well', 'late', 'late', 'late']);
    expect((await shop.inbox.status()).recordedTo).to.equal(recordedTo);
    endFault();
    const told = shop.problems.length;
    await shop.run(shop.inbox.reconcile());
    expect(shop.problems.length).to.equal(told);
  });

  it('a feed that could never be read is told of after an hour too, also by a process that has just begun', async () => {
    const shop = await openShop();
    const endFault = shop.sandbox.fault({
      method: 'GET',
      path: '/v1/events',
      action: { status: 403, code: 'FORBIDDEN' },
    });
    const late: boolean[] = [];
    for (let count = 0; count < 6; count++) {
      await shop.run(shop.inbox.reconcile()).catch(() => {});
      late.push(shop.problems.some(({ kind }) => kind === 'feed-late'));
      shop.restart();
      await shop.sandbox.advance(15 * MINUTE);
    }
    expect(late).to.deep.equal([false, false, false, false, false, true]);
    expect(await shop.inbox.status()).not.to.have.any.keys('recordedTo', 'handledTo');
    endFault();
    await shop.run(shop.inbox.reconcile());
    expect((await shop.inbox.status()).recordedTo).to.be.above(0);
  });
});

describe('inbox: run', () => {
  it('keeps up by itself until it is stopped', async () => {
    const shop = await openDeafShop();
    const over = new AbortController();
    const running = shop.inbox.run(over.signal);
    await shop.sandbox.advance(SECOND);
    await shop.pay(await shop.create());
    await shop.sandbox.advance(6 * MINUTE);
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1']);
    const endFault = shop.sandbox.fault({ method: 'GET', action: 'lost-before' });
    await shop.pay(await shop.create());
    await shop.sandbox.advance(12 * MINUTE);
    expect(shop.problems.some(({ kind }) => kind === 'store-failed')).to.equal(true);
    const { length } = shop.sandbox.log;
    expect(length).to.be.below(60);
    endFault();
    await shop.sandbox.advance(6 * MINUTE);
    expect(shop.effects).to.have.length(2);
    over.abort();
    await shop.run(running);
    const before = shop.sandbox.log.length;
    await shop.sandbox.advance(HOUR);
    expect(shop.sandbox.log.length).to.equal(before);
  });

  it('tries a broken store every five seconds, and stops at once when it is told to', async () => {
    let tries = 0;
    const shop = await openDeafShop();
    const counts = async (): Promise<never> => {
      tries++;
      throw new Error('disk full');
    };
    shop.restart({ store: changed(shop.store, { counts }) });
    const over = new AbortController();
    let isOver = false;
    void shop.inbox.run(over.signal).then(() => (isOver = true));
    await shop.sandbox.advance(MINUTE);
    const before = tries;
    await shop.sandbox.advance(4 * MINUTE);
    expect(tries - before).to.be.within(47, 49);
    await shop.sandbox.advance(SECOND);
    over.abort();
    await shop.sandbox.advance(0);
    expect(isOver).to.equal(true);
  });
});
