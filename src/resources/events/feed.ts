import { type Connection, internals, withPriority } from '../../core/http/index.ts';
import { secondsOf } from '../../core/time/index.ts';
import { EVENT_HISTORY, EVENT_LATENESS } from '../service-facts.ts';
import { FeedCursor, type Gap, type Read } from './cursor.ts';
import type { ServiceEvent } from './model.ts';

/** The end of the history moves while it is read: an hour before it counts as past. Seconds. */
const HISTORY_MARGIN = 3_600;
/** A feed that starts now keeps silent about what is older than this, seconds. */
const JUST_NOW = 10;

/** What one poll brought. */
export interface FeedStep {
  readonly events: readonly ServiceEvent[];
  readonly gaps: readonly Gap[];
  /** Everything that became visible up to this poll has been emitted. */
  readonly complete: boolean;
  readonly requests: number;
}

/**
 * A walk along the account's events, from a second of the past or from now: each event that becomes
 * visible within five minutes of its creation is emitted once; what could not be read is a gap,
 * never silence.
 */
export class Feed {
  readonly #client: Connection;
  readonly #cursor: FeedCursor;
  /** Seconds. */
  readonly #lateness: number = EVENT_LATENESS / 1_000;
  #gaps: Gap[] = [];
  #pollsSinceWalk = 0;
  #completeAt = -Infinity;

  constructor(client: Connection, from?: number, signal?: AbortSignal) {
    this.#client = client;
    this.#cursor = new FeedCursor(withPriority(client, 'normal'), from ?? NaN, signal);
  }

  async poll(): Promise<FeedStep> {
    const cursor = this.#cursor;
    const before = cursor.requests;
    const isFirst = Number.isNaN(cursor.floor);
    if (isFirst) {
      await cursor.read(undefined, undefined, 'desc', 0, 1);
      cursor.floor = cursor.now - this.#lateness;
    } else await this.#catchUp();
    const complete = await this.#newest(isFirst);
    const step = {
      events: cursor.take(),
      gaps: this.#gaps,
      complete,
      requests: cursor.requests - before,
    };
    this.#gaps = [];
    return step;
  }

  /** Far behind: the oldest first, in stretches of about a page, until close to now. */
  async #catchUp(): Promise<void> {
    const cursor = this.#cursor;
    for (
      let stretch = 3_600;
      this.#client[internals].clock.now() / 1_000 - cursor.floor >= 2 * this.#lateness + 60;
    ) {
      const before = cursor.requests;
      const end = cursor.floor + stretch;
      await this.#all(cursor.floor - 2, end);
      const oldest = cursor.now - EVENT_HISTORY / 1_000 + HISTORY_MARGIN;
      if (cursor.floor < oldest)
        this.#gaps.push({
          startsAt: cursor.floor * 1_000,
          endsAt: oldest * 1_000,
          reason: 'older than the history',
        });
      const latest = cursor.now - this.#lateness;
      if (latest <= cursor.floor) return; // our clock is ahead
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
    const { now } = cursor;
    if (isFirst) cursor.silence(now - JUST_NOW);
    const reached = Math.min(cursor.newest, now) - this.#lateness;
    const complete = page.ended || (await this.#fill(after, page));
    if (complete) {
      this.#completeAt = now;
      cursor.raise(reached);
    }
    return complete;
  }

  /** What the first page left open; false when it need not all be read now. */
  async #fill(after: number, { sorted, count, overlapped, first, last }: Read): Promise<boolean> {
    const cursor = this.#cursor;
    const { now } = cursor;
    // nothing unseen in the window
    if (count !== undefined && count <= cursor.known(after)) return true;
    if (count === undefined && sorted && overlapped && this.#pollsSinceWalk++ < 30) return false;
    this.#pollsSinceWalk = 0;
    const isWhole = count === undefined || !sorted || now - this.#completeAt >= 60;
    const before = sorted ? secondsOf(last) + 2 : Math.max(cursor.newest, now) + 2;
    return this.#all(after, before, () => !isWhole && cursor.known(after, first) >= count);
  }

  /**
   * Reads all of a window: down by time while the order holds, else in halves. False when it
   * stopped because of `isEnough`.
   */
  async #all(
    after: number,
    before: number,
    isEnough: () => boolean = () => false,
  ): Promise<boolean> {
    const page = await this.#cursor.read(after, before);
    if (page.ended) return true;
    if (isEnough()) return false;
    const next = page.sorted ? secondsOf(page.last) + 2 : before;
    if (next < before) return this.#all(after, next, isEnough);
    const middle = page.sorted ? Math.max(after, before - 3) : Math.floor((after + before) / 2);
    if (page.sorted || before - after <= 4) await this.#dense(Math.max(after, middle - 1), before);
    else await this.#all(middle - 1, before);
    return before - after <= 4 || this.#all(after, middle + 1, isEnough);
  }

  /**
   * More than a page inside a few seconds: pages by `$skip`, in both orders, until every id was
   * met.
   */
  async #dense(after: number, before: number): Promise<void> {
    const cursor = this.#cursor;
    for (let round = 0, quiet = 0; round < 40; round++) {
      const { size } = cursor.seen;
      let page: Read;
      let skip = 0;
      do {
        page = await cursor.read(after, before, round % 2 === 0 ? 'asc' : 'desc', skip);
        skip += page.length;
      } while (!page.ended);
      quiet = cursor.seen.size === size ? quiet + 1 : 0;
      if (quiet >= 4 || cursor.known(after) - cursor.known(before - 1) >= (page.count ?? Infinity))
        return;
    }
    const reason = 'unstable order';
    this.#gaps.push({ startsAt: after * 1_000, endsAt: before * 1_000, reason });
  }
}
