import { createTimers } from './timers.ts';

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
