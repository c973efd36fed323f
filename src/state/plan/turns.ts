import type { Backlog } from './backlog.ts';
import type { WatchContext } from './context.ts';
import { type AnyEntry, isFinal } from '../entries/entry.ts';
import type { WindowRead } from '../reads/reader.ts';
import { isRelayed, laneOf } from './schedule.ts';
import { type Lane, LIVE_MS } from '../sources/watch-plan.ts';

/** How many are considered for one request. */
const MOST = 1_000;
/** A page holds so many of them at least, or ids are asked for. */
const FEWEST = 15;
const LANES: readonly Lane[] = ['listed', 'alone'];
/** A value that is live for only this long yet does not wait for an even pace, milliseconds. */
const BEFORE_END_MS = 6_000;
/** Time between two requests then, milliseconds. */
const HURRY_MS = 500;

/**
 * Reads all that is watched in turn, evenly: always those that were read longest ago and can be read
 * together. Times are monotonic milliseconds.
 */
export class Turns {
  /** When the last request of a lane was sent. */
  readonly #sentAt: Record<Lane, number>;
  /** When the oldest of those that are read next was read. */
  readonly #oldestAt: Record<Lane, number> = { listed: -Infinity, alone: -Infinity };
  /** Entries of which more pages are to be read. */
  #window: WindowRead | undefined;
  /** Pages of it that may still be read. */
  #pages: number = 0;
  #isPaging: boolean = false;
  readonly #context: WatchContext;
  readonly #backlog: Backlog;

  constructor(context: WatchContext, backlog: Backlog) {
    const at = context.clock.monotonic();
    this.#context = context;
    this.#backlog = backlog;
    this.#sentAt = { listed: at, alone: at };
  }

  /** When the next request is due. */
  get next(): number {
    return Math.min(...LANES.map((lane) => this.#dueAt(lane)));
  }

  #dueAt(lane: Lane): number {
    const { isMany, lanes } = this.#context.plan;
    const { every, idleEvery, isInTime } = lanes[lane];
    if (every === Infinity) return Infinity;
    const sentAt = this.#sentAt[lane];
    const evenly = sentAt + (this.#backlog.isIdle ? idleEvery : every);
    if (!isInTime || isMany) return evenly;
    return Math.min(
      evenly,
      Math.max(sentAt + HURRY_MS, this.#oldestAt[lane] + LIVE_MS - BEFORE_END_MS),
    );
  }

  /** Sends what is due. */
  run(now: number): void {
    for (const lane of LANES) if (this.#dueAt(lane) <= now) this.#readNext(lane, now);
  }

  #readNext(lane: Lane, now: number): void {
    this.#sentAt[lane] = now;
    this.#oldestAt[lane] = now;
    if (lane === 'listed' && this.#window) return this.#readPage(this.#window);
    const oldest = this.#oldestOf(lane);
    const batch = this.#context.reader.firstOf(oldest);
    if (batch.length === 0) return;
    const read = new Set(batch);
    this.#oldestAt[lane] = oldest.find((entry) => !read.has(entry))?.lookedAt ?? now;
    for (const entry of batch) this.#backlog.queue.dismiss(entry);
    const { reader } = this.#context;
    const window = reader.openWindow(batch);
    if (!window)
      return void this.#backlog.during(batch, async () => void (await reader.readBatch(batch)));
    this.#pages = Math.ceil(batch.length / FEWEST) + 1;
    this.#readPage(window);
  }

  /** Pages may hold others too; what was not found on so many is read by its id. */
  #readPage(window: WindowRead): void {
    if (this.#isPaging) return;
    this.#window = window;
    this.#isPaging = true;
    void this.#backlog.during([], async () => {
      const isDone = await this.#context.reader.readPage(window);
      this.#isPaging = false;
      const isOver = isDone || --this.#pages <= 0;
      this.#window = isOver ? undefined : window;
      const [rest] = isOver ? this.#oldestOf('listed') : window.wanted.values();
      this.#oldestAt.listed = rest?.lookedAt ?? this.#sentAt.listed;
    });
  }

  /** Those that were read longest ago, and that one request can read. */
  nextOf(lane: Lane): AnyEntry[] {
    return this.#context.reader.firstOf(this.#oldestOf(lane));
  }

  #oldestOf(lane: Lane): AnyEntry[] {
    const oldest: AnyEntry[] = [];
    for (const entry of this.#context.entries.values()) {
      if (oldest.length === MOST) break;
      if (this.#isRead(entry) && laneOf(entry, this.#context) === lane) oldest.push(entry);
    }
    return oldest;
  }

  /** It is read in turn, and not for a reason of its own just now. */
  #isRead(entry: AnyEntry): boolean {
    const { isReading, failures, type } = entry;
    if (isReading || failures || isFinal(entry)) return false;
    if (type.watch.wokenBy === 'time' || isRelayed(entry, this.#context)) return false;
    return !this.#backlog.queue.isUrgent(entry);
  }
}
