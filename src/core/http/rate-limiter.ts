import { type Connection, internals, type Priority, stateOf } from './connection.ts';
import type { Bucket } from './endpoint.ts';

interface Sending {
  readonly at: number;
  readonly priority: Priority;
}

/** What is known of one bucket: numbers and times only, so that no request can poison the next. */
interface BucketLog {
  readonly sent: Sending[];
  blockedUntil: number;
  /** Part of the share that was left when the last block began. */
  damped: number;
}

/** What is kept for all buckets, and the listeners for changes. */
interface RateLimiterState {
  readonly logs: Map<Bucket, BucketLog>;
  readonly listeners: Set<() => void>;
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

/**
 * After a block half of the share is left, for others use this address too; each quiet ten minutes
 * give a tenth of the whole back.
 */
const QUIET = 600_000;

// Requests are counted against the published limits, by a log of sending times that slides.

/** What a client and its children share. */
export function limiterOf(connection: Connection): RateLimiterState {
  return stateOf(connection, 'core.rate-limiter', () => ({
    logs: new Map(),
    listeners: new Set(),
  }));
}

/** How long a request counts, milliseconds. */
export function windowOf(connection: Connection, bucket: Bucket): number {
  return connection[internals].settings.rateLimits[bucket].window * MARGIN;
}

function nowOf(connection: Connection): number {
  return connection[internals].clock.monotonic();
}

function logOf(connection: Connection, bucket: Bucket, now: number = nowOf(connection)): BucketLog {
  const { logs } = limiterOf(connection);
  let log = logs.get(bucket);
  if (!log) logs.set(bucket, (log = { sent: [], blockedUntil: -Infinity, damped: 1 }));
  const { sent } = log;
  const start = now - windowOf(connection, bucket);
  while (sent[0] && sent[0].at <= start) sent.shift();
  return log;
}

/** Part of the share that may be used now. */
function partOf({ damped, blockedUntil }: BucketLog, now: number): number {
  return damped === 1
    ? 1
    : Math.min(1, damped + Math.max(0, Math.floor((now - blockedUntil) / QUIET)) / 10);
}

function placesIn(connection: Connection, bucket: Bucket, log: BucketLog, now: number): number {
  const { rateLimits, rateLimitShare } = connection[internals].settings;
  return rateLimits[bucket].limit * rateLimitShare * partOf(log, now);
}

function tell(connection: Connection): void {
  for (const listener of limiterOf(connection).listeners) listener();
}

/** Milliseconds until a request of this bucket and priority may leave; 0 means now. */
export function delayFor(connection: Connection, bucket: Bucket, priority: Priority): number {
  const now = nowOf(connection);
  const log = logOf(connection, bucket, now);
  const { sent, blockedUntil } = log;
  if (now < blockedUntil) return blockedUntil - now;
  const places = Math.floor(placesIn(connection, bucket, log, now) * (1 - RESERVE[priority]));
  const oldest = sent[sent.length - Math.max(1, places)];
  return oldest ? Math.max(1, oldest.at + windowOf(connection, bucket) - now) : 0;
}

/** Notes that a request leaves now. */
export function acquire(connection: Connection, bucket: Bucket, priority: Priority): void {
  const at = nowOf(connection);
  logOf(connection, bucket, at).sent.push({ at, priority });
  tell(connection);
}

/** Remembers that the service refuses this bucket for `ms`. */
export function block(connection: Connection, bucket: Bucket, ms: number): void {
  const now = nowOf(connection);
  const log = logOf(connection, bucket, now);
  if (now >= log.blockedUntil) log.damped = partOf(log, now) / 2; // those under way hear of the same block
  log.blockedUntil = Math.max(log.blockedUntil, now + ms);
  tell(connection);
}

/** Milliseconds that the bucket is still blocked. */
export function blockedFor(connection: Connection, bucket: Bucket): number {
  return Math.max(0, logOf(connection, bucket).blockedUntil - nowOf(connection));
}

/** The requests of the last window, the oldest first. */
export function sentOf(connection: Connection, bucket: Bucket): readonly Sending[] {
  return logOf(connection, bucket).sent;
}

/** Requests that may leave in a window now, priorities aside. */
export function remaining(connection: Connection, bucket: Bucket): number {
  const now = nowOf(connection);
  return placesIn(connection, bucket, logOf(connection, bucket, now), now);
}
