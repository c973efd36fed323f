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
export function createScheduler<Item>({
  clock,
  order,
  act,
  isSequential: oneByOne,
}: SchedulerParts<Item>): Scheduler<Item> {
  const entries: Entry<Item>[] = [];
  let sleep = new AbortController();
  let next: Entry<Item> | undefined;
  let busy = false;

  function add(due: number, item: Item): void {
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = entries[middle]!;
      if (due < other.due || (due === other.due && order(item, other.item) < 0)) high = middle;
      else low = middle + 1;
    }
    entries.splice(low, 0, { due, item });
    arm();
  }

  function arm(): void {
    if (busy || entries[0] === next) return;
    next = entries[0];
    sleep.abort();
    sleep = new AbortController();
    if (!next) return;
    const { signal } = sleep;
    void clock.wait(next.due - clock.monotonic(), signal).then(() => {
      if (!signal.aborted) void work();
    });
  }

  async function work(): Promise<void> {
    busy = true;
    while (entries[0] && entries[0].due <= clock.monotonic()) {
      const done = act(entries.shift()!.item);
      if (oneByOne) await done;
    }
    busy = false;
    next = undefined;
    arm();
  }

  return {
    add,
    hurry(item) {
      const position = entries.findIndex((entry) => entry.item === item);
      if (position < 0) return false;
      entries.splice(position, 1);
      add(clock.monotonic(), item);
      return true;
    },
  };
}
