// T3: the event feed, read from a service with every bad habit that its description allows.
// Each event comes once, whatever is printed, counted, late, dated ahead or in no order; what could
// not be read is told as a gap.
import {
  type FeedServer,
  type Habits,
  happen,
  openFeedServer,
  walk,
} from '../../unit/state/feed-server.ts';
import { type Chance, chanceOf } from '../shared/chance.ts';
import { anyPlan, type Played, testText } from './plan.ts';
import { straysOf } from './strays.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Events become visible after this, where they are not late. */
const VISIBLE_AFTER_MS = 20;
const SETTLES_MS = 13 * MINUTE_MS;
/** A page of one event makes a walk long: then fewer events happen. */
const MOST_OF_ONE = 40;
const BURST_OF_ONE = 20;

/** Bad habits of a service, in addition to those of the server itself. */
interface DrawnHabits extends Omit<Habits, 'phantoms' | 'garbles'> {
  /** Events that are dated up to a day ahead or behind. */
  readonly dated?: number;
  /** Milliseconds after which some events can be read. */
  readonly late?: number;
  /** Events of the same instant, whose order changes. */
  readonly burst?: number;
  /** Age of the walk's beginning, days. */
  readonly days?: number;
}

export interface FeedSchedule extends DrawnHabits {
  readonly seed: number;
  /** Events, and the milliseconds over which they happen. */
  readonly count: number;
  readonly spread: number;
}

/** Habits, by the names that `--faults` takes. */
const HABITS: Readonly<Record<string, (chance: Chance) => DrawnHabits>> = {
  dated: (chance) => ({ dated: chance.between(1, 3) }),
  digits: (chance) => ({ digits: chance.between(0, 7) }),
  pages: (chance) => ({ page: chance.pick([1, 5, 37, 99]) }),
  late: (chance) => ({ late: chance.pick([5_000, 60_000, 299_000]) }),
  ties: (chance) => ({ burst: chance.between(20, 150) }),
  nodate: () => ({ hidesDate: true }),
  clock: (chance) => ({ ahead: chance.between(-DAY_MS, DAY_MS) }),
  old: (chance) => ({ days: chance.pick([1, 29, 29.97]) }),
  order: (chance) => ({ order: chance.pick(['asc', 'desc', 'shuffled'] as const) }),
  nocount: () => ({ hidesCount: true }),
};
const groups = Object.keys(HABITS);

function scheduleOf(seed: number, faults: readonly string[]): FeedSchedule {
  const chance = chanceOf(`feed/${seed}`);
  const drawn = Object.entries(HABITS).map(([group, draw]) => {
    const isHit = chance.hits(0.3);
    const habit = draw(chance);
    return isHit && faults.includes(group) ? habit : {};
  });
  const count = chance.between(20, 160);
  const spread = chance.pick([1_000, MINUTE_MS, 3 * MINUTE_MS]);
  const habits = drawn.reduce((all, one) => ({ ...all, ...one }), {});
  return { seed, count, spread, ...habits };
}

/** Says how late the n-th event can be read. */
const lateness =
  ({ late, seed }: FeedSchedule) =>
  (n: number): number =>
    late && (n * 7 + seed) % 10 === 0 ? late : VISIBLE_AFTER_MS;

/** Lets happen what was a while ago; returns the time from which it is asked for. */
function makeOld(server: FeedServer, days: number): string {
  const now = server.sandbox.clock.now();
  const from = now - Math.floor(days * DAY_MS);
  for (let n = 0; n < 30; n++) {
    const at = from + n * 1_000 + 120 * MINUTE_MS;
    if (at < now - 10 * MINUTE_MS)
      server.happenings.push({ id: `old-${n}`, at, rest: n, visible: at });
  }
  return new Date(from).toISOString();
}

function problemsOf(
  { ids, gaps }: ReturnType<typeof walk>,
  { happenings }: FeedServer,
): readonly string[] {
  const seen = new Map<string, number>();
  for (const id of ids) seen.set(id, (seen.get(id) ?? 0) + 1);
  const twice = [...seen].filter(([, times]) => times > 1).length;
  const isTold = (at: number): boolean =>
    gaps.some(({ startsAt, endsAt }) => at >= startsAt - 1_000 && at <= endsAt + 1_000);
  const lost = happenings.filter(({ id, at }) => !seen.has(id) && !isTold(at));
  return [
    ...(lost.length > 0 ? [`lost ${lost.length} of ${happenings.length} events`] : []),
    ...(twice > 0 ? [`brought ${twice} events twice`] : []),
  ];
}

/** The result of a feed. */
export interface FeedPlayed extends Played {
  readonly counts: {
    readonly events: number;
    readonly requests: number;
    readonly gaps: number;
  };
}

/** Plays a schedule: what was read, and what is wrong with it. */
export async function play(schedule: FeedSchedule): Promise<FeedPlayed> {
  const { count, spread, burst = 0, days, seed, hidesDate, page } = schedule;
  // without the service's time, two events that are dated ahead cannot be told from the present
  const dated = hidesDate ? Math.min(1, schedule.dated ?? 0) : (schedule.dated ?? 0);
  const server = openFeedServer(schedule);
  const from = days ? makeOld(server, days) : undefined;
  const log = walk(server, from);
  await server.sandbox.advance(10_000);
  happen(server, page === 1 ? Math.min(count, MOST_OF_ONE) : count, spread, lateness(schedule));
  if (burst) happen(server, page === 1 ? BURST_OF_ONE : burst, 0);
  const now = server.sandbox.clock.now();
  for (let n = 0; n < dated; n++) {
    const at = now + (((seed * 31 + n * 17) % 90) + 1) * MINUTE_MS;
    server.happenings.push({ id: `dated-${n}`, at, rest: n, visible: now + n });
  }
  await server.sandbox.advance(spread + SETTLES_MS);
  log.stop();
  await server.sandbox.advance(MINUTE_MS);
  const { happenings, requests } = server;
  return {
    row: 'feed',
    counts: { events: happenings.length, requests, gaps: log.gaps.length },
    problems: [...problemsOf(log, server), ...(await straysOf())],
  };
}

function* smaller(schedule: FeedSchedule): Iterable<FeedSchedule> {
  const { seed, count, spread, ...habits } = schedule;
  for (const name of Object.keys(habits)) {
    const others = Object.entries(habits).filter(([other]) => other !== name);
    yield { seed, count, spread, ...(Object.fromEntries(others) as DrawnHabits) };
  }
  if (count > 20) yield { ...schedule, count: Math.ceil(count / 2) };
}

const testOf = (schedule: FeedSchedule, problem: string): string =>
  testText('event feeds', 'feed', schedule, problem);

export const plan = anyPlan({
  groups,
  livesEach: 1,
  shares: [],
  scheduleOf,
  play,
  smaller,
  testOf,
});
