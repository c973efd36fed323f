import { checkOptions, type ErrorKind, isPaystateError } from '../core/errors/index.ts';
import {
  basePeriod,
  checkClient,
  type Connection,
  internals,
  isLoginOver,
  withPriority,
} from '../core/http/index.ts';
import { instant } from '../core/lists/index.ts';
import { toSeconds } from '../core/time.ts';
import { FeedCursor, type Gap, type Read } from './events.cursor.ts';
import type { ServiceEvent } from './events.ts';
import { EVENT_HISTORY_MS, EVENT_LATENESS_MS, PAGE } from './service-facts.ts';

/**
 * Kinds of errors after which the feed retries, unless the login has ended. `response` is included,
 * because a captive portal's login page counts as an invalid response.
 */
const AWAY: readonly ErrorKind[] = ['unreachable', 'limited', 'authentication', 'response'];

/** An item of the event feed, either an event or a gap. */
export type FeedItem =
  | {
      /** The event. */
      readonly event: ServiceEvent;
      /** Absent if the item is an event. */
      readonly gap?: undefined;
    }
  | {
      /** Absent if the item is a gap. */
      readonly event?: undefined;
      /** The period in which events may be missing. */
      readonly gap: Gap;
    };

/**
 * Follows the account's events from now on, or from a date within the last 30 days. Iterate over
 * the feed, and break out of the loop to stop. It returns each event once, with a gap in place of
 * unreadable events. The feed continues after a service outage, and throws an error if the service
 * refuses the request. `GET /v1/events` (documented).
 *
 * @throws RefusedError `FORBIDDEN` if the credential lacks the webhooks scope
 *
 * @example
 * for await (const { event } of eventFeed(client)) if (event) console.log(event.eventType);
 */
export function eventFeed(
  connection: Connection,
  options: {
    readonly from?: string | Date | undefined;
    readonly signal?: AbortSignal | undefined;
  } = {},
): AsyncGenerator<FeedItem, void, undefined> {
  checkClient(connection);
  checkOptions<typeof options>(options, { from: 'any', signal: 'signal' });
  const { from, signal } = options;
  return follow(connection, from === undefined ? from : toSeconds(instant('from', from)), signal);
}

async function* follow(
  connection: Connection,
  start: number | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<FeedItem, void, undefined> {
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

/**
 * Events that will drop out of the service's history within this many seconds are treated as
 * expired, because they may disappear while they're being read.
 */
const HISTORY_MARGIN_S = 3_600;
/** Maximum age in seconds of events returned by a feed that starts now. `recent` overrides it. */
const RECENT_S = 10;

/** Minimum step for raising the floor, in seconds. */
const FLOOR_STEP_S = 60;

/**
 * Number of seconds after which listed events that are missing from the service's count are
 * reported as a gap.
 */
const LOST_AFTER_S = 60;

/**
 * Number of windows that may change while they're being read with `$skip`. After that, the feed no
 * longer uses `$skip`.
 */
const MAX_UNSTABLE_WINDOWS = 3;

export interface FeedStep {
  readonly events: readonly ServiceEvent[];
  readonly gaps: readonly Gap[];
  /** Whether all events that were visible at the time of this poll have been emitted. */
  readonly complete: boolean;
  readonly requests: number;
  /**
   * The service's time in milliseconds since 1970, or `NaN` if its responses have no `Date` header.
   */
  readonly now: number;
}

interface FeedOptions {
  /** The second from which to read events. Defaults to now. */
  readonly from?: number | undefined;
  /** Maximum age in seconds of events returned by a feed that starts now. */
  readonly recent?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly maxAttempts?: number | undefined;
}

/**
 * Polls the account's events, starting now or at a time in the past. Each event that becomes
 * visible within five minutes of its creation is returned once. Unreadable events are reported as a
 * gap.
 */
export class Feed {
  readonly #client: Connection;
  readonly #cursor: FeedCursor;
  readonly #recent: number;
  /** Maximum number of seconds it takes for a new event to become visible. */
  readonly #lateness: number = EVENT_LATENESS_MS / 1_000;
  #pollsSinceWalk = 0;
  /** Number of windows that changed while they were being read with `$skip`. */
  #unstable = 0;
  /** Events before this second aren't emitted until the first poll is complete. */
  #quietBefore = -Infinity;
  /**
   * When a poll was last complete, in seconds on the monotonic clock. `#shortSince` is when the
   * service's count and its pages began to differ.
   */
  #completeAt = -Infinity;
  #shortSince: number | undefined;
  /**
   * The difference between the service's count and its pages that has already been reported. A
   * positive number counts events that were counted but not listed. A negative number counts events
   * that were listed but not counted.
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
   * Sets the floor to five minutes before the service's time, or before the second-newest event if
   * the time isn't known. If there's neither, all events are new.
   */
  async #begin(): Promise<void> {
    const cursor = this.#cursor;
    const { ended, length } = await cursor.read(undefined, undefined, 'desc', 0, 2);
    if (length === 1 && !ended) await cursor.read(undefined, undefined, 'desc', 1, 1);
    cursor.floor = Math.max(this.#lateness, cursor.latest - this.#lateness);
  }

  /**
   * Reads past events from oldest to newest, about one page at a time, until it approaches the
   * current time.
   */
  async #catchUp(): Promise<void> {
    const cursor = this.#cursor;
    if (cursor.floor <= this.#lateness) return; // all events are new
    // Before the first response, only the local clock is available.
    const hasRead = cursor.requests > 0;
    let now = hasRead ? cursor.latest : this.#client[internals].clock.now() / 1_000;
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

  /** Reads events from the newest down to the floor. */
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
    // If there are no new events, the floor trails behind the service's time.
    const floor = Math.max(cursor.reached - this.#lateness, cursor.latest - 1.5 * this.#lateness);
    if (floor >= cursor.floor + FLOOR_STEP_S) cursor.raise(floor);
    return true;
  }

  /**
   * Checks whether the events on the pages match the service's count. Reports a gap for events that
   * are counted but not listed within the time that an event may be late. Also reports a gap for
   * listed events that are missing from the count for longer than a replica could lag behind.
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
    const reason = missing > 0 ? 'counted, but not listed' : 'listed, but not counted';
    cursor.noteGap(cursor.floor, cursor.newest, reason);
    return true;
  }

  /**
   * Reads the rest of the window after its first page. Returns false if that can wait until a later
   * poll.
   */
  async #fill(after: number, page: Read): Promise<boolean> {
    const cursor = this.#cursor;
    const { sorted, orderless, count, overlapped, first, last } = page;
    // All events in the window have been seen.
    if (count !== undefined && count <= cursor.known(after) + this.#missing) return true;
    if (count === undefined && sorted && overlapped && this.#pollsSinceWalk++ < 30) return false;
    if (this.#shortSince !== undefined && this.#pollsSinceWalk++ < 30) return false;
    this.#pollsSinceWalk = 0;
    const isWhole = count === undefined || !sorted || this.#now - this.#completeAt >= 60;
    const isTrusted = sorted && !orderless;
    const before = isTrusted ? toSeconds(last) + 2 : Math.max(cursor.newest, cursor.latest) + 2;
    const isRead = await this.#all(
      after,
      before,
      () => !isWhole && cursor.known(after, first) >= count,
    );
    if (!isTrusted) await this.#beyond(after, count);
    return isRead;
  }

  /**
   * Reads past the newest known event, because an unordered list may start with the oldest one. The
   * windows grow until there are no newer events, or as many events are known as the service
   * counts.
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
   * Reads all events in a window. As long as the pages are in order, continues by time. Otherwise,
   * continues with `$skip`. If pages change meanwhile, the window is split. Returns false if
   * `isEnough` ended the read.
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
    const next = isSorted ? toSeconds(page.last) + 2 : before;
    if (next < before) return this.#all(after, next, isEnough);
    const middle = isSorted ? Math.max(after, before - 3) : Math.floor((after + before) / 2);
    if (isSorted || before - after <= 4) await this.#dense(Math.max(after, middle - 1), before);
    else await this.#all(middle - 1, before);
    return before - after <= 4 || this.#all(after, middle + 1, isEnough);
  }

  /** Reads a window of a few seconds that contains more than one page of events. */
  async #dense(after: number, before: number): Promise<void> {
    if (!(await this.#readPages(after, before, 40)))
      this.#cursor.noteGap(after, before, 'unstable order');
  }

  /**
   * Reads a window with `$skip`, alternating the order, until all events are found. Events that are
   * counted but not on any page are reported later by `#isAllShown`.
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
      if (skip > 10 * met.size + PAGE) return false; // the service ignores `$skip`
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
