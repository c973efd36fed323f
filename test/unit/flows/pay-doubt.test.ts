// Protects: what is done where not everything can be read, what a person may say of it, and whose money is never taken for it.
import { expect } from 'chai';
import { isPaystateError } from 'paystate';
import { pay, refund } from 'paystate/flows';
import { memoryStore } from 'paystate/stores';
import { describe, it } from '#test';
import { PERSON } from '../bank/bank.ts';
import { altered } from '../state/shop.ts';
import { openDesk, unreachable } from './moves-desk.ts';
import { EUR, paymentsMoved } from './pay-lives.ts';
import { openTimed } from './timed-desk.ts';

const ADA = { to: 'ada@wallet.example', amount: EUR('20.00') };
const COMMON = { intent: 'a', sourceCurrency: 'EUR', maxFee: 'any' } as const;

const thrownBy = async (work: Promise<unknown>) => {
  const thrown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isPaystateError(thrown) ? `${thrown.kind}: ${thrown.message}` : thrown;
};

describe('a deposit whose answers are lost', () => {
  it('is unknown with what may be it, and also where that cannot be read', async () => {
    for (const [status, code, count] of [
      [200, '', 1],
      [503, 'SERVICE_UNAVAILABLE', 0],
      [403, 'FORBIDDEN', 0],
    ] as const) {
      const desk = openTimed(async (nth, send) => {
        if (nth === 1) await send();
        throw new TypeError('lost');
      });
      if (code)
        desk.sandbox.fault({ method: 'GET', path: '/v1/deposits', action: { status, code } });
      const run = await desk.begin('deposit');
      const result = await desk.sandbox.run(run.result);
      if (result.phase !== 'unknown') throw new Error(result.phase);
      expect([status, result.candidates.length]).to.deep.equal([status, count]);
      expect([status, result.error.neededScope !== undefined]).to.deep.equal([
        status,
        status === 403,
      ]);
    }
  });
});

describe('an exchange whose answers are slow', () => {
  it('is not tried in the last two seconds of its quote', async () => {
    const desk: ReturnType<typeof openTimed> = openTimed(async (nth) => {
      if (nth === 1) await desk.sandbox.clock.wait(13_500);
      throw new TypeError('lost');
    });
    const run = await desk.begin('exchange');
    await desk.sandbox.run(run.result);
    const begins = desk.moves.filter((at, index) => !(at - desk.moves[index - 1]! < 60));
    const perQuote = begins.map((from, index) =>
      desk.moves.filter((at) => at >= from && !(at >= begins[index + 1]!)).map((at) => at - from),
    );
    // and not after 28 s
    const times = [0, 1, 3, 7, 15];
    expect(perQuote).to.deep.equal([[0, 14, 16, 20], times, times]);
    // a quote is read for two minutes after its end before another one follows
    expect(begins).to.deep.equal([0, 184, 368]);
    expect(desk.moved('exchange')).to.deep.equal([]);
  });
});

describe('a quote that names no end', () => {
  it('is tried for two minutes, and then until the service says that it has ended', async () => {
    const moves: number[] = [];
    let first = Infinity;
    const desk: ReturnType<typeof openDesk> = openDesk({}, async (url, method, send) => {
      const now = desk.sandbox.clock.now();
      if (method === 'POST' && url.endsWith('/lnurl')) {
        const answer = await send();
        if (!answer.ok) return answer; // it names the quote
        first = now;
        return altered(answer, (quote: object) => ({ ...quote, validUntil: undefined }));
      }
      if (!url.endsWith('/execute')) return send();
      moves.push(Math.floor((now - first) / 1_000));
      return unreachable();
    });
    const { sandbox, client, journal } = desk;
    await sandbox.run(pay(client, { ...COMMON, ...ADA, journal }).result);
    const tried = [0, 1, 3, 7, 15, 31, 61, 91];
    const ended = [...tried, 125, 155, 245, 425];
    expect(moves).to.deep.equal([...ended, ...ended]);
  });
});

describe('what a person says of a payment', () => {
  const openUnknown = async () => {
    let isAway = true;
    const desk = openDesk({}, (url, _method, send) =>
      isAway && /\/(execute|events\?)/.test(url) ? unreachable() : send(),
    );
    const { sandbox, client, journal } = desk;
    const run = pay(client, { ...COMMON, ...ADA, journal });
    expect((await sandbox.run(run.result)).phase).to.equal('unknown');
    isAway = false;
    return { ...desk, run };
  };

  it('is not believed of what another intent has paid, of another amount, or of nothing', async () => {
    const { sandbox, client, journal, run } = await openUnknown();
    const other = await sandbox.run(
      pay(client, { ...COMMON, ...ADA, intent: 'b', journal }).result,
    );
    if (other.phase !== 'paid') throw new Error(other.phase);
    const small = { ...COMMON, ...ADA, amount: EUR('7.00'), intent: 'c' };
    const third = await sandbox.run(pay(client, { ...small, journal: memoryStore() }).result);
    if (third.phase !== 'paid') throw new Error(third.phase);
    const say = (id: string) => thrownBy(sandbox.run(run.resolve('paid', id)));
    for (let times = 0; times < 2; times++)
      expect(await say(other.payment.paymentId)).to.match(/^input: movementId: belongs to another/);
    expect(await say(third.payment.paymentId)).to.match(
      /^input: movementId: has a different amount than the payment/,
    );
    expect(await say('none')).to.match(/^refused: /);
    expect(run.current().phase).to.equal('unknown');
    // what others have paid is not taken for it either
    const again = await sandbox.run(pay(client, { ...COMMON, ...ADA, journal }).result);
    expect(again.phase === 'refused' && again.error.outcome).to.equal('not-done');
    const ids = [other, third].map(({ payment }) => payment.paymentId);
    expect(paymentsMoved(sandbox)).to.have.members(ids).and.have.length(2);
  });

  it('is not taken by a run of another order under the same intent, which stops nothing either', async () => {
    const { sandbox, client, journal, run } = await openUnknown();
    const other = pay(client, { ...COMMON, ...ADA, amount: EUR('7.00'), journal });
    expect(await thrownBy(sandbox.run(other.resolve('not-paid')))).to.match(/^input: intent: /);
    expect(await sandbox.run(other.stop())).to.equal(false);
    expect(run.current().phase).to.equal('unknown');
    let thrown: unknown;
    try {
      void run.resolve('perhaps' as 'not-paid');
    } catch (reason) {
      thrown = reason;
    }
    expect(isPaystateError(thrown) && thrown.message).to.match(/^verdict: /);
  });
});

describe('a payment on the chain whose fee is inside', () => {
  it('takes in all what was asked for, and not more', async () => {
    for (const [total, end] of [
      ['50.00', 'paid'],
      ['51.00', 'refused'],
    ] as const) {
      const desk = openDesk({}, async (url, method, send) =>
        method === 'POST' && url.endsWith('/onchain')
          ? altered(await send(), (quote: { totalFee?: { amount: string } }) => {
              if (!quote.totalFee) return quote; // its second answer names it
              const amount = (Number(total) - Number(quote.totalFee.amount)).toFixed(2);
              return { ...quote, amount: EUR(amount), totalAmount: EUR(total) };
            })
          : send(),
      );
      const { sandbox, client, journal } = desk;
      const run = pay(client, {
        ...COMMON,
        to: sandbox.payer.createAddress(),
        amount: EUR('50.00'),
        feePolicy: 'INCLUSIVE',
        onchainTierId: 'tier_fast',
        journal,
      });
      const result = await sandbox.run(run.result);
      expect([total, result.phase]).to.deep.equal([total, end]);
      if (result.phase === 'refused') expect(result.guard).to.equal('amount');
    }
  });
});

describe('a payout by an originator that can never be approved', () => {
  it('is refused at once', async () => {
    for (const state of ['REJECTED', 'INACTIVE']) {
      const desk = openDesk({}, async (url, method, send) =>
        method === 'GET' && url.includes('originators/')
          ? altered(await send(), (one: object) => ({ ...one, state }))
          : send(),
      );
      const { sandbox, client } = desk;
      const { id } = await sandbox.run(client.payoutOriginators.create(PERSON));
      const method = await desk.method();
      const began = sandbox.clock.monotonic();
      const run = desk.payOut(method, { originatorId: id });
      const result = await sandbox.run(run.result);
      expect([state, result.phase === 'refused' && result.guard]).to.deep.equal([
        state,
        'originator',
      ]);
      expect(sandbox.clock.monotonic() - began, state).to.be.below(1_000);
    }
  });
});

describe('a refund of a receive', () => {
  it('that was not exchanged is of what came in, and of one that has not ended is refused', async () => {
    for (const [state, phase] of [
      ['COMPLETED', 'paid'],
      ['PENDING', 'refused'],
    ] as const) {
      const desk = openDesk({}, async (url, method, send) =>
        method === 'GET' && url.includes('/receives')
          ? altered(await send(), (page: { items: readonly object[] }) => ({
              ...page,
              items: page.items.map((one) => ({
                ...one,
                state,
                amountCredited: undefined,
                amountReceived: EUR('6.00'),
              })),
            }))
          : send(),
      );
      const { sandbox, client, journal } = desk;
      const bolt11 = { amount: EUR('7.00') };
      const made = await sandbox.run(
        client.receiveRequests.create({ bolt11, targetCurrency: 'EUR' }),
      );
      await sandbox.run(sandbox.payer.pay(made.bolt11!.invoice));
      const [receive] = await sandbox.run(
        client.receiveRequests.listReceives(made.receiveRequestId).toArray({ limit: 1 }),
      );
      const { receiveId } = receive!;
      const run = refund(client, {
        to: ADA.to,
        sourceCurrency: 'EUR',
        maxFee: 'any',
        receiveId,
        journal,
      });
      const result = await sandbox.run(run.result);
      expect([state, result.phase]).to.deep.equal([state, phase]);
      if (result.phase === 'paid') expect(result.payment.amount).to.deep.equal(EUR('6.00'));
    }
  });
});
