import { type Connection, internals, remaining, sentOf } from '../../core/http/index.ts';
import type { Clock } from '../../core/time.ts';
import type { CurrentPage } from '../device.ts';
import { type AnyEntry, isFinal, isSettled, type WatchedLists } from '../entry.ts';
import type { Outage } from '../apply.ts';
import type { Entries } from '../known.ts';
import type { Reader } from '../reader.ts';
import type { FeedSource } from '../sources/feed.ts';
import type { RelaySource } from '../sources/relay.ts';

/** A value is `live` for at most this long after the start of a read that brought it, milliseconds. */
export const LIVE_MS = 30_000;
/** Of more watches than this the feed may confirm values too. */
const MANY_WATCHES = 1_000;
/** How long a value is `live` then, milliseconds: reads in turn come round within this. */
export const LIVE_BY_FEED_MS = 180_000;

/**
 * How long a value is `live` that our own relay covers, milliseconds: its room confirms once a
 * minute, and the page reads where two minutes bring no confirmation.
 */
export const LIVE_BY_RELAY_MS = 150_000;

/** How a resource is read in turn: with others by one list, or by a request of its own. */
export type Access = 'list' | 'single';

export const ACCESSES: readonly Access[] = ['list', 'single'];

/** How all resources with one kind of access are read in turn. Milliseconds. */
interface TurnPlan {
  /** Time between two requests while first reads and changes wait. */
  readonly busyEvery: number;
  /** Time between two requests while nothing waits: all that is idle is spent. */
  readonly every: number;
  /** How long it takes to read each of them once. */
  readonly round: number;
  /** Each is read often enough to be live. */
  readonly isInTime: boolean;
}

/** How the requests of watching are spent: polls of the feed, reads in turn, and urgent reads. */
interface WatchPlan {
  /** The event feed, where it is polled. */
  readonly source: FeedSource | undefined;
  /** Time between two polls of the feed, milliseconds. */
  readonly pollEvery: number;
  readonly turns: Readonly<Record<Access, TurnPlan>>;
  /** There are so many that the feed confirms values too. */
  readonly isMany: boolean;
  /** Requests of a window for urgent reads: first reads, and those of what has changed. */
  readonly urgentReads: number;
  /** Requests of a window for all of these. */
  readonly budget: number;
  /** The caller's own calls leave no more than the least: urgent reads travel with pages. */
  readonly isLeast: boolean;
  /** When polling the feed began or ended; monotonic milliseconds. */
  readonly changedAt: number;
}

/** There is nothing to read. */
const NO_TURNS: TurnPlan = { busyEvery: Infinity, every: Infinity, round: 0, isInTime: true };

/** Nothing is watched yet. */
export const NO_PLAN: WatchPlan = {
  source: undefined,
  pollEvery: Infinity,
  turns: { list: NO_TURNS, single: NO_TURNS },
  isMany: false,
  urgentReads: 0,
  budget: 0,
  isLeast: false,
  changedAt: -Infinity,
};

/** What plans and times of reads depend on: made once for a hub. */
export interface WatchContext {
  readonly client: Connection;
  /** Of this clock what is old by the wall clock is old too. */
  readonly clock: Clock;
  /** Aborts with the last watch. */
  readonly signal: AbortSignal;
  readonly page: CurrentPage;
  readonly entries: Entries;
  /** Those of the entries that are lists; absent until one is watched. */
  lists?: WatchedLists;
  readonly outage: Outage;
  /** How changes are noticed now. */
  plan: WatchPlan;
  readonly reader: Reader;
  readonly feed: FeedSource;
  readonly relay: RelaySource | undefined;
  /** Shortest period of a watch and of the feed, milliseconds. */
  readonly base: number;
  /** Where the grid of this client lies, milliseconds. */
  readonly phase: number;
}

/**
 * Length of the window that requests are planned for, milliseconds: that of the limit and a little,
 * because the service counts by its own clock.
 */
export const WINDOW_MS = 610_000;
/**
 * Part of the limit that watching and the caller's own calls fill together: two processes of a
 * rolling deployment must not meet the block. More where the client says which part is its own.
 */
const SHARE_BY_DEFAULT = 0.5;
const SHARE_OF_OWN = 0.8;
/** Nothing that may be asked is asked less often than this, milliseconds: 20 seconds, and a margin. */
const SLOWEST_MS = 18_000;
/** Requests of a window that watching always has: a poll of the feed and a page in `SLOWEST_MS`. */
const leastRequests = (): number => (2 * WINDOW_MS) / SLOWEST_MS;
/** The caller's own calls go on as in this time, milliseconds. */
const RECENT_MS = 120_000;
/** Part of the time for which a value is live after which it is read again. */
const REREAD_PART = 0.8;
/** The longest such part where there are too many for that. */
const LATEST_REREAD_PART = 0.85;
/** The same where values have been live until now, so that they do not flicker. */
const STILL_LIVE_PART = 0.9;
/** Smaller differences are those of computing. */
const ROUNDING = 1e-9;
/** A poll of the feed may be this much slower than the base period, so that values are live. */
const SLOWER_POLLS = 1.1;
/** The same where they have been live by it until now. */
const STILL_SLOWER_POLLS = 1.3;
/** Part of the requests that polls take at most where values cannot be live; while first reads wait. */
const POLLS_PART = 0.5;
const POLLS_PART_AT_FIRST = 0.33;
/** What the feed tells of is read by a second request: a change is seen that much later. */
const FEED_DETOUR = 1.1;
/** Polling of the feed begins or ends where that is this much faster. */
const FASTER = 0.8;
/** Time between two such changes, milliseconds. */
const MIN_PLAN_MS = 60_000;

/** Requests of a window for reads in turn. */
interface TurnBudget {
  readonly all: number;
  /** While nothing waits for an urgent read. */
  readonly idle: number;
  /** Where values cannot be live: first reads take nothing of these. */
  readonly least: number;
}

/** Requests by access. */
type Requests = Readonly<Record<Access, number>>;

/** What has to be planned for. */
interface Demand {
  readonly watched: readonly AnyEntry[];
  /** Requests of one round that reads each once. */
  readonly round: Requests;
  /** The same of those that were read and have not failed: the others wait for an urgent read. */
  readonly known: Requests;
  /** Requests of a window. */
  readonly budget: number;
  readonly isAtRest: boolean;
  readonly isMany: boolean;
  /** Requests of the last window that were urgent reads. */
  readonly urgentReadsSent: number;
}

/** A plan, and how late it sees a change: milliseconds, more where values are not live. */
interface Candidate extends Pick<WatchPlan, 'source' | 'pollEvery' | 'turns' | 'urgentReads'> {
  readonly delay: number;
}

/**
 * Reads in turn alone, or with the feed: what sees a change sooner and keeps values live.
 * `urgentReadsSent`: requests of the last window.
 */
export function nextPlan(context: WatchContext, urgentReadsSent: number): WatchPlan {
  const { client, entries, plan: before } = context;
  const now = context.clock.monotonic();
  const watched = [...entries.values()].filter(
    (entry) => entry.type.watch.wokenBy !== 'time' && !isFinal(entry),
  );
  const demand: Demand = {
    watched,
    round: roundOf(watched, context),
    known: roundOf(watched.filter(isKnown), context),
    budget: budgetOf(client),
    isAtRest: watched.every(isSettled),
    isMany: watched.length > MANY_WATCHES,
    urgentReadsSent,
  };
  const plain = planOfTurns(demand, context);
  const withFeed = planWithFeed(demand, context);
  const [current, other] = before.source ? [withFeed, plain] : [plain, withFeed];
  const isFaster = other.delay < current.delay * (before === NO_PLAN ? 1 : FASTER);
  const isDue = now - before.changedAt >= MIN_PLAN_MS || current.delay >= LIVE_MS;
  const changes = isFaster && isDue;
  const { delay: _, ...chosen } = changes ? other : current;
  return {
    ...chosen,
    isMany: demand.isMany,
    budget: demand.budget,
    isLeast: isLeast(demand),
    changedAt: changes && before !== NO_PLAN ? now : before.changedAt,
  };
}

const isLeast = ({ budget }: Demand): boolean => budget <= leastRequests();

function roundOf(entries: readonly AnyEntry[], { reader }: WatchContext): Requests {
  const listed = entries.filter((entry) => reader.isListed(entry));
  const single = reader.cost(entries.filter((entry) => !reader.isListed(entry)));
  return { list: reader.roundCost(listed), single };
}

function isKnown({ readAt, failures }: AnyEntry): boolean {
  return readAt !== undefined && !failures;
}

/**
 * Requests of a window for watching: its share of the limit, less after a block, without the
 * caller's own calls.
 */
function budgetOf(client: Connection): number {
  const { rateLimits, rateLimitShare, isShareKnown } = client[internals].settings;
  const share = isShareKnown ? SHARE_OF_OWN : SHARE_BY_DEFAULT;
  const least = Math.min(leastRequests(), share * rateLimits.others.limit * rateLimitShare);
  return Math.max(least, share * remaining(client, 'others') - ownRequests(client));
}

/**
 * Requests of the caller's own in a window: those of the last one, or what it will be if they go on
 * as in the last two minutes.
 */
function ownRequests(client: Connection): number {
  const now = client[internals].clock.monotonic();
  const countSince = (ms: number) => {
    const isRecent = (at: number) => at > now - ms;
    const all = sentOf(client, 'others').filter(isRecent).length;
    return all - sentOf(client, 'others', 'normal').filter(isRecent).length;
  };
  return Math.max(countSince(WINDOW_MS), (countSince(RECENT_MS) * WINDOW_MS) / RECENT_MS);
}

/** Reads in turn, evenly; without the feed. */
function planOfTurns(demand: Demand, context: WatchContext): Candidate {
  const { watched, round, budget, isAtRest, urgentReadsSent } = demand;
  const { base, feed } = context;
  const least = leastRequests();
  const turns = turnsOf(
    demand,
    { all: budget, idle: budget - urgentReadsSent, least },
    LIVE_MS,
    context,
  );
  const all = round.list + round.single;
  // what is missing from a page is read by one request more
  const requests = round.list > 1 ? all + 1 : all;
  const needed = Math.max(base, (requests * WINDOW_MS) / budget);
  // that a settled value is reversed, the feed tells sooner
  const isTold = feed.isPossible && watched.some(isSettled);
  const slowest = isAtRest ? Math.max(SLOWEST_MS, needed) : needed;
  return {
    source: undefined,
    pollEvery: Infinity,
    turns,
    urgentReads: Math.max(leastRequests() / 2, budget - costOf(turns)),
    delay: slowest + lossOf(demand, turns) + (isTold ? LIVE_MS : 0),
  };
}

/** Polls of the feed, a read for what each of them tells, and reads in turn with all the rest. */
function planWithFeed(demand: Demand, context: WatchContext): Candidate {
  const { base, feed } = context;
  const live = demand.isMany ? LIVE_BY_FEED_MS : LIVE_MS;
  const slowest = Math.max(base, SLOWEST_MS);
  const needs = needOf(demand, live, context);
  const fitting = pollPeriodFor(demand.budget - needs, context);
  const { changesPerMs } = feed;
  // where changes come often, they are seen soon before values are live
  const isOn = context.plan.source !== undefined && context.plan.turns.list.isInTime;
  const slower = isOn ? STILL_SLOWER_POLLS : SLOWER_POLLS;
  const isEnough = fitting <= base * slower || fitting * changesPerMs <= 1;
  const period = isEnough ? fitting : fastestPeriod(demand, context);
  const pollEvery = demand.isAtRest ? slowest : Math.min(slowest, Math.max(base, period));
  const polls = (WINDOW_MS * feed.requests) / pollEvery;
  const left = Math.max(0, demand.budget - polls);
  const turnsBeside = (told: number) => {
    const idle = left - Math.max(told, demand.urgentReadsSent);
    return turnsOf(demand, { all: left - told, idle, least: leastRequests() / 2 }, live, context);
  };
  // where next to nothing is left, pages also read what polls tell of
  const turns = turnsBeside(isLeast(demand) ? 0 : tellingCost(pollEvery, context));
  return {
    source: feed,
    pollEvery,
    turns,
    urgentReads: Math.max(leastRequests() / 2, left - costOf(turns)),
    delay:
      feed.isPossible && demand.watched.length > 0
        ? pollEvery * FEED_DETOUR + lossOf(demand, turns)
        : Infinity,
  };
}

/** The shortest period of polls that leaves enough for pages, and for first reads. */
function fastestPeriod({ budget, known, round }: Demand, context: WatchContext): number {
  const areRead = known.list + known.single >= round.list + round.single;
  const most = budget * (areRead ? POLLS_PART : POLLS_PART_AT_FIRST);
  const fitting = pollPeriodFor(budget - leastRequests() / 2, context);
  return Math.max(fitting, (WINDOW_MS * context.feed.requests) / most);
}

/** Requests of a window that read what polls tell of. */
function tellingCost(period: number, { feed, reader }: WatchContext): number {
  const rate = feed.changesPerMs;
  return WINDOW_MS * Math.min(rate, Math.max(1 / period, rate / reader.width));
}

/** The period of polls that, with the reads of what they tell of, take this many requests. */
function pollPeriodFor(requests: number, { feed, reader }: WatchContext): number {
  const perMs = requests / WINDOW_MS;
  const rate = feed.changesPerMs;
  const single = feed.requests / Math.max(0, perMs - rate);
  if (single * rate <= 1) return single;
  const together = (feed.requests + 1) / Math.max(0, perMs);
  if (together * rate <= reader.width) return together;
  return feed.requests / Math.max(0, perMs - rate / reader.width);
}

/** Requests of a window that reads in turn take at least. */
function costOf({ list, single }: WatchPlan['turns']): number {
  return WINDOW_MS / list.busyEvery + WINDOW_MS / single.busyEvery;
}

/** How much a plan is behind one that keeps all values live. */
function lossOf({ round, watched }: Demand, turns: WatchPlan['turns']): number {
  if (watched.length === 0) return 0;
  const late =
    (turns.single.isInTime ? 0 : round.single) +
    (turns.list.isInTime ? 0 : watched.length - round.single);
  return (LIVE_MS * late) / watched.length;
}

/** Part of the time for which a value is live after which all have to be read again, at the latest. */
function partFor(access: Access, { plan }: WatchContext): number {
  return plan !== NO_PLAN && plan.turns[access].isInTime ? STILL_LIVE_PART : LATEST_REREAD_PART;
}

/** Requests of a window that keep all values live. */
function needOf({ round }: Demand, live: number, context: WatchContext): number {
  return ACCESSES.reduce((sum, access) => {
    const within = live * partFor(access, context);
    const least = round[access] > 0 ? WINDOW_MS / SLOWEST_MS : 0;
    return sum + Math.max(least, (round[access] * WINDOW_MS) / within);
  }, 0);
}

/**
 * Lists first, for they confirm many; what is read one by one where that fits too. What cannot be
 * read in time takes what is left, and so does all else while nothing waits.
 */
function turnsOf(
  { round, known, isAtRest }: Demand,
  { all: budget, idle, least }: TurnBudget,
  live: number,
  context: WatchContext,
): Record<Access, TurnPlan> {
  const { base } = context;
  const needs: Record<Access, number> = { list: 0, single: 0 };
  const isInTime = { list: true, single: true };
  let left = budget;
  for (const access of ACCESSES) {
    const requests = round[access];
    const within = live * partFor(access, context);
    isInTime[access] =
      requests === 0 || (requests * WINDOW_MS) / Math.max(1, left) <= within * (1 + ROUNDING);
    const need = Math.max(
      WINDOW_MS / SLOWEST_MS,
      (known[access] * WINDOW_MS) / (live * REREAD_PART),
    );
    needs[access] = isInTime[access] && requests > 0 ? Math.min(left, need) : 0;
    left -= needs[access];
  }
  const late = ACCESSES.filter((access) => !isInTime[access]);
  const takers = late.length > 0 ? late : ACCESSES;
  const all = takers.reduce((sum, access) => sum + round[access], 0);
  const free = Math.max(late.length > 0 ? least : 0, idle - needs.list - needs.single);
  const turnOf = (access: Access): TurnPlan => {
    const requests = round[access];
    if (requests === 0) return NO_TURNS;
    const more = takers.includes(access) && !isAtRest ? (free * requests) / all : 0;
    const busyEvery = isInTime[access] ? WINDOW_MS / needs[access] : SLOWEST_MS * (all / requests);
    const evenly = WINDOW_MS / (needs[access] + more);
    const every = Math.min(busyEvery, Math.max(base / requests, evenly));
    return { busyEvery, every, round: every * requests, isInTime: isInTime[access] };
  };
  return { list: turnOf('list'), single: turnOf('single') };
}
