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
 * Kinds of errors that pass without help, unless a login has ended. `response` is one of them,
 * because the login page of a network is an invalid response, too.
 */
const AWAY: readonly ErrorKind[] = ['unreachable', 'limited', 'authentication', 'response'];

/** An event, or a gap of events that could not be read. */
export type FeedItem =
  | {
      /** An event, in the order of the feed. */
      readonly event: ServiceEvent;
      /** Absent with an event. */
      readonly gap?: undefined;
    }
  | {
      /** Absent with a gap. */
      readonly event?: undefined;
      /** A span of time from which events may be missing. */
      readonly gap: Gap;
    };

/**
 * Follows the account's events, from now or from a date in the last 30 days. Iterate it; leaving
 * the loop ends it. Each event comes once. What could not be read comes as a gap. It continues
 * after an outage of the service and ends with an error if the service refuses. `GET /v1/events`
 * (documented).
 *
 * @throws RefusedError `FORBIDDEN` without the webhooks scope
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
 * The oldest events disappear while they are read, so the last hour of the history counts as gone.
 * Seconds.
 */
const HISTORY_MARGIN_S = 3_600;
/**
 * A feed that starts now does not emit events older than this, unless `recent` says so. Seconds.
 */
const RECENT_S = 10;

/** The floor rises in steps of this, so events at its edge are read again once a step. Seconds. */
const FLOOR_STEP_S = 60;

/** Events that were listed, but are missing from the count for this long, are lost. Seconds. */
const LOST_AFTER_S = 60;

/** After this many windows that changed while they were read, no window is read by `$skip`. */
const MAX_UNSTABLE_WINDOWS = 3;

/** The result of one poll. */
export interface FeedStep {
  readonly events: readonly ServiceEvent[];
  readonly gaps: readonly Gap[];
  /** All events that were visible at this poll have been emitted. */
  readonly complete: boolean;
  readonly requests: number;
  /** Time of the service, milliseconds since 1970; `NaN` if its responses have none. */
  readonly now: number;
}

/** Options of a feed. */
interface FeedOptions {
  /** The second at which to start; now, when absent. */
  readonly from?: number | undefined;
  /** A feed that starts now also emits events up to this much older, seconds. */
  readonly recent?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Attempts of each request. */
  readonly maxAttempts?: number | undefined;
}

/**
 * Reads the account's events, from a second in the past or from now. It emits each event once that
 * becomes visible within five minutes of its creation, and reports what could not be read as a gap.
 */
export class Feed {
  readonly #client: Connection;
  readonly #cursor: FeedCursor;
  readonly #recent: number;
  /** Seconds. */
  readonly #lateness: number = EVENT_LATENESS_MS / 1_000;
  #pollsSinceWalk = 0;
  /** Windows that changed while they were read by `$skip`. */
  #unstable = 0;
  /** Until the first poll is complete, older events are not emitted. Seconds. */
  #quietBefore = -Infinity;
  /** When a poll was last complete, and since when count and pages differ; monotonic seconds. */
  #completeAt = -Infinity;
  #shortSince: number | undefined;
  /**
   * Number of events that are counted, but were on no page for as long as an event may be late.
   * Negative: the number of those that were listed, but are no longer counted.
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
   * Sets the floor five minutes before now, by the service's clock or by its second newest event.
   * If there is neither, all events are new.
   */
  async #begin(): Promise<void> {
    const cursor = this.#cursor;
    const { ended, length } = await cursor.read(undefined, undefined, 'desc', 0, 2);
    if (length === 1 && !ended) await cursor.read(undefined, undefined, 'desc', 1, 1);
    cursor.floor = Math.max(this.#lateness, cursor.latest - this.#lateness);
  }

  /** When far behind, reads the oldest events first, about a page at a time, until close to now. */
  async #catchUp(): Promise<void> {
    const cursor = this.#cursor;
    if (cursor.floor <= this.#lateness) return; // all events are new
    // before the first response only the local clock is known
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

  /** The regular poll: reads from the newest event down to the floor. */
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
    // without new events the floor follows the service's clock at a distance
    const floor = Math.max(cursor.reached - this.#lateness, cursor.latest - 1.5 * this.#lateness);
    if (floor >= cursor.floor + FLOOR_STEP_S) cursor.raise(floor);
    return true;
  }

  /**
   * Tells whether the pages and the count agree. An event that is counted, but not listed for as
   * long as an event may be late, is reported as a gap. So is an event that was listed, but is
   * missing from the count for longer than a replica may lag.
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

  /** Reads what the first page did not contain. Returns false if the rest can wait. */
  async #fill(after: number, page: Read): Promise<boolean> {
    const cursor = this.#cursor;
    const { sorted, orderless, count, overlapped, first, last } = page;
    // all events of the window were seen
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
   * Reads beyond the newest seen event, because an unordered list may begin with the oldest. The
   * windows grow until there is nothing newer or as many events are known as are counted.
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
   * Reads a whole window: by time while pages come in order, else by `$skip`, and in halves if the
   * pages change meanwhile. Returns false if `isEnough` stopped it.
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

  /** Reads a few seconds that hold more than a page. */
  async #dense(after: number, before: number): Promise<void> {
    if (!(await this.#readPages(after, before, 40)))
      this.#cursor.noteGap(after, before, 'unstable order');
  }

  /**
   * Reads a window by `$skip`, in both orders in turn, until it has found as many ids as the window
   * holds. `#isAllShown` reports later what is counted, but on no page.
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
