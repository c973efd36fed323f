// Protects: how often a run asks and for how long it waits: often at first, rarely after a day, never in a rush; a journal that
// fails for a moment stops no payment, and what cannot be read is not taken for ready.
import { expect } from 'chai';
import { isPaystateError } from 'paystate';
import type { Store } from 'paystate/stores';
import { describe, it } from '#test';
import { methodDraft } from '../bank/bank.ts';
import { type Desk, openDesk, unreachable } from './moves-desk.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const CREATE = { method: 'POST', path: '/v1/payouts' };
const METHOD = '/payment-methods/bank/{bankMethodId}';

const startPayout = async (desk: Desk, options: Parameters<Desk['payOut']>[1] = {}) =>
  desk.payOut(await desk.method(), options);

describe('what is on its way', () => {
  it('is read often at first, every ten minutes after an hour, and hourly after a day', async () => {
    const desk = openDesk();
    const { sandbox } = desk;
    sandbox.fault({ subject: 'payout', state: 'COMPLETED', delay: Infinity });
    const run = await startPayout(desk);
    run.subscribe(() => {});
    const readsIn = async (time: number): Promise<number> => {
      const before = desk.sent('GET', '/payouts/{payoutId}');
      await sandbox.advance(time);
      return desk.sent('GET', '/payouts/{payoutId}') - before;
    };
    expect(await readsIn(MINUTE)).to.be.within(5, 12);
    expect(await readsIn(58 * MINUTE)).to.be.within(55, 64);
    await sandbox.advance(15 * MINUTE);
    expect(await readsIn(5 * HOUR)).to.be.within(29, 31);
    await sandbox.advance(18 * HOUR);
    expect(await readsIn(48 * HOUR)).to.be.within(47, 49);
    expect(run.current().phase).to.equal('pending');
  });

  it('is not lost because it was once not found, and then could not be read for an hour', async () => {
    const desk = openDesk();
    const { sandbox } = desk;
    const run = await startPayout(desk);
    run.subscribe(() => {});
    const path = '/v1/payouts/{payoutId}';
    const endMissing = sandbox.fault({
      method: 'GET',
      path,
      action: { status: 404, code: 'NOT_FOUND' },
    });
    await sandbox.advance(MINUTE);
    endMissing();
    const action = { status: 503, code: 'SERVICE_UNAVAILABLE' };
    const endOutage = sandbox.fault({ method: 'GET', path, action });
    await sandbox.advance(HOUR);
    expect(run.current().phase).to.equal('pending');
    endOutage();
    expect((await sandbox.run(run.result)).phase).to.equal('completed');
  });
});

describe('a bank method that is not ready yet', () => {
  it('is asked about more and more slowly, for as long as was said and no longer', async () => {
    const desk = openDesk();
    const { sandbox, client } = desk;
    sandbox.fault({ subject: 'bankPaymentMethod', state: 'INVALID', delay: Infinity });
    const { id } = await sandbox.run(client.bankPaymentMethods.create(methodDraft('SEPA')));
    const began = sandbox.clock.monotonic();
    const { result } = desk.payOut(id, { readyTimeout: MINUTE });
    expect((await sandbox.run(result)).phase).to.equal('refused');
    expect(sandbox.clock.monotonic() - began).to.be.within(50_000, 60_500);
    const reads = desk.sent('GET', METHOD);
    expect(reads).to.be.within(8, 10); // after 1, 2, 4, 8 and then each 10 s
  });

  it('is taken for ready where it may not be read, and not where it could not be', async () => {
    for (const [status, code, prepared] of [
      [403, 'FORBIDDEN', 1],
      [503, 'SERVICE_UNAVAILABLE', 0],
    ] as const) {
      const desk = openDesk();
      const { sandbox } = desk;
      const id = await desk.method();
      sandbox.fault({ method: 'GET', path: `/v1${METHOD}`, action: { status, code } });
      const { result } = desk.payOut(id);
      const end = await Promise.race([sandbox.run(result), sandbox.advance(10 * MINUTE)]);
      expect([code, desk.sent('POST', '/payouts')], JSON.stringify(end)).to.deep.equal([
        code,
        prepared,
      ]);
    }
  });
});

describe('a payout whose preparation has lost its answer', () => {
  it('does not take one that somebody prepared minutes before', async () => {
    const desk = openDesk();
    const { sandbox, client } = desk;
    const paymentMethodId = await desk.method();
    const draft = { paymentMethodId, amount: '250.00', reference: 'SALARY' };
    const earlier = await sandbox.run(client.payouts.create(draft));
    await sandbox.advance(5 * MINUTE);
    sandbox.fault({ ...CREATE, nth: 1, action: 'lost-after' });
    const result = await sandbox.run(desk.payOut(paymentMethodId).result);
    if (result.phase !== 'completed') throw new Error(result.phase);
    expect(result.movement.id).not.to.equal(earlier.id);
    expect((await sandbox.run(client.payouts.get(earlier.id))).state).to.equal('NEW');
    expect(desk.moved('payout')).to.deep.equal([result.movement.id]);
  });
});

describe('a journal', () => {
  it('that fails for a moment, and then works, stops nothing', async () => {
    const desk = openDesk();
    let calls = 0;
    const flaky =
      <Given extends readonly unknown[], Value>(work: (...given: Given) => Promise<Value>) =>
      (...given: Given): Promise<Value> =>
        ++calls % 3 === 0 ? work(...given) : Promise.reject(new Error('disk busy'));
    const { journal } = desk;
    const store: Store = {
      ...journal,
      get: flaky((name: string) => journal.get(name)) as Store['get'],
      compareAndSet: flaky((...given: Parameters<Store['compareAndSet']>) =>
        journal.compareAndSet(...given),
      ) as Store['compareAndSet'],
    };
    const { result } = await startPayout(desk, { journal: store });
    expect((await desk.sandbox.run(result)).phase).to.equal('completed');
    expect(desk.moved('payout')).to.have.length(1);
  });
});

describe('a person who settles what is unknown', () => {
  it('has to name what was paid', async () => {
    const desk = openDesk({}, (url, method, send) =>
      method === 'PATCH' && url.endsWith('/initiate') ? unreachable() : send(),
    );
    const run = await startPayout(desk);
    run.subscribe(() => {});
    await desk.sandbox.advance(MINUTE);
    for (const none of [undefined, '']) {
      let thrown: unknown;
      try {
        await run.resolve('paid', none as string);
      } catch (reason) {
        thrown = reason;
      }
      expect(isPaystateError(thrown) && thrown.kind).to.equal('input');
    }
  });
});
