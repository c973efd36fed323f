// Protects: of one intent one payout is initiated, whatever is lost, and none before its bank and its fee are right.
import { expect } from 'chai';
import { type PayOutResult, resume } from 'paystate/flows';
import { describe, it } from '#test';
import { methodDraft, PERSON } from '../bank/bank.ts';
import { altered } from '../state/shop.ts';
import { type Desk, lateCopyDesk, openDesk, unreachable } from './moves-desk.ts';

const CREATE = { method: 'POST', path: '/v1/payouts' };
const INITIATE = { method: 'PATCH', path: '/v1/payouts/{payoutId}/initiate' };
const play = async (desk: Desk, options = {}): Promise<PayOutResult> =>
  desk.sandbox.run(desk.payOut(await desk.method(), options).result);
const prepared = (desk: Desk) => desk.sent('POST', '/payouts');
const initiated = (desk: Desk) => desk.sent('PATCH', '/initiate');
const guardOf = (result: PayOutResult) =>
  result.phase === 'refused' ? [result.guard, result.error.outcome] : result.phase;

describe('a payout', () => {
  it('is prepared, initiated and followed until it has left', async () => {
    const desk = openDesk();
    const run = desk.payOut(await desk.method(), { maxFee: { amount: '0.50', currency: 'EUR' } });
    const phases = new Set<string>();
    run.subscribe(({ phase }) => void phases.add(phase));
    const result = await desk.sandbox.run(run.result);
    if (result.phase !== 'completed') throw new Error(result.phase);
    expect([...phases]).to.deep.equal(['new', 'executing', 'pending', 'completed']);
    expect([result.movement.state, result.movement.reference]).to.deep.equal([
      'COMPLETED',
      'SALARY',
    ]);
    expect(desk.moved('payout')).to.deep.equal([result.movement.id]);
    // it is read for what became of it, and not before it was sent
    const reasons = desk.requests.map(({ reason }) => reason);
    expect(reasons).to.not.include('check if it was executed');
  });

  it('that is completed begins no other round, and a retry says that it moved nothing', async () => {
    const desk = openDesk();
    const run = desk.payOut(await desk.method());
    const first = await desk.sandbox.run(run.result);
    const again = await desk.sandbox.run(run.retry().result);
    expect([first.phase, first.joined]).to.deep.equal(['completed', false]);
    expect([again.phase, again.joined]).to.deep.equal(['completed', true]);
    expect(desk.moved('payout')).to.have.length(1);
    const dear = desk.payOut(await desk.method(), {
      ...{ intent: 'too dear', maxFee: { amount: '0.00', currency: 'EUR' } },
    });
    const refused = await desk.sandbox.run(dear.result);
    const tried = await desk.sandbox.run(dear.retry().result);
    expect([refused.phase, tried.phase, tried.joined]).to.deep.equal(['refused', 'refused', false]);
  });

  it('may cost maxFee itself, and not a cent more', async () => {
    const free = openDesk();
    const made = await free.sandbox.run(free.payOut(await free.method()).result);
    if (made.phase !== 'completed') throw new Error(made.phase);
    const { currency, amount } = made.movement.fee!;
    const cents = Math.round(Number(amount) * 100);
    for (const [most, phase] of [
      [cents, 'completed'],
      [cents - 1, 'refused'],
    ] as const) {
      const desk = openDesk();
      const maxFee = { amount: (most / 100).toFixed(2), currency };
      const run = desk.payOut(await desk.method(), { maxFee });
      expect((await desk.sandbox.run(run.result)).phase).to.equal(phase);
    }
  });

  it('to a method that can never be ready is refused at once', async () => {
    for (const state of ['SUSPENDED', 'INVALID', 'INACTIVE']) {
      const desk: Desk = openDesk({}, async (url, method, send) =>
        method === 'GET' && url.includes('/payment-methods/bank/')
          ? altered(await send(), (one: object) => ({ ...one, state }))
          : send(),
      );
      const id = await desk.method();
      const began = desk.sandbox.clock.monotonic();
      expect((await desk.sandbox.run(desk.payOut(id).result)).phase).to.equal('refused');
      expect(desk.sandbox.clock.monotonic() - began, state).to.be.below(1_000);
    }
  });

  it('of what is no decimal text, or settled by an empty id, is not begun', () => {
    const desk = openDesk();
    for (const amount of ['nine', '1e3', '-5.00', 250, ''])
      expect(() => desk.payOut('m', { amount: amount as string }), `${amount}`).to.throw(
        /^amount: /,
      );
    const run = desk.payOut('m');
    expect(() => run.resolve('paid', '')).to.throw(/^movementId: /);
  });

  it('waits for a bank method and an originator that are being looked at', async () => {
    const desk = openDesk();
    const { sandbox, client } = desk;
    const [method, originator] = await sandbox.run(
      Promise.all([
        client.bankPaymentMethods.create(methodDraft('SEPA')),
        client.payoutOriginators.create(PERSON),
      ]),
    );
    const run = desk.payOut(method.id, { originatorId: originator.id });
    expect((await sandbox.run(run.result)).phase).to.equal('completed');
    expect(prepared(desk)).to.equal(1);
  });

  it('is refused where they are not ready in time, or never will be', async () => {
    const desk = openDesk();
    const { sandbox, client } = desk;
    for (const state of ['PENDING', 'INVALID']) {
      const delay = state === 'PENDING' ? Infinity : 1_000;
      const end = sandbox.fault({ subject: 'bankPaymentMethod', state: 'INVALID', delay });
      const { id } = await sandbox.run(client.bankPaymentMethods.create(methodDraft('SEPA')));
      const began = sandbox.clock.monotonic();
      const run = desk.payOut(id, { intent: state, readyTimeout: 20_000 });
      expect(guardOf(await sandbox.run(run.result))).to.deep.equal(['bank-method', 'not-done']);
      expect(sandbox.clock.monotonic() - began).to.be.within(500, 20_500);
      end();
    }
    sandbox.fault({ subject: 'payoutOriginator', state: 'REJECTED', delay: 100 });
    const { id } = await sandbox.run(client.payoutOriginators.create(PERSON));
    const result = await play(desk, { originatorId: id });
    expect(guardOf(result)).to.deep.equal(['originator', 'not-done']);
    expect(prepared(desk)).to.equal(0);
  });

  it('is held back where its fee is too high or missing', async () => {
    const cases = [
      ['fee', { maxFee: { amount: '0.10', currency: 'EUR' } }, (payout: object) => payout],
      ['fee', { maxFee: { amount: '9.00', currency: 'USD' } }, (payout: object) => payout],
      ['fee', { maxFee: { percent: '5' } }, (payout: object) => ({ ...payout, fee: undefined })],
    ] as const;
    for (const [guard, options, change] of cases) {
      const desk = openDesk({}, async (url, method, send) =>
        method === 'POST' && url.endsWith('/payouts') ? altered(await send(), change) : send(),
      );
      expect(guardOf(await play(desk, options))).to.deep.equal([guard, 'not-done']);
      expect([initiated(desk), desk.moved('payout')]).to.deep.equal([0, []]);
    }
  });

  it('whose preparation has lost its answer is prepared again, and one of all is initiated', async () => {
    for (const [action, feePolicy] of [
      ['lost-after', 'EXCLUSIVE'],
      ['lost-after', 'INCLUSIVE'],
      ['lost-before', 'EXCLUSIVE'],
    ] as const) {
      const desk = openDesk();
      desk.sandbox.fault({ ...CREATE, nth: [1, 2], action });
      expect((await play(desk, { feePolicy })).phase).to.equal('completed');
      expect([prepared(desk), initiated(desk), desk.moved('payout').length]).to.deep.equal([
        3, 1, 1,
      ]);
      expect(desk.sent('GET', '/payouts')).to.equal(0);
    }
  });

  it('that the service refuses to prepare is looked for nowhere', async () => {
    const desk = openDesk();
    desk.sandbox.fault({ ...CREATE, action: { status: 422, code: 'AMOUNT_TOO_HIGH' } });
    expect(guardOf(await play(desk, { readyTimeout: 0 }))).to.deep.equal([undefined, 'not-done']);
    expect([prepared(desk), desk.sent('GET', '/payouts')]).to.deep.equal([1, 0]);
  });

  it('takes no payout of another intent for its own, however alike they are', async () => {
    const desk = openDesk();
    const method = await desk.method();
    desk.sandbox.fault({ ...CREATE, action: 'lost-after', nth: [1, 2] });
    const runs = ['a', 'b'].map((intent) => desk.payOut(method, { intent }).result);
    const results = await desk.sandbox.run(Promise.all(runs));
    expect(results.map(({ phase }) => phase)).to.deep.equal(['completed', 'completed']);
    expect(desk.moved('payout')).to.have.length(2);
  });

  it('is initiated once where answers are lost', async () => {
    for (const action of ['lost-after', 'lost-before', 'duplicated-last'] as const) {
      const desk = openDesk();
      desk.sandbox.fault({ ...INITIATE, nth: 1, action });
      expect((await play(desk)).phase).to.equal('completed');
      expect([prepared(desk), desk.moved('payout').length]).to.deep.equal([1, 1]);
    }
  });

  it('is refused in the end where it never arrived, and a retry takes the same payout', async () => {
    const desk = openDesk();
    const end = desk.sandbox.fault({ ...INITIATE, action: 'lost-before' });
    const run = desk.payOut(await desk.method());
    expect(guardOf(await desk.sandbox.run(run.result))).to.deep.equal([undefined, 'not-done']);
    end();
    expect((await desk.sandbox.run(run.retry().result)).phase).to.equal('completed');
    expect([prepared(desk), desk.moved('payout').length]).to.deep.equal([1, 1]);
  });

  it('that a late copy of a refused request initiates is not paid a second time by a retry', async () => {
    const desk = lateCopyDesk('/initiate', 'BALANCE_TOO_LOW');
    const run = desk.payOut(await desk.method());
    expect((await desk.sandbox.run(run.result)).phase).to.equal('refused');
    await desk.sandbox.advance(10_000);
    expect((await desk.sandbox.run(run.retry().result)).phase).to.equal('completed');
    expect([prepared(desk), desk.moved('payout').length]).to.deep.equal([1, 1]);
  });

  it('that a late copy has initiated and that came back is followed by another one', async () => {
    const desk = lateCopyDesk('/initiate', 'BALANCE_TOO_LOW');
    desk.sandbox.fault({ subject: 'payout', state: 'FAILED', delay: 0, nth: 1 });
    const run = desk.payOut(await desk.method());
    expect((await desk.sandbox.run(run.result)).phase).to.equal('refused');
    await desk.sandbox.advance(10_000);
    expect((await desk.sandbox.run(run.retry().result)).phase).to.equal('failed');
    expect((await desk.sandbox.run(run.retry().result)).phase).to.equal('completed');
    expect([prepared(desk), desk.moved('payout').length]).to.deep.equal([2, 1]);
  });

  it('that came back has failed, and a retry prepares another one', async () => {
    const desk = openDesk();
    desk.sandbox.fault({ subject: 'payout', state: 'FAILED', delay: 0, nth: 1 });
    const run = desk.payOut(await desk.method());
    expect((await desk.sandbox.run(run.result)).phase).to.equal('failed');
    expect((await desk.sandbox.run(run.retry().result)).phase).to.equal('completed');
    expect([prepared(desk), desk.moved('payout').length]).to.deep.equal([2, 1]);
  });

  it('is unknown where nothing can be read for a day, and goes on after a restart', async () => {
    let isAway = false;
    const desk = openDesk({}, (url, method, send) => {
      if (url.endsWith('/initiate')) isAway = true;
      return isAway && method === 'GET' ? unreachable() : send();
    });
    desk.sandbox.fault({ ...INITIATE, action: 'lost-after' });
    const run = desk.payOut(await desk.method());
    await desk.sandbox.advance(25 * 3_600_000);
    expect((await run.result).phase).to.equal('unknown');
    isAway = false;
    const [open] = await desk.sandbox.run(resume(desk.client, { journal: desk.journal }));
    expect((await desk.sandbox.run(open!.result)).phase).to.equal('completed');
    expect(desk.moved('payout')).to.have.length(1);
  });
});
