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
  readonly limiter: LookLimiter = new LookLimiter();
  readonly queue: LookQueue;
  /** When the last request was sent, monotonic. */
  sentAt: number = -Infinity;
  readonly #context: WatchContext;
  readonly #onChange: () => void;

  constructor(context: WatchContext, onChange: () => void) {
    const { clock, reader } = context;
    this.#context = context;
    this.#onChange = onChange;
    this.queue = new LookQueue(clock, reader, this.limiter, (...look) => this.during(...look));
  }

  /** When something has to be read, monotonic. */
  get next(): number {
    return Math.min(this.due.next, this.queue.next);
  }

  /** Takes a place for a look of the plan; false where none is free. */
  takeLook(): boolean {
    const now = this.#context.clock.monotonic();
    const isFree = this.limiter.delayFor(true, now) === 0;
    if (isFree) this.limiter.acquire(now);
    return isFree;
  }

  remove(entry: AnyEntry): void {
    removeEntry(this.#context.entries, entry);
    this.queue.delete(entry);
    this.due.set(entry, Infinity);
  }

  /** Reads an entry soon. */
  readSoon(entry: AnyEntry, trigger: string): void {
    this.lookAnew(entry, trigger, GATHER, true);
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
        if (readAgain && hasEntry(this.#context.entries, entry)) this.readSoon(entry, readAgain);
      }
      this.#onChange();
    }
  }
}
