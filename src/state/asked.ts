import { type AnyEntry } from './entry.ts';
import { hasEntry, removeEntry } from './known.ts';
import type { WatchContext } from './plan.ts';

/** Reads that are asked for within this time are sent together, milliseconds. */
export const GATHER_MS = 50;

/**
 * Says why somebody wants a read; what comes first here is read first. An entry is missing where a
 * page of what is open did not hold it: it has changed too.
 */
export type Rank = 'changed' | 'missing' | 'first' | 'again';

const RANKS: readonly Rank[] = ['changed', 'missing', 'first', 'again'];

/** Says whether an entry of this rank has changed, so that a read under way comes too early. */
export const isUrgent = (rank: Rank | undefined): boolean =>
  rank === 'changed' || rank === 'missing';

interface Ask {
  readonly at: number;
  readonly trigger: string;
}

/**
 * Lists the reads that are due: those that somebody asked for, which leave as soon as the limits
 * allow, and those that an entry has a time of its own for. All times are monotonic milliseconds.
 */
export class AskedReads {
  /** The next read that somebody asked for may be sent at this time. */
  from: number = Infinity;
  /** No entry has an earlier time of its own. */
  dueAt: number = Infinity;
  /** The last request was sent at this time. */
  sentAt: number = -Infinity;
  /** The entries by rank, and when and why they were asked for. */
  readonly #waiting: Readonly<Record<Rank, Map<AnyEntry, Ask>>> = {
    changed: new Map(),
    missing: new Map(),
    first: new Map(),
    again: new Map(),
  };
  /** The last read that `readSoon` asked for was or is due at this time. */
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

  /** This number of entries wait for a read that is not one more. */
  get newSize(): number {
    return this.size - this.#waiting.again.size;
  }

  has(entry: AnyEntry): boolean {
    return this.rankOf(entry) !== undefined;
  }

  rankOf(entry: AnyEntry): Rank | undefined {
    return RANKS.find((rank) => this.#waiting[rank].has(entry));
  }

  /** Returns why an entry is read: who asked for it says so, else the latest read does. */
  triggerFor(entry: AnyEntry): string {
    const rank = this.rankOf(entry);
    return rank ? this.#waiting[rank].get(entry)!.trigger : entry.trigger;
  }

  /** Returns the entries that can be read now: by rank, and who asked first comes first. */
  list(canSend: (entry: AnyEntry, rank: Rank) => boolean): AnyEntry[] {
    return RANKS.flatMap((rank) =>
      [...this.#waiting[rank].keys()].filter((entry) => !entry.isReading && canSend(entry, rank)),
    );
  }

  /**
   * Lets an entry wait for a read. A read under way is enough where the entry is read again, and
   * comes too early for what has changed.
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

  /** Reads an entry at once. Further requests for it within a base period share one more read. */
  readSoon(entry: AnyEntry, trigger: string): void {
    const { base } = this.#context;
    const now = this.#now;
    const at = Math.max(now, (this.#soonAt.get(entry) ?? -Infinity) + base);
    if (at > now + base) return; // the shared read is due already
    this.#soonAt.set(entry, at);
    if (at <= now || entry.isReading) return this.ask(entry, trigger, 'changed', GATHER_MS);
    entry.isConfirming = true;
    entry.trigger = trigger;
    this.setDue(entry, Math.min(at, entry.nextReadAt));
  }

  /** Reads an entry at this time, unless it is read sooner. */
  setDue(entry: AnyEntry, at: number): void {
    if (!this.has(entry)) entry.nextReadAt = at;
    this.dueAt = Math.min(this.dueAt, entry.nextReadAt);
    this.#onChange();
  }

  /** Returns the entries whose time has come. */
  takeDue(now: number): AnyEntry[] {
    if (this.dueAt > now) return [];
    this.dueAt = Infinity;
    const due: AnyEntry[] = [];
    for (const entry of this.#context.entries.values())
      if (!entry.observers)
        continue; // its lists are read again
      else if (entry.nextReadAt > now) this.dueAt = Math.min(this.dueAt, entry.nextReadAt);
      else {
        entry.nextReadAt = Infinity;
        due.push(entry);
      }
    return due;
  }

  /** Notes that a read which was sent at `sentAt` has ended. Any read ends the wait for a first. */
  answer(entry: AnyEntry, sentAt: number): void {
    const rank = this.rankOf(entry);
    if (!rank) return;
    if (rank === 'first' || sentAt >= this.#waiting[rank].get(entry)!.at)
      this.#waiting[rank].delete(entry);
  }

  /** Nobody waits for this entry any more. */
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
      if (this.from === Infinity) this.from = this.#now; // all that waited were being read
      this.#onChange();
    }
  }
}
