// Protects: a machine that sleeps, between the note that money is going to be moved and the request, moves none by terms that
// have ended meanwhile.
import { expect } from 'chai';
import { createClient } from 'paystate';
import {
  deposit,
  exchange,
  type MoneyResult,
  type MoneyStep,
  pay,
  payOut,
  type Run,
} from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore, type Store } from 'paystate/stores';
import { describe, it } from '#test';
import { readyMethod } from './moves-desk.ts';
import { EUR, movedOf, paymentsMoved } from './pay-lives.ts';

const RAILS = ['bolt11', 'lnurl', 'exchange', 'payout', 'deposit'] as const;
type SleepyRail = (typeof RAILS)[number];

/** A fact of a row. */
interface Stored {
  readonly is: string;
  readonly quote?: { readonly id: string };
}

/** Moves money by a rail; the machine sleeps so long after the first try was written down. */
const openSleepy = async (rail: SleepyRail, sleep: number) => {
  const sandbox = createSandbox({ signed: false });
  const base = sandbox.clientOptions;
  const own = createClient(base);
  const method = await readyMethod(sandbox, own);
  const requests: string[] = [];
  let ahead = 0;
  const client = createClient({
    ...base,
    clock: { ...sandbox.clock, now: () => sandbox.clock.now() + ahead },
    async fetch(url, init) {
      // long enough for the service to show another second
      await sandbox.clock.wait(1_100, init?.signal ?? undefined);
      const path = new URL(String(url)).pathname;
      const key = new Headers(init?.headers).get('idempotency-key');
      if (/\/(execute|initiate)$/.test(path)) requests.push(path.split('/').at(-2)!);
      else if (init?.method === 'POST' && path.endsWith('/deposits')) requests.push(`${key}`);
      return base.fetch(url, init);
    },
  });
  const kept = memoryStore();
  let first: string | undefined;
  const journal: Store = {
    ...kept,
    async compareAndSet(key, version, value, open) {
      const isWritten = await kept.compareAndSet(key, version, value, open);
      if (key !== 'pay/a' || first !== undefined) return isWritten;
      const { facts } = value as { readonly facts: readonly Stored[] };
      if (!facts.some(({ is }) => is === 'sent')) return isWritten;
      first = facts.find(({ is }) => is === 'shown')!.quote!.id;
      ahead = sleep;
      return isWritten;
    },
  };
  const common = { intent: 'a', maxFee: 'any', journal } as const;
  const spent = { ...common, sourceCurrency: 'EUR', maxTotal: 'any' } as const;
  const begin: Readonly<Record<SleepyRail, () => Run<MoneyStep, MoneyResult>>> = {
    bolt11: () => pay(client, { ...spent, to: sandbox.payer.createBolt11({ sat: '21000' }) }),
    lnurl: () => pay(client, { ...spent, to: 'ada@wallet.example', amount: EUR('20.00') }),
    exchange: () =>
      exchange(client, { intent: 'a', journal, sell: 'EUR', buy: 'USD', amount: EUR('9.00') }),
    payout: () => payOut(client, { ...common, bankPaymentMethodId: method, amount: '250.00' }),
    deposit: () => deposit(client, { ...common, bankPaymentMethodId: method, amount: '500.00' }),
  };
  const run = begin[rail]();
  const result = await sandbox.run(run.result);
  const count = () => {
    const isPayment = rail === 'bolt11' || rail === 'lnurl';
    return (isPayment ? paymentsMoved(sandbox) : movedOf(sandbox, rail)).length;
  };
  const moved = count();
  const { facts } = (await kept.get('pay/a'))!.value as { readonly facts: readonly Stored[] };
  const sends = facts.filter(({ is }) => is === 'sent').length;
  return {
    result,
    requests,
    first,
    sends,
    moved,
    retry: async () => {
      const { phase } = await sandbox.run(run.retry().result);
      return [phase, count()] as const;
    },
  };
};

describe('a machine that sleeps after it has written down that it is going to move money', () => {
  for (const rail of RAILS)
    it(`moves it once, by other terms where they have ended: ${rail}`, async () => {
      // without a preimage the id of a payment is asked for once more, under the same quote
      const times = rail === 'lnurl' ? 2 : 1;
      // what is not handed over soon after it was written is written again first
      for (const sleep of [2_000, 10_000]) {
        const short = await openSleepy(rail, sleep);
        const requests = Array.from({ length: times }, () => short.first);
        expect([short.moved, short.requests, short.sends]).to.deep.equal([
          1,
          requests,
          times + (sleep > 5_000 ? 1 : 0),
        ]);
      }
      const long = await openSleepy(rail, 1_000_000);
      if (rail === 'payout' || rail === 'deposit') {
        // neither ends by itself: it is tried for ten minutes, and these are over
        const { result } = long;
        const said = result.phase === 'refused' && [result.error.code, result.error.outcome];
        expect([said, long.moved, long.requests]).to.deep.equal([['not-sent', 'not-done'], 0, []]);
        expect(await long.retry()).to.deep.equal(['completed', 1]);
      } else {
        const end = rail === 'exchange' ? 'completed' : 'paid';
        expect([long.result.phase, long.moved]).to.deep.equal([end, 1]);
      }
      expect(long.requests).to.have.length(times);
      // what was prepared for a bank never ends, and is taken again
      expect(long.requests.includes(long.first!)).to.equal(rail === 'payout');
    });
});
