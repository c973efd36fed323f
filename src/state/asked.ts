import { type AnyEntry } from './entry.ts';
import { hasEntry, removeEntry } from './known.ts';
import type { WatchContext } from './plan.ts';

/** The period in which requested reads are sent together, in milliseconds. */
export const GATHER_MS = 50;

/**
 * Why a read is needed, in order of urgency. `missing` means that the entry wasn't on a page of
 * open resources, so it must have changed.
 */
export type Rank = 'changed' | 'missing' | 'first' | 'again';

const RANKS: readonly Rank[] = ['changed', 'missing', 'first', 'again'];

/**
 * Returns whether the entry has changed, in which case a read that's already in flight was sent too
 * early.
 */
export const isUrgent = (rank: Rank | undefined): boolean =>
  rank === 'changed' || rank === 'missing';

interface Ask {
  readonly at: number;
  readonly trigger: string;
}

/**
 * Schedules reads. Some are requested and sent as soon as the limits allow. Others are scheduled
 * for the time stored in their entry. All times are in milliseconds on the monotonic clock.
 */
export class AskedReads {
  /** The earliest time at which the next requested read can be sent. */
  from: number = Infinity;
  /** The time of the earliest scheduled read. This may be too early, but it's never too late. */
  dueAt: number = Infinity;
  /** When the last request was sent. */
  sentAt: number = -Infinity;
  /** The waiting entries by rank, with the time of each request and the reason for it. */
  readonly #waiting: Readonly<Record<Rank, Map<AnyEntry, Ask>>> = {
    changed: new Map(),
    missing: new Map(),
    first: new Map(),
    again: new Map(),
  };
  /** The time of the last read that was requested with `readSoon`. */
  readonly #soonAt: WeakMap<AnyEntry, number> = new WeakMap();
  readonly #context: WatchContext;
  readonly #onChange: () => void;

  constructor(context: WatchContext, onChange: () => void) {
    this.#context = context;
    this.#onChange = onChange;
  }

  get #now(): number {
    return this.#context.clock.monotonic();
  }

  get size(): number {
    return RANKS.reduce((sum, rank) => sum + this.#waiting[rank].size, 0);
  }

  /** The number of entries waiting for a read that isn't a regular repetition. */
  get newSize(): number {
    return this.size - this.#waiting.again.size;
  }

  has(entry: AnyEntry): boolean {
    return this.rankOf(entry) !== undefined;
  }

  rankOf(entry: AnyEntry): Rank | undefined {
    return RANKS.find((rank) => this.#waiting[rank].has(entry));
  }

  /** Returns why an entry is read. If no read is waiting, returns the reason of the latest read. */
  triggerFor(entry: AnyEntry): string {
    const rank = this.rankOf(entry);
    return rank ? this.#waiting[rank].get(entry)!.trigger : entry.trigger;
  }

  /**
   * Returns the entries that can be read now. They're sorted by rank, with the earliest requests
   * first.
   */
  list(canSend: (entry: AnyEntry, rank: Rank) => boolean): AnyEntry[] {
    return RANKS.flatMap((rank) =>
      [...this.#waiting[rank].keys()].filter((entry) => !entry.isReading && canSend(entry, rank)),
    );
  }

  /**
   * Requests a read of an entry. If a read is already in flight, it satisfies a request for a
   * regular repetition. After a change, another read is needed.
   */
  ask(
    entry: AnyEntry,
    trigger: string,
    rank: Rank,
    delay: number = 0,
    isAfresh: boolean = isUrgent(rank),
  ): void {
    if (entry.isReading && !isAfresh) return;
    if (this.size === 0) this.from = Infinity;
    const isFirst = rank === 'again' && entry.readSentAt === -Infinity && !entry.failures;
    const wanted = isFirst ? 'first' : rank;
    const known = this.rankOf(entry) ?? wanted;
    const best = RANKS.indexOf(known) < RANKS.indexOf(wanted) ? known : wanted;
    if (known !== best) this.#waiting[known].delete(entry);
    const { at } = (isAfresh ? undefined : this.#waiting[best].get(entry)) ?? { at: this.#now };
    this.#waiting[best].set(entry, { at, trigger });
    entry.trigger = trigger;
    entry.nextReadAt = Infinity;
    this.from = Math.min(this.from, this.#now + delay);
    this.#onChange();
  }

  /**
   * Requests a read of an entry right away. If more requests follow within a base period, they
   * share one more read.
   */
  readSoon(entry: AnyEntry, trigger: string): void {
    const { base } = this.#context;
    const now = this.#now;
    const at = Math.max(now, (this.#soonAt.get(entry) ?? -Infinity) + base);
    if (at > now + base) return; // the shared read is already due
    this.#soonAt.set(entry, at);
    if (at <= now || entry.isReading) return this.ask(entry, trigger, 'changed', GATHER_MS);
    entry.isConfirming = true;
    entry.trigger = trigger;
    this.setDue(entry, Math.min(at, entry.nextReadAt));
  }

  /** Schedules a read of an entry for this time, unless a read is requested sooner. */
  setDue(entry: AnyEntry, at: number): void {
    if (!this.has(entry)) entry.nextReadAt = at;
    this.dueAt = Math.min(this.dueAt, entry.nextReadAt);
    this.#onChange();
  }

  /** Returns the entries whose scheduled time has come. */
  takeDue(now: number): AnyEntry[] {
    if (this.dueAt > now) return [];
    this.dueAt = Infinity;
    const due: AnyEntry[] = [];
    for (const entry of this.#context.entries.values())
      if (!entry.observers)
        continue; // the entry is read along with its lists
      else if (entry.nextReadAt > now) this.dueAt = Math.min(this.dueAt, entry.nextReadAt);
      else {
        entry.nextReadAt = Infinity;
        due.push(entry);
      }
    return due;
  }

  /**
   * Records that a read sent at `sentAt` has ended. A request for a first read is satisfied by any
   * read.
   */
  answer(entry: AnyEntry, sentAt: number): void {
    const rank = this.rankOf(entry);
    if (!rank) return;
    if (rank === 'first' || sentAt >= this.#waiting[rank].get(entry)!.at)
      this.#waiting[rank].delete(entry);
  }

  /** Removes an entry from all queues, because nothing is waiting for it anymore. */
  dismiss(entry: AnyEntry): void {
    for (const rank of RANKS) this.#waiting[rank].delete(entry);
  }

  remove(entry: AnyEntry): void {
    removeEntry(this.#context.entries, entry);
    this.#context.lists?.delete(entry);
    this.dismiss(entry);
    entry.nextReadAt = Infinity;
  }

  /** Marks entries as being read until the work is done. */
  async during(entries: readonly AnyEntry[], work: () => Promise<void>): Promise<void> {
    this.sentAt = this.#now;
    for (const entry of entries) entry.isReading = true;
    try {
      await work();
    } finally {
      for (const entry of entries) {
        entry.isReading = false;
        if (!hasEntry(this.#context.entries, entry)) this.dismiss(entry);
      }
      // all reads that are waiting are already in flight
      if (this.from === Infinity) this.from = this.#now;
      this.#onChange();
    }
  }
}
