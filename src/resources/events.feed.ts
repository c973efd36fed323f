import { type ErrorKind, isPaystateError } from '../core/errors/index.ts';
import {
  basePeriod,
  type Connection,
  internals,
  isLoginOver,
  withPriority,
} from '../core/http/index.ts';
import { instant } from '../core/lists/index.ts';
import { secondsOf } from '../core/time.ts';
import { FeedCursor, type Gap, type Read } from './events.cursor.ts';
import type { ServiceEvent } from './events.ts';
import { EVENT_HISTORY_MS, EVENT_LATENESS_MS, PAGE } from './service-facts.ts';

/**
 * Kinds of errors that pass by themselves, unless a login is over: a page of a network that wants a
 * login is a response too.
 */
const AWAY: readonly ErrorKind[] = ['unreachable', 'limited', 'authentication', 'response'];

/** An event, or the news that some could not be read. */
export type FeedItem =
  | {
      /** An event, in the order of the feed. */
      readonly event: ServiceEvent;
      /** Absent beside an event. */
      readonly gap?: undefined;
    }
  | {
      /** Absent beside a gap. */
      readonly event?: undefined;
      /** A time of which events may be missing. */
      readonly gap: Gap;
    };

/**
 * Walks along the account's events as they happen, from now or from a date of the last 30 days.
 * Iterate it; leaving the loop ends it. Each event comes once; what could not be read comes as a
 * gap. Goes on when the service is away, ends with an error when it refuses. `GET /v1/events`
 * (documented).
 *
 * @throws RefusedError `FORBIDDEN` without the webhooks scope
 * @example
 * for await (const { event } of eventFeed(client)) if (event) console.log(event.eventType);
 */
export async function* eventFeed(
  connection: Connection,
  options: {
    readonly from?: string | Date | undefined;
    readonly signal?: AbortSignal | undefined;
  } = {},
): AsyncGenerator<FeedItem, void, undefined> {
  const { signal } = options;
  const start = options.from === undefined ? undefined : secondsOf(instant('from', options.from));
  const walk = new Feed(connection, { from: start, signal });
  while (!signal?.aborted) {
    try {
      const { events, gaps } = await walk.poll();
      for (const gap of gaps) yield { gap };
      for (const event of events) yield { event };
    } catch (thrown) {
      if (signal?.aborted) return;
      if (!isPaystateError(thrown) || isLoginOver(thrown) || !AWAY.includes(thrown.kind))
        throw thrown;
    }
    await connection[internals].clock.wait(basePeriod(connection), signal);
  }
}

/** The end of the history moves while it is read: an hour before it counts as past. Seconds. */
const HISTORY_MARGIN_S = 3_600;
/**
 * A feed that starts now keeps silent about what is older than this, seconds, unless it is asked.
 */
const RECENT_S = 10;

/** The floor is raised in steps of this, seconds: what lies on its edge is then met once a step. */
const FLOOR_STEP_S = 60;

/** Events that were shown and are counted no more for so long are lost, seconds. */
const LOST_AFTER_S = 60;

/** Windows that change while they are read, after which none is read page after page any more. */
const MAX_UNSTABLE_WINDOWS = 3;

/** What one poll brought. */
export interface FeedStep {
  readonly events: readonly ServiceEvent[];
  readonly gaps: readonly Gap[];
  /** Everything that became visible up to this poll has been emitted. */
  readonly complete: boolean;
  readonly requests: number;
  /** Time of the service, milliseconds since 1970; `NaN` where its responses do not say. */
  readonly now: number;
}

/** How a feed is walked. */
interface FeedOptions {
  /** Second of the past to begin at; absent: from now on. */
  readonly from?: number | undefined;
  /** From now on: what is so much older is told as well, seconds. */
  readonly recent?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Attempts of each request. */
  readonly maxAttempts?: number | undefined;
}

/**
 * A walk along the account's events, from a second of the past or from now: each event that becomes
 * visible within five minutes of its creation is emitted once; what could not be read is a gap,
 * never silence.
 */
export class Feed {
  readonly #client: Connection;
  readonly #cursor: FeedCursor;
  readonly #recent: number;
  /** Seconds. */
  readonly #lateness: number = EVENT_LATENESS_MS / 1_000;
  #pollsSinceWalk = 0;
  /** Windows that could not be read page after page, as their order had changed meanwhile. */
  #unstable = 0;
  /** Until the start is complete: nothing is told of what is older, seconds. */
  #quietBefore = -Infinity;
  /** When all was last read, and since when more is counted than pages show; monotonic seconds. */
  #completeAt = -Infinity;
  #shortSince: number | undefined;
  /**
   * Events that are counted and that no page has shown for as long as an event may be late; below
   * zero: that were shown and are counted no more.
   */
  #missing = 0;

  constructor(client: Connection, options: FeedOptions = {}) {
    const { from = NaN, recent = RECENT_S, ...callOptions } = options;
    this.#client = client;
    this.#recent = recent;
    this.#cursor = new FeedCursor(withPriority(client, 'normal'), from, callOptions);
  }

  async poll(): Promise<FeedStep> {
    const cursor = this.#cursor;
    const before = cursor.requests;
    const isFirst = Number.isNaN(cursor.floor);
    if (isFirst) await this.#begin();
    else await this.#catchUp();
    const complete = await this.#newest(isFirst);
    return {
      events: cursor.take(),
      gaps: cursor.gaps.splice(0),
      complete,
      requests: cursor.requests - before,
      now: cursor.now * 1_000,
    };
  }

  get #now(): number {
    return this.#client[internals].clock.monotonic() / 1_000;
  }

  /**
   * Takes the floor: five minutes before now, by the service's time or by its newest event but one.
   * Where neither is told, all there will be is new.
   */
  async #begin(): Promise<void> {
    const cursor = this.#cursor;
    const { ended, length } = await cursor.read(undefined, undefined, 'desc', 0, 2);
    if (length === 1 && !ended) await cursor.read(undefined, undefined, 'desc', 1, 1);
    cursor.floor = Math.max(this.#lateness, cursor.latest - this.#lateness);
  }

  /** Far behind: the oldest first, in stretches of about a page, until close to now. */
  async #catchUp(): Promise<void> {
    const cursor = this.#cursor;
    if (cursor.floor <= this.#lateness) return; // all is new
    const isUnread = cursor.requests === 0; // then our clock has to do
    let now = isUnread ? this.#client[internals].clock.now() / 1_000 : cursor.latest;
    for (let stretch = 3_600; now - cursor.floor >= 2 * this.#lateness + 60; now = cursor.latest) {
      const before = cursor.requests;
      const end = cursor.floor + stretch;
      await this.#all(cursor.floor - 2, end);
      const oldest = cursor.latest - EVENT_HISTORY_MS / 1_000 + HISTORY_MARGIN_S;
      if (cursor.floor < oldest) cursor.noteGap(cursor.floor, oldest, 'older than the history');
      const latest = cursor.latest - this.#lateness;
      if (latest <= cursor.floor) return;
      cursor.raise(Math.max(oldest, Math.min(end - 2, latest)));
      stretch =
        cursor.requests - before > 1 ? Math.ceil(stretch / 2) + this.#lateness : stretch * 2;
    }
  }

  /** The regular look: newest first down to the floor. */
  async #newest(isFirst: boolean): Promise<boolean> {
    const cursor = this.#cursor;
    const after = cursor.floor - 2;
    const page = await cursor.read(after, undefined);
    if (isFirst)
      this.#quietBefore = (cursor.now || cursor.newest + 1 + this.#recent) - this.#recent;
    const isRead = page.ended || (await this.#fill(after, page));
    cursor.silence(this.#quietBefore);
    if (!isRead || !this.#isAllShown(after, page.count)) return false;
    this.#completeAt = this.#now;
    this.#quietBefore = -Infinity;
    // without new events it follows the service's clock, at a distance
    const floor = Math.max(cursor.reached - this.#lateness, cursor.latest - 1.5 * this.#lateness);
    if (floor >= cursor.floor + FLOOR_STEP_S) cursor.raise(floor);
    return true;
  }

  /**
   * Whether pages have shown all that is counted, and all is counted that was shown. What they have
   * not shown for as long as an event may be late is a gap, and so is what is lost for longer than
   * a copy of the data may be behind.
   */
  #isAllShown(after: number, count?: number): boolean {
    const cursor = this.#cursor;
    const missing = count === undefined ? 0 : count - cursor.known(after);
    if (missing <= Math.max(0, this.#missing) && missing >= Math.min(0, this.#missing)) {
      this.#shortSince = undefined;
      this.#missing = missing;
      return true;
    }
    this.#shortSince ??= this.#now;
    if (this.#now - this.#shortSince < (missing > 0 ? this.#lateness : LOST_AFTER_S)) return false;
    this.#shortSince = undefined;
    this.#missing = missing;
    const reason = missing > 0 ? 'counted, and on no page' : 'shown, and counted no more';
    cursor.noteGap(cursor.floor, cursor.newest, reason);
    return true;
  }

  /** What the first page left open; false when it need not all be read now. */
  async #fill(after: number, page: Read): Promise<boolean> {
    const cursor = this.#cursor;
    const { sorted, orderless, count, overlapped, first, last } = page;
    // nothing unseen in the window
    if (count !== undefined && count <= cursor.known(after) + this.#missing) return true;
    if (count === undefined && sorted && overlapped && this.#pollsSinceWalk++ < 30) return false;
    if (this.#shortSince !== undefined && this.#pollsSinceWalk++ < 30) return false;
    this.#pollsSinceWalk = 0;
    const isWhole = count === undefined || !sorted || this.#now - this.#completeAt >= 60;
    const isTrusted = sorted && !orderless;
    const before = isTrusted ? secondsOf(last) + 2 : Math.max(cursor.newest, cursor.latest) + 2;
    const isRead = await this.#all(
      after,
      before,
      () => !isWhole && cursor.known(after, first) >= count,
    );
    if (!isTrusted) await this.#beyond(after, count);
    return isRead;
  }

  /**
   * The page that comes first may hold the oldest: what lies beyond the newest that was seen is
   * read in growing stretches, until nothing newer is there or as many are known as are counted.
   */
  async #beyond(after: number, count: number = Infinity): Promise<void> {
    const cursor = this.#cursor;
    for (let stretch = 60; cursor.known(after) + this.#missing < count; stretch *= 2) {
      const { newest } = cursor;
      await cursor.read(newest + 1, undefined);
      if (cursor.newest === newest) return;
      await this.#all(newest - 2, Math.max(cursor.newest + 2, newest + stretch));
    }
  }

  /**
   * Reads all of a window: down by time while pages show that the order holds, else page after
   * page, and in halves where pages change meanwhile. False when it stopped because of `isEnough`.
   */
  async #all(
    after: number,
    before: number,
    isEnough: () => boolean = () => false,
  ): Promise<boolean> {
    const page = await this.#cursor.read(after, before);
    if (page.ended) return true;
    if (isEnough()) return false;
    const isSorted = page.sorted && !page.orderless;
    if (!isSorted && this.#unstable < MAX_UNSTABLE_WINDOWS) {
      if (await this.#readPages(after, before, 1, page)) return true;
      this.#unstable++;
    }
    const next = isSorted ? secondsOf(page.last) + 2 : before;
    if (next < before) return this.#all(after, next, isEnough);
    const middle = isSorted ? Math.max(after, before - 3) : Math.floor((after + before) / 2);
    if (isSorted || before - after <= 4) await this.#dense(Math.max(after, middle - 1), before);
    else await this.#all(middle - 1, before);
    return before - after <= 4 || this.#all(after, middle + 1, isEnough);
  }

  /** More than a page inside a few seconds. */
  async #dense(after: number, before: number): Promise<void> {
    if (!(await this.#readPages(after, before, 40)))
      this.#cursor.noteGap(after, before, 'unstable order');
  }

  /**
   * Reads a window page after page by `$skip`, in both orders in turn, until as many ids were met
   * as it holds: all of them, in whatever order they came. What is counted and on no page is told
   * later.
   */
  async #readPages(after: number, before: number, rounds: number, first?: Read): Promise<boolean> {
    const cursor = this.#cursor;
    const met = new Set<string>();
    let page = first;
    for (let [round, skip, news, quiet] = [0, 0, 0, 0]; round < rounds; ) {
      page ??= await cursor.read(after, before, round % 2 ? 'asc' : 'desc', skip);
      const { ids, length, count, ended } = page;
      for (const id of ids) met.add(id);
      skip += length;
      const known = count ? cursor.known(after) - cursor.known(before - 1) : 0;
      if (Math.max(met.size, known) >= (count ?? (ended ? skip : Infinity))) return true;
      if (skip > 10 * met.size + PAGE) return false; // `$skip` is ignored
      page = undefined;
      if (!ended) continue;
      quiet = met.size > news ? 0 : quiet + 1;
      if (count && quiet >= 4) return true;
      [skip, news] = [0, met.size];
      round++;
    }
    return false;
  }
}
