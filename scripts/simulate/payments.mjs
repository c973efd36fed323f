// T2: lives of one intent, by every rail: processes that die, two at once, a network that loses, doubles and delays.
import { drawSchedule, ListenerError, playSchedule } from '../../test/unit/flows/pay-lives.ts';
import { createJournal } from './journal.mjs';
import { judge } from './judge-payments.mjs';
import { straysOf } from './strays.mjs';

/** Parts of a schedule that can be left out, by the names of `--faults`. */
const GROUPS = {
  deaths: { deaths: [] },
  twins: { hasTwin: false },
  copies: { hasCopies: false },
  network: { troubles: (rules) => rules.filter((rule) => !rule.action || 'from' in rule) },
  spans: { troubles: (rules) => rules.filter((rule) => !('from' in rule)) },
  late: { troubles: (rules) => rules.filter((rule) => !rule.event) },
  business: { troubles: (rules) => rules.filter((rule) => !rule.subject), hasStranger: false },
  sleep: { sleep: undefined },
  tokens: { outage: undefined },
  listeners: { listeners: undefined },
  retries: { retry: false },
};

/** A schedule without one group of what can go wrong. */
const without = (schedule, group) => {
  const changed = { ...schedule };
  for (const [name, value] of Object.entries(GROUPS[group]))
    changed[name] = typeof value === 'function' ? value(changed[name]) : value;
  return changed;
};

export const groups = Object.keys(GROUPS);

/** The life of a seed with these groups of faults only. */
export const scheduleOf = (seed, faults) =>
  groups
    .filter((group) => !faults.includes(group))
    .reduce(without, drawSchedule(seed, undefined, true));

const isOwn = (error) => error instanceof ListenerError;

/** What the network does, and pauses of the machine, last less than a minute. */
const isBrief = ({ span, pause, sleep = { from: 0, to: 0 }, troubles }) =>
  span !== undefined &&
  pause < 60_000 &&
  sleep.to - sleep.from < 60_000 &&
  !troubles.some(({ action, event }) => event || action?.headers || action?.delay > 60_000);

/** Plays a schedule: how it ended, and what is wrong with it. */
export async function play(schedule) {
  const { store, wasDoubtful } = createJournal();
  const life = await playSchedule(schedule, { store: () => store });
  const problems = [...judge({ schedule, life }), ...(await straysOf(life.thrown, isOwn))];
  const { rail, hasTwin } = schedule;
  const phase = life.result?.phase ?? 'no end';
  return {
    row: rail,
    counts: {
      [phase]: 1,
      ambiguous: wasDoubtful() ? 1 : 0,
      'two workers': hasTwin ? 1 : 0,
      brief: isBrief(schedule) ? 1 : 0,
      'brief, unknown': isBrief(schedule) && phase === 'unknown' ? 1 : 0,
    },
    problems,
  };
}

/** Smaller schedules, the smallest steps last. */
export function* smaller(schedule) {
  for (const group of groups) yield without(schedule, group);
  for (const name of ['troubles', 'deaths'])
    for (const index of schedule[name].keys())
      yield { ...schedule, [name]: schedule[name].toSpliced(index, 1) };
  if (schedule.span) yield { ...schedule, span: undefined };
  if (schedule.pause > 0) yield { ...schedule, pause: 0 };
}

/** A test that brings a life back; it belongs into test/unit/flows/. */
export const testOf = (schedule, problem) => `
import { expect } from 'chai';
import { describe, it } from '#test';
import { playSchedule } from './pay-lives.ts';

describe('a life of money', () => {
  it('does not end with: ${problem}', async () => {
    const { problems } = await playSchedule(${JSON.stringify(schedule)});
    expect(problems).to.deep.equal([]);
  });
});
`;

/** What the table says beside the numbers of ends; `most` of a hundred where that is demanded. */
export const shares = [
  { name: 'ambiguous', of: 'lives', least: 20 },
  { name: 'two workers', of: 'lives', least: 25 },
  { name: 'brief, unknown', of: 'brief', most: 0.1, rows: ['bolt11'] },
];
