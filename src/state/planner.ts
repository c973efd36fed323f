import { basePeriod, type Connection, internals, sentOf } from '../core/http/index.ts';
import { type Entry, isSettled } from './entry.ts';
import { nextOnGrid, periodOf } from './grid.ts';
import { learnedOf } from './learned.ts';
import type { Reader } from './reader.ts';
import type { FeedSource } from './sources/feed.ts';

/** How often the plan is weighed again, milliseconds. */
const REVIEW = 10_000;
/** Length of the window that costs are counted in: that of the limit for reads, milliseconds. */
const WINDOW = 600_000;
/** Every watch is read this often even when the feed says nothing, milliseconds. */
const SAFETY = 1_800_000;
/** What the relay tells of is read this often at most, and half an hour on, this often at least; milliseconds. */
const PUSHED = 60_000;
const PUSHED_LONG = 300_000;

type Any = Entry<unknown>;

/** Decides when each entity is looked at: polled on the grid or left to the feed, and stretched to fit the budget. */
export class Planner {
  /** When to weigh again, and when to poll the feed; monotonic. */
  due: number = Infinity;
  feedDue: number = Infinity;
  /** The feed is the cheaper way. */
  isFeed: boolean = false;
  /** Hints that concerned a watched entity. */
  hints: number = 0;
  #since: number = 0;
  /** Every period is multiplied by this. */
  #stretch: number = 1;
  readonly #client: Connection;
  readonly #feed: FeedSource;
  readonly #reader: Reader;
  readonly #isHidden: () => boolean;
  /** The relay tells of its changes. */
  readonly #isPushed: (entry: Any) => boolean | undefined;
  readonly #base: number;
  readonly #phase: number;

  constructor(
    client: Connection,
    feed: FeedSource,
    reader: Reader,
    isHidden: () => boolean,
    isPushed: (entry: Any) => boolean | undefined,
  ) {
    this.#client = client;
    this.#feed = feed;
    this.#reader = reader;
    this.#isHidden = isHidden;
    this.#isPushed = isPushed;
    this.#base = basePeriod(client);
    this.#phase = client[internals].random() * this.#base;
  }

  get #now(): number {
    return this.#client[internals].clock.monotonic();
  }

  /** The feed covers what is watched. */
  get isFed(): boolean {
    return this.isFeed && this.#feed.ready;
  }

  #period({ bornAt }: Any, base: number, failures: number): number {
    return periodOf(base, this.#now - bornAt, failures, this.#isHidden());
  }

  /** When an entity is looked at if nobody gives a hint. */
  next(entry: Any): number {
    if (isSettled(entry)) return Infinity;
    const { inARow } = entry.failures;
    const isRead = inARow === 0 && entry.readAt !== undefined;
    if (isRead && this.#isPushed(entry))
      return this.#onGrid(this.#now - entry.bornAt < SAFETY ? PUSHED : PUSHED_LONG);
    if (entry.kind.silent) return this.#onGrid(this.#period(entry, this.#base, inARow));
    return this.#onGrid(
      this.isFed && isRead ? SAFETY : this.#period(entry, this.#base * this.#stretch, inARow),
    );
  }

  nextFeedPoll(): number {
    return this.#onGrid(this.#base * this.#stretch);
  }

  #onGrid(period: number): number {
    return nextOnGrid(this.#now, period, this.#phase);
  }

  /** Weighs polling against the feed; returns whether the answer has changed. */
  weigh(entries: readonly Any[]): boolean {
    const watched = entries.filter((entry) => !isSettled(entry) && !entry.kind.silent);
    const before = this.isFeed;
    const poll = this.#pollCost(watched);
    const feed = this.#feed.isPossible ? this.#feedCost(watched) : Infinity;
    this.due = this.#now + REVIEW;
    this.isFeed = feed < poll;
    this.#stretch = Math.max(1, Math.min(poll, feed) / Math.max(1, this.#budget()));
    if (this.isFeed === before) return false;
    this.hints = 0;
    this.#since = this.#now;
    return true;
  }

  /** Requests of one window that are left for watches. */
  #budget(): number {
    const { rateLimits: limits, rateLimitShare: share } = this.#client[internals].settings;
    const { limit } = limits.others;
    return (
      limit * share -
      Math.max(20, limit / 10) -
      sentOf(this.#client, 'others').filter(({ priority }) => priority !== 'normal').length
    );
  }

  #pollCost(watched: readonly Any[]): number {
    const periods = watched.map((entry) => this.#period(entry, this.#base, 0));
    let cost = 0;
    for (const period of new Set(periods))
      cost +=
        (this.#reader.cost(watched.filter((_, at) => periods[at] === period)) * WINDOW) / period;
    return cost;
  }

  #feedCost(watched: readonly Any[]): number {
    const hints = this.isFeed
      ? this.hints / Math.max(1_000, this.#now - this.#since)
      : 1e-8 * watched.length; // a millisecond
    const perPoll = this.#feed.requests / this.#base;
    return (
      WINDOW *
      (perPoll +
        Math.min(hints, 1 / this.#base + hints / learnedOf(this.#client).width) +
        this.#reader.cost(watched) / SAFETY)
    );
  }
}
