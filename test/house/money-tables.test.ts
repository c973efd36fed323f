// Protects: the two tables of the chapter on paying, line by line: what is so, and what is next.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { type Fact, type Happening, readView } from '../../src/flows/pay/facts.ts';
import { type Me, nextStep, type Step } from '../../src/flows/pay/next.ts';
import { type MoveReason, NOT_SENT } from '../../src/flows/pay/order.ts';
import { type RailRules, RULES } from '../../src/flows/pay/rules.ts';
import { deriveStatus } from '../../src/flows/pay/truth.ts';
import { root } from './source.ts';

const START = 1_000_000_000;
const SECOND = 1_000;
const DAY = 86_400_000;
const BEGINNER = 'a process';
const OTHER = 'another process';
/** Quotes of the tables live for a minute. */
const QUOTE_LIFE_MS = 60 * SECOND;

const why: MoveReason = { code: 'NO', kind: 'refused', text: 'no' };
const LOST: MoveReason = { code: 'LOST', kind: 'unreachable', text: 'no answer' };
const REUSED: MoveReason = { ...why, guard: 'intent-reused' };
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
      return {
        is,
        n,
        id: `q${n}`,
        endsAt: words.includes('ends') ? at + QUOTE_LIFE_MS : undefined,
      };
    case 'refused':
      return {
        is,
        n,
        why: words.includes('lost') ? LOST : words.includes('reused') ? REUSED : why,
        isPassing: words.includes('passing') || words.includes('lost'),
        isFree: words.includes('free'),
      };
    case 'shown':
      return {
        is,
        n,
        quote: { id: `q${n}`, amount: EUR, totalAmount: EUR, endsAt: at + QUOTE_LIFE_MS },
      };
    case 'sent':
      return { is, n, send: sends.length + 1 };
    case 'answered': {
      const isUnsent = words.includes('unsent');
      const id = isUnsent ? undefined : words[0];
      const processed = words.includes('processed') ? 'PAYMENT_PROCESSED' : undefined;
      const code = isUnsent ? NOT_SENT : processed;
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

/** What goes without saying before a fact: that terms were asked for, and agreed to. */
function impliedBy(text: string, facts: readonly Fact[]): readonly string[] {
  const [is = '', n = ''] = text.split(' ');
  const has = (...of: readonly Fact['is'][]) =>
    facts.some((fact) => of.includes(fact.is) && 'n' in fact && fact.n === Number(n));
  if (!['sent', 'shown', 'original', 'refused'].includes(is)) return [];
  const asked = has('asked') ? [] : [`asked ${n}`];
  return is === 'sent' && !has('shown', 'original') ? [...asked, `shown ${n}`] : asked;
}

/** Reads the facts of a cell, all at one time; `taken` and what follows are the other process's. */
function factsOf(cell: string): readonly Fact[] {
  const facts: Fact[] = [];
  const sends: number[] = [];
  let [by, round, at] = [BEGINNER, 1, START];
  const add = (text: string) => {
    const happening = happeningOf(text, at, sends);
    if (happening.is === 'sent') sends.push(happening.n);
    facts.push({ ...happening, by, i: facts.length, at, round });
  };
  const texts = cell.replaceAll('`', '').split(', ');
  for (const text of texts.filter((one) => one !== 'nothing')) {
    const wait = /^(\d+) s later$/.exec(text);
    if (wait) {
      at += Number(wait[1]) * SECOND;
      continue;
    }
    if (text.startsWith('taken')) by = text === 'taken back' ? BEGINNER : OTHER;
    if (text === 'again') round++;
    impliedBy(text, facts).forEach(add);
    add(text);
  }
  return facts;
}

/** The lines of all tables whose header has these columns. */
function tableOf(...columns: readonly string[]): readonly (readonly string[])[] {
  const text = readFileSync(join(root, 'src/flows/pay/in-detail.md'), 'utf8');
  const parts = text.split(`| ${columns.join(' | ')} |\n`).slice(1);
  expect(parts).to.have.length.above(0);
  const lines = parts.flatMap((part) => {
    const rest = part.split('\n').slice(1);
    return rest.slice(
      0,
      rest.findIndex((line) => !line.startsWith('|')),
    );
  });
  expect(new Set(lines)).to.have.length(lines.length);
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

/** The rules of the rail that a line is about; `each` is every rail. */
const rulesOf = (rail: string): readonly RailRules[] => {
  if (rail === 'each') return Object.values(RULES);
  return [RULES[rail.toLowerCase() as keyof typeof RULES]];
};

/** A process as the tables name it, with what it knows beside the row. */
const meOf = (who: string, now: number): Me => ({
  by: who.includes('another') ? OTHER : BEGINNER,
  now,
  isTimed: !who.includes('own clock'),
  isRestart: who.includes('restart'),
  isOnlyLooking: who.includes('only looks'),
  isReopening: who.includes('once more'),
  seesProcessedFirst: who.includes('order of checks'),
  restoredFrom: who.includes('restored') ? START - DAY : undefined,
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
  const truth = tableOf('rail', 'facts', 'status');
  it(`has ${truth.length} lines of what is so, and each status`, () => {
    const seen = truth.flatMap(([rail = '', facts = '', status]) =>
      rulesOf(rail).map((rules) => {
        const is = deriveStatus(
          readView({ by: BEGINNER, at: START, facts: factsOf(facts) }),
          rules,
        );
        expect(`${rail}: ${facts}: ${is}`).to.equal(`${rail}: ${facts}: ${status}`);
        return is;
      }),
    );
    expect(new Set(seen)).to.have.length(9);
  });

  const steps = tableOf('rail', 'facts', 'for', 'next');
  it(`has ${steps.length} lines of what is next, and each kind of step`, () => {
    const seen = steps.flatMap(([rail = '', facts = '', who = '', next]) => {
      const row = { by: BEGINNER, at: START, facts: factsOf(facts) };
      const late = /(\d+) s later$/.exec(facts.replaceAll('`', ''));
      const at = Math.max(START, ...row.facts.map((fact) => fact.at));
      const now = at + (late ? Number(late[1]) * SECOND : 0);
      return rulesOf(rail).map((rules) => {
        const step = nextStep(readView(row), rules, meOf(who, now));
        const where = `${rail}: ${facts} for ${who}`;
        expect(`${where}: ${textOf(step, now)}`).to.equal(`${where}: ${next}`);
        return step.do;
      });
    });
    expect(new Set(seen)).to.have.length(10);
  });
});
