import { type Connection, internals, remaining, sentOf } from '../../core/http/index.ts';
import type { Clock } from '../../core/time.ts';
import type { CurrentPage } from '../device.ts';
import { type AnyEntry, isFinal, isSettled, type WatchedLists } from '../entry.ts';
import type { Outage } from '../apply.ts';
import type { Entries } from '../known.ts';
import type { Reader } from '../reader.ts';
import type { FeedSource } from '../sources/feed.ts';
import type { RelaySource } from '../sources/relay.ts';

/** Length of the window that costs are counted in: that of the limit, and a little, milliseconds. */
export const WINDOW_MS = 630_000;
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

/** Entries that a list can hold, and those that are read one by one. */
export type Lane = 'listed' | 'alone';

/** How the entries of a lane are read in turn. Milliseconds. */
interface LanePlan {
  /** Time between two requests while first reads and changes wait, and while nothing waits. */
  readonly every: number;
  readonly idleEvery: number;
  /** How long it takes to read each of them once. */
  readonly round: number;
  /** Each is read often enough to be live. */
  readonly isInTime: boolean;
}

/** `polling`: each is read in one rhythm · `turns`: one page after another · `feed`: both beside it. */
type PlanKind = 'polling' | 'turns' | 'feed';

/** How changes are noticed, and values confirmed. Times in monotonic milliseconds. */
interface WatchPlan {
  readonly kind: PlanKind;
  /** The feed, where it is polled. */
  readonly source: FeedSource | undefined;
  /** Every period is multiplied by this, so that the requests fit the budget. */
  readonly stretch: number;
  readonly lanes: Readonly<Record<Lane, LanePlan>>;
  /** There are so many that the feed confirms values too. */
  readonly isMany: boolean;
  /** Requests of a window for first reads, changes and what a gap left open. */
  readonly looks: number;
  readonly madeAt: number;
  readonly changedAt: number;
  /** How often in a row another plan was the better one. */
  readonly votes: number;
}

/** A way to notice changes, stretched to fit the budget, and how late it sees. */
interface Candidate extends Pick<WatchPlan, 'kind' | 'source' | 'stretch' | 'lanes' | 'looks'> {
  readonly delay: number;
}

/** A lane that holds nothing, or whose entries are polled. */
const NO_LANE: LanePlan = { every: Infinity, idleEvery: Infinity, round: 0, isInTime: true };

/** Nothing is watched yet. */
export const NO_PLAN: WatchPlan = {
  kind: 'polling',
  source: undefined,
  stretch: 1,
  lanes: { listed: NO_LANE, alone: NO_LANE },
  isMany: false,
  looks: 0,
  madeAt: -Infinity,
  changedAt: -Infinity,
  votes: 0,
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
 * Part of the limit up to which watching fills what the caller's own calls take: two processes of a
 * rolling deployment do not meet the block. More where the client says which share is its own.
 */
const SHARE = 0.5;
const SHARE_OF_ONE = 0.8;
/** Nothing that may be asked is asked less often than this, milliseconds: 20 seconds, and a margin. */
const SLOWEST_MS = 18_000;
/** Requests of a window that watching always has: polls of the feed, and pages, each 20 seconds. */
const leastOf = (): number => (2 * WINDOW_MS) / SLOWEST_MS;
/** Part of the time for which a value is live after which it is read again. */
const AGAIN = 0.8;
/** What was read in time goes on so while a round takes this much longer. */
const LONGER = 1.1;
/** Part of what is idle that reads in turn take: the rest is for changes. */
const IDLE = 0.8;
/** Part of the budget that the feed takes where the rest does not suffice to read all in time. */
const PART = 1 / 3;
/** A stretch falls to this part of itself in a minute at most. */
const FALL = 0.8;
/** Another plan must be this much faster, as often in a row, so that plans do not alternate. */
const FASTER = 0.8;
const VOTES = 3;
/** Time between two changes of plan, milliseconds. */
const MIN_PLAN_MS = 60_000;
/** A change that the feed tells of is read by a second request: it is seen that much later. */
const DETOUR = 1.1;

const PLAN_LANES: readonly Lane[] = ['listed', 'alone'];

/** What has to be read in one round: requests by lane. */
type Round = Readonly<Record<Lane, number>>;

/** What all plans are made for. */
interface Demand {
  readonly watched: readonly AnyEntry[];
  readonly round: Round;
  /** The same of those that were read and have not failed: the others wait in the queue. */
  readonly known: Round;
  /** Requests of a window. */
  readonly budget: number;
  readonly isAtRest: boolean;
  /** That a settled one is reversed, the feed tells: without it, it is seen so much later. */
  readonly behindFeed: number;
  readonly isMany: boolean;
}

/**
 * Of polling, reads in turn, and the feed with reads in turn, each stretched to fit the budget, the
 * one that sees soonest and keeps most values live.
 */
export function nextPlan(context: WatchContext): WatchPlan {
  const { client, entries, feed, plan: before } = context;
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
    behindFeed: feed.isPossible && watched.some(isSettled) ? LIVE_MS : 0,
    isMany: watched.length > MANY_WATCHES,
  };
  const candidates = [
    pollingPlan(demand, context),
    turnsPlan(demand, context),
    feedPlan(demand, context),
  ];
  const current = candidates.find(({ kind }) => kind === before.kind)!;
  const other = candidates
    .filter((one) => one !== current)
    .reduce((a, b) => (b.delay < a.delay ? b : a));
  const votes = other.delay < current.delay * FASTER ? before.votes + 1 : 0;
  const changes = isChangeDue(other, current, before, votes, now);
  const { delay: _, ...chosen } = changes ? other : current;
  const steps = changes ? Infinity : (now - before.madeAt) / 60_000;
  return {
    ...chosen,
    stretch: Math.max(chosen.stretch, before.stretch * FALL ** steps),
    isMany: demand.isMany,
    madeAt: now,
    changedAt: changes && before !== NO_PLAN ? now : before.changedAt,
    votes: changes ? 0 : votes,
  };
}

function roundOf(entries: readonly AnyEntry[], { reader }: WatchContext): Round {
  const listed = entries.filter((entry) => reader.isListed(entry));
  const alone = reader.cost(entries.filter((entry) => !reader.isListed(entry)));
  return { listed: reader.readCost(listed), alone };
}

function isKnown({ readAt, failures }: AnyEntry): boolean {
  return readAt !== undefined && !failures;
}

function isChangeDue(
  other: Candidate,
  current: Candidate,
  before: WatchPlan,
  votes: number,
  now: number,
): boolean {
  if (before === NO_PLAN || current.delay === Infinity) return other.delay < current.delay;
  if (now - before.changedAt < MIN_PLAN_MS) return false;
  const isSlow = current.stretch > 1 || current.delay >= LIVE_MS;
  return votes >= VOTES || (votes > 0 && isSlow);
}

/**
 * Requests of a window that are left for watches: a share of what is left of the limit now, less what
 * the caller's own calls take.
 */
function budgetOf(client: Connection): number {
  const { rateLimits, rateLimitShare } = client[internals].settings;
  const limit = rateLimits.others.limit * rateLimitShare;
  const own = sentOf(client, 'others').length - sentOf(client, 'others', 'normal').length;
  const share = rateLimitShare < 1 ? SHARE_OF_ONE : SHARE;
  return Math.max(Math.min(leastOf(), limit), share * remaining(client, 'others') - own);
}

/** All are read in one rhythm: where that is often enough. */
function pollingPlan(
  { watched, budget, isAtRest, behindFeed }: Demand,
  context: WatchContext,
): Candidate {
  const { base, reader } = context;
  const cost = reader.cost(watched);
  const period = Math.max(isAtRest ? SLOWEST_MS : base, (cost * WINDOW_MS) / budget);
  const isPossible = period <= Math.max(SLOWEST_MS, base);
  const lane = { ...NO_LANE, round: period, isInTime: period <= LIVE_MS * AGAIN };
  return {
    kind: 'polling',
    source: undefined,
    stretch: period / base,
    lanes: { listed: lane, alone: lane },
    looks: looksBeside((cost * WINDOW_MS) / period, budget),
    delay: isPossible ? period + behindFeed : Infinity,
  };
}

/** One page after another, evenly. */
function turnsPlan(demand: Demand, context: WatchContext): Candidate {
  const { listed, alone } = demand.round;
  const lanes = lanesOf(demand, demand.budget, LIVE_MS, context);
  return {
    kind: 'turns',
    source: undefined,
    stretch: 1,
    lanes,
    looks: looksBeside(costOf(lanes), demand.budget),
    delay:
      Math.max(context.base, ((listed + alone) * WINDOW_MS) / demand.budget) +
      lossOf(demand, lanes) +
      demand.behindFeed,
  };
}

/** The polls, a read for each change, and reads in turn with all that is left. */
function feedPlan(demand: Demand, context: WatchContext): Candidate {
  const { base, feed, reader } = context;
  const { changesPerMs: rate, requests } = feed;
  const reads = WINDOW_MS * Math.min(rate, 1 / base + rate / reader.width);
  const polls = (period: number) => (WINDOW_MS * requests) / period;
  const slowest = Math.max(base, SLOWEST_MS);
  const budget = Math.max(0, demand.budget - reads);
  const live = demand.isMany ? LIVE_BY_FEED_MS : LIVE_MS;
  const all = lanesOf(demand, budget - polls(slowest), live, context, demand.round);
  const isInTime = all.listed.isInTime && all.alone.isInTime;
  const free = isInTime ? budget - costOf(all) : budget * PART;
  const fitting = Math.max(base, (WINDOW_MS * requests) / Math.max(1, free));
  const period = demand.isAtRest ? slowest : Math.min(slowest, fitting);
  const lanes = lanesOf(demand, budget - polls(period), live, context);
  return {
    kind: 'feed',
    source: feed,
    stretch: period / base,
    lanes,
    looks: looksBeside(polls(period) + costOf(lanes), demand.budget),
    delay: feed.isPossible ? period * DETOUR + lossOf(demand, lanes) : Infinity,
  };
}

/** What reads in turn cost that are promised. */
function costOf({ listed, alone }: WatchPlan['lanes']): number {
  return WINDOW_MS / listed.every + WINDOW_MS / alone.every;
}

/** How much a plan is behind one that keeps all values live. */
function lossOf({ round, watched }: Demand, lanes: WatchPlan['lanes']): number {
  if (watched.length === 0) return 0;
  const late =
    (lanes.alone.isInTime ? 0 : round.alone) +
    (lanes.listed.isInTime ? 0 : watched.length - round.alone);
  return (LIVE_MS * late) / watched.length;
}

/** Requests of a window for what is not read in turn. */
function looksBeside(cost: number, budget: number): number {
  return Math.max(leastOf() / 2, budget - cost);
}

/**
 * Lists first, for they confirm many; what is read one by one where that fits too. What cannot be read
 * in time takes what is left, and so does all else while nothing waits.
 */
function lanesOf(
  { round, known, isAtRest }: Demand,
  budget: number,
  live: number,
  { base, plan }: WatchContext,
  read: Round = known,
): Record<Lane, LanePlan> {
  const within = live * AGAIN;
  const needs: Record<Lane, number> = { listed: 0, alone: 0 };
  let left = budget;
  const isInTime = { listed: true, alone: true };
  for (const lane of PLAN_LANES) {
    const slowest = within * (plan.lanes[lane].isInTime ? LONGER : 1);
    const fits = (round[lane] * WINDOW_MS) / Math.max(1, left) <= slowest;
    isInTime[lane] = fits || round[lane] === 0;
    needs[lane] = isInTime[lane] ? Math.min(left, (read[lane] * WINDOW_MS) / within) : 0;
    left -= needs[lane];
  }
  const late = PLAN_LANES.filter((lane) => !isInTime[lane]);
  const takers = late.length > 0 ? late : PLAN_LANES;
  const all = takers.reduce((sum, lane) => sum + round[lane], 0);
  const idle = Math.max(leastOf() / 2, left * IDLE);
  const laneOf = (lane: Lane): LanePlan => {
    const requests = round[lane];
    if (requests === 0) return NO_LANE;
    const more = takers.includes(lane) && !isAtRest ? (idle * requests) / all : 0;
    const shortest = base / requests;
    const every = isInTime[lane]
      ? Math.min(SLOWEST_MS, WINDOW_MS / needs[lane])
      : SLOWEST_MS * (all / requests);
    const idleEvery = Math.min(every, Math.max(shortest, WINDOW_MS / (needs[lane] + more)));
    return { every, idleEvery, round: idleEvery * requests, isInTime: isInTime[lane] };
  };
  return { listed: laneOf('listed'), alone: laneOf('alone') };
}
