import {
  type Connection,
  internals,
  type QueuePlace,
  type Priority,
  type RateLimitStore,
  stateOf,
} from './connection.ts';
import type { Bucket } from './endpoint.ts';
import {
  blockIn,
  delayIn,
  newRateLog,
  partIn,
  type RateLog,
  type RatePlaces,
  sentIn,
} from './rate-log.ts';

/** What a client and its children share. */
interface RateLimiterState {
  /** Counts of this process, by bucket, and for watches by bucket and priority. */
  readonly logs: Map<string, RateLog>;
  readonly listeners: Set<() => void>;
  /** How far wall time has run ahead of monotonic time at most, as in a sleep; milliseconds. */
  slept: number;
  /** Counts of all who use it. */
  store: RateLimitStore | undefined;
}

/** Part of a limit that a priority leaves to those before it. */
export const RESERVE: Readonly<Record<Priority, number>> = {
  critical: 0,
  high: 0.05,
  normal: 0.1,
  low: 0.2,
};

/** The service counts by its own clock, so each window is kept a little longer. */
const MARGIN = 1.05;

// Requests are counted against the published limits, by a log of sending times that slides.

/** What a client and its children share. */
export function limiterOf(connection: Connection): RateLimiterState {
  return stateOf(connection, 'core.rate-limiter', () => ({
    logs: new Map(),
    listeners: new Set(),
    slept: sleepOf(connection),
    store: connection[internals].settings.rateLimitStore,
  }));
}

/** Counts in a store from now on, where the client has none of its own. */
export function useRateLimitStore(connection: Connection, store: RateLimitStore): void {
  limiterOf(connection).store ??= store;
}

/** The places of a priority in a bucket. */
export function placesOf(connection: Connection, bucket: Bucket, priority: Priority): RatePlaces {
  const { rateLimits, rateLimitShare } = connection[internals].settings;
  const { limit, window } = rateLimits[bucket];
  return { places: limit * rateLimitShare * (1 - RESERVE[priority]), window: window * MARGIN };
}

/**
 * Monotonic time, with the sleep of a machine whose monotonic clock stands still meanwhile: windows
 * and blocks pass in a sleep too.
 */
export function nowOf(connection: Connection): number {
  const limiter = limiterOf(connection);
  limiter.slept = Math.max(limiter.slept, sleepOf(connection));
  return connection[internals].clock.monotonic() + limiter.slept;
}

function sleepOf(connection: Connection): number {
  const { clock } = connection[internals];
  return clock.now() - clock.monotonic();
}

function logOf(connection: Connection, name: string): RateLog {
  const { logs } = limiterOf(connection);
  let log = logs.get(name);
  if (!log) logs.set(name, (log = newRateLog()));
  return log;
}

function tell(connection: Connection): void {
  for (const listener of limiterOf(connection).listeners) listener();
}

/** Milliseconds until a request of this bucket and priority may leave; 0 means now. */
export function delayFor(connection: Connection, bucket: Bucket, priority: Priority): number {
  const places = placesOf(connection, bucket, priority);
  return delayIn(logOf(connection, bucket), nowOf(connection), places);
}

/** Takes a place where there is one: in the store, or without one by the count of this process. */
export function takePlace(
  connection: Connection,
  bucket: Bucket,
  priority: Priority,
  signal?: AbortSignal,
  store: RateLimitStore | null | undefined = limiterOf(connection).store,
): QueuePlace | Promise<QueuePlace> {
  const delay = delayFor(connection, bucket, priority);
  if (delay > 0) return { delay, cause: blockedFor(connection, bucket) ? 'block' : 'limit' };
  if (store) return store[internals].take(connection, bucket, priority, signal);
  count(connection, bucket, priority);
  return { delay, cause: 'limit' };
}

/** Notes that a request leaves now. */
export function count(connection: Connection, bucket: Bucket, priority: Priority): void {
  for (const one of ['', priority] as const)
    sentOf(connection, bucket, one).push(nowOf(connection));
  tell(connection);
}

/** Remembers that the service refuses this bucket for `ms`, also in the store. */
export function block(
  connection: Connection,
  bucket: Bucket,
  ms: number,
  store: RateLimitStore | null | undefined = limiterOf(connection).store,
): Promise<void> | undefined {
  blockIn(logOf(connection, bucket), nowOf(connection), ms);
  tell(connection);
  return store?.[internals].block(connection, bucket, ms);
}

/** Milliseconds that the bucket is still blocked. */
export function blockedFor(connection: Connection, bucket: Bucket): number {
  return Math.max(0, logOf(connection, bucket).blockedUntil - nowOf(connection));
}

/** When this process sent in the last window, the oldest first; of one priority, or all. */
export function sentOf(
  connection: Connection,
  bucket: Bucket,
  priority: Priority | '' = '',
): number[] {
  const { window } = placesOf(connection, bucket, 'critical');
  return sentIn(logOf(connection, bucket + priority), nowOf(connection), window);
}

/** Requests that may leave in a window now, priorities aside. */
export function remaining(connection: Connection, bucket: Bucket): number {
  const { places } = placesOf(connection, bucket, 'critical');
  return places * partIn(logOf(connection, bucket), nowOf(connection));
}
