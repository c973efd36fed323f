// Protects: the two tables of the chapter on paying, line by line: what is so, and what is next.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { type Fact, type Happening, viewOf } from '../../src/flows/pay/facts.ts';
import { mayBelieve, type Me, nextStep, type Step } from '../../src/flows/pay/next.ts';
import type { MoveReason } from '../../src/flows/pay/order.ts';
import { RULES } from '../../src/flows/pay/rules.ts';
import { statusOf } from '../../src/flows/pay/truth.ts';
import { root } from './source.ts';

const START = 1_000_000_000;
const SECOND = 1_000;
const BEGINNER = 'a process';
const OTHER = 'another process';
/** Quotes of the tables live for a minute. */
const QUOTE_LIFE_MS = 60 * SECOND;

const why: MoveReason = { code: 'NO', kind: 'refused', text: 'no' };
const limits = { maxFee: 'any', maxRateSlip: 'any' } as const;
const EUR = { amount: '1.00', currency: 'EUR' };

/** Reads one fact of a table, such as `sent 1`. */
function happeningOf(text: string, at: number, sends: readonly number[]): Happening {
  const [is, first = '', ...words] = text.split(' ');
  const n = Number(first);
  switch (is) {
    case 'asked':
    case 'closed':
    case 'unmoved':
      return { is, n };
    case 'original':
      return { is, n, id: `q${n}` };
    case 'refused':
      return { is, n, why, isPassing: words.includes('passing'), isFree: words.includes('free') };
    case 'shown':
      return {
        is,
        n,
        quote: { id: `q${n}`, amount: EUR, totalAmount: EUR, endsAt: at + QUOTE_LIFE_MS },
      };
    case 'sent':
      return { is, n, send: sends.length + 1 };
    case 'answered': {
      const [id] = words;
      const code = words.includes('processed') ? 'PAYMENT_PROCESSED' : undefined;
      const how = first as Extract<Happening, { is: 'answered' }>['how'];
      return { is, n: sends.at(-1)!, send: sends.length, how, id, code, why };
    }
    case 'moved': {
      const [state = 'pending', ...more] = words as ['pending', ...string[]];
      const proof = more.includes('proved') ? 'ok' : more.includes('disproved') ? 'bad' : undefined;
      return { is, n: sends.at(-1), id: first, state, proof, isSure: more.includes('sure') };
    }
    case 'found':
      return { is, candidates: ['p9'] };
    case 'verdict':
      return { is, says: first as 'not-paid' };
    case 'over':
      return { is, as: first as 'paid', why };
    case 'again':
      return { is, limits };
    case 'taken':
    case 'stopped':
    case 'cleared':
      return { is };
    default:
      throw new Error(`the table has a fact that is none: ${text}`);
  }
}

/** Reads the facts of a cell, a second apart; `taken` and what follows are the other process's. */
function factsOf(cell: string): readonly Fact[] {
  const facts: Fact[] = [];
  const sends: number[] = [];
  let [by, round, at] = [BEGINNER, 1, START];
  for (const text of cell
    .replaceAll('`', '')
    .split(', ')
    .filter((one) => one !== 'nothing')) {
    const wait = /^(\d+) s later$/.exec(text);
    if (wait) {
      at += Number(wait[1]) * SECOND;
      continue;
    }
    if (text === 'taken') by = OTHER;
    if (text === 'again') round++;
    const happening = happeningOf(text, at, sends);
    if (happening.is === 'sent') sends.push(happening.n);
    facts.push({ ...happening, by, i: facts.length, at, round });
  }
  return facts;
}

/** The table whose header has these columns. */
function tableOf(...columns: readonly string[]): readonly (readonly string[])[] {
  const text = readFileSync(join(root, 'src/flows/pay/in-detail.md'), 'utf8');
  const head = `| ${columns.join(' | ')} |\n`;
  const rest = text.slice(text.indexOf(head) + head.length).split('\n');
  expect(text).to.include(head);
  const lines = rest.slice(
    1,
    rest.findIndex((line) => !line.startsWith('|')),
  );
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

const rulesOf = (rail: string) => {
  const found = { BOLT11: 'bolt11', LNURL: 'lnurl', exchange: 'exchange', payout: 'payout' };
  const name = { ...found, deposit: 'deposit' }[rail] ?? 'lnurl';
  return RULES[name as keyof typeof RULES];
};

const meOf = (who: string, now: number): Me => ({
  by: who.includes('another') ? OTHER : BEGINNER,
  now,
  isTimed: true,
  isRestart: who.includes('restart'),
  isOnlyLooking: who.includes('only looks'),
});

/** A step as the table says it. */
function textOf(step: Step, now: number): string {
  const due = step.at > now ? ` in ${Math.round((step.at - now) / SECOND)} s` : '';
  if (step.do === 'note') {
    const [fact] = step.facts as readonly [Happening];
    const more = fact.is === 'over' ? ` ${fact.as}` : fact.is === 'answered' ? ` ${fact.how}` : '';
    const n = fact.is === 'closed' ? ` ${fact.n}` : '';
    return `write \`${fact.is}${more}${n}\`${due}`;
  }
  const n = 'n' in step && step.n !== undefined ? ` ${step.n}` : '';
  const proof = 'isProof' in step && step.isProof ? ' as a proof' : '';
  return `${step.do}${n}${proof}${'id' in step ? ` ${step.id}` : ''}${due}`;
}

describe('the tables of paying', () => {
  const truth = tableOf('facts', 'for', 'status');
  it(`has ${truth.length} lines of what is so, and each status`, () => {
    const seen = truth.map(([facts = '', who = '', status]) => {
      const row = { by: BEGINNER, at: START, facts: factsOf(facts) };
      const view = viewOf(row);
      const me = meOf(who, view.lastAt);
      const is = statusOf(
        view,
        RULES.lnurl,
        mayBelieve({ ...view, holder: me.by }, me) && view.holder === me.by,
      );
      expect(`${facts} ${is}`).to.equal(`${facts} ${status}`);
      return is;
    });
    expect(new Set(seen)).to.have.length(9);
  });

  const steps = tableOf('rail', 'facts', 'for', 'next');
  it(`has ${steps.length} lines of what is next, and each kind of step`, () => {
    const seen = steps.map(([rail = '', facts = '', who = '', next]) => {
      const row = { by: BEGINNER, at: START, facts: factsOf(facts) };
      const late = /(\d+) s later$/.exec(facts.replaceAll('`', ''));
      const at = Math.max(START, ...row.facts.map((fact) => fact.at));
      const now = at + (late ? Number(late[1]) * SECOND : 0);
      const step = nextStep(viewOf(row), rulesOf(rail), meOf(who, now));
      expect(`${rail}: ${facts}: ${textOf(step, now)}`).to.equal(`${rail}: ${facts}: ${next}`);
      return step.do;
    });
    expect(new Set(seen)).to.have.length(10);
  });
});
