import { internals } from '../../core/http/index.ts';
import type { WatchContext } from './context.ts';
import { DueTimes } from '../entries/due-times.ts';
import type { AnyEntry } from '../entries/entry.ts';
import { hasEntry, removeEntry } from '../entries/entries.ts';
import { LookLimiter } from './look-limiter.ts';
import { LookQueue } from './look-queue.ts';

/** Reads that become due within this time travel together, milliseconds. */
export const GATHER = 50;

/** What has to be read: at a time of its own, or as soon as the limits allow. */
export class Backlog {
  readonly due: DueTimes = new DueTimes();
  readonly limiter: LookLimiter;
  readonly queue: LookQueue;
  /** When the last request was sent, monotonic. */
  sentAt: number = -Infinity;
  /** When entries were read, or are due, because something says that they may have changed. */
  readonly #soonAt: WeakMap<AnyEntry, number> = new WeakMap();
  readonly #context: WatchContext;
  readonly #onChange: () => void;

  constructor(context: WatchContext, onChange: () => void) {
    const { client, clock, reader } = context;
    this.limiter = new LookLimiter(client[internals].clock);
    this.#context = context;
    this.#onChange = onChange;
    this.queue = new LookQueue(clock, reader, this.limiter, (...look) => this.during(...look));
  }

  /** When something has to be read, monotonic. */
  get next(): number {
    return Math.min(this.due.next, this.queue.next);
  }

  /** Nothing waits, and nothing was sent for a reason of its own lately. */
  get isIdle(): boolean {
    return this.queue.size === 0 && this.limiter.isRested;
  }

  remove(entry: AnyEntry): void {
    removeEntry(this.#context.entries, entry);
    this.queue.delete(entry);
    this.due.set(entry, Infinity);
  }

  /** Reads an entry soon: of many reasons in a base period the first one at once, the others together. */
  readSoon(entry: AnyEntry, trigger: string): void {
    const { base, clock } = this.#context;
    const now = clock.monotonic();
    const at = Math.max(now, (this.#soonAt.get(entry) ?? -Infinity) + base);
    if (at > now + base) return; // it is due already
    this.#soonAt.set(entry, at);
    if (at <= now) return this.lookAnew(entry, trigger, GATHER, true);
    entry.isConfirming = true;
    entry.trigger = trigger;
    if (!entry.isReading) this.setDue(entry, Math.min(at, entry.nextReadAt));
    else entry.readAgain = trigger;
  }

  /** Lets an entry wait for a read that is sent from now on: a read under way is not enough. */
  lookAnew(...look: Parameters<Backlog['look']>): void {
    const [entry, trigger] = look;
    if (entry.isReading) entry.readAgain = trigger;
    this.look(...look);
  }

  /** Reads an entry at this time, unless it is read sooner. */
  setDue(entry: AnyEntry, at: number): void {
    if (!this.queue.has(entry)) this.due.set(entry, at);
    this.#onChange();
  }

  /** Lets an entry wait for a read: after those that have changed, as the limits allow. */
  look(entry: AnyEntry, trigger: string, delay: number = 0, isInvalidated: boolean = false): void {
    if (entry.isReading) return;
    entry.trigger = trigger;
    this.due.set(entry, Infinity);
    this.queue.add(entry, isInvalidated, delay);
    this.#onChange();
  }

  /** Marks entries as being read while the work goes on. */
  async during(entries: readonly AnyEntry[], work: () => Promise<void>): Promise<void> {
    this.sentAt = this.#context.clock.monotonic();
    for (const entry of entries) entry.isReading = true;
    try {
      await work();
    } finally {
      for (const entry of entries) {
        const { readAgain } = entry;
        entry.isReading = false;
        entry.readAgain = undefined;
        if (readAgain && hasEntry(this.#context.entries, entry))
          this.look(entry, readAgain, GATHER, true);
      }
      this.#onChange();
    }
  }
}
