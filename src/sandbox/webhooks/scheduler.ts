import type { Clock } from '../../core/time.ts';

/** Items, each with the time at which it is due. */
export interface Scheduler<Item> {
  /** Schedules an item for a time of the clock's `monotonic`. */
  add(due: number, item: Item): void;
  /** Makes an item due now, if it is scheduled at all. */
  hurry(item: Item): void;
}

interface SchedulerParts<Item> {
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

/**
 * Acts on items when they are due, in the same order in every runtime; what is due now begins with
 * the clock's next step.
 */
export function createScheduler<Item>({
  clock,
  order,
  act,
  isSequential,
}: SchedulerParts<Item>): Scheduler<Item> {
  const entries: Entry<Item>[] = [];
  let next: Entry<Item> | undefined;
  let wait = new AbortController();
  let isBusy = false;

  function waitForFirst(): void {
    if (isBusy || entries[0] === next) return;
    next = entries[0];
    wait.abort();
    wait = new AbortController();
    const { signal } = wait;
    if (!next) return;
    const waited = clock.wait(next.due - clock.monotonic(), signal);
    void waited.then(() => (signal.aborted ? undefined : runDue()));
  }

  async function runDue(): Promise<void> {
    isBusy = true;
    while (entries[0] && entries[0].due <= clock.monotonic()) {
      const done = act(entries.shift()!.item);
      if (isSequential) await done;
    }
    isBusy = false;
    next = undefined;
    waitForFirst();
  }

  function add(due: number, item: Item): void {
    insert(entries, { due, item }, order);
    waitForFirst();
  }

  return {
    add,
    hurry(item) {
      if (remove(entries, item)) add(clock.monotonic(), item);
    },
  };
}

/** Puts an entry where it belongs among others that ascend. */
function insert<Item>(
  entries: Entry<Item>[],
  entry: Entry<Item>,
  order: SchedulerParts<Item>['order'],
): void {
  const { due, item } = entry;
  const before = entries.findLastIndex(
    (other) => other.due < due || (other.due === due && order(item, other.item) >= 0),
  );
  entries.splice(before + 1, 0, entry);
}

/** Removes an item; says whether it was there. */
function remove<Item>(entries: Entry<Item>[], item: Item): boolean {
  const position = entries.findIndex((entry) => entry.item === item);
  if (position >= 0) entries.splice(position, 1);
  return position >= 0;
}
