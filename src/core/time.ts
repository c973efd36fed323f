/** The clock used by all other code, so tests can replace time. */
export interface Clock {
  /** Returns milliseconds since 1970 by this machine's wall clock. */
  now(): number;
  /** Returns milliseconds that never jump or run backwards. */
  monotonic(): number;
  /** Calls `ring` after `ms`. Returns a function that cancels it. */
  after(ms: number, ring: () => void): () => void;
  /**
   * Resolves after `ms`, or immediately when `signal` aborts, which frees the timer. Never rejects.
   */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Registers work that the clock can't see (crypto, storage, a body). Virtual time stands still
   * until it ends.
   */
  external<T>(work: Promise<T>): Promise<T>;
  /**
   * Registers work that the client's user waits for. Implemented by a sandbox, whose virtual time
   * advances on its own during such work. `what` describes the work in an error.
   */
  countWait?<T>(work: Promise<T>, what: string): Promise<T>;
}

/** Registers work that the user waits for, if the clock advances on its own. */
export function countWait<T>(clock: Clock, work: Promise<T>, what: string): Promise<T> {
  return clock.countWait ? clock.countWait(work, what) : work;
}

/** Longest timer delay in milliseconds. Runtimes fire longer timers immediately. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** The machine's clock. Only reads globals when it's called, so importing has no side effects. */
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
 * Resolves to the result of the work, or to `undefined` if it takes longer. It continues in that
 * case.
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

/** Returns a function that runs tasks one after the other, even after a failure. */
export function takeTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
}

/** Shares one run of `work` among all callers. If it fails, the next call tries again. */
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

/** A timer on a clock. Times are monotonic milliseconds. `Infinity` means never. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #cancel: (() => void) | undefined;
  #at: number = Infinity;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Rings at `at`, or earlier if an earlier time is already set. */
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
 * Calls `listener` when the signal aborts. Returns a function that removes it. All listeners of a
 * signal share one event listener, because Node 20 warns from the eleventh on. Listeners must not
 * throw.
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

/** 100-nanosecond ticks since 1970. The service prints up to seven fraction digits. */
export type Ticks = bigint;

export const TICKS_PER_SECOND = 10_000_000n;

/**
 * Parses an ISO 8601 date-time with offset. Exact except for digits after the seventh, because the
 * service stores seven.
 */
export function parseTicks(text: string): Ticks | undefined {
  const form =
    /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d):([0-5]\d|60)(?:\.(\d{1,18}))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
  const [, day = '', hour, second, fraction = '', zone = ''] = form.exec(text) ?? [];
  if (!new Date(day).toJSON()?.startsWith(day)) return undefined; // not a date in the calendar
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

/** Parses a whole number of minutes, such as `60 min`. */
export function minutesIn(text: string): number | undefined {
  const [, digits] = /^(\d{1,6}) min$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
