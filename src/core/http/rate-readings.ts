import { type Connection, internals } from './connection.ts';
import type { Bucket } from './endpoint.ts';
import { getOrMake, getLimiter, logNamed, countPlaces } from './rate-limiter.ts';
import { partIn, type RateLog, sentIn } from './rate-limits.ts';

// Watches and feeds need these readings of the rate limits, but calls don't, so they're loaded
// along with the watches.

const SHORTEST_PERIOD_MS = 2_000;
/** Fraction of the limit that a regular poll uses. */
const POLL_PART = 0.3;

/** Returns the base period for polling: 2 s in production, 5.7 s in the test environment. */
export function basePeriod(connection: Connection): number {
  const { settings } = connection[internals];
  const { limit, window } = settings.rateLimits.others;
  return Math.max(SHORTEST_PERIOD_MS, window / (POLL_PART * limit * settings.rateLimitShare));
}

/** A hub's seat among all hubs of the process. They share the slots left for watching. */
export interface HubSeat {
  /** Requests the hub would like to send per window. */
  wants: number;
  /** When the seat was last renewed, monotonic. */
  renewedAt: number;
}

/** How long a seat lasts without renewal. It lapses because a Worker's request may have ended. */
const SEAT_MS = 3_000;

/** Seats, by the counts of the process. */
const SEATS: WeakMap<object, Set<HubSeat>> = /* @__PURE__ */ new WeakMap();

/**
 * Takes or renews a hub's seat. Returns the hub's share of all hubs' requests, and the number of
 * hubs.
 */
export function renewSeat(
  connection: Connection,
  seat: HubSeat,
): { readonly part: number; readonly hubs: number } {
  const { together } = getLimiter(connection);
  const now = connection[internals].clock.monotonic();
  const seats = getOrMake(SEATS, together, () => new Set<HubSeat>());
  seat.renewedAt = now;
  seats.add(seat);
  for (const one of seats) if (now - one.renewedAt > SEAT_MS) seats.delete(one);
  together.heldUntil = now + SEAT_MS;
  const all = [...seats].reduce((sum, { wants }) => sum + wants, 0);
  return { part: seat.wants / all, hubs: seats.size };
}

/** Gives up a hub's seat. */
export function leaveSeat(connection: Connection, seat: HubSeat): void {
  const { together } = getLimiter(connection);
  const seats = SEATS.get(together);
  seats?.delete(seat);
  if (!seats?.size) together.heldUntil = 0;
}

/** Returns the requests sent since a time by all clients of the process, except those of hubs. */
function ownSince(connection: Connection, bucket: Bucket, since: number): number {
  const { logs } = getLimiter(connection).together;
  const count = (priority: 'normal' | '') =>
    countSent(connection, bucket, priority, logs).filter((at) => at > since).length;
  return count('') - count('normal');
}

/**
 * Returns when this client sent its requests in the last window, oldest first, for one priority or
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
 * Returns how many requests this client may send in a window now, regardless of priority. Less than
 * its share if others have used slots.
 */
export function remaining(connection: Connection, bucket: Bucket): number {
  const { rateLimitShare } = connection[internals].settings;
  const { places, window } = countPlaces(connection, bucket, 'critical');
  const now = connection[internals].clock.monotonic();
  const part = partIn(logNamed(getLimiter(connection).together.logs, bucket), now);
  const own = countSent(connection, bucket).length - countSent(connection, bucket, 'normal').length;
  const others = ownSince(connection, bucket, now - window) - own;
  return Math.max(0, Math.min(places * part, (places * part) / rateLimitShare - others));
}
