import { type Connection, laned } from '../../core/connection.ts';
import { secondsOf } from '../../core/instant.ts';
import { Cursor, type Gap, type Read } from './cursor.ts';
import type { ServiceEvent } from './model.ts';

/** An event is visible at most this long after its creation, seconds. */
const LATENESS = 300;
const HISTORY = 30 * 86_400;
/** The history's end moves while it is read. */
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
 * A walk along the account's events: each event that becomes visible within five minutes of its creation
 * is emitted once; what could not be read is a gap, never silence.
 */
export interface Feed {
  poll(): Promise<FeedStep>;
}

/** Begins a walk at `from` (seconds since 1970), or now. */
export function feedOf(client: Connection, from?: number, signal?: AbortSignal): Feed {
  const cursor = new Cursor(laned(client, 'watch'), signal);
  let gaps: Gap[] = [];
  let pollsSinceWalk = 0;
  let completeAt = -Infinity;
  let emitted: ServiceEvent[] = [];
  cursor.floor = from;

  async function poll(): Promise<FeedStep> {
    const before = cursor.requests;
    const fresh = cursor.floor === undefined;
    let now = fresh ? await startNow() : cursor.floor! + 2 * LATENESS + 60;
    noteExpired(now);
    if (!fresh) now = await catchUp();
    const complete = await newest(fresh);
    emitted.push(...cursor.take());
    const step = { events: emitted, gaps, complete, requests: cursor.requests - before };
    emitted = [];
    gaps = [];
    return step;
  }

  async function startNow(): Promise<number> {
    const { now } = await cursor.read(undefined, undefined, 'desc', 0, 1);
    cursor.floor = now - LATENESS;
    return now;
  }

  function noteExpired(now: number): void {
    const oldest = now - HISTORY + HISTORY_MARGIN;
    if (cursor.floor! >= oldest) return;
    gaps.push({ from: cursor.floor!, to: oldest, why: 'older than the history' });
    cursor.floor = oldest;
  }

  /** Far behind: oldest first, a page at a time, until close to now. Resolves to the service's time. */
  async function catchUp(): Promise<number> {
    for (;;) {
      const clock = Math.floor(client.clock.now() / 1_000);
      if (clock - cursor.floor! < 2 * LATENESS + 60) return clock;
      const page = await cursor.read(cursor.floor! - 2, undefined, 'asc');
      noteExpired(page.now);
      const target = page.now - LATENESS;
      let next = page.ended ? target : Math.min(secondsOf(page.newest) - 2, target);
      if (next <= cursor.floor! && !page.ended) {
        await dense(cursor.floor! - 2, cursor.floor! + 4);
        next = Math.min(cursor.floor! + 2, target);
      }
      emitted.push(...cursor.take());
      const behind = next > cursor.floor!;
      cursor.raise(next);
      if (!behind || page.ended) return page.now;
    }
  }

  /** The regular look: newest first down to the floor. */
  async function newest(silent: boolean): Promise<boolean> {
    const after = cursor.floor! - 2;
    const page = await cursor.read(after, undefined, 'desc');
    if (silent) cursor.silence(page.now - JUST_NOW);
    const reached = Math.min(cursor.newest, page.now) - LATENESS;
    const complete = page.ended || (await fillBelow(after, page));
    if (complete) {
      completeAt = page.now;
      cursor.raise(reached);
    }
    return complete;
  }

  async function fillBelow(after: number, page: Read): Promise<boolean> {
    if (!page.sorted) return bisect(after, Math.max(cursor.newest, page.now) + 2);
    if (page.count !== undefined && page.count <= cursor.known(after)) return true; // nothing unseen in the window
    if (page.count === undefined && page.overlapped && pollsSinceWalk++ < 30) return false;
    pollsSinceWalk = 0;
    const whole = page.count === undefined || page.now - completeAt >= 60;
    const enough = () => !whole && cursor.known(after, page.newest) >= page.count!;
    return down(after, secondsOf(page.oldest) + 2, enough);
  }

  /** Walks down by time; true when the floor was reached, false when it stopped because enough was known. */
  async function down(after: number, from: number, enough: () => boolean): Promise<boolean> {
    for (let before = from; ; ) {
      const page = await cursor.read(after, before, 'desc');
      if (page.ended) return true;
      if (!page.sorted) return bisect(after, before);
      if (enough()) return false;
      const next = secondsOf(page.oldest) + 2;
      if (next < before) {
        before = next;
        continue;
      }
      const low = Math.max(after, before - 4);
      await dense(low, before);
      if (low <= after) return true;
      before = low + 2;
    }
  }

  /** More than a page inside a few seconds: pages by `$skip`, in both orders, until every id was met. */
  async function dense(after: number, before: number): Promise<void> {
    let quiet = 0;
    for (let round = 0; round < 40; round++) {
      const known = cursor.seen.size;
      let count: number | undefined;
      for (let skip = 0; ; ) {
        const page = await cursor.read(after, before, round % 2 === 0 ? 'asc' : 'desc', skip);
        count = page.count;
        skip += page.length;
        if (page.ended) break;
      }
      if (count !== undefined && cursor.known(after) - cursor.known(before - 1) >= count) return;
      quiet = cursor.seen.size === known ? quiet + 1 : 0;
      if (quiet >= 4) return;
    }
    gaps.push({ from: after, to: before, why: 'unstable order' });
  }

  /** The order is not as asked: halves windows until each fits a page. */
  async function bisect(after: number, before: number): Promise<boolean> {
    const page = await cursor.read(after, before, 'desc');
    if (page.ended) return true;
    if (before - after <= 4) {
      await dense(after, before);
      return true;
    }
    const middle = Math.floor((after + before) / 2);
    await bisect(after, middle + 1);
    return bisect(middle - 1, before);
  }

  return { poll };
}
