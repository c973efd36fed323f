import { expect } from 'chai';
import { UnreachableError } from 'paystate';
import { describe, it, itLong } from '#test';
import {
  changed,
  DAY,
  HOUR,
  MINUTE,
  openDeafShop,
  openShop,
  SECOND,
  stateHandlers,
} from './shop.ts';
import { withReports } from '../state/reports.ts';

const UPDATED = 'invoice.updated';

describe('inbox: effects', () => {
  it('run once for each state, soon after the webhook', async () => {
    const shop = await openShop();
    const [paid, cancelled] = [await shop.create(), await shop.create()];
    await shop.sandbox.advance(5 * SECOND);
    await shop.pay(paid);
    await shop.run(shop.client.invoices.cancel(cancelled));
    await shop.sandbox.advance(SECOND);
    expect(shop.effects).to.have.members([
      'paid #1 PAID PAID 1',
      'cancelled #2 CANCELLED CANCELLED 1',
    ]);
    await shop.live(HOUR);
    expect(shop.effects).to.have.length(2);
    expect(await shop.inbox.status()).to.deep.equal({ open: 0, deadLetters: 0 });
    expect([shop.problems, new Set(shop.answers)]).to.deep.equal([[], new Set([200])]);
  });

  it('W1: two events that are both read after PAID have one effect', async () => {
    const shop = await openDeafShop();
    const id = await shop.create();
    await shop.pay(id);
    await shop.deliver(UPDATED, id);
    await shop.deliver(UPDATED, id);
    await shop.live(HOUR);
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1']);
  });

  it('W2: are not lost to a replica that lags', async () => {
    for (const lag of [1, 5, 25]) {
      const shop = await openDeafShop((self) => ({
        read: {
          async invoice(id) {
            const invoice = await self.client.invoices.get(id);
            const isBehind = self.sandbox.clock.now() < paidAt + lag * SECOND;
            return isBehind ? { ...invoice, state: 'PENDING' } : invoice;
          },
        },
      }));
      const id = await shop.create();
      await shop.deliver('invoice.created', id);
      await shop.pay(id);
      const paidAt = shop.sandbox.clock.now();
      await shop.deliver(UPDATED, id);
      await shop.deliver(UPDATED, id);
      await shop.live(HOUR);
      expect(shop.effects, `${lag} s`).to.deep.equal(['paid #1 PAID PAID 1']);
    }
  });

  it('W2: also when the replica shows a state that no event told of', async () => {
    for (const stale of ['UNPAID', 'PENDING']) {
      const shop = await openDeafShop((self) => ({
        read: {
          async invoice(id) {
            const invoice = await self.client.invoices.get(id);
            return self.sandbox.clock.now() < paidAt + 9 * SECOND
              ? { ...invoice, state: stale }
              : invoice;
          },
        },
      }));
      const id = await shop.create();
      await shop.pay(id);
      const paidAt = shop.sandbox.clock.now();
      for (let count = stale === 'UNPAID' ? 1 : 2; count > 0; count--)
        await shop.deliver(UPDATED, id);
      await shop.live(HOUR);
      expect(shop.effects, stale).to.deep.equal(['paid #1 PAID PAID 1']);
    }
  });

  it('W2: REVERSED after PAID is not lost to a replica either', async () => {
    const shop = await openDeafShop((self) => ({
      read: {
        async invoice(id) {
          const invoice = await self.client.invoices.get(id);
          return self.sandbox.clock.now() < reversedAt + 29 * SECOND
            ? { ...invoice, state: 'PAID' }
            : invoice;
        },
      },
    }));
    const id = await shop.create();
    await shop.pay(id);
    let reversedAt = Infinity;
    await shop.deliver(UPDATED, id);
    await shop.live(HOUR);
    await shop.sandbox.payer.reverse(id);
    reversedAt = shop.sandbox.clock.now();
    await shop.deliver(UPDATED, id);
    await shop.live(HOUR);
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1', 'reversed #1 REVERSED REVERSED 1']);
  });

  it('stop looking: three looks over a minute that show nothing new are enough', async () => {
    const shop = await openDeafShop();
    const id = await shop.create();
    await shop.deliver(UPDATED, id);
    const times = (): number[] =>
      shop.sandbox.log
        .filter(({ path }) => path === `/v1/invoices/${id}`)
        .map(({ at }) => Math.round((at - start) / SECOND));
    const start = shop.sandbox.clock.now();
    await shop.live(DAY);
    expect(times()).to.deep.equal([0, 2, 10, 30, 120]);
    expect((await shop.inbox.status()).open).to.equal(0);
  });

  it('do not come in any order but that of their ranks, whatever comes first', async () => {
    const shop = await openDeafShop();
    const id = await shop.create();
    await shop.pay(id);
    await shop.deliver(UPDATED, id);
    await shop.live(SECOND);
    await shop.deliver('invoice.created', id);
    await shop.sandbox.payer.reverse(id);
    await shop.deliver(UPDATED, id);
    await shop.live(HOUR);
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1', 'reversed #1 REVERSED REVERSED 1']);
  });

  it('never go back: what a replica shows late is no news', async () => {
    let state: string | undefined;
    const shop = await openDeafShop((self) => ({
      on: {
        ...stateHandlers(self),
        invoicePending: self.log('pending'),
        invoiceUnpaid: self.log('unpaid'),
      },
      read: {
        async invoice(id) {
          const invoice = await self.client.invoices.get(id);
          return { ...invoice, state: state ?? invoice.state } as never;
        },
      },
    }));
    const id = await shop.create();
    await shop.pay(id);
    await shop.deliver(UPDATED, id);
    await shop.live(MINUTE);
    for (state of ['PENDING', 'UNPAID']) {
      await shop.deliver(UPDATED, id);
      await shop.live(10 * MINUTE);
    }
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1']);
  });

  it('do not wait for the next look of an older event', async () => {
    const shop = await openDeafShop();
    const id = await shop.create();
    await shop.deliver(UPDATED, id);
    await shop.live(35 * SECOND);
    await shop.pay(id);
    await shop.deliver(UPDATED, id);
    await shop.live(SECOND);
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1']);
  });

  it('of a creation need one look', async () => {
    const shop = await openDeafShop();
    await shop.deliver('invoice.created', await shop.create());
    await shop.live(HOUR);
    expect([shop.reads(), (await shop.inbox.status()).open]).to.deep.equal([1, 0]);
  });

  it('of a state that nothing can follow need no second look', async () => {
    const shop = await openDeafShop();
    const id = await shop.create();
    await shop.pay(id);
    await shop.sandbox.payer.reverse(id);
    for (const expected of [1, 2]) {
      await shop.deliver(UPDATED, id);
      await shop.live(HOUR);
      expect(shop.reads()).to.equal(expected);
    }
  });

  it('go on after the answer as long as they are let, else at the next drain', async () => {
    for (const drainTimeout of [undefined, 0]) {
      const shop = await openDeafShop({ drainTimeout });
      const id = await shop.create();
      shop.sandbox.fault({
        method: 'GET',
        path: '/v1/invoices/{id}',
        nth: [1, 2, 3],
        action: { status: 503, code: 'SERVICE_UNAVAILABLE' },
      });
      await shop.pay(id);
      await shop.deliver(UPDATED, id);
      await shop.sandbox.advance(30 * SECOND);
      expect(shop.effects, String(drainTimeout)).to.have.length(drainTimeout === 0 ? 0 : 1);
      await shop.live(MINUTE);
      expect(shop.effects).to.have.length(1);
    }
  });

  it('of one invoice wait for each other, those of others do not', async () => {
    let isBroken = true;
    const shop = await openDeafShop((self) => ({
      on: {
        ...stateHandlers(self),
        invoicePaid(invoice, effect) {
          self.log('paid')(invoice, effect);
          if (isBroken && invoice.invoiceId === first) throw new Error('the mail is down');
        },
      },
    }));
    const [first, second] = [await shop.create(), await shop.create()];
    for (const id of [first, second]) {
      await shop.pay(id);
      await shop.deliver(UPDATED, id);
    }
    await shop.live(SECOND / 2);
    await shop.sandbox.payer.reverse(first);
    await shop.deliver(UPDATED, first);
    await shop.live(MINUTE);
    expect(shop.effects).to.include('paid #2 PAID PAID 1');
    expect(shop.effects.filter((effect) => effect.startsWith('reversed'))).to.deep.equal([]);
    isBroken = false;
    await shop.live(2 * HOUR);
    const ofFirst = shop.effects.filter((effect) => effect.includes('#1'));
    expect(ofFirst.at(-1)).to.equal('reversed #1 REVERSED REVERSED 1');
    expect(ofFirst.at(-2)).to.equal(`paid #1 PAID PAID ${ofFirst.length - 1}`);
  });

  it('W6: run once, however many drain at the same time', async () => {
    const shop = await openDeafShop((self) => ({
      on: {
        async invoicePaid(invoice, effect) {
          await self.sandbox.clock.wait(10 * SECOND);
          self.log('paid')(invoice, effect);
        },
      },
    }));
    const id = await shop.create();
    await shop.pay(id);
    await shop.deliver(UPDATED, id);
    await shop.run(Promise.all(Array.from({ length: 20 }, () => shop.inbox.drain())));
    await shop.live(HOUR);
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1']);
  });

  it('not begun a second time while it runs, whatever else comes for the same invoice', async () => {
    let [running, most] = [0, 0];
    const shop = await openDeafShop((self) => ({
      on: {
        async invoicePaid(invoice, effect) {
          most = Math.max(most, ++running);
          await self.sandbox.clock.wait(30 * SECOND);
          running--;
          self.log('paid')(invoice, effect);
        },
      },
    }));
    const id = await shop.create();
    await shop.pay(id);
    await shop.deliver(UPDATED, id);
    const first = shop.inbox.drain();
    await shop.sandbox.advance(10 * SECOND);
    expect(running).to.equal(1);
    await shop.deliver(UPDATED, id);
    const second = shop.inbox.drain();
    await shop.sandbox.advance(10 * SECOND);
    expect([running, most]).to.deep.equal([1, 1]);
    await shop.live(HOUR);
    await Promise.all([first, second]);
    expect([shop.effects, most]).to.deep.equal([['paid #1 PAID PAID 1'], 1]);
  });

  it('run again under the same key when a claim has run out, and only one of them writes', async () => {
    let runs = 0;
    const shop = await openDeafShop((self) => ({
      on: {
        async invoicePaid(invoice, effect) {
          effect.tx((tx) =>
            tx.put('shipped', ((tx.get('shipped') as number | undefined) ?? 0) + 1),
          );
          self.log('paid')(invoice, effect);
          if (++runs === 1) await self.sandbox.clock.wait(12 * MINUTE);
        },
      },
    }));
    const id = await shop.create();
    await shop.pay(id);
    await shop.deliver(UPDATED, id);
    const slow = shop.inbox.drain();
    await shop.sandbox.advance(6 * MINUTE);
    await shop.live(HOUR);
    await slow;
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1', 'paid #1 PAID PAID 2']);
    expect(shop.store.valueOf('shipped')).to.equal(1);
  });

  it('look once at what arrives together', async () => {
    const shop = await openDeafShop();
    const id = await shop.create();
    await shop.pay(id);
    for (let count = 0; count < 5; count++) await shop.deliver(UPDATED, id);
    await shop.sandbox.advance(SECOND);
    expect(shop.reads()).to.equal(1);
    expect(shop.effects).to.have.length(1);
  });

  itLong('look little: a burst of events for one invoice costs a few looks', async () => {
    const shop = await openDeafShop();
    const id = await shop.create();
    await shop.pay(id);
    const before = shop.reads();
    for (let count = 0; count < 300; count++) await shop.deliver(UPDATED, id);
    await shop.live(HOUR);
    expect(shop.reads() - before).to.be.at.most(3);
    expect(shop.effects).to.have.length(1);
  });
});

describe('inbox: events', () => {
  it('have handlers of their own, under their own key, with what was read', async () => {
    const shop = await openDeafShop((self) => ({
      on: {
        event: { [UPDATED]: (event, effect) => self.log(event.eventType)(effect.value, effect) },
      },
    }));
    const id = await shop.create();
    await shop.pay(id);
    await shop.deliver(UPDATED, id);
    await shop.deliver(UPDATED, id);
    await shop.deliver('invoice.created', id);
    await shop.live(HOUR);
    expect(shop.effects).to.deep.equal([
      'invoice.updated #1 PAID event-1 1',
      'invoice.updated #1 PAID event-2 1',
    ]);
  });

  it('leave nothing in the row of their invoice when they are done, however many came', async () => {
    let row: unknown;
    const shop = await openDeafShop((self) => ({
      store: changed(self.store, {
        commit(lease, commit, write) {
          row = commit.state;
          return self.store.commit(lease, commit, write);
        },
      }),
      on: { event: { [UPDATED]() {} } },
    }));
    const id = await shop.create();
    await shop.pay(id);
    const sizes: number[] = [];
    for (let event = 0; event < 30; event++) {
      await shop.deliver(UPDATED, id);
      await shop.live(5 * MINUTE);
      sizes.push(JSON.stringify(row).length);
    }
    expect((await shop.inbox.status()).open).to.equal(0);
    expect(Math.max(...sizes) - sizes[0]!).to.be.below(20);
  });

  it('whose handler was removed since they came do nothing', async () => {
    const shop = await openDeafShop({
      on: {
        event: {
          [UPDATED]: () => {
            throw new Error('not yet');
          },
        },
      },
    });
    const id = await shop.create();
    await shop.pay(id);
    await shop.deliver(UPDATED, id);
    await shop.live(MINUTE);
    expect((await shop.inbox.status()).open).to.equal(1);
    const failed = shop.problems.length;
    shop.restart({ on: { event: { 'account.updated': () => {} } } });
    await shop.live(DAY);
    expect(await shop.inbox.status()).to.deep.equal({ open: 0, deadLetters: 0 });
    expect([failed > 0, shop.problems.length]).to.deep.equal([true, failed]);
  });

  it('of types that nobody reads go to their handler, or to what is there for the rest', async () => {
    const seen: unknown[] = [];
    const shop = await openDeafShop({
      on: {
        event: {
          'account.updated': ({ data }, { key, value }) =>
            void seen.push([data.entityId, key, value]),
        },
      },
      otherwise: ({ event }, { key }) => void seen.push([event?.eventType, key]),
    });
    await shop.deliver('account.updated', 'p-1');
    await shop.deliver('account.created', 'p-1');
    await shop.deliver('vault.opened', 'v-1', { webhookVersion: 'v9', more: 1 });
    await shop.deliver('', 'x', { data: 'no object', created: 7 });
    await shop.live(HOUR);
    expect(seen).to.deep.equal([
      ['p-1', 'event:event-1', undefined],
      ['account.created', 'event:event-2'],
      ['vault.opened', 'event:event-3'],
      ['', 'event:event-4'],
    ]);
    expect((await shop.inbox.status()).open).to.equal(0);
  });

  it('without anybody to tell are kept and done, and nothing is asked', async () => {
    const shop = await openDeafShop({ on: { event: { 'account.updated': () => {} } } });
    const before = shop.sandbox.log.length;
    const id = await shop.create();
    expect(await shop.deliver(UPDATED, id)).to.equal(200);
    expect(await shop.deliver('payout.created', 'p-1')).to.equal(200);
    await shop.live(HOUR);
    expect([shop.reads(), (await shop.inbox.status()).open]).to.deep.equal([0, 0]);
    expect(shop.sandbox.log.length).to.equal(before + 1); // the creation
  });

  it('that lead to a new state are told', async () => {
    const seen: unknown[] = [];
    const shop = await openDeafShop((self) => ({
      read: {
        invoice: async (id) => ({ ...(await self.client.invoices.get(id)), state: 'HELD' }),
      },
      otherwise: (about, { key }) =>
        void seen.push(
          'state' in about ? [about.resource, about.state, key.split(':').at(-1)] : about,
        ),
    }));
    const id = await shop.create();
    await shop.deliver(UPDATED, id);
    await shop.deliver(UPDATED, id);
    await shop.live(HOUR);
    expect(seen).to.deep.equal([['invoice', 'HELD', 'HELD']]);
  });

  it('of somebody else are answered 200 and ignored', async () => {
    const shop = await openDeafShop((self) => ({
      on: {
        ...stateHandlers(self),
        event: { [UPDATED]: (_event, effect) => self.log('event')(undefined, effect) },
      },
    }));
    expect(await shop.deliver(UPDATED, '0b9e6a52-7c1d-4f0e-9a57-3d2f1c8b4e11')).to.equal(200);
    expect(await shop.deliver(UPDATED, '../../v1/balances')).to.equal(200);
    expect(await shop.deliver(UPDATED, '..')).to.equal(200);
    await shop.live(HOUR);
    expect([shop.effects, shop.problems, (await shop.inbox.status()).open]).to.deep.equal([
      [],
      [],
      0,
    ]);
    expect(
      shop.sandbox.log.filter(({ path }) => path.includes('balances') && !path.includes('%2F')),
    ).to.deep.equal([]);
  });

  it('of an invoice that a replica does not know yet are not lost', async () => {
    const shop = await openDeafShop();
    const id = await shop.create();
    await shop.pay(id);
    shop.sandbox.fault({
      method: 'GET',
      path: '/v1/invoices/{id}',
      nth: [1, 2, 3],
      action: { status: 404, code: 'NOT_FOUND' },
    });
    await shop.deliver(UPDATED, id);
    await shop.live(HOUR);
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1']);
  });

  it('with an id that is known and another entity lead to both', async () => {
    const shop = await openDeafShop();
    const [first, second] = [await shop.create(), await shop.create()];
    for (const id of [first, second]) await shop.pay(id);
    await shop.deliver(UPDATED, first, { id: 'the same' });
    await shop.deliver(UPDATED, second, { id: 'the same' });
    await shop.deliver(UPDATED, second, { id: 'the same' });
    await shop.live(HOUR);
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1', 'paid #2 PAID PAID 1']);
  });

  it('are harmless when a whole capture is played again, also after the ids are forgotten', async () => {
    const shop = await openDeafShop();
    const id = await shop.create();
    await shop.pay(id);
    const created = new Date(shop.sandbox.clock.now()).toISOString();
    const capture = async (): Promise<void> => {
      for (let count = 0; count < 20; count++)
        expect(await shop.deliver(UPDATED, id, { id: `captured-${count}`, created })).to.equal(200);
    };
    await capture();
    await shop.live(HOUR);
    await capture();
    await shop.live(HOUR);
    const before = shop.reads();
    await shop.sandbox.advance(40 * DAY);
    await shop.run(shop.inbox.reconcile());
    for (let round = 0; round < 5; round++) {
      await capture();
      await shop.live(10 * SECOND);
      await shop.store.forget(Infinity);
    }
    expect(shop.reads() - before).to.be.at.most(2);
    await shop.live(HOUR);
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1']);
    expect((await shop.inbox.status()).open).to.equal(0);
  });
});

/** What would make a delivery look like a job that the inbox has stored. */
const likeAJob = (id: string) => ({
  key: `invoice:${id}:PAID`,
  kind: 'state',
  resource: 'invoice',
  state: 'PAID',
  value: { invoiceId: id, state: 'PAID', amount: { amount: '380', currency: 'EUR' } },
  attempts: 0,
  maxAttempts: 20,
  since: 0,
  due: 0,
});

describe('inbox: what a delivery decides', () => {
  it('is never that it is a job: the handler gets what was read, whatever the id looks like', async () => {
    const shop = await openDeafShop();
    const id = await shop.create();
    for (const like of [
      `redelivery invoice:${id}:PAID 20`,
      `invoice:${id}:PAID 20`,
      'redelivery',
      `redelivery:invoice:${id}:PAID 20`,
      'read',
      'event:x',
    ])
      expect(await shop.deliver(UPDATED, id, { id: like, ...likeAJob(id) }), like).to.be.oneOf([
        200,
      ]);
    await shop.live(HOUR);
    expect([shop.effects, shop.problems]).to.deep.equal([[], []]);
    expect(shop.reads()).to.be.above(0);
    await shop.pay(id);
    await shop.deliver(UPDATED, id, { id: `redelivery:invoice:${id}:PAID 21`, ...likeAJob(id) });
    await shop.live(HOUR);
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1']);
  });

  it('is not that a dead letter is never redelivered: an event may have the id of its return, before it and after it', async () => {
    for (const isFirst of [true, false]) {
      let isBroken = true;
      const shop = await openDeafShop((self) => ({
        on: {
          invoicePaid(invoice, effect) {
            self.log('paid')(invoice, effect);
            if (isBroken) throw new Error('not yet');
          },
        },
      }));
      const [id, other] = [await shop.create(), await shop.create()];
      await shop.pay(id);
      await shop.deliver(UPDATED, id);
      await shop.live(2 * DAY);
      const runs = shop.effects.length;
      const { key } = (await shop.inbox.deadLetters())[0]!;
      isBroken = false;
      const attack = () =>
        shop.deliver(UPDATED, other, { id: `${key} ${runs}`, ...likeAJob(other) });
      if (isFirst) await attack();
      expect(await shop.inbox.redeliver(key)).to.equal(true);
      if (!isFirst) await attack();
      await shop.live(HOUR);
      expect(shop.effects.slice(runs), String(isFirst)).to.deep.equal([
        `paid #1 PAID PAID ${runs + 1}`,
      ]);
      expect(await shop.inbox.status()).to.deep.equal({ open: 0, deadLetters: 0 });
    }
  });

  it('is not which invoice was read: the answer for another one is no answer, and the look is repeated', async () => {
    let isWrong = true;
    const asked: string[] = [];
    const shop = await openDeafShop((self) => ({
      read: {
        async invoice(id) {
          asked.push(id);
          return self.client.invoices.get(isWrong ? other : id);
        },
      },
    }));
    const [id, other] = [await shop.create(), await shop.create()];
    await shop.pay(other);
    await shop.deliver(UPDATED, id);
    await shop.deliver(UPDATED, id.toUpperCase());
    await shop.live(HOUR);
    expect(shop.effects).to.deep.equal([]);
    expect(asked.filter((one) => one === id).length).to.be.within(5, 40);
    isWrong = false;
    await shop.pay(id);
    await shop.live(HOUR);
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1']);
  });
});

describe('inbox: problems', () => {
  it('of the service delays effects and loses none', async () => {
    const shop = await openDeafShop();
    const id = await shop.create();
    await shop.pay(id);
    const endFault = shop.sandbox.fault({
      method: 'GET',
      action: { status: 503, code: 'SERVICE_UNAVAILABLE' },
    });
    const before = shop.sandbox.log.length;
    expect(await shop.deliver(UPDATED, id)).to.equal(200);
    await shop.live(2 * HOUR);
    expect(shop.effects).to.deep.equal([]);
    expect(shop.sandbox.log.length - before).to.be.below(120);
    endFault();
    await shop.live(11 * MINUTE);
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1']);
  });

  it('of the service that are over are forgotten: the next one is short again', async () => {
    const shop = await openDeafShop();
    const away = () =>
      shop.sandbox.fault({ method: 'GET', action: { status: 503, code: 'SERVICE_UNAVAILABLE' } });
    const ids: string[] = [];
    for (let made = 0; made < 8; made++) ids.push(await shop.create());
    for (const id of ids) {
      await shop.pay(id);
      await shop.deliver(UPDATED, id);
    }
    let endFault = away();
    await shop.live(2 * HOUR);
    endFault();
    await shop.live(HOUR);
    expect(shop.effects).to.have.length(8);
    endFault = away();
    for (const id of ids) {
      await shop.sandbox.payer.reverse(id);
      await shop.deliver(UPDATED, id);
    }
    await shop.live(3 * SECOND);
    endFault();
    await shop.live(20 * SECOND);
    expect(shop.effects).to.have.length(16);
  });

  it('of the service that says when to come back: nobody looks before that', async () => {
    const times: number[] = [];
    const shop = await openDeafShop((self) => ({
      read: {
        async invoice(id) {
          times.push(self.sandbox.clock.now() - start);
          if (times.length > 2) return self.client.invoices.get(id);
          throw new UnreachableError('later', {
            code: 'RATE_LIMIT_EXCEEDED',
            outcome: 'not-done',
            status: 429,
            retryAt: self.sandbox.clock.now() + 20 * MINUTE,
          });
        },
      },
    }));
    const id = await shop.create();
    await shop.pay(id);
    const start = shop.sandbox.clock.now();
    await shop.deliver(UPDATED, id);
    await shop.live(2 * HOUR);
    expect(times.slice(0, 3).map((time) => Math.floor(time / MINUTE))).to.deep.equal([0, 20, 40]);
    expect(shop.effects).to.deep.equal(['paid #1 PAID PAID 1']);
  });

  it('of the store is said to whoever waits, and told where nobody does', async () => {
    const shop = await openDeafShop();
    const [id, other] = [await shop.create(), await shop.create()];
    for (const one of [id, other]) await shop.pay(one);
    const full = async (): Promise<never> => {
      throw new Error('disk full');
    };
    for (const part of ['lease', 'commit', 'counts'] as const) {
      shop.restart({ store: changed(shop.store, { [part]: full }) });
      const before = shop.problems.length;
      expect(await shop.deliver(UPDATED, id), part).to.equal(200);
      await shop.sandbox.advance(SECOND);
      expect(
        shop.problems
          .slice(before)
          .map((problem) => problem.kind === 'store-failed' && String(problem.error)),
        part,
      ).to.deep.equal(['Error: disk full']);
      await shop.sandbox.advance(2 * MINUTE);
      const drained = await shop.run(
        shop.inbox.drain().then(
          () => 'drained',
          ({ message }: Error) => message,
        ),
      );
      expect(drained, part).to.equal('disk full');
      await shop.sandbox.advance(2 * MINUTE);
    }
    shop.restart();
    await shop.deliver(UPDATED, other);
    await shop.live(HOUR);
    expect([...shop.effects].sort()).to.deep.equal(['paid #1 PAID PAID 1', 'paid #2 PAID PAID 1']);
  });

  it('W7: of a handler is no hot loop, is told, and ends as a dead letter', async () => {
    const shop = await openDeafShop((self) => ({
      on: {
        invoicePaid(invoice, effect) {
          self.log('paid')(invoice, effect);
          throw new Error('never');
        },
      },
    }));
    const id = await shop.create();
    await shop.pay(id);
    await shop.deliver(UPDATED, id);
    await shop.live(MINUTE);
    expect(shop.effects.length).to.be.within(3, 12);
    await shop.live(2 * DAY);
    expect(shop.effects).to.have.length.within(12, 20);
    expect(shop.effects.map((effect) => Number(effect.split(' ').at(-1)))).to.deep.equal(
      shop.effects.map((_, at) => at + 1),
    );
    expect(shop.problems.filter(({ kind }) => kind === 'handler-failed')).to.have.length(
      shop.effects.length,
    );
    expect(shop.problems.at(-1)).to.deep.equal({
      kind: 'dead-letter',
      key: `invoice:${id}:PAID`,
      attempts: shop.effects.length,
    });
    expect(await shop.inbox.status()).to.deep.equal({ open: 0, deadLetters: 1 });
  });

  it('of a handler that never ends holds up nobody else, and ends as a dead letter', async () => {
    const shop = await openDeafShop((self) => ({
      on: {
        invoicePaid(invoice, effect) {
          self.log('paid')(invoice, effect);
          return invoice.invoiceId === stuck ? new Promise(() => {}) : undefined;
        },
      },
    }));
    const [stuck, other] = [await shop.create(), await shop.create()];
    for (const id of [stuck, other]) {
      await shop.pay(id);
      await shop.deliver(UPDATED, id);
    }
    await shop.sandbox.advance(SECOND);
    expect(shop.effects).to.include('paid #2 PAID PAID 1');
    await shop.live(2 * DAY);
    expect(shop.problems.at(-1)).to.deep.include({
      kind: 'dead-letter',
      key: `invoice:${stuck}:PAID`,
    });
    expect(await shop.inbox.status()).to.deep.equal({ open: 0, deadLetters: 1 });
  });

  it('of a handler lasts a day at most, however seldom it could run', async () => {
    const shop = await openDeafShop({
      on: {
        invoicePaid() {
          throw new Error('never');
        },
      },
      drainTimeout: 0,
    });
    const id = await shop.create();
    await shop.pay(id);
    await shop.deliver(UPDATED, id);
    for (let count = 0; count < 3; count++) {
      await shop.run(shop.inbox.drain());
      await shop.sandbox.advance(13 * HOUR);
    }
    expect(shop.problems.at(-1)).to.deep.include({ kind: 'dead-letter', attempts: 3 });
  });

  it('of a handler that is over: its dead letter runs again when redelivered', async () => {
    let isBroken = true;
    const shop = await openDeafShop((self) => ({
      on: {
        invoicePaid(invoice, effect) {
          self.log('paid')(invoice, effect);
          if (isBroken) throw new Error('not yet');
        },
      },
    }));
    const id = await shop.create();
    await shop.pay(id);
    await shop.deliver(UPDATED, id);
    await shop.live(2 * DAY);
    const runs = shop.effects.length;
    const [letter] = await shop.inbox.deadLetters();
    expect(letter!.key).to.equal(`invoice:${id}:PAID`);
    expect(await shop.inbox.redeliver('invoice:other:PAID')).to.equal(false);
    expect(await shop.inbox.redeliver(letter!.key)).to.equal(true);
    await shop.live(SECOND / 2);
    expect((await shop.inbox.status()).open).to.equal(1);
    isBroken = false;
    await shop.live(DAY);
    expect(shop.effects.at(-1)).to.equal(`paid #1 PAID PAID ${shop.effects.length}`);
    expect(shop.effects.length).to.be.above(runs + 1);
    expect(await shop.inbox.status()).to.deep.equal({ open: 0, deadLetters: 0 });
    expect(await shop.inbox.redeliver(letter!.key)).to.equal(false);
  });

  it('of a handler that is over: its dead letter runs at once, without another delivery or alarm', async () => {
    let isBroken = true;
    const shop = await openDeafShop({
      on: {
        invoicePaid() {
          if (isBroken) throw new Error('not yet');
        },
      },
    });
    const id = await shop.create();
    await shop.pay(id);
    await shop.deliver(UPDATED, id);
    await shop.live(2 * DAY);
    isBroken = false;
    expect(await shop.inbox.redeliver(`invoice:${id}:PAID`)).to.equal(true);
    await shop.sandbox.advance(SECOND);
    expect(await shop.inbox.status()).to.deep.equal({ open: 0, deadLetters: 0 });
  });

  it('of what a handler writes counts as its own, and nothing is written', async () => {
    const late: unknown[] = [];
    const shop = await openDeafShop((self) => ({
      on: {
        invoicePaid(invoice, effect) {
          self.log('paid')(invoice, effect);
          effect.tx((tx) => tx.put('a', effect.attempt));
          if (effect.attempt === 1)
            effect.tx(() => {
              throw new Error('full');
            });
          if (effect.attempt === 2) effect.tx(async () => {});
          if (effect.attempt === 3) late.push(effect.tx);
        },
      },
    }));
    const id = await shop.create();
    await shop.pay(id);
    await shop.deliver(UPDATED, id);
    await shop.live(HOUR);
    expect(shop.effects).to.have.length(3);
    expect(shop.store.valueOf('a')).to.equal(3);
    expect(
      shop.problems.map((problem) => problem.kind === 'handler-failed' && String(problem.error)),
    ).to.deep.equal([
      'Error: full',
      "InputError: tx: must finish writing before it returns: transactions can't wait",
    ]);
    expect(() => (late[0] as (write: () => void) => void)(() => {})).to.throw(
      'before the handler returns',
    );
  });

  it('of the listener is its own', async () => {
    const shop = await openDeafShop({
      on: {
        invoicePaid() {
          throw new Error('a');
        },
      },
      onProblem() {
        throw new Error('b');
      },
    });
    const id = await shop.create();
    await shop.pay(id);
    await withReports(async (reports) => {
      expect(await shop.deliver(UPDATED, id)).to.equal(200);
      await shop.live(2 * DAY);
      expect((await shop.inbox.status()).deadLetters).to.equal(1);
      expect(reports.map(String)).to.include('Error: b');
    });
  });
});
