// T2: lives of one intent, by every rail: processes that die, two at once, a network that loses, doubles and delays, people
// who stop it, a journal that forgets or is restored, a service that answers in its own form.
import {
  drawSchedule,
  ListenerError,
  playSchedule,
  type Schedule,
} from '../../unit/flows/pay-lives.ts';
import { FrozenJournal } from './journal.ts';
import { judge } from './judge-payments.ts';
import { anyPlan, type Played, type Share, testText } from './plan.ts';
import { straysOf } from './strays.ts';

type Rule = Schedule['troubles'][number];
const troublesWithout =
  (isLeftOut: (rule: Rule) => boolean) =>
  (schedule: Schedule): Schedule => ({
    ...schedule,
    troubles: schedule.troubles.filter((rule) => !isLeftOut(rule)),
  });

/** Leaves a part of a schedule out, by the names of `--faults`. */
const WITHOUT: Readonly<Record<string, (schedule: Schedule) => Schedule>> = {
  deaths: (schedule) => ({ ...schedule, deaths: [] }),
  twins: (schedule) => ({ ...schedule, hasTwin: false }),
  copies: (schedule) => ({ ...schedule, hasCopies: false }),
  network: troublesWithout((rule) => 'action' in rule && !('from' in rule)),
  spans: troublesWithout((rule) => 'from' in rule),
  late: troublesWithout((rule) => 'event' in rule),
  business: (schedule) => ({
    ...troublesWithout((rule) => 'subject' in rule)(schedule),
    hasStranger: false,
  }),
  sleep: (schedule) => ({ ...schedule, sleep: undefined }),
  tokens: (schedule) => ({ ...schedule, outage: undefined }),
  listeners: (schedule) => ({ ...schedule, listeners: undefined }),
  retries: (schedule) => ({ ...schedule, retry: false }),
  stops: (schedule) => ({ ...schedule, stopAt: undefined }),
  failovers: (schedule) => ({ ...schedule, failover: undefined }),
  copied: (schedule) => ({ ...schedule, copy: undefined }),
  forms: (schedule) => ({ ...schedule, isNormalised: false }),
};
const groups = Object.keys(WITHOUT);
const BRIEF_MS = 60_000;

const without = (schedule: Schedule, group: string): Schedule => WITHOUT[group]!(schedule);

const scheduleOf = (seed: number, faults: readonly string[]): Schedule =>
  groups
    .filter((group) => !faults.includes(group))
    .reduce(without, drawSchedule(seed, undefined, true));

/** Tells whether a rule's effect lasts long, or comes from elsewhere than the network. */
function isLong(rule: Rule): boolean {
  if ('event' in rule) return true;
  if (!('action' in rule) || typeof rule.action !== 'object') return false;
  const { action } = rule;
  return 'headers' in action || ('delay' in action && Number(action.delay) > BRIEF_MS);
}

/** Tells whether troubles of the network and pauses of the machine last less than a minute. */
const isBrief = ({ span, pause, sleep, troubles }: Schedule): boolean =>
  span !== undefined &&
  pause < BRIEF_MS &&
  (!sleep || sleep.to - sleep.from < BRIEF_MS) &&
  !troubles.some(isLong);

/** Plays a schedule: how it ended, and what is wrong with it. */
export async function play(schedule: Schedule): Promise<Played> {
  let journal: FrozenJournal | undefined;
  const life = await playSchedule(schedule, {
    journal: (now) => (journal = new FrozenJournal(now)),
  });
  const strays = await straysOf(life.thrown, (error) => error instanceof ListenerError);
  const spins = journal?.isSpinning ? ['goes round and round'] : [];
  const phase = life.result?.phase ?? 'no end';
  const brief = isBrief(schedule) ? 1 : 0;
  return {
    row: schedule.rail,
    counts: {
      [phase]: 1,
      ambiguous: journal?.wasDoubtful ? 1 : 0,
      'two workers': schedule.hasTwin ? 1 : 0,
      'was stopped': life.stops.includes(true) ? 1 : 0,
      restored: schedule.copy ? 1 : 0,
      brief,
      'brief, unknown': phase === 'unknown' ? brief : 0,
    },
    problems: [...judge(schedule, life), ...strays, ...spins],
  };
}

function* smaller(schedule: Schedule): Iterable<Schedule> {
  const { troubles, deaths } = schedule;
  for (const group of groups) yield without(schedule, group);
  for (const index of troubles.keys())
    yield { ...schedule, troubles: troubles.toSpliced(index, 1) };
  for (const index of deaths.keys()) yield { ...schedule, deaths: deaths.toSpliced(index, 1) };
  if (schedule.span) yield { ...schedule, span: undefined };
  if (schedule.pause > 0) yield { ...schedule, pause: 0 };
}

const testOf = (schedule: Schedule, problem: string): string =>
  testText('a life of money', 'payments', schedule, problem);

const shares: readonly Share[] = [
  { name: 'ambiguous', of: 'lives', least: 20 },
  { name: 'two workers', of: 'lives', least: 25 },
  { name: 'brief, unknown', of: 'brief', most: 0.1, rows: ['bolt11'] },
];

export const plan = anyPlan({ groups, livesEach: 1, shares, scheduleOf, play, smaller, testOf });
