import type { Clock } from '../time.ts';
import {
  type Connection,
  internals,
  type Priority,
  type RateLimitStore,
  type Slot,
  slotState,
} from './connection.ts';
import type { Bucket } from './endpoint.ts';
import {
  blockIn,
  heldIn,
  newRateLog,
  partIn,
  placeIn,
  type QueuePlace,
  type RateLog,
  type RatePlaces,
  sentIn,
} from './rate-limits.ts';

interface RateLimiterState {
  /**
   * This client's request logs by bucket. Requests from watches and feeds are also logged by bucket
   * and priority.
   */
  readonly logs: Map<string, RateLog>;
  readonly together: ProcessCounts;
  store: RateLimitStore | undefined;
}

/** Fraction of a rate limit that requests of each priority must leave for higher priorities. */
export const RESERVE: Readonly<Record<Priority, number>> = {
  critical: 0,
  high: 0.05,
  normal: 0.1,
  low: 0.2,
};

/** Factor for lengthening windows, because the service counts by its own clock. */
const WINDOW_MARGIN = 1.05;
/**
 * Period in which this process's clients can together send at least two requests for their watches,
 * no matter how many other calls they make. That's enough for one poll of the event feed and one
 * read.
 */
const HUB_PAIR_MS = 18_000;
/** Key for the log of requests sent for watches. */
const OF_HUBS = 'othersnormal';
/** Maximum fraction of the rate limit that is reserved for watches. */
const MAX_RESERVED_PART = 0.5;
/** Interval between reads that check whether a block has ended. */
const PROBE_AGAIN_MS = 60_000;
/** How long other requests wait while one read checks whether a block has ended. */
const PROBE_WAIT_MS = 1_000;

// Requests are counted against the published limits with a sliding log. It uses the monotonic
// clock, so setting the wall clock doesn't allow more requests.

const LIMITER: Slot<RateLimiterState> = {
  name: 'core.rate-limiter',
  make: (connection) => ({
    logs: new Map(),
    together: processCounts(connection),
    store: connection[internals].settings.rateLimitStore,
  }),
};

export function getLimiter(connection: Connection): RateLimiterState {
  return slotState(connection, LIMITER);
}

export function useRateLimitStore(connection: Connection, store: RateLimitStore): void {
  getLimiter(connection).store ??= store;
}

export function countPlaces(
  connection: Connection,
  bucket: Bucket,
  priority: Priority,
): RatePlaces {
  const { rateLimits, rateLimitShare } = connection[internals].settings;
  const { limit, window } = rateLimits[bucket];
  return {
    places: limit * rateLimitShare * (1 - RESERVE[priority]),
    window: window * WINDOW_MARGIN,
  };
}

/**
 * Returns how many requests of a given priority may currently be sent per window. Only requests
 * that move money may use the part of the limit that is reserved for watches. `part` is the usable
 * fraction of the remaining limit.
 */
export function placesNow(
  connection: Connection,
  bucket: Bucket,
  priority: Priority,
  part: number = 1,
  now: number = readNow(connection),
): RatePlaces {
  const { together } = getLimiter(connection);
  const { places: all, window } = countPlaces(connection, bucket, priority);
  const usual = { places: all * part, window };
  if (priority === 'critical' || bucket !== 'others' || now >= together.heldUntil) return usual;
  const { places: most } = countPlaces(connection, bucket, 'high');
  if (priority === 'normal')
    return promisedIn(together, now) > 0 ? usual : { places: most, window };
  const held = heldIn(logNamed(together.logs, OF_HUBS), now, window, HUB_PAIR_MS / 2);
  const free = Math.max(most - held, most * MAX_RESERVED_PART);
  return { places: Math.min(all, free) * part, window };
}

/**
 * Returns the milliseconds until a request for a watch takes precedence over other requests.
 * Returns `NaN` if fewer than two such requests have been sent.
 */
function promisedIn({ logs }: ProcessCounts, now: number): number {
  return logNamed(logs, OF_HUBS).sent.at(-2)! + HUB_PAIR_MS - now;
}

function readNow(connection: Connection): number {
  return connection[internals].clock.monotonic();
}

function notifyListeners(connection: Connection): void {
  for (const listener of getLimiter(connection).together.listeners) listener();
}

/**
 * Returns the milliseconds until both the process and the client may send a request, ignoring
 * blocks.
 */
function freeIn(connection: Connection, bucket: Bucket, priority: Priority, now: number): number {
  const { logs, together } = getLimiter(connection);
  const { rateLimitShare } = connection[internals].settings;
  const all = logNamed(together.logs, bucket);
  const { places, window } = placesNow(connection, bucket, priority, partIn(all, now), now);
  const own = placeIn(logNamed(logs, bucket), now, { places, window });
  const delay = Math.max(own, placeIn(all, now, { places: places / rateLimitShare, window }));
  if (priority !== 'normal' || bucket !== 'others' || now >= together.heldUntil) return delay;
  const promised = promisedIn(together, now);
  return promised > 0 ? Math.min(delay, promised) : delay;
}

/**
 * Takes a slot in the rate limit if one is free, according to the store or the process's own
 * counts. With `isRead`, the request may be used to check whether a block has ended.
 */
export function takePlace(
  connection: Connection,
  bucket: Bucket,
  priority: Priority,
  isRead: boolean,
  signal: AbortSignal | undefined,
): QueuePlace | Promise<QueuePlace> {
  const { store, together } = getLimiter(connection);
  const place = placeHere(connection, bucket, priority, isRead);
  if (place.delay > 0) return place;
  const block = place.isProbe ? together.blocks.get(bucket) : undefined;
  if (block) block.probeAt = readNow(connection) + PROBE_AGAIN_MS;
  if (store && !place.isProbe) return store[internals].take(connection, bucket, priority, signal);
  count(connection, bucket, priority);
  return place;
}

/**
 * Checks whether a pair of requests may start without the second one having to wait. Returns 0, or
 * the milliseconds to wait. Each of the two requests still takes its own slot.
 */
export function beginPair(connection: Connection, bucket: Bucket): number {
  const now = readNow(connection);
  const { places, window } = countPlaces(connection, bucket, 'high');
  const log = logNamed(getLimiter(connection).together.logs, `${bucket}pairs`);
  const delay = placeIn(log, now, { places: places / 2, window });
  if (delay === 0) log.sent.push(now);
  return delay;
}

/**
 * Returns the wait for the rate limit and its cause, according to the process's own counts. Doesn't
 * take a slot.
 */
export function placeHere(
  connection: Connection,
  bucket: Bucket,
  priority: Priority,
  isRead: boolean = false,
): QueuePlace {
  const now = readNow(connection);
  const left = logNamed(getLimiter(connection).together.logs, bucket).blockedUntil - now;
  const blocked = isRead ? blockedFor(connection, bucket) : Math.max(0, left);
  const delay = blocked || freeIn(connection, bucket, priority, now);
  return { delay, cause: blocked ? 'block' : 'limit', isProbe: delay === 0 && left > 0 };
}

export function count(connection: Connection, bucket: Bucket, priority: Priority): void {
  const { logs, together } = getLimiter(connection);
  const now = readNow(connection);
  const { window } = countPlaces(connection, bucket, 'critical');
  for (const all of [logs, together.logs]) {
    sentIn(logNamed(all, bucket), now, window).push(now);
    if (priority === 'normal') sentIn(logNamed(all, bucket + priority), now, window).push(now);
  }
  notifyListeners(connection);
}

export function block(
  connection: Connection,
  bucket: Bucket,
  ms: number,
): Promise<void> | undefined {
  blockHere(connection, bucket, ms);
  return getLimiter(connection).store?.[internals].block(connection, bucket, ms);
}

export function blockHere(connection: Connection, bucket: Bucket, ms: number): void {
  const { blocks, logs } = getLimiter(connection).together;
  const { until: before = 0, probeAt = 0 } = blocks.get(bucket) ?? {};
  const until = Math.max(before, connection[internals].clock.now() + ms);
  blocks.set(bucket, { until, probeAt });
  blockIn(logNamed(logs, bucket), readNow(connection), ms);
  notifyListeners(connection);
}

/** Ends a block after the service has responded to a request again. */
export function endBlock(connection: Connection, bucket: Bucket): void {
  const { blocks, logs } = getLimiter(connection).together;
  blocks.delete(bucket);
  logNamed(logs, bucket).blockedUntil = readNow(connection);
  notifyListeners(connection);
}

/**
 * Returns the milliseconds until a block ends. The monotonic clock may stop during sleep, so if the
 * block has already ended by the wall clock, one read per minute may check whether it really has.
 */
export function blockedFor(connection: Connection, bucket: Bucket): number {
  const { blocks, logs } = getLimiter(connection).together;
  const now = readNow(connection);
  const left = Math.max(0, logNamed(logs, bucket).blockedUntil - now);
  const block = blocks.get(bucket);
  if (left === 0 || !block) return left;
  const wallLeft = block.until - connection[internals].clock.now();
  return Math.min(left, Math.max(0, wallLeft, Math.min(PROBE_WAIT_MS, block.probeAt - now)));
}

interface WallBlock {
  readonly until: number;
  /**
   * When a read may next check whether the block has ended, in milliseconds on the monotonic clock.
   */
  probeAt: number;
}

interface ProcessCounts {
  readonly logs: Map<string, RateLog>;
  readonly blocks: Map<string, WallBlock>;
  readonly listeners: Set<() => void>;
  /** When the reservation for watches ends, in milliseconds on the monotonic clock. */
  heldUntil: number;
}

type ByOrigin = Map<string, ProcessCounts>;

/** Request counts of the process, by `fetch`, clock and origin. */
const countsByFetch: WeakMap<object, WeakMap<Clock, ByOrigin>> = /* @__PURE__ */ new WeakMap();

/**
 * Returns the counts shared by all clients with the same origin, `fetch` and clock. They send from
 * the same IP address, and the service counts requests by IP address.
 */
function processCounts(connection: Connection): ProcessCounts {
  const { baseUrl, clock, sender } = connection[internals];
  const byClock = getOrMake(countsByFetch, sender, () => new WeakMap<Clock, ByOrigin>());
  const byOrigin = getOrMake(byClock, clock, (): ByOrigin => new Map());
  let origin = '';
  try {
    ({ origin } = new URL(baseUrl()));
  } catch {
    // A relative URL outside a page can't be used for requests.
  }
  return getOrMake(byOrigin, origin, () => ({
    logs: new Map(),
    blocks: new Map(),
    listeners: new Set(),
    heldUntil: 0,
  }));
}

interface Keyed<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

export function getOrMake<Key, Value>(map: Keyed<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = make();
  map.set(key, value);
  return value;
}

export function logNamed(logs: Map<string, RateLog>, name: string): RateLog {
  return getOrMake(logs, name, newRateLog);
}
