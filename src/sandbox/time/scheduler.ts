import type { Clock } from '../../core/time/index.ts';

/** Items, each with the time at which it is due. */
export interface Scheduler<Item> {
  /** Schedules an item for a time of the clock's `monotonic`. */
  add(due: number, item: Item): void;
  /** Makes an item due now; says whether it was scheduled. */
  hurry(item: Item): boolean;
}

export interface SchedulerParts<Item> {
  readonly clock: Clock;
  /** Below 0 where `a` goes before `b` although both are due at the same time. */
  order(a: Item, b: Item): number;
  act(item: Item): Promise<void>;
  /** Waits for the end of one before the next begins. */
  readonly isSequential: boolean;
}

interface Entry<Item> {
  readonly due: number;
  readonly item: Item;
}

/** Acts on items when they are due, in the same order in every runtime; what is due now begins with the clock's next step. */
export function createScheduler<Item>(parts: SchedulerParts<Item>): Scheduler<Item> {
  return new ClockScheduler(parts);
}

class ClockScheduler<Item> implements Scheduler<Item> {
  readonly #parts: SchedulerParts<Item>;
  readonly #entries: Entry<Item>[] = [];
  /** The entry that the clock waits for. */
  #next: Entry<Item> | undefined;
  #wait = new AbortController();
  #isBusy = false;

  constructor(parts: SchedulerParts<Item>) {
    this.#parts = parts;
  }

  add(due: number, item: Item): void {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#entries[middle]!;
      const isBefore =
        due < other.due || (due === other.due && this.#parts.order(item, other.item) < 0);
      if (isBefore) high = middle;
      else low = middle + 1;
    }
    this.#entries.splice(low, 0, { due, item });
    this.#waitForFirst();
  }

  hurry(item: Item): boolean {
    const position = this.#entries.findIndex((entry) => entry.item === item);
    if (position < 0) return false;
    this.#entries.splice(position, 1);
    this.add(this.#parts.clock.monotonic(), item);
    return true;
  }

  #waitForFirst(): void {
    const { clock } = this.#parts;
    const [first] = this.#entries;
    if (this.#isBusy || first === this.#next) return;
    this.#next = first;
    this.#wait.abort();
    this.#wait = new AbortController();
    if (!first) return;
    const { signal } = this.#wait;
    void clock.wait(first.due - clock.monotonic(), signal).then(() => {
      if (!signal.aborted) void this.#runDue();
    });
  }

  async #runDue(): Promise<void> {
    const { clock, act, isSequential } = this.#parts;
    this.#isBusy = true;
    while (this.#entries[0] && this.#entries[0].due <= clock.monotonic()) {
      const done = act(this.#entries.shift()!.item);
      if (isSequential) await done;
    }
    this.#isBusy = false;
    this.#next = undefined;
    this.#waitForFirst();
  }
}
