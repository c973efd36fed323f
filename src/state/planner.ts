import { budgetOf } from '../core/budget.ts';
import type { Connection } from '../core/connection.ts';
import { basePeriod } from '../core/period.ts';
import type { Entry } from './entry.ts';
import { nextOnGrid, periodOf } from './grid.ts';
import { type Load, type Plan, planFor, type PlanName, SAFETY } from './plan.ts';
import type { Reader } from './reader.ts';
import type { FeedSource } from './sources/feed.ts';
import type { PageSource } from './sources/page.ts';

/** How often the plan is weighed again, milliseconds. */
const REVIEW = 10_000;

const NO_PLAN: Plan = { name: 'poll', cost: 0, stretch: 1 };

type Any = Entry<unknown>;

/** Decides when each entity is looked at: polled on the grid or left to the feed, and stretched to fit the budget. */
export class Planner {
  plan: Plan = NO_PLAN;
  /** When to weigh again, monotonic. */
  due: number = Infinity;
  #hints: number = 0;
  #since: number = 0;
  readonly #client: Connection;
  readonly #feed: FeedSource;
  readonly #page: PageSource;
  readonly #reader: Reader;
  readonly #base: number;
  readonly #phase: number;

  constructor(client: Connection, feed: FeedSource, page: PageSource, reader: Reader) {
    this.#client = client;
    this.#feed = feed;
    this.#page = page;
    this.#reader = reader;
    this.#base = basePeriod(client);
    this.#phase = client.random() * this.#base;
  }

  get #now(): number {
    return this.#client.clock.monotonic();
  }

  /** The feed covers what is watched. */
  get isFed(): boolean {
    return this.plan.name === 'feed' && this.#feed.ready();
  }

  reset(): void {
    this.plan = NO_PLAN;
    this.due = Infinity;
  }

  /** A hint concerned a watched entity. */
  heard(): void {
    this.#hints++;
  }

  /** Time between two looks at an entity, without the feed. */
  period(entry: Any): number {
    return periodOf(this.#base * this.plan.stretch, this.#now - entry.bornAt, entry.failures.inARow, this.#page.isHidden());
  }

  /** When an entity is looked at if nobody gives a hint. */
  next(entry: Any): number {
    if (entry.settled) return Infinity;
    const covered = this.isFed && entry.failures.inARow === 0 && entry.truth !== undefined;
    return nextOnGrid(this.#now, covered ? SAFETY * 1_000 : this.period(entry), this.#phase);
  }

  nextFeedPoll(): number {
    return nextOnGrid(this.#now, this.#base * this.plan.stretch, this.#phase);
  }

  /** Weighs polling against the feed; returns the plan's name when it has changed. */
  weigh(entries: readonly Any[]): PlanName | undefined {
    const before = this.plan.name;
    const seconds = Math.max(1, (this.#now - this.#since) / 1_000);
    this.due = this.#now + REVIEW;
    this.plan = planFor({
      ...this.#load(entries),
      width: this.#reader.width.current(),
      base: this.#base / 1_000,
      feedRequests: this.#feed.requests(),
      hints: before === 'feed' ? this.#hints / seconds : 1e-5 * entries.length,
      feedPossible: this.#feed.possible(),
      budget: this.#budget(),
    });
    if (this.plan.name === before) return undefined;
    this.#hints = 0;
    this.#since = this.#now;
    return this.plan.name;
  }

  /** Requests of one window that are left for watches. */
  #budget(): number {
    const { limits, share } = this.#client.settings;
    const { limit } = limits.others;
    return limit * share - Math.max(20, limit / 10) - budgetOf(this.#client).usedByOthers('others', 'watch');
  }

  #load(entries: readonly Any[]): Pick<Load, 'listed' | 'single'> {
    const listed = new Map<number, number>();
    const single = new Map<number, number>();
    for (const entry of entries) {
      if (entry.settled) continue;
      const period = periodOf(this.#base, this.#now - entry.bornAt, 0, this.#page.isHidden()) / 1_000;
      const counts = entry.kind.lists && !entry.alone && this.#reader.canList() ? listed : single;
      counts.set(period, (counts.get(period) ?? 0) + 1);
    }
    return { listed, single };
  }
}
