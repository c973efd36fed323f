import { type Connection, internals } from './connection.ts';
import type { Bucket } from './endpoint.ts';
import { getLimiter, logNamed, countPlaces } from './rate-limiter.ts';
import { partIn, type RateLog, sentIn } from './rate-limits.ts';

// Watches and feeds need these readings of the rate limits, and calls don't. So they're loaded with
// the watches.

const SHORTEST_PERIOD_MS = 2_000;
/** The part of the limit that one regular poll takes. */
const POLL_PART = 0.3;

/** Returns the base period of polls: 2 s in production, 5.7 s in the test environment. */
export function basePeriod(connection: Connection): number {
  const { settings } = connection[internals];
  const { limit, window } = settings.rateLimits.others;
  return Math.max(SHORTEST_PERIOD_MS, window / (POLL_PART * limit * settings.rateLimitShare));
}

/** Reserves places for a hub. Returns a function that releases them. */
export function holdPlaces(connection: Connection): () => void {
  const { together } = getLimiter(connection);
  together.hubs++;
  return () => void together.hubs--;
}

/**
 * Returns when this client alone sent requests in the last window, oldest first, of one priority or
 * all.
 */
export function countSent(
  connection: Connection,
  bucket: Bucket,
  priority: 'normal' | '' = '',
  logs: Map<string, RateLog> = getLimiter(connection).logs,
): number[] {
  const { window } = countPlaces(connection, bucket, 'critical');
  const log = logNamed(logs, bucket + priority);
  return sentIn(log, connection[internals].clock.monotonic(), window);
}

/**
 * Returns how many requests this client may send in a window now, regardless of priority. It's less
 * than its share if others have used places.
 */
export function remaining(connection: Connection, bucket: Bucket): number {
  const { rateLimitShare } = connection[internals].settings;
  const { places, window } = countPlaces(connection, bucket, 'critical');
  const now = connection[internals].clock.monotonic();
  const log = logNamed(getLimiter(connection).together.logs, bucket);
  const part = partIn(log, now);
  const others = sentIn(log, now, window).length - countSent(connection, bucket).length;
  return Math.max(0, Math.min(places * part, (places * part) / rateLimitShare - others));
}
