import type { AnyEntry } from './entry.ts';

/**
 * Which entries are read when. Few times are different, for reads lie on a grid: finding what is
 * due does not look at the others.
 */
export class DueTimes {
  readonly #byTime: Map<number, Set<AnyEntry>> = new Map();

  /** The earliest time, monotonic; `Infinity` where there is none. */
  get next(): number {
    return Math.min(Infinity, ...this.#byTime.keys());
  }

  /** Sets the time of an entry; `Infinity`: none. */
  set(entry: AnyEntry, at: number): void {
    const { nextReadAt } = entry;
    if (nextReadAt === at) return;
    const before = this.#byTime.get(nextReadAt);
    before?.delete(entry);
    if (before?.size === 0) this.#byTime.delete(nextReadAt);
    entry.nextReadAt = at;
    if (at === Infinity) return;
    const together = this.#byTime.get(at);
    if (together) together.add(entry);
    else this.#byTime.set(at, new Set([entry]));
  }

  /** Takes what is due at this time out. */
  take(now: number): AnyEntry[] {
    const times = [...this.#byTime.keys()].filter((at) => at <= now);
    const due = times.flatMap((at) => [...this.#byTime.get(at)!]);
    for (const entry of due) this.set(entry, Infinity);
    return due;
  }
}
