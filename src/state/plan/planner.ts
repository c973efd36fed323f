import { type Connection, internals, remaining, countSent } from '../../core/http/index.ts';
import type { Clock } from '../../core/time.ts';
import type { CurrentPage } from '../device.ts';
import { type AnyEntry, isFinal, isSettled, type ReadWaits, type WatchedLists } from '../entry.ts';
import type { Outage } from '../apply.ts';
import type { Entries } from '../known.ts';
import type { Reader } from '../reader.ts';
import type { FeedSource } from '../sources/feed.ts';
import type { RelaySource } from '../sources/relay.ts';

/** A value is `live` for at most this time after its read was sent, milliseconds. */
export const LIVE_MS = 30_000;
/** With more watches than this, polls of the feed confirm values too. */
const MANY_WATCHES = 1_000;
/** A value that the feed confirms is `live` for this time; a round of reads takes no longer. */
export const LIVE_BY_FEED_MS = 180_000;

/**
 * A value that our own relay confirms is `live` for this time, milliseconds. The relay's room
 * confirms it once a minute, and the page reads it after two minutes without a confirmation.
 */
export const LIVE_BY_RELAY_MS = 150_000;

/** A resource is read in turn by a list, together with others, or by a request of its own. */
export type Access = 'list' | 'single';

export const ACCESSES: readonly Access[] = ['list', 'single'];

/** Says how often resources with one kind of access are read in turn. All times in milliseconds. */
interface TurnPlan {
  /** The time between two requests while urgent reads wait. */
  readonly busyEvery: number;
  /** The time between two requests while no urgent read waits: idle requests are spent here. */
  readonly every: number;
  /** The time that it takes to read each of them once. */
  readonly round: number;
  /** Each of them is read often enough to be live. */
  readonly isInTime: boolean;
}

/** Divides the requests of watching among polls of the feed, reads in turn and urgent reads. */
interface WatchPlan {
  /** The event feed if it is polled, else undefined. */
  readonly source: FeedSource | undefined;
  /** The time between two polls of the feed, milliseconds. */
  readonly pollEvery: number;
  readonly turns: Readonly<Record<Access, TurnPlan>>;
  /** There are more than `MANY_WATCHES`, so that the feed confirms values too. */
  readonly isMany: boolean;
  /** Urgent reads (first reads, changes, re-reads) may take this number of requests a window. */
  readonly urgentReads: number;
  /** All of these together may take this number of requests a window. */
  readonly budget: number;
  /** The caller's own calls leave only the guaranteed minimum: pages take urgent reads along. */
  readonly isLeast: boolean;
  /** Polling of the feed began or ended at this time, monotonic milliseconds. */
  readonly changedAt: number;
}

/** There is nothing to read in turn. */
const NO_TURNS: TurnPlan = { busyEvery: Infinity, every: Infinity, round: 0, isInTime: true };

/** This is the plan before anything is watched. */
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

/** Holds all that plans and times of reads depend on. A hub makes it once. */
export interface WatchContext {
  readonly client: Connection;
  /** This clock's monotonic time follows a forward jump of the wall clock. */
  readonly clock: Clock;
  /** It aborts when the last watch ends. */
  readonly signal: AbortSignal;
  readonly page: CurrentPage;
  readonly entries: Entries;
  /** The entries that are lists; absent until a list is watched. */
  lists?: WatchedLists;
  readonly outage: Outage;
  /** The current plan; `nextPlan` makes the next one. */
  plan: WatchPlan;
  readonly reader: Reader;
  readonly feed: FeedSource;
  readonly relay: RelaySource | undefined;
  /** The base period: no resource is read more often than this, milliseconds. */
  readonly base: number;
  /** The offset of this client's grid of times, so that clients differ, milliseconds. */
  readonly phase: number;
  /** The callers that have asked for a read. */
  readonly waits: ReadWaits;
}

/**
 * Requests are planned for a window of this length, milliseconds. It is a little longer than that
 * of the rate limit, because the service counts by its own clock.
 */
export const WINDOW_MS = 610_000;
/**
 * Watching and the caller's own calls fill this part of the limit together, because two processes
 * of a rolling deployment must not run into the block.
 */
const SHARE_BY_DEFAULT = 0.5;
/** They fill this part if `rateLimitShare` is explicit or a shared durable store counts. */
const SHARE_IF_KNOWN = 0.8;
/** The feed and the reads in turn send a request at least once in this time, milliseconds. */
export const SLOWEST_MS = 18_000;
/** Watching always has a poll of the feed and a page in `SLOWEST_MS`: 68 requests a window. */
const leastRequests = (): number => (2 * WINDOW_MS) / SLOWEST_MS;
/** The caller's own calls are expected to continue at the pace of this time, milliseconds. */
const RECENT_CALLS_MS = 120_000;
/** A value is read again after this part of the time for which it is live. */
const REREAD_PART = 0.8;
/** Values still count as live when a round takes up to this part of that time. */
const MAX_ROUND_PART = 0.85;
/** The same limit for values that are live already: a margin, so that they do not flicker. */
const MAX_ROUND_PART_WHILE_LIVE = 0.9;
/** Smaller relative differences are rounding errors. */
const ROUNDING = 1e-9;
/** Polls may be slower than the base period by this factor in order to keep values live. */
const MAX_POLL_STRETCH = 1.1;
/** A poll may take this part more where it still sees changes sooner than lists in turn. */
const MAX_POLL_STRETCH_FOR_LISTS = 3;
/** The same factor while the feed is polled and keeps values live. */
const MAX_POLL_STRETCH_WHILE_LIVE = 1.3;
/** Polls take at most this part of the requests where values cannot be live. */
const MAX_POLLS_PART = 0.5;
/** The same part while first reads wait. */
const MAX_POLLS_PART_AT_FIRST = 0.33;
/** A poll only names a resource: the read that shows the change makes it later by this factor. */
const FEED_DELAY_FACTOR = 1.1;
/** Polling begins or ends only if the delay falls below this part of the current one. */
const SWITCH_RATIO = 0.8;
/** The plan keeps its source for at least this time, milliseconds. */
const MIN_SOURCE_MS = 60_000;

/** Reads in turn may take these numbers of requests a window. */
interface TurnBudget {
  /** The number while urgent reads wait. */
  readonly all: number;
  /** The number while no urgent read waits. */
  readonly idle: number;
  /** The number that urgent reads never take where values cannot be live. */
  readonly least: number;
}

/** Numbers of requests, by access. */
type Requests = Readonly<Record<Access, number>>;

/** Describes the watches and requests that a plan is made for. */
interface Demand {
  readonly watched: readonly AnyEntry[];
  /** A round, which reads each entry once, takes these requests. */
  readonly round: Requests;
  /** The same for entries that were read and have not failed: the others wait for urgent reads. */
  readonly known: Requests;
  /** Watching may take this number of requests a window. */
  readonly budget: number;
  /** All values are settled. */
  readonly isAllSettled: boolean;
  readonly isMany: boolean;
  /** Urgent reads took this number of requests in the last window. */
  readonly urgentReadsSent: number;
}

/** A possible plan. Its `delay` is how late it sees a change, milliseconds, plus a penalty. */
interface Candidate extends Pick<WatchPlan, 'source' | 'pollEvery' | 'turns' | 'urgentReads'> {
  readonly delay: number;
}

/**
 * Chooses between reads in turn alone and reads in turn with the feed: the plan that sees a change
 * sooner and keeps values live. `urgentReadsSent` is the number of the last window.
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
    isAllSettled: watched.every(isSettled),
    isMany: watched.length > MANY_WATCHES,
    urgentReadsSent,
  };
  const plain = planOfTurns(demand, context);
  const withFeed = planWithFeed(demand, plain.delay, context);
  const [current, other] = before.source ? [withFeed, plain] : [plain, withFeed];
  const isFaster = other.delay < current.delay * (before === NO_PLAN ? 1 : SWITCH_RATIO);
  const isDue = now - before.changedAt >= MIN_SOURCE_MS || current.delay >= LIVE_MS;
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
 * Returns the requests of a window for watching: a share of the limit, which is smaller after a
 * block, minus the caller's own calls, and never less than the guaranteed minimum.
 */
function budgetOf(client: Connection): number {
  const { rateLimits, rateLimitShare, isShareKnown } = client[internals].settings;
  const share = isShareKnown ? SHARE_IF_KNOWN : SHARE_BY_DEFAULT;
  const least = Math.min(leastRequests(), share * rateLimits.others.limit * rateLimitShare);
  return Math.max(least, share * remaining(client, 'others') - ownRequests(client));
}

/**
 * Returns the number of the caller's own calls in a window: that of the last window, or the number
 * at the pace of the last two minutes if that is higher.
 */
function ownRequests(client: Connection): number {
  const now = client[internals].clock.monotonic();
  const countSince = (ms: number) => {
    const isRecent = (at: number) => at > now - ms;
    const all = countSent(client, 'others').filter(isRecent).length;
    return all - countSent(client, 'others', 'normal').filter(isRecent).length;
  };
  return Math.max(
    countSince(WINDOW_MS),
    (countSince(RECENT_CALLS_MS) * WINDOW_MS) / RECENT_CALLS_MS,
  );
}

/** Plans even reads in turn without the feed. */
function planOfTurns(demand: Demand, context: WatchContext): Candidate {
  const { watched, round, budget, isAllSettled, urgentReadsSent } = demand;
  const { base, feed } = context;
  const least = leastRequests();
  const turns = turnsOf(
    demand,
    { all: budget, idle: budget - urgentReadsSent, least },
    LIVE_MS,
    context,
  );
  const all = round.list + round.single;
  // one more request reads what is missing from the pages
  const requests = round.list > 1 ? all + 1 : all;
  const needed = Math.max(base, (requests * WINDOW_MS) / budget);
  // the feed names a reversed payment sooner than reads in turn find it
  const isReversalAnnounced = feed.isPossible && watched.some(isSettled);
  const slowest = isAllSettled ? Math.max(SLOWEST_MS, needed) : needed;
  return {
    source: undefined,
    pollEvery: Infinity,
    turns,
    urgentReads: Math.max(leastRequests() / 2, budget - costOf(turns)),
    delay: slowest + stalePenalty(demand, turns) + (isReversalAnnounced ? LIVE_MS : 0),
  };
}

/**
 * Plans polls of the feed, reads of what they name, and reads in turn with all the rest.
 * `delayWithout`: how late the plan without the feed sees a change, milliseconds.
 */
function planWithFeed(demand: Demand, delayWithout: number, context: WatchContext): Candidate {
  const { base, feed } = context;
  const live = demand.isMany ? LIVE_BY_FEED_MS : LIVE_MS;
  const slowest = Math.max(base, SLOWEST_MS);
  const needs = needOf(demand, live, context);
  const fitting = pollPeriodFor(demand.budget - needs, context);
  const { changesPerMs } = feed;
  // where changes are frequent, seeing them soon matters more than keeping values live
  const isOn = context.plan.source !== undefined && context.plan.turns.list.isInTime;
  const slower = isOn ? MAX_POLL_STRETCH_WHILE_LIVE : MAX_POLL_STRETCH;
  const isSoon = fitting <= base * MAX_POLL_STRETCH_FOR_LISTS;
  const isSooner = isSoon && !demand.isMany && fitting * FEED_DELAY_FACTOR < delayWithout;
  const isEnough = isSooner || fitting <= base * slower || fitting * changesPerMs <= 1;
  const period = isEnough ? fitting : fastestPeriod(demand, context);
  const pollEvery = demand.isAllSettled ? slowest : Math.min(slowest, Math.max(base, period));
  const polls = (WINDOW_MS * feed.requests) / pollEvery;
  const left = Math.max(0, demand.budget - polls);
  const turnsAfter = (announcedReads: number) => {
    const idle = left - Math.max(announcedReads, demand.urgentReadsSent);
    return turnsOf(
      demand,
      { all: left - announcedReads, idle, least: leastRequests() / 2 },
      live,
      context,
    );
  };
  // where only the minimum is left, pages also read what polls name
  const turns = turnsAfter(isLeast(demand) ? 0 : announcedCost(pollEvery, context));
  return {
    source: feed,
    pollEvery,
    turns,
    urgentReads: Math.max(leastRequests() / 2, left - costOf(turns)),
    delay:
      feed.isPossible && demand.watched.length > 0
        ? pollEvery * FEED_DELAY_FACTOR + stalePenalty(demand, turns)
        : Infinity,
  };
}

/** Returns the shortest period of polls that leaves enough for pages and first reads. */
function fastestPeriod({ budget, known, round }: Demand, context: WatchContext): number {
  const isEachRead = known.list + known.single >= round.list + round.single;
  const most = budget * (isEachRead ? MAX_POLLS_PART : MAX_POLLS_PART_AT_FIRST);
  const fitting = pollPeriodFor(budget - leastRequests() / 2, context);
  return Math.max(fitting, (WINDOW_MS * context.feed.requests) / most);
}

/** Returns the requests of a window that read what polls of this period name. */
function announcedCost(period: number, { feed, reader }: WatchContext): number {
  const rate = feed.changesPerMs;
  return WINDOW_MS * Math.min(rate, Math.max(1 / period, rate / reader.width));
}

/** Returns the period at which polls and reads of what they name take this number of requests. */
function pollPeriodFor(requests: number, { feed, reader }: WatchContext): number {
  const perMs = requests / WINDOW_MS;
  const rate = feed.changesPerMs;
  const single = feed.requests / Math.max(0, perMs - rate);
  if (single * rate <= 1) return single;
  const together = (feed.requests + 1) / Math.max(0, perMs);
  if (together * rate <= reader.width) return together;
  return feed.requests / Math.max(0, perMs - rate / reader.width);
}

/** Returns the requests of a window that reads in turn take while urgent reads wait. */
function costOf({ list, single }: WatchPlan['turns']): number {
  return WINDOW_MS / list.busyEvery + WINDOW_MS / single.busyEvery;
}

/** Returns the penalty of a plan, milliseconds: up to `LIVE_MS` where no value can be live. */
function stalePenalty({ round, watched }: Demand, turns: WatchPlan['turns']): number {
  if (watched.length === 0) return 0;
  const late =
    (turns.single.isInTime ? 0 : round.single) +
    (turns.list.isInTime ? 0 : watched.length - round.single);
  return (LIVE_MS * late) / watched.length;
}

/** Returns the part of the time for which values are live that a round may take. */
function maxRoundPart(access: Access, { plan }: WatchContext): number {
  return plan !== NO_PLAN && plan.turns[access].isInTime
    ? MAX_ROUND_PART_WHILE_LIVE
    : MAX_ROUND_PART;
}

/** Returns the requests of a window that keep all values live. */
function needOf({ round }: Demand, live: number, context: WatchContext): number {
  return ACCESSES.reduce((sum, access) => {
    const within = live * maxRoundPart(access, context);
    const least = round[access] > 0 ? WINDOW_MS / SLOWEST_MS : 0;
    return sum + Math.max(least, (round[access] * WINDOW_MS) / within);
  }, 0);
}

/**
 * Divides the requests of reads in turn. Lists come first, because each confirms many values;
 * single reads follow. Kinds that cannot be read in time share what is left. If all can, they
 * share it while no urgent read waits.
 */
function turnsOf(
  { round, known, isAllSettled }: Demand,
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
    const within = live * maxRoundPart(access, context);
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
    const more = takers.includes(access) && !isAllSettled ? (free * requests) / all : 0;
    const busyEvery = isInTime[access] ? WINDOW_MS / needs[access] : SLOWEST_MS * (all / requests);
    const evenly = WINDOW_MS / (needs[access] + more);
    const every = Math.min(busyEvery, Math.max(base / requests, evenly));
    return { busyEvery, every, round: every * requests, isInTime: isInTime[access] };
  };
  return { list: turnOf('list'), single: turnOf('single') };
}
