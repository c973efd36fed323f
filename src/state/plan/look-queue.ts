import type { Clock } from '../../core/time.ts';
import type { AnyEntry } from '../entries/entry.ts';
import { idKey } from '../../resources/resource.ts';
import type { LookLimiter } from './look-limiter.ts';
import type { Reader, WindowRead } from '../reads/reader.ts';

/** Entries that are marked as being read, and the request. */
type Look = readonly [entries: readonly AnyEntry[], send: () => Promise<void>];

/** Requests under way at once. */
const LANES = 5;

/**
 * Entries that wait for a look outside the plan's own rhythm: first looks, changes, what a gap left
 * open, safety. A few requests at a time, as fast as the limiter lets them go.
 */
export class LookQueue {
  /** Something says that they have changed: these go first. */
  readonly #invalidated: Set<AnyEntry> = new Set();
  readonly #waiting: Set<AnyEntry> = new Set();
  /** Those that are read page by page. */
  #window: WindowRead | undefined;
  #isPaging: boolean = false;
  /** The last look was a page of the window. */
  #wasPage: boolean = false;
  #lanes: number = 0;
  /** When the next look may be sent, monotonic. */
  #startAt: number = Infinity;
  readonly #clock: Clock;
  readonly #reader: Reader;
  readonly #limiter: LookLimiter;
  /** Marks them as being read until the work is done. */
  readonly #during: (entries: readonly AnyEntry[], work: () => Promise<void>) => Promise<void>;

  constructor(
    clock: Clock,
    reader: Reader,
    limiter: LookLimiter,
    during: (entries: readonly AnyEntry[], work: () => Promise<void>) => Promise<void>,
  ) {
    this.#clock = clock;
    this.#reader = reader;
    this.#limiter = limiter;
    this.#during = during;
  }

  get size(): number {
    return this.#invalidated.size + this.#waiting.size + (this.#window ? 1 : 0);
  }

  /** When the next look may be sent, monotonic. */
  get next(): number {
    const isIdle = this.#invalidated.size + this.#waiting.size > 0 || !this.#isPaging;
    return this.size > 0 && this.#lanes < LANES && isIdle ? this.#startAt : Infinity;
  }

  has(entry: AnyEntry): boolean {
    return this.#isInWindow(entry) || this.#waiting.has(entry) || this.#invalidated.has(entry);
  }

  /** It is read by pages now, or because something says that it has changed. */
  isUrgent(entry: AnyEntry): boolean {
    return this.#isInWindow(entry) || this.#invalidated.has(entry);
  }

  #isInWindow(entry: AnyEntry): boolean {
    return this.#window?.wanted.get(idKey(entry.id)) === entry;
  }

  /** Reads an entry after `delay`, once. */
  add(entry: AnyEntry, isInvalidated: boolean, delay: number = 0): void {
    if (isInvalidated) {
      this.dismiss(entry);
      this.#invalidated.add(entry);
    } else if (!this.has(entry)) this.#waiting.add(entry);
    this.#startAt = Math.min(this.#startAt, this.#clock.monotonic() + delay);
  }

  delete(entry: AnyEntry): void {
    this.dismiss(entry);
    this.#invalidated.delete(entry);
  }

  /** Reads an entry no more, unless something says that it has changed. */
  dismiss(entry: AnyEntry): void {
    this.#waiting.delete(entry);
    if (this.#isInWindow(entry)) this.#window!.wanted.delete(idKey(entry.id));
  }

  /** Sends as many looks as may leave now. */
  run(): void {
    const now = this.#clock.monotonic();
    while (this.next <= now) {
      const delay = this.#limiter.delayFor(this.#invalidated.size > 0);
      if (delay > 0) this.#startAt = now + delay;
      else if (!this.sendOne()) return;
    }
  }

  /** Sends one look, whatever the limiter says; `undefined` where none can be sent now. */
  sendOne(): Promise<void> | undefined {
    const look = this.#nextLook();
    if (!look) return undefined;
    const [entries, send] = look;
    this.#limiter.acquire();
    this.#lanes++;
    if (this.size === 0) this.#startAt = Infinity;
    return this.#during(entries, async () => {
      try {
        await send();
      } finally {
        this.#lanes--;
      }
    });
  }

  #nextLook(): Look | undefined {
    if (this.#invalidated.size > 0) return this.#batchOf(this.#invalidated);
    this.#window ??= this.#reader.takeWindow(this.#waiting);
    const window = this.#window;
    // pages and lists by turns, so that neither waits for all of the other
    this.#wasPage = window !== undefined && (!this.#wasPage || this.#waiting.size === 0);
    if (window && !this.#isPaging && this.#wasPage) return [[], () => this.#readPage(window)];
    return this.#waiting.size > 0 ? this.#batchOf(this.#waiting) : undefined;
  }

  #batchOf(from: Set<AnyEntry>): Look {
    const batch = this.#reader.take(from);
    const send = async () => {
      if (await this.#reader.readBatch(batch)) return;
      for (const entry of batch) this.add(entry, from === this.#invalidated);
    };
    return [batch, send];
  }

  async #readPage(window: WindowRead): Promise<void> {
    this.#isPaging = true;
    const isDone = await this.#reader.readPage(window);
    this.#isPaging = false;
    if (!isDone) return;
    this.#window = undefined;
    for (const entry of window.wanted.values()) this.add(entry, false);
  }
}
