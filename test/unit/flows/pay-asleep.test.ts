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
import type { Row } from './journal-line.ts';
import { readyMethod } from './moves-desk.ts';
import { EUR, movedOf, paymentsMoved } from './pay-lives.ts';

const RAILS = ['bolt11', 'lnurl', 'exchange', 'payout', 'deposit'] as const;
type SleepyRail = (typeof RAILS)[number];

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
    fetch(url, init) {
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
      const { sent, quote } = value as Row & { readonly quote?: { readonly id: string } };
      if (key !== 'pay/a' || sent !== 1 || first !== undefined) return isWritten;
      first = quote!.id;
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
  const { phase } = await sandbox.run(begin[rail]().result);
  const moved =
    rail === 'bolt11' || rail === 'lnurl' ? paymentsMoved(sandbox) : movedOf(sandbox, rail);
  return { phase, requests, first, moved: moved.length };
};

describe('a machine that sleeps after it has written down that it is going to move money', () => {
  for (const rail of RAILS)
    it(`asks for other terms where they have ended, and moves it once: ${rail}`, async () => {
      const short = await openSleepy(rail, 10_000);
      expect([short.moved, short.requests]).to.deep.equal([1, [short.first]]);
      const long = await openSleepy(rail, 1_000_000);
      const isSame = rail === 'payout'; // what was prepared never ends, and is taken again
      expect([long.moved, long.requests.length, long.phase]).to.deep.equal([1, 1, short.phase]);
      expect(long.requests[0] === long.first).to.equal(isSame);
    });
});
