import { type Connection, internals } from './connection.ts';
import type { Bucket } from './endpoint.ts';
import { getOrMake, getLimiter, logNamed, countPlaces } from './rate-limiter.ts';
import { partIn, type RateLog, sentIn } from './rate-limits.ts';

// Rate limiter functions that only watches and feeds use. They're in a separate file, so code
// without watches doesn't load them.

const SHORTEST_PERIOD_MS = 2_000;
/** Fraction of the rate limit used by polling at the base interval. */
const POLL_PART = 0.3;

/**
 * Returns the base polling interval in milliseconds. It's 2 seconds in production and 5.7 seconds
 * in the test environment.
 */
export function basePeriod(connection: Connection): number {
  const { settings } = connection[internals];
  const { limit, window } = settings.rateLimits.others;
  return Math.max(SHORTEST_PERIOD_MS, window / (POLL_PART * limit * settings.rateLimitShare));
}

/**
 * The registration of a client's poller, which sends the requests for the client's watches. All
 * pollers of the process share the requests available for watches.
 */
export interface HubSeat {
  /** Number of requests that the poller needs per window. */
  wants: number;
  /** When the registration was last renewed, in milliseconds on the monotonic clock. */
  renewedAt: number;
}

/**
 * Time after which a registration expires unless it's renewed. In a Worker, a poller may stop
 * without notice when its request ends.
 */
const SEAT_MS = 3_000;

/** Poller registrations, keyed by their process's request counts. */
const SEATS: WeakMap<object, Set<HubSeat>> = /* @__PURE__ */ new WeakMap();

/**
 * Registers a poller, or renews its registration. Returns the poller's share of the requests
 * available for watches, and the number of pollers.
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

/**
 * Returns how many requests this process's clients have sent since a given time, excluding requests
 * for watches.
 */
function ownSince(connection: Connection, bucket: Bucket, since: number): number {
  const { logs } = getLimiter(connection).together;
  const count = (priority: 'normal' | '') =>
    countSent(connection, bucket, priority, logs).filter((at) => at > since).length;
  return count('') - count('normal');
}

/**
 * Returns the times of this client's requests in the last window, oldest first. The result can be
 * limited to `normal`-priority requests.
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
 * Returns how many requests this client may currently send per window, regardless of priority. The
 * number is reduced if other clients in the process have sent requests.
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
