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
  /** Requests of this client by bucket. Those of watches and feeds also by bucket and priority. */
  readonly logs: Map<string, RateLog>;
  readonly together: ProcessCounts;
  store: RateLimitStore | undefined;
}

/** Fraction of a limit that a priority leaves to higher priorities. */
export const RESERVE: Readonly<Record<Priority, number>> = {
  critical: 0,
  high: 0.05,
  normal: 0.1,
  low: 0.2,
};

/** Lengthens windows a little, because the service counts by its own clock. */
const WINDOW_MARGIN = 1.05;
/**
 * Within this time, all hubs of the process (the watches of its clients) can send two requests
 * between them: a poll of the feed and a read for a page. That holds however many calls the caller
 * makes.
 */
const HUB_PAIR_MS = 18_000;
/** Key of the log of requests sent by hubs. */
const OF_HUBS = 'othersnormal';
/** Maximum fraction of the limit reserved for hubs. */
const MAX_RESERVED_PART = 0.5;
/** Time between two reads that probe whether a block is over. */
const PROBE_AGAIN_MS = 60_000;
/** How long other requests wait before they check again during a probe. */
const PROBE_WAIT_MS = 1_000;

// Counts requests against the published limits with a sliding log. Times are monotonic, so a jump
// of the wall clock doesn't allow more requests.

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
 * Returns how many requests of a priority can be sent now. Only requests that move money may use
 * slots reserved for hubs. The few requests promised to a hub take precedence over calls that
 * somebody is waiting for. `part` is the usable fraction of the other slots.
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
 * Returns in how many milliseconds a hub's request takes precedence, or `NaN` if hubs have hardly
 * sent any.
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

/** Returns in how many milliseconds process and client have a free slot, ignoring blocks. */
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
 * Takes a slot if one is free, in the store or in our own counts. With `isRead`, the request may
 * probe whether a block is over.
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
 * Starts a pair of requests if both fit, because the second must not wait. Returns 0, or how long
 * to wait. The requests take their slots themselves.
 */
export function beginPair(connection: Connection, bucket: Bucket): number {
  const now = readNow(connection);
  const { places, window } = countPlaces(connection, bucket, 'high');
  const log = logNamed(getLimiter(connection).together.logs, `${bucket}pairs`);
  const delay = placeIn(log, now, { places: places / 2, window });
  if (delay === 0) log.sent.push(now);
  return delay;
}

/** Returns how long to wait according to our own counts, and why, without taking a slot. */
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

/** Ends a block after a successful probe. */
export function endBlock(connection: Connection, bucket: Bucket): void {
  const { blocks, logs } = getLimiter(connection).together;
  blocks.delete(bucket);
  logNamed(logs, bucket).blockedUntil = readNow(connection);
  notifyListeners(connection);
}

/**
 * Returns the milliseconds left in a block. Monotonic time may stop during sleep, so once the block
 * is over by the wall clock, one read per minute may probe it.
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
  /** When one read may probe whether the block is over, in monotonic milliseconds. */
  probeAt: number;
}

interface ProcessCounts {
  readonly logs: Map<string, RateLog>;
  readonly blocks: Map<string, WallBlock>;
  readonly listeners: Set<() => void>;
  /** When the reserve for hubs ends, in monotonic milliseconds. */
  heldUntil: number;
}

type ByOrigin = Map<string, ProcessCounts>;

/** Counts by `fetch` and clock, then by origin. */
const countsByFetch: WeakMap<object, WeakMap<Clock, ByOrigin>> = /* @__PURE__ */ new WeakMap();

/**
 * Returns the counts shared by all clients with the same origin, `fetch` and clock, because the
 * service limits them by their common IP address.
 */
function processCounts(connection: Connection): ProcessCounts {
  const { baseUrl, clock, sender } = connection[internals];
  const byClock = getOrMake(countsByFetch, sender, () => new WeakMap<Clock, ByOrigin>());
  const byOrigin = getOrMake(byClock, clock, (): ByOrigin => new Map());
  let origin = '';
  try {
    ({ origin } = new URL(baseUrl()));
  } catch {
    // a relative URL outside a page, where nothing can be sent
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
