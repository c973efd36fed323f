import {
  type Connection,
  type HubSeat,
  internals,
  remaining,
  renewSeat,
  countSent,
} from '../core/http/index.ts';
import type { Clock } from '../core/time.ts';
import type { Outage } from './apply.ts';
import type { CurrentPage } from './device.ts';
import { type AnyEntry, isAtRest, isSettled, type ReadWaits, type WatchedLists } from './entry.ts';
import type { Entries } from './known.ts';
import type { Reader } from './reads.ts';
import type { FeedSource } from './sources/feed.ts';
import type { RelaySource } from './sources/relay.ts';

/** A value is `live` for at most this time after its read was sent, milliseconds. */
export const LIVE_MS = 30_000;
/** With more watches than this, polls of the feed confirm values too. */
const MANY_WATCHES = 1_000;
/** A value that the feed confirms is `live` for this time; a round of reads takes no longer. */
export const LIVE_BY_FEED_MS = 180_000;
/**
 * Requests are planned for a window of this length, milliseconds. It is a little longer than that
 * of the rate limit, because the service counts by its own clock.
 */
const WINDOW_MS = 610_000;
/** The feed and the reads in turn each send this number of requests at least: one in 18 s. */
const LEAST = 34;
/**
 * Watching and the caller's own calls fill this part of the limit together, because two processes
 * of a rolling deployment must not run into the block.
 */
const SHARE_BY_DEFAULT = 0.5;
/** They fill this part if `rateLimitShare` is explicit or a shared durable store counts. */
const SHARE_IF_KNOWN = 0.8;
/** Calls and asked reads are expected to go on at the pace of this time, milliseconds. */
const RECENT_MS = 120_000;
/** A value has its turn again after this part of the time for which it is live. */
const REREAD_PART = 0.8;
/** Or when it is live for only this time, milliseconds, where that is later. */
const REREAD_BEFORE_END_MS = 18_000;
/** Values count as live where a round takes up to this part of that time. */
const MAX_ROUND_PART = 0.85;
/** The same for values that are live already, so that they do not flicker. */
const MAX_ROUND_PART_WHILE_LIVE = 0.9;
/** Of many, values are live only where polls are slower than the base period by at most this. */
const MAX_POLL_STRETCH = 1.3;
/** Polls take at most this part of the requests where values cannot be live. */
const MAX_POLLS_PART = 0.5;
/** The same part while first reads wait. */
const MAX_POLLS_PART_AT_FIRST = 0.33;
/** Asked reads get this much more than they took in the last window, because they come unevenly. */
const ASKED_SLACK = 1.15;
/** A poll only names what has changed: the read that shows it makes it later by this factor. */
const FEED_DELAY_FACTOR = 1.1;
/** The feed begins or ends only where changes are seen sooner by this factor. */
const SWITCH_FACTOR = 1.25;
/** The plan keeps its source for at least this time, milliseconds. */
const MIN_SOURCE_MS = 60_000;

/** A resource is read in turn by a list, together with others, or by a request of its own. */
export type Access = 'list' | 'single';

/** Numbers by access. */
type ByAccess<T> = Readonly<Record<Access, T>>;

/** Divides the requests of watching. Times are in milliseconds, numbers are requests a window. */
export interface WatchPlan {
  /** The event feed if it is polled, else undefined. */
  readonly source: FeedSource | undefined;
  /** The time between two polls of the feed. */
  readonly pollEvery: number;
  /** The time between two reads in turn. */
  readonly turnEvery: number;
  /** The same while asked reads wait. */
  readonly busyEvery: number;
  /** Asked reads may take this number. */
  readonly asked: number;
  /** All of these together may take this number. */
  readonly budget: number;
  /** Requests that read each of them once. */
  readonly requests: ByAccess<number>;
  /** The time that it takes to read each of them once. */
  readonly round: ByAccess<number>;
  /** Each of them is read often enough to be live. */
  readonly isInTime: ByAccess<boolean>;
  /** There are more than `MANY_WATCHES`, so that the feed confirms values too. */
  readonly isMany: boolean;
  /** The caller's own calls leave so little that asked reads take the place of reads in turn. */
  readonly isLeast: boolean;
  /** Polling of the feed began or ended at this time, monotonic. */
  readonly changedAt: number;
}

/** This is the plan before anything is watched. */
export const NO_PLAN: WatchPlan = {
  source: undefined,
  pollEvery: Infinity,
  turnEvery: Infinity,
  busyEvery: Infinity,
  asked: 0,
  budget: 0,
  requests: { list: 0, single: 0 },
  round: { list: 0, single: 0 },
  isInTime: { list: true, single: true },
  isMany: false,
  isLeast: false,
  changedAt: -Infinity,
};

/** What the parts of a hub share. */
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
  /** The hub's place among those of the process. */
  readonly seat: HubSeat;
}

/** What a plan is made for. */
interface Demand {
  readonly watched: readonly AnyEntry[];
  /** A round takes these requests. */
  readonly round: ByAccess<number>;
  /** The same for entries that were read: the others wait for asked reads. */
  readonly known: ByAccess<number>;
  readonly budget: number;
  /** `LEAST`, or half of the budget where several hubs share that. */
  readonly least: number;
  readonly isMany: boolean;
  /** All values are settled. */
  readonly isAtRest: boolean;
  /** Asked reads took this number in the last window. */
  readonly askedSent: number;
  /** They are expected to take this number: that of a window, or fewer at the latest pace. */
  readonly askedNext: number;
}

/** Divides the budget among polls, reads in turn and asked reads, which have this pace. */
export function nextPlan(context: WatchContext, pace: AskedPace): WatchPlan {
  const askedSent = pace.sentIn(WINDOW_MS);
  const { clock, entries, plan: before } = context;
  const watched = [...entries.values()].filter(
    (entry) => entry.type.watch.wokenBy !== 'time' && !isAtRest(entry),
  );
  const round = countRound(watched, context);
  const { budget, hubs } = budgetFor(context, round.list + round.single);
  const demand: Demand = {
    watched,
    round,
    known: countRound(watched.filter(isKnown), context),
    budget,
    least: hubs > 1 ? Math.min(LEAST, budget / 2) : LEAST,
    isMany: watched.length > MANY_WATCHES,
    isAtRest: watched.every(isSettled),
    askedSent,
    askedNext: Math.min(askedSent, (pace.sentIn(RECENT_MS) * WINDOW_MS) / RECENT_MS),
  };
  const isFed = wantsFeed(demand, context);
  const changes = isFed !== (before.source !== undefined) && before !== NO_PLAN;
  const changedAt = changes ? clock.monotonic() : before.changedAt;
  return { ...divide(demand, isFed, context), changedAt };
}

function isKnown({ readAt, failures }: AnyEntry): boolean {
  return readAt !== undefined && !failures;
}

function countRound(entries: readonly AnyEntry[], { reader }: WatchContext): ByAccess<number> {
  const listed = entries.filter((entry) => reader.isListed(entry));
  const single = entries.filter((entry) => !reader.isListed(entry));
  return { list: reader.cost(listed), single: reader.cost(single) };
}

/**
 * Says whether to poll the feed: where it shows changes sooner than a round of reads, or keeps
 * more values live. A choice stays for a minute, so that values do not flicker.
 */
function wantsFeed(demand: Demand, context: WatchContext): boolean {
  const { base, clock, feed, plan } = context;
  if (!feed.isPossible || demand.watched.length === 0) return false;
  const isOn = plan.source !== undefined;
  if (plan !== NO_PLAN && clock.monotonic() - plan.changedAt < MIN_SOURCE_MS) return isOn;
  const { list, single } = inTime(demand, true, context);
  const without = inTime(demand, false, context);
  if ((without.list && !list) || (without.single && !single)) return false;
  const isBetter = (list && !without.list) || (single && !without.single);
  // one more request reads what is missing from the pages
  const round = demand.round.list + demand.round.single + (demand.round.list > 1 ? 1 : 0);
  const roundEvery = Math.max(base, (round * WINDOW_MS) / demand.budget);
  const switching = plan === NO_PLAN ? 1 : isOn ? 1 / SWITCH_FACTOR : SWITCH_FACTOR;
  const isSooner = pollPeriod(demand, context) * FEED_DELAY_FACTOR * switching < roundEvery;
  // the feed names a reversed payment sooner than reads in turn find it
  return isBetter || isSooner || demand.watched.some(isSettled);
}

/** Says which values are read often enough to be live: lists first, because each confirms many. */
function inTime(demand: Demand, isFed: boolean, context: WatchContext): ByAccess<boolean> {
  const { plan } = context;
  const part = (access: Access) =>
    plan !== NO_PLAN && plan.isInTime[access] ? MAX_ROUND_PART_WHILE_LIVE : MAX_ROUND_PART;
  const needs = (access: Access) =>
    needFor(demand.round[access], part(access) * liveTime(demand, isFed), demand);
  // of many, seeing a change soon matters more than that all are live
  const polls = demand.isMany ? WINDOW_MS / (MAX_POLL_STRETCH * context.base) : demand.least;
  const left = demand.budget - (isFed ? polls + demand.least : 0) + 1e-6;
  const list = needs('list') <= left;
  const single = needs('single') + (list ? needs('list') : 0) <= left;
  return { list: list || demand.round.list === 0, single: single || demand.round.single === 0 };
}

/** Returns how long a value is live, milliseconds. */
const liveTime = ({ isMany }: Demand, isFed: boolean): number =>
  isFed && isMany ? LIVE_BY_FEED_MS : LIVE_MS;

/** Returns after what time a value that is live for `live` milliseconds is read again. */
export const rereadAfter = (live: number): number =>
  Math.max(live * REREAD_PART, live - REREAD_BEFORE_END_MS);

/** Returns after what time it is read again at the latest, to stay live. */
const latest = (live: number): number => Math.max(live * MAX_ROUND_PART, rereadAfter(live));

/** Returns the requests of a window that repeat a round within this time. */
const needFor = (requests: number, within: number, { least }: Demand): number =>
  requests === 0 ? 0 : Math.max(least, (requests * WINDOW_MS) / within);

/** Returns the time between two polls of the feed. */
function pollPeriod(demand: Demand, context: WatchContext): number {
  const { base, feed } = context;
  const { budget, known, least, round } = demand;
  const slowest = Math.max(base, WINDOW_MS / least);
  if (demand.isAtRest) return slowest;
  const isInTime = inTime(demand, true, context);
  const isLate = !isInTime.list || !isInTime.single;
  const areAllRead = known.list + known.single >= round.list + round.single;
  const needs = roundNeed(demand, isInTime, latest(liveTime(demand, true)));
  const polls = isLate
    ? Math.min(budget - least, budget * (areAllRead ? MAX_POLLS_PART : MAX_POLLS_PART_AT_FIRST))
    : Math.max(budget - needs - ASKED_SLACK * demand.askedNext, (budget - needs) / 2);
  const period = (WINDOW_MS * feed.requests) / Math.max(least, polls);
  return Math.min(slowest, Math.max(base, period));
}

/** Returns the requests of reads in turn that asked reads never take: a round within this time. */
function roundNeed(demand: Demand, isInTime: ByAccess<boolean>, within: number): number {
  const need = (access: Access) =>
    isInTime[access] ? needFor(demand.known[access], within, demand) : 0;
  const isLate = !isInTime.list || !isInTime.single;
  return need('list') + need('single') + (isLate ? demand.least : 0);
}

function divide(
  demand: Demand,
  isFed: boolean,
  context: WatchContext,
): Omit<WatchPlan, 'changedAt'> {
  const { base, feed } = context;
  const { askedSent, budget, isAtRest, isMany, round } = demand;
  const isInTime = inTime(demand, isFed, context);
  const isLeast = budget <= 2 * LEAST && round.list + round.single > 1;
  const pollEvery = isFed ? pollPeriod(demand, context) : Infinity;
  const left = budget - (WINDOW_MS * feed.requests) / pollEvery;
  const live = liveTime(demand, isFed);
  const atLeast = roundNeed(demand, isInTime, latest(live));
  const wanted = roundNeed(demand, isInTime, rereadAfter(live));
  // a round that is early is worth less than what somebody asked for
  const asked = Math.max(demand.least, demand.askedNext);
  const needs = Math.max(atLeast, Math.min(wanted, left - asked));
  const turns = isAtRest ? needs : Math.max(needs, left - askedSent);
  const all = round.list + round.single;
  const fastest = Math.min(base, WINDOW_MS / LEAST) / Math.max(1, Math.ceil(all));
  const evenly = WINDOW_MS / Math.max(isLeast ? Math.max(left, demand.least) : turns, 1);
  const turnEvery = all === 0 ? Infinity : Math.max(fastest, evenly);
  return {
    source: isFed ? feed : undefined,
    pollEvery,
    turnEvery,
    busyEvery: all === 0 ? Infinity : Math.max(turnEvery, WINDOW_MS / Math.max(needs, 1)),
    asked: Math.max(demand.least, left - atLeast),
    budget,
    requests: round,
    round: roundTimes(demand, isInTime, WINDOW_MS / turnEvery),
    isInTime,
    isMany,
    isLeast,
  };
}

/** Returns how long a round takes: those that are late share what the others leave. */
function roundTimes(
  { round }: Demand,
  isInTime: ByAccess<boolean>,
  turns: number,
): ByAccess<number> {
  const all = round.list + round.single;
  const listTime = rereadAfter(LIVE_MS);
  const inLive = (round.list * WINDOW_MS) / listTime;
  const isMixed = isInTime.list && !isInTime.single;
  const timeFor = (requests: number, of: number) => (requests * WINDOW_MS) / Math.max(1, of);
  if (!isMixed) return { list: timeFor(all, turns), single: timeFor(all, turns) };
  return { list: listTime, single: timeFor(round.single, turns - inLive) };
}

/**
 * Returns the requests of a window for this hub, whose round takes `round` requests. All hubs of
 * the process share what is left for watching: a share of the limit, which is smaller after a
 * block, minus the caller's own calls, and never less than a poll and a page in 18 s.
 */
function budgetFor(
  { base, client, seat }: WatchContext,
  round: number,
): { readonly budget: number; readonly hubs: number } {
  const { rateLimits, rateLimitShare, isShareKnown } = client[internals].settings;
  const share = isShareKnown ? SHARE_IF_KNOWN : SHARE_BY_DEFAULT;
  const most = share * rateLimits.others.limit * rateLimitShare;
  seat.wants = Math.min(most, ((1 + round) * WINDOW_MS) / base);
  const { part, hubs } = renewSeat(client, seat);
  const all = share * remaining(client, 'others') - ownRequests(client);
  return { budget: part * Math.max(Math.min(2 * LEAST, most), all), hubs };
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
  return Math.max(countSince(WINDOW_MS), (countSince(RECENT_MS) * WINDOW_MS) / RECENT_MS);
}

/** Asked reads may burst by at most this part of the requests that watching has in a window. */
const MAX_BURST_PART = 0.2;
/**
 * First reads may always be ahead of the even pace by this number of requests, and reads of what
 * has changed by twice this number. What is read again may not.
 */
export const MAX_AHEAD = 10;

/**
 * Spaces asked reads evenly. A part of the requests that lay idle in the last window may be spent
 * at once, as a burst. It counts by the machine's monotonic clock, so that a jump of the wall clock
 * adds no requests.
 */
export class AskedPace {
  #perWindow: number = 0;
  /** This number of requests may be sent at once; below 0 the reads are ahead of the even pace. */
  #credit: number = 0;
  /** The number that may be sent at once grows up to this one. */
  #maxCredit: number = 0;
  #countedAt: number = -Infinity;
  readonly #sent: number[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Follows the plan. `idle` requests of its budget were not sent in the last window. */
  follow({ asked, budget }: WatchPlan, idle: number): void {
    this.#refill();
    this.#perWindow = asked;
    this.#maxCredit = Math.max(1, Math.min(budget * MAX_BURST_PART, idle) - MAX_AHEAD);
    if (this.#countedAt === -Infinity) this.#credit = this.#maxCredit;
    this.#countedAt = this.#clock.monotonic();
    this.#credit = Math.min(this.#credit, this.#maxCredit);
  }

  /** Returns the number of requests that asked reads took in this time, a window at most. */
  sentIn(ms: number): number {
    const now = this.#clock.monotonic();
    while (this.#sent[0]! <= now - WINDOW_MS) this.#sent.shift();
    return this.#sent.filter((at) => at > now - ms).length;
  }

  /** Returns how long a read must wait that may be `ahead` requests early, milliseconds. */
  delayFor(ahead: number): number {
    this.#refill();
    const missing = 1 - this.#credit - ahead;
    return Math.ceil(Math.max(0, (missing * WINDOW_MS) / this.#perWindow));
  }

  /** Counts a read, which takes several requests where a watched list has several pages. */
  noteSent(requests: number = 1): void {
    this.#credit -= requests;
    for (let n = 0; n < requests; n++) this.#sent.push(this.#clock.monotonic());
  }

  #refill(): void {
    if (this.#countedAt === -Infinity) return;
    const now = this.#clock.monotonic();
    const gained = ((now - this.#countedAt) * this.#perWindow) / WINDOW_MS;
    this.#credit = Math.min(this.#maxCredit, this.#credit + gained);
    this.#countedAt = now;
  }
}
