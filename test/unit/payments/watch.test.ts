import { expect } from 'chai';
import {
  type ExecutedPayment,
  invalidate,
  type Payment,
  type Receives,
  type KnownSnapshot,
  watchPayment,
  watchReceives,
} from 'paystate';
import {
  untilSettled,
  values,
  watchPayment as watchPayment$,
  watchReceives as watchReceives$,
} from 'paystate/rx';
import { map } from 'rxjs';
import { describe, it, itLong } from '#test';
import { failureOf } from '../core/shop.ts';
import { altered, openShop, record, type Shop } from '../state/shop.ts';

const BALANCES = { accounts: [{ handle: 'shop', balances: { BTC: '1', USD: '1000.00' } }] };

const pay = async ({ sandbox, client }: Shop): Promise<ExecutedPayment> => {
  const { paymentQuoteId } = await sandbox.run(
    client.paymentQuotes.createLightning({ lnInvoice: sandbox.payer.createBolt11({ sat: '10' }) }),
  );
  return sandbox.run(client.paymentQuotes.execute(paymentQuoteId));
};

const states = (seen: readonly KnownSnapshot<Payment>[]): string[] =>
  seen.map(({ value, freshness }) => `${value.state} ${freshness}`);
const all = (seen: readonly KnownSnapshot<Receives>[]): string[] =>
  seen.map(({ value }) => value.receives.map(({ state }) => state).join());

describe('watchPayment', () => {
  for (const state of ['COMPLETED', 'FAILED'])
    it(`shows PENDING, then ${state}, and completes`, async () => {
      const shop = openShop(BALANCES);
      shop.sandbox.fault({ subject: 'payment', state, delay: 30_000 });
      const payment = await pay(shop);
      const seen = record(watchPayment(shop.client, payment));
      const seen$ = record(
        watchPayment$(shop.client, payment.paymentId).pipe(
          untilSettled(),
          values(),
          map((value) => value.state),
        ),
      );
      await shop.sandbox.advance(40_000);
      expect(states(seen.values)).to.deep.equal(['PENDING live', `${state} live`]);
      expect([seen.ended, shop.timers()]).to.deep.equal(['complete', 0]);
      expect(seen$.values).to.deep.equal(['PENDING', state]);
    });

  itLong('looks at once when somebody says so', async () => {
    const shop = openShop(BALANCES);
    shop.sandbox.fault({ subject: 'payment', delay: Infinity });
    const { paymentId } = await pay(shop);
    const seen = record(watchPayment(shop.client, paymentId));
    await shop.sandbox.advance(30 * 60_000);
    shop.sandbox.move('payment', paymentId, 'COMPLETED');
    invalidate(shop.client, 'payment', paymentId);
    await shop.sandbox.advance(100);
    // announced, then read
    expect(states(seen.values)).to.deep.equal(['PENDING live', 'PENDING stale', 'COMPLETED live']);
  });

  itLong('is woken by the event feed where many are watched', async () => {
    const shop = openShop(BALANCES);
    shop.sandbox.fault({ subject: 'payment', delay: Infinity });
    const payments: ExecutedPayment[] = [];
    for (let count = 0; count < 30; count++) payments.push(await pay(shop));
    const watches = payments.map((payment) => watchPayment(shop.client, payment));
    const seen = watches.map((watch) => record(watch));
    await shop.sandbox.advance(120_000);
    const statuses = watches.map((watch) => watch.status());
    for (const { reason } of statuses) expect(reason).to.match(/^event feed/);
    // its next turn is the last one to come
    const read = statuses.map(({ readAt = 0 }) => readAt);
    const latest = read.indexOf(Math.max(...read));
    shop.requests.length = 0;
    shop.sandbox.move('payment', payments[latest]!.paymentId, 'FAILED');
    await shop.sandbox.advance(5_000);
    expect(states(seen[latest]!.values).at(-1)).to.equal('FAILED live');
    const woken = shop.requests.filter(({ reason }) => reason.startsWith('event,'));
    expect(woken).to.have.length(1);
    for (const one of seen) one.stop();
  });

  it('ends with an error for a payment that is not there', async () => {
    const shop = openShop();
    const seen = record(watchPayment(shop.client, crypto.randomUUID()));
    await shop.sandbox.advance(60_000);
    expect(seen.ended).to.have.nested.property('error.code', 'NOT_FOUND');
    expect(
      (await failureOf(Promise.resolve().then(() => watchPayment(shop.client, '')))).kind,
    ).to.equal('input');
  });
});

describe('watchReceives', () => {
  it('shows all receives of a request as they come and complete, and goes on', async () => {
    const shop = openShop();
    const { sandbox, client } = shop;
    const request = await sandbox.run(client.receiveRequests.create({ onchain: {}, bolt11: {} }));
    const seen = record(watchReceives(client, request));
    const seen$ = record(
      watchReceives$(client, request.receiveRequestId).pipe(
        values(),
        map(({ receives }) => receives.length),
      ),
    );
    await sandbox.advance(3_000);
    void sandbox.payer.pay(request.onchain!.address, { amount: '0.001', pendingFor: 20_000 });
    await sandbox.advance(10_000);
    await sandbox.payer.pay(request.bolt11!.invoice, { amount: '0.0001' });
    await sandbox.advance(30_000);
    expect(all(seen.values)).to.deep.equal([
      '',
      'PENDING',
      'PENDING,COMPLETED',
      'COMPLETED,COMPLETED',
    ]);
    expect(seen$.values).to.deep.equal([0, 1, 2, 2]);
    expect(seen.ended).to.equal(undefined);
    seen.stop();
    seen$.stop();
    await sandbox.advance(1);
    expect(shop.timers()).to.equal(0);
  });

  for (const isCounted of [true, false])
    itLong(
      `reads more than a page, ${isCounted ? '' : 'also where it is not counted, '}and keeps the object while nothing changes`,
      async () => {
        const shop = openShop({}, async (url, ask) =>
          isCounted || !url.includes('/receives')
            ? ask()
            : altered(await ask(), (page: object) => ({ ...page, count: undefined }) as never),
        );
        const { sandbox, client } = shop;
        const request = await sandbox.run(client.receiveRequests.create({ onchain: {} }));
        for (let count = 0; count < 130; count++)
          void sandbox.payer.pay(request.onchain!.address, { amount: '0.0001', pendingFor: 0 });
        const seen = record(watchReceives(client, request));
        await sandbox.advance(60_000);
        expect(
          seen.values.map(
            ({ value }) => new Set(value.receives.map(({ receiveId }) => receiveId)).size,
          ),
        ).to.deep.equal([130]);
        seen.stop();
      },
    );

  it('is the same value in whatever order the service lists it', async () => {
    let flips = 0;
    const flipped = (page: { readonly items: readonly object[] }) => ({
      ...page,
      items: ++flips % 2 ? page.items : page.items.slice().reverse(),
    });
    const shop = openShop({}, async (url, ask) =>
      url.includes('/receives') ? altered(await ask(), flipped as never) : ask(),
    );
    const { sandbox, client } = shop;
    const request = await sandbox.run(client.receiveRequests.create({ onchain: {} }));
    for (let count = 0; count < 5; count++)
      void sandbox.payer.pay(request.onchain!.address, { amount: '0.0001', pendingFor: 0 });
    const seen = record(watchReceives(client, request));
    await sandbox.advance(60_000);
    expect(flips).to.be.greaterThan(5);
    expect(seen.values).to.have.length(1);
    const created = seen.values[0]!.value.receives.map((receive) => receive.created);
    expect(created).to.deep.equal([...created].sort());
    seen.stop();
  });

  itLong('is told of by the events of its request', async () => {
    const shop = openShop();
    const { sandbox, client } = shop;
    const requests = [];
    for (let count = 0; count < 30; count++)
      requests.push(await sandbox.run(client.receiveRequests.create({ onchain: {} })));
    const seen = requests.map((request) => record(watchReceives(client, request)));
    await sandbox.advance(120_000);
    expect(watchReceives(client, requests[7]!).status().reason).to.match(/^event feed/);
    void sandbox.payer.pay(requests[7]!.onchain!.address, { amount: '0.001' });
    await sandbox.advance(5_000);
    expect(all(seen[7]!.values), 'read, announced, read').to.deep.equal(['', '', 'PENDING']);
    for (const one of seen) one.stop();
  });
});
