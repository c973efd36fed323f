// Puts known mistakes into the money engine one at a time, around its real functions; the search must find each.
import type { Fact, View } from '../../../src/flows/pay/facts.ts';
import { readView } from '../../../src/flows/pay/facts.ts';
import { nextStep, type Step } from '../../../src/flows/pay/next.ts';
import { RULES } from '../../../src/flows/pay/rules.ts';
import { type Way, wayOf } from './ways.ts';
import { type Core, REAL } from './world.ts';

export interface Mistake {
  readonly name: string;
  readonly way: Way;
  readonly core: Core;
}

type Row = Parameters<typeof readView>[0];

/** Reads other facts than there are. */
const reads = (change: (facts: readonly Fact[]) => readonly Fact[]): Core => ({
  ...REAL,
  viewOf: (row: Row) => readView({ ...row, facts: change(row.facts) }),
});

/** Sees the row otherwise than it is. */
const sees = (change: (view: View, row: Row) => View): Core => ({
  ...REAL,
  viewOf: (row: Row) => change(readView(row), row),
});

const takes = (change: (step: Step, view: View) => Step): Core => ({
  ...REAL,
  nextStep: (view, rules, me) => change(nextStep(view, rules, me), view),
});

const has = (facts: readonly Fact[], is: Fact['is']): boolean => facts.some((one) => one.is === is);

/** A refusal stands for every request of its number. */
const refusesAll = (facts: readonly Fact[]): readonly Fact[] => {
  const refused = new Set(
    facts.flatMap((one) => (one.is === 'answered' && one.how === 'no' ? [one.n] : [])),
  );
  return facts.map((one) =>
    one.is === 'answered' && one.how === 'none' && refused.has(one.n) ? { ...one, how: 'no' } : one,
  );
};

const LNURL = { rail: 'lnurl', ticks: 6 } as const;

export const MISTAKES: readonly Mistake[] = [
  {
    name: 'a request without an answer counts as never sent',
    way: wayOf('m1', { ...LNURL, fault: 2 }),
    core: reads((facts) =>
      facts.map((one) =>
        one.is === 'answered' && one.how === 'none' ? { ...one, how: 'later' } : one,
      ),
    ),
  },
  {
    name: 'a number is skipped that is in doubt',
    way: wayOf('m2', { ...LNURL, fault: 1 }),
    core: takes((step) =>
      step.do === 'search' && step.n ? { do: 'ask', at: 0, n: step.n + 1 } : step,
    ),
  },
  {
    name: 'stop is kept in memory only',
    way: wayOf('m3', { ...LNURL, stop: 1, crash: 1 }),
    core: { ...REAL, stopsInMemory: true },
  },
  {
    name: 'an original does not end belief',
    way: wayOf('m4', { ...LNURL, checks: 'learned', fault: 2, crash: 1, rowLoss: 1 }),
    core: sees((view, { facts }) => ({ ...view, isAlone: !has(facts, 'taken') })),
  },
  {
    name: 'a taken turn does not end belief',
    way: wayOf('m5', { ...LNURL, fault: 1, crash: 1, loss: 1 }),
    core: sees((view, { facts }) => ({ ...view, isAlone: !has(facts, 'original') })),
  },
  {
    name: 'an end is told before it is stored',
    way: wayOf('m6', { ...LNURL, fault: 1, second: 1, restart: 'pay' }),
    core: { ...REAL, tellsBeforeStored: true },
  },
  {
    name: 'a request is decided once, and not again on the row that it is written to',
    way: wayOf('m13', { rail: 'payout', ticks: 6, second: 1, slow: 3 }),
    core: { ...REAL, decidesOnce: true },
  },
  {
    name: 'a refusal stands for the other requests of its number',
    way: wayOf('m8', { ...LNURL, fault: 2 }),
    core: reads(refusesAll),
  },
  {
    name: 'EXPIRED closes where the order of checks is not known',
    way: wayOf('m9', { ...LNURL, fault: 2 }),
    core: {
      ...REAL,
      nextStep: (view, rules, me) => nextStep(view, rules, { ...me, seesProcessedFirst: true }),
    },
  },
  {
    name: 'a request is sent without a commit before',
    way: wayOf('m10', { ...LNURL, fault: 1, rail: 'payout' }),
    core: { ...REAL, sendsBeforeCommit: true },
  },
  {
    name: 'an LNURL quote is dead at once',
    way: wayOf('m11', { ...LNURL, fault: 2, crash: 1, fail: 1, retry: 1, loss: 1 }),
    core: { ...REAL, rules: { ...RULES, lnurl: { ...RULES.lnurl, isSettledOnce: true } } },
  },
  {
    name: 'a movement that one answer names is believed',
    way: wayOf('m12', { ...LNURL, foreign: 1 }),
    core: sees((view) => ({ ...view, isSure: view.moved !== undefined })),
  },
  {
    name: 'a text and its payment are not claimed for one intent',
    way: wayOf('m14', { rail: 'bolt11', isOneText: true, other: 1, fault: 1, ticks: 4 }),
    core: { ...REAL, claimsNothing: true },
  },
  {
    name: 'a part is given back while a late copy can still move it',
    way: wayOf('m15', { ...LNURL, most: 1, other: 1, copy: 1, ticks: 3 }),
    core: {
      ...REAL,
      giveBack: ({ spent, held }, { intent }) => {
        const kept = held.filter((one) => one.intent !== intent);
        return kept.length < held.length ? { spent, held: kept } : undefined;
      },
    },
  },
  {
    name: 'the key of a refund derives from its intent',
    way: wayOf('m16', { ...LNURL, isRefund: true, most: 2, other: 1, ticks: 3 }),
    core: { ...REAL, keysByIntent: true },
  },
];
