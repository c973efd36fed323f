import { onAbort } from './abort.ts';

/** Time as the rest of the code sees it, so that it can be virtual in tests. */
export interface Clock {
  /** Milliseconds since 1970, as far as this machine knows. */
  now(): number;
  /** Milliseconds that never jump and never run backwards. */
  monotonic(): number;
  /** Calls `ring` after `ms`, unless what it returns was called before. */
  after(ms: number, ring: () => void): () => void;
  /**
   * Resolves after `ms`; resolves at once and frees the timer when `signal` aborts. Never rejects.
   */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Declares work outside the clock (crypto, storage, a body): virtual time stands still meanwhile.
   */
  external<T>(work: Promise<T>): Promise<T>;
}

/** Longest delay that timers of every runtime take without firing at once. */
const LONGEST_TIMER = 2_147_483_647;

/** The machine's own clock. Globals are wrapped, not held, and only touched when called. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  external: (work) => work,
  after(ms, ring) {
    const timer = setTimeout(ring, Math.min(Math.max(ms, 0), LONGEST_TIMER));
    return () => clearTimeout(timer);
  },
  wait: (ms, signal) => waitOn(systemClock, ms, signal),
};

/** A clock's `wait`, by its `after`. */
export function waitOn(
  { after }: Pick<Clock, 'after'>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      stop();
      unlisten();
      resolve();
    };
    const stop = after(ms, done);
    const unlisten = onAbort(signal, done);
  });
}
