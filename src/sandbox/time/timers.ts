/** One thing that is due. */
interface Timer {
  readonly at: number;
  readonly order: number;
  readonly fire: () => void;
  cancelled: boolean;
}

/** Timers by time, and in the order of setting where times are equal. */
export interface Timers {
  set(at: number, fire: () => void): Timer;
  /** The same for clocks: an endless time needs no timer, and what is returned takes it back. */
  after(at: number, ring: () => void): () => void;
  /** The one that is due first; cancelled ones are dropped on the way. */
  first(): Timer | undefined;
  /** Takes the first one out. */
  take(): Timer | undefined;
}

export function createTimers(): Timers {
  const heap: Timer[] = [];
  let orders = 0;
  const first = (): Timer | undefined => {
    while (heap[0]?.cancelled) remove(heap);
    return heap[0];
  };
  const set = (at: number, fire: () => void): Timer => {
    const timer = { at, order: orders++, fire, cancelled: false };
    insert(heap, timer);
    return timer;
  };
  return {
    first,
    set,
    after(at, ring) {
      const timer = at < Infinity ? set(at, ring) : undefined;
      return () => {
        if (timer) timer.cancelled = true;
      };
    },
    take: () => (first() ? remove(heap) : undefined),
  };
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function insert(heap: Timer[], timer: Timer): void {
  let position = heap.push(timer) - 1;
  while (position > 0) {
    const parent = (position - 1) >> 1;
    if (!isBefore(timer, heap[parent]!)) break;
    heap[position] = heap[parent]!;
    position = parent;
  }
  heap[position] = timer;
}

function remove(heap: Timer[]): Timer | undefined {
  const top = heap[0];
  const last = heap.pop();
  if (heap.length === 0 || !last) return top;
  let position = 0;
  for (;;) {
    let child = 2 * position + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
    if (!isBefore(heap[child]!, last)) break;
    heap[position] = heap[child]!;
    position = child;
  }
  heap[position] = last;
  return top;
}

/** A time at which a caller of `advance` stops. */
interface PlannedStop {
  readonly at: number;
}

/** Virtual time and what is due in it. */
export interface Timeline {
  now(): number;
  /** Calls `ring` after `ms`, unless what it returns was called before. */
  after(ms: number, ring: () => void): () => void;
  /**
   * Fires the first timer if it is due by `latest`; true also where another caller has to stop
   * before that.
   */
  fireNext(latest: number): boolean;
  /** When the first timer is due; absent where there is none. */
  nextAt(): number | undefined;
  /** No timer is set. */
  isIdle(): boolean;
  /** Time does not pass this instant before `arrive` is called for it. */
  stopAt(at: number): PlannedStop;
  arrive(stop: PlannedStop): void;
}

export function createTimeline(start: number): Timeline {
  const timers = createTimers();
  const stops = new Set<PlannedStop>();
  let now = start;
  return {
    now: () => now,
    after: (ms, ring) => timers.after(now + Math.ceil(Math.max(ms, 0) || 0), ring),
    nextAt: () => timers.first()?.at,
    isIdle: () => timers.first() === undefined,
    fireNext(latest) {
      const bound = Math.min(latest, ...Array.from(stops, (stop) => stop.at));
      const timer = timers.first();
      if (!timer || timer.at > bound) return bound < latest;
      timers.take();
      now = Math.max(now, timer.at);
      timer.fire();
      return true;
    },
    stopAt(at) {
      const stop = { at };
      stops.add(stop);
      return stop;
    },
    arrive(stop) {
      stops.delete(stop);
      now = Math.max(now, stop.at);
    },
  };
}
