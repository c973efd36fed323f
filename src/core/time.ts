/** The source of time for all other code. Tests can replace it. */
export interface Clock {
  /** Returns the wall-clock time in milliseconds since 1970. */
  now(): number;
  /**
   * Returns the time on the monotonic clock in milliseconds, which never jumps or runs backward.
   */
  monotonic(): number;
  /** Calls `ring` after `ms` milliseconds. Returns a function that cancels the timer. */
  after(ms: number, ring: () => void): () => void;
  /**
   * Resolves after `ms` milliseconds, or as soon as `signal` aborts, which also frees the timer.
   * Never rejects.
   */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Registers asynchronous work that doesn't use the clock, such as crypto, storage or reading a
   * body. A virtual clock stops until the work has finished.
   */
  external<T>(work: Promise<T>): Promise<T>;
  /**
   * Registers work that the caller is waiting for. Only a sandbox implements this. Its virtual
   * clock advances automatically during such work. `what` describes the work in error messages.
   */
  countWait?<T>(work: Promise<T>, what: string): Promise<T>;
}

/** Registers work that the caller is waiting for, if the clock advances automatically. */
export function countWait<T>(clock: Clock, work: Promise<T>, what: string): Promise<T> {
  return clock.countWait ? clock.countWait(work, what) : work;
}

/** Longest delay of `setTimeout`. Runtimes fire timers with a longer delay immediately. */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * The system's clock. It reads globals only when called, so importing this file has no side
 * effects.
 */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  external: (work) => work,
  after(ms, ring) {
    const timer = setTimeout(ring, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
  wait: (ms, signal) => waitOn(systemClock, ms, signal),
};

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

/**
 * Resolves to the result of `work`, or to `undefined` if it takes longer than `ms` milliseconds.
 * The work itself isn't cancelled.
 */
export function within<T>(
  { after }: Pick<Clock, 'after'>,
  ms: number,
  work: Promise<T>,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = after(ms, () => resolve(undefined));
    work.finally(stop).then(resolve, reject);
  });
}

/**
 * Returns a function that runs tasks one after the other. A failed task doesn't stop the following
 * ones.
 */
export function takeTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
}

/**
 * Runs `work` once and shares its result among all callers. If it fails, the next call runs it
 * again.
 */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let shared: Promise<T> | undefined;
  return () => {
    if (shared) return shared;
    const run = work();
    shared = run;
    run.catch(() => {
      shared = undefined;
    });
    return run;
  };
}

/** A timer on a clock. Times are in milliseconds on the monotonic clock. `Infinity` means never. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #cancel: (() => void) | undefined;
  #at: number = Infinity;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Reschedules the alarm to `at`, unless it's already set to an earlier time. */
  byLatest(at: number): void {
    if (at < this.#at) this.set(at);
  }

  set(at: number): void {
    this.stop();
    if (at === Infinity) return;
    this.#at = at;
    this.#cancel = this.#clock.after(at - this.#clock.monotonic(), () => {
      this.#at = Infinity;
      this.#ring();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#at = Infinity;
  }
}

interface Listeners {
  readonly all: Set<() => void>;
  readonly abort: () => void;
}

const listenersOf: WeakMap<AbortSignal, Listeners> = /* @__PURE__ */ new WeakMap();

/**
 * Calls `listener` when the signal aborts. Returns a function that removes the listener. All
 * listeners of a signal share one event listener, because Node 20 prints a warning when an eleventh
 * is added. Listeners must not throw.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (!signal) return () => {};
  const { all, abort } = listenersOf.get(signal) ?? listen(signal);
  all.add(listener);
  return () => {
    if (!all.delete(listener) || all.size > 0) return;
    listenersOf.delete(signal);
    signal.removeEventListener('abort', abort);
  };
}

function listen(signal: AbortSignal): Listeners {
  const all = new Set<() => void>();
  const listeners = { all, abort: () => all.forEach((listener) => listener()) };
  listenersOf.set(signal, listeners);
  signal.addEventListener('abort', listeners.abort);
  return listeners;
}

/**
 * A time in 100-nanosecond ticks since 1970. The service's timestamps have up to seven fractional
 * digits.
 */
export type Ticks = bigint;

export const TICKS_PER_SECOND = 10_000_000n;

/**
 * Parses an ISO 8601 date-time with an offset. Ignores fractional digits after the seventh, which
 * the service doesn't store.
 */
export function parseTicks(text: string): Ticks | undefined {
  const form =
    /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d):([0-5]\d|60)(?:\.(\d{1,18}))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
  const [, day = '', hour, second, fraction = '', zone = ''] = form.exec(text) ?? [];
  // Reject dates that don't exist, such as February 30.
  if (!new Date(day).toJSON()?.startsWith(day)) return undefined;
  const minute = Date.parse(`${day}T${hour}:00${zone.toUpperCase()}`);
  return (
    BigInt(minute / 1_000 + Number(second)) * TICKS_PER_SECOND +
    BigInt(fraction.padEnd(7, '0').slice(0, 7))
  ); // second 60 is second 0 of the next minute
}

export function toSeconds(ticks: Ticks): number {
  const rest = ((ticks % TICKS_PER_SECOND) + TICKS_PER_SECOND) % TICKS_PER_SECOND;
  return Number((ticks - rest) / TICKS_PER_SECOND);
}

export function parseMillis(text: string): number | undefined {
  const ticks = parseTicks(text);
  return ticks === undefined ? undefined : Number(ticks / 10_000n);
}

export function textOfSecond(second: number): string {
  return `${new Date(second * 1_000).toISOString().slice(0, 19)}Z`;
}

/** Parses a duration in whole minutes, such as `60 min`. */
export function minutesIn(text: string): number | undefined {
  const [, digits] = /^(\d{1,6}) min$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
