import { type Connection, internals } from './connection.ts';
import type { Bucket } from './endpoint.ts';
import { getOrMake, getLimiter, logNamed, countPlaces } from './rate-limiter.ts';
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

/** The place of a hub among those of the process, which share the places that are left for watching. */
export interface HubSeat {
  /** Requests that the hub would send in a window. */
  wants: number;
  /** When the seat was renewed last, monotonic. */
  renewedAt: number;
}

/** A seat lapses after this time without a renewal, because a Worker's request may have ended. */
const SEAT_MS = 3_000;

/** The seats, by the counts of the process. */
const SEATS: WeakMap<object, Set<HubSeat>> = /* @__PURE__ */ new WeakMap();

/**
 * Takes a seat for a hub, or renews it. Returns the hub's part of the requests of all hubs, and the
 * number of hubs.
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

/** Gives the seat of a hub back. */
export function leaveSeat(connection: Connection, seat: HubSeat): void {
  const { together } = getLimiter(connection);
  const seats = SEATS.get(together);
  seats?.delete(seat);
  if (!seats?.size) together.heldUntil = 0;
}

/** Returns the requests of all clients of the process that are not of hubs, since a time. */
function ownSince(connection: Connection, bucket: Bucket, since: number): number {
  const { logs } = getLimiter(connection).together;
  const count = (priority: 'normal' | '') =>
    countSent(connection, bucket, priority, logs).filter((at) => at > since).length;
  return count('') - count('normal');
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
  const part = partIn(logNamed(getLimiter(connection).together.logs, bucket), now);
  const own = countSent(connection, bucket).length - countSent(connection, bucket, 'normal').length;
  const others = ownSince(connection, bucket, now - window) - own;
  return Math.max(0, Math.min(places * part, (places * part) / rateLimitShare - others));
}
