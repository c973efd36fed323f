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
import { type AnyEntry, isAtRest, isSettled, type WatchedLists } from './entry.ts';
import type { Entries } from './known.ts';
import type { Reader } from './reads.ts';
import type { FeedSource } from './sources/feed.ts';
import type { RelaySource } from './sources/relay.ts';

/** The longest time that a value stays `live` after its read was sent, in milliseconds. */
export const LIVE_MS = 30_000;
/** If there are more watches than this, polls of the feed confirm values too. */
const MANY_WATCHES = 1_000;
/**
 * How long a value confirmed by the feed is `live`, in milliseconds. A round of reads takes no
 * longer.
 */
export const LIVE_BY_FEED_MS = 180_000;
/**
 * The length of the window for which requests are planned, in milliseconds. It's a little longer
 * than the rate limit's window, because the service counts by its own clock.
 */
const WINDOW_MS = 610_000;
/**
 * The minimum number of requests per window for the feed and for regular reads, which is one
 * request every 18 s for each.
 */
const LEAST = 34;
/**
 * The fraction of the rate limit that watches and the caller's own calls can use together. During a
 * rolling deployment, two processes run at the same time, and together they must not exceed the
 * limit.
 */
const SHARE_BY_DEFAULT = 0.5;
/**
 * The fraction of the rate limit to use if `rateLimitShare` is set, or if a shared durable store
 * counts requests.
 */
const SHARE_IF_KNOWN = 0.8;
/**
 * The length of the recent period, in milliseconds, whose rate of calls and requested reads is
 * expected to continue.
 */
const RECENT_MS = 120_000;
/** A value is read again after this fraction of the time for which it's live. */
const REREAD_PART = 0.8;
/**
 * A value is read again this many milliseconds before it stops being live, if that's later.
 */
const REREAD_BEFORE_END_MS = 18_000;
/**
 * Values count as live if a round of reads takes at most this fraction of the time for which a
 * value stays live.
 */
const MAX_ROUND_PART = 0.85;
/**
 * Like `MAX_ROUND_PART`, but for values that are already live. It's higher, so that values don't
 * keep switching back and forth.
 */
const MAX_ROUND_PART_WHILE_LIVE = 0.9;
/**
 * With many watches, values only count as live if polls are slower than the base period by at most
 * this factor.
 */
const MAX_POLL_STRETCH = 1.3;
/** Maximum fraction of requests used for polls if values can't be live. */
const MAX_POLLS_PART = 0.5;
/** Maximum fraction of requests used for polls while first reads are waiting. */
const MAX_POLLS_PART_AT_FIRST = 0.33;
/**
 * Requested reads get this much more than they used in the last window, because their number
 * varies.
 */
const ASKED_SLACK = 1.15;
/**
 * A poll only reports which resources have changed, so another read has to follow. This is the
 * factor by which that read delays the detection of a change.
 */
const FEED_DELAY_FACTOR = 1.1;
/**
 * The feed is only started or stopped if that makes change detection faster by at least this
 * factor.
 */
const SWITCH_FACTOR = 1.25;
/** The minimum time between starting and stopping the feed, in milliseconds. */
const MIN_SOURCE_MS = 60_000;

/**
 * How a resource is read regularly. `list` means that it's read together with others, and `single`
 * means that it's read with its own request.
 */
export type Access = 'list' | 'single';

/** A pair of values, one for list reads and one for single reads. */
type ByAccess<T> = Readonly<Record<Access, T>>;

/**
 * How requests are divided among polls and reads. Times are in milliseconds, and counts are
 * requests per window.
 */
export interface WatchPlan {
  /** The event feed if it's polled, or `undefined` otherwise. */
  readonly source: FeedSource | undefined;
  /** The time between two feed polls. */
  readonly pollEvery: number;
  /** The time between two regular reads. */
  readonly turnEvery: number;
  /** The time between two regular reads while requested reads are waiting. */
  readonly busyEvery: number;
  /** The number of requests available for requested reads. */
  readonly asked: number;
  /** The total number of requests available for polls and reads. */
  readonly budget: number;
  /** The number of requests needed to read all resources once. */
  readonly requests: ByAccess<number>;
  /** How long it takes to read all resources once. */
  readonly round: ByAccess<number>;
  /** Whether resources are read often enough to be live. */
  readonly isInTime: ByAccess<boolean>;
  /**
   * Whether there are more than `MANY_WATCHES` watches, in which case the feed confirms values too.
   */
  readonly isMany: boolean;
  /** Whether there are so few requests left that requested reads replace regular reads. */
  readonly isLeast: boolean;
  /** When feed polling was last started or stopped, on the monotonic clock. */
  readonly changedAt: number;
}

/** The plan that applies before the first watch starts. */
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

/** State shared by the parts of a hub. */
export interface WatchContext {
  readonly client: Connection;
  /** A clock whose monotonic time includes forward jumps of the wall clock. */
  readonly clock: Clock;
  readonly page: CurrentPage;
  readonly entries: Entries;
  /** The watched lists. Absent until a list is watched. */
  lists?: WatchedLists;
  readonly outage: Outage;
  plan: WatchPlan;
  readonly reader: Reader;
  readonly feed: FeedSource;
  readonly relay: RelaySource | undefined;
  /** Base period in milliseconds. No resource is read more often than this. */
  readonly base: number;
  /**
   * The offset of this client's read times, in milliseconds. It's random, so that clients don't all
   * read at the same time.
   */
  readonly phase: number;
}

interface Demand {
  readonly watched: readonly AnyEntry[];
  /** The number of requests needed to read all resources once. */
  readonly round: ByAccess<number>;
  /**
   * The number of requests needed to read all resources that have been read before. The others are
   * waiting for their first read.
   */
  readonly known: ByAccess<number>;
  readonly budget: number;
  /**
   * The minimum number of requests, which is `LEAST`, or half of the budget if several hubs share
   * it.
   */
  readonly least: number;
  readonly isMany: boolean;
  /** Whether the values of all resources are settled. */
  readonly isAtRest: boolean;
  /** The number of requests spent on requested reads in the last window. */
  readonly askedSent: number;
  /**
   * The number of requests expected for requested reads: the number in the last window, or
   * lower if the latest rate is lower.
   */
  readonly askedNext: number;
}

/** Divides the budget among polls, regular reads and requested reads. */
export class Planner {
  readonly #context: WatchContext;
  readonly #pace: AskedPace;
  /** This hub's share of the process's requests. */
  readonly #seat: HubSeat = { wants: 1, renewedAt: -Infinity };

  /** `pace` tracks the requested reads. */
  constructor(context: WatchContext, pace: AskedPace) {
    this.#context = context;
    this.#pace = pace;
    renewSeat(context.client, this.#seat);
  }

  next(): WatchPlan {
    const askedSent = this.#pace.sentIn(WINDOW_MS);
    const { clock, entries, plan: before } = this.#context;
    const watched = [...entries.values()].filter(
      (entry) => entry.type.watch.wokenBy !== 'time' && !isAtRest(entry),
    );
    const round = this.#countRound(watched);
    const { budget, hubs } = this.#share(round.list + round.single);
    const demand: Demand = {
      watched,
      round,
      known: this.#countRound(watched.filter(isKnown)),
      budget,
      least: hubs > 1 ? Math.min(LEAST, budget / 2) : LEAST,
      isMany: watched.length > MANY_WATCHES,
      isAtRest: watched.every(isSettled),
      askedSent,
      askedNext: Math.min(askedSent, (this.#pace.sentIn(RECENT_MS) * WINDOW_MS) / RECENT_MS),
    };
    const isFed = this.#wantsFeed(demand);
    const changes = isFed !== (before.source !== undefined) && before !== NO_PLAN;
    const changedAt = changes ? clock.monotonic() : before.changedAt;
    return { ...this.#divide(demand, isFed), changedAt };
  }

  #countRound(entries: readonly AnyEntry[]): ByAccess<number> {
    const { reader } = this.#context;
    const listed = entries.filter((entry) => reader.isListed(entry));
    const single = entries.filter((entry) => !reader.isListed(entry));
    return { list: reader.cost(listed), single: reader.cost(single) };
  }

  /**
   * Returns whether to poll the feed. Polling is useful if it detects changes sooner than a round
   * of reads does, or keeps more values live. Each decision stands for at least a minute, so that
   * freshness doesn't keep changing.
   */
  #wantsFeed(demand: Demand): boolean {
    const { base, clock, feed, plan } = this.#context;
    if (!feed.isPossible || demand.watched.length === 0) return false;
    const isOn = plan.source !== undefined;
    if (plan !== NO_PLAN && clock.monotonic() - plan.changedAt < MIN_SOURCE_MS) return isOn;
    const { list, single } = this.#inTime(demand, true);
    const without = this.#inTime(demand, false);
    if ((without.list && !list) || (without.single && !single)) return false;
    const isBetter = (list && !without.list) || (single && !without.single);
    // one more request reads the entries that pages didn't include
    const round = demand.round.list + demand.round.single + (demand.round.list > 1 ? 1 : 0);
    const roundEvery = Math.max(base, (round * WINDOW_MS) / demand.budget);
    const switching = plan === NO_PLAN ? 1 : isOn ? 1 / SWITCH_FACTOR : SWITCH_FACTOR;
    const isSooner = this.#pollPeriod(demand) * FEED_DELAY_FACTOR * switching < roundEvery;
    // the feed reports a reversed payment sooner than regular reads do
    return isBetter || isSooner || demand.watched.some(isSettled);
  }

  /**
   * Returns which values are read often enough to be live. Lists take precedence, because each list
   * request confirms many values.
   */
  #inTime(demand: Demand, isFed: boolean): ByAccess<boolean> {
    const { plan } = this.#context;
    const part = (access: Access) =>
      plan !== NO_PLAN && plan.isInTime[access] ? MAX_ROUND_PART_WHILE_LIVE : MAX_ROUND_PART;
    const needs = (access: Access) =>
      needFor(demand.round[access], part(access) * liveTime(demand, isFed), demand);
    // with many values, detecting a change soon is more important than keeping all of them live
    const polls = demand.isMany
      ? WINDOW_MS / (MAX_POLL_STRETCH * this.#context.base)
      : demand.least;
    const left = demand.budget - (isFed ? polls + demand.least : 0) + 1e-6;
    const list = needs('list') <= left;
    const single = needs('single') + (list ? needs('list') : 0) <= left;
    return { list: list || demand.round.list === 0, single: single || demand.round.single === 0 };
  }

  #pollPeriod(demand: Demand): number {
    const { base, feed } = this.#context;
    const { budget, known, least, round } = demand;
    const slowest = Math.max(base, WINDOW_MS / least);
    if (demand.isAtRest) return slowest;
    const isInTime = this.#inTime(demand, true);
    const isLate = !isInTime.list || !isInTime.single;
    const areAllRead = known.list + known.single >= round.list + round.single;
    const needs = roundNeed(demand, isInTime, latest(liveTime(demand, true)));
    const polls = isLate
      ? Math.min(budget - least, budget * (areAllRead ? MAX_POLLS_PART : MAX_POLLS_PART_AT_FIRST))
      : Math.max(budget - needs - ASKED_SLACK * demand.askedNext, (budget - needs) / 2);
    const period = (WINDOW_MS * feed.requests) / Math.max(least, polls);
    return Math.min(slowest, Math.max(base, period));
  }

  #divide(demand: Demand, isFed: boolean): Omit<WatchPlan, 'changedAt'> {
    const { base, feed } = this.#context;
    const { askedSent, budget, isAtRest, isMany, round } = demand;
    const isInTime = this.#inTime(demand, isFed);
    const isLeast = budget <= 2 * LEAST && round.list + round.single > 1;
    const pollEvery = isFed ? this.#pollPeriod(demand) : Infinity;
    const left = budget - (WINDOW_MS * feed.requests) / pollEvery;
    const live = liveTime(demand, isFed);
    const atLeast = roundNeed(demand, isInTime, latest(live));
    const wanted = roundNeed(demand, isInTime, rereadAfter(live));
    // requested reads are more important than an early round
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

  /**
   * Returns the number of requests per window for this hub, whose round takes `round` requests. All
   * hubs in a process share what's left of the rate limit after the caller's own calls, which is
   * less after a block. The minimum is a poll and a page every 18 s.
   */
  #share(round: number): { readonly budget: number; readonly hubs: number } {
    const { base, client } = this.#context;
    const { rateLimits, rateLimitShare, isShareKnown } = client[internals].settings;
    const share = isShareKnown ? SHARE_IF_KNOWN : SHARE_BY_DEFAULT;
    const most = share * rateLimits.others.limit * rateLimitShare;
    this.#seat.wants = Math.min(most, ((1 + round) * WINDOW_MS) / base);
    const { part, hubs } = renewSeat(client, this.#seat);
    const all = share * remaining(client, 'others') - ownRequests(client);
    return { budget: part * Math.max(Math.min(2 * LEAST, most), all), hubs };
  }
}

function isKnown({ readAt, failures }: AnyEntry): boolean {
  return readAt !== undefined && !failures;
}

/** Returns how long a value stays live after its read was sent, in milliseconds. */
const liveTime = ({ isMany }: Demand, isFed: boolean): number =>
  isFed && isMany ? LIVE_BY_FEED_MS : LIVE_MS;

/**
 * Returns the delay between two reads of a value that stays live for `live` milliseconds after each
 * read.
 */
export const rereadAfter = (live: number): number =>
  Math.max(live * REREAD_PART, live - REREAD_BEFORE_END_MS);

/** Returns the latest time at which a value must be read again to stay live. */
const latest = (live: number): number => Math.max(live * MAX_ROUND_PART, rereadAfter(live));

/** Returns how many requests per window are needed to repeat a round within this time. */
const needFor = (requests: number, within: number, { least }: Demand): number =>
  requests === 0 ? 0 : Math.max(least, (requests * WINDOW_MS) / within);

/**
 * Returns the number of requests reserved for regular reads, so that a round finishes within this
 * time. Requested reads can't use them.
 */
function roundNeed(demand: Demand, isInTime: ByAccess<boolean>, within: number): number {
  const need = (access: Access) =>
    isInTime[access] ? needFor(demand.known[access], within, demand) : 0;
  const isLate = !isInTime.list || !isInTime.single;
  return need('list') + need('single') + (isLate ? demand.least : 0);
}

/**
 * Returns how long a round takes. If single reads are too slow to keep values live, they get the
 * requests that lists leave over.
 */
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
 * Returns how many calls per window the caller makes, based on the last window, or on the last two
 * minutes if that rate is higher.
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

/** Maximum fraction of a window's requests that requested reads may use in a burst. */
const MAX_BURST_PART = 0.2;
/**
 * The number of requests by which first reads can exceed their even pace. Reads of changed
 * resources can exceed it by twice as many, and repeated reads can't exceed it at all.
 */
export const MAX_AHEAD = 10;

/**
 * Spreads requested reads evenly over time. Some requests that weren't used in the last window can
 * be sent in a burst. Uses the monotonic clock, so that wall-clock jumps don't allow more requests.
 */
export class AskedPace {
  #perWindow: number = 0;
  /**
   * The number of requests that can be sent right away. If it's negative, reads are ahead of the
   * even pace.
   */
  #credit: number = 0;
  #maxCredit: number = 0;
  #countedAt: number = -Infinity;
  readonly #sent: number[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Adopts a new plan. `idle` is the number of requests in the budget that weren't sent in the last
   * window.
   */
  follow({ asked, budget }: WatchPlan, idle: number): void {
    this.#refill();
    this.#perWindow = asked;
    this.#maxCredit = Math.max(1, Math.min(budget * MAX_BURST_PART, idle) - MAX_AHEAD);
    if (this.#countedAt === -Infinity) this.#credit = this.#maxCredit;
    this.#countedAt = this.#clock.monotonic();
    this.#credit = Math.min(this.#credit, this.#maxCredit);
  }

  /**
   * Returns how many requests were used for requested reads in this period, which is at most one
   * window long.
   */
  sentIn(ms: number): number {
    const now = this.#clock.monotonic();
    while (this.#sent[0]! <= now - WINDOW_MS) this.#sent.shift();
    return this.#sent.filter((at) => at > now - ms).length;
  }

  /**
   * Returns how long to wait, in milliseconds, before a read that's allowed to be `ahead` requests
   * early.
   */
  delayFor(ahead: number): number {
    this.#refill();
    const missing = 1 - this.#credit - ahead;
    return Math.ceil(Math.max(0, (missing * WINDOW_MS) / this.#perWindow));
  }

  /** Counts a read. Reading a watched list takes one request per page. */
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
