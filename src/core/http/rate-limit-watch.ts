import { Alarm } from '../time.ts';
import { blockedFor, getLimiter, placeHere, countPlaces } from './rate-limiter.ts';
import { remaining, countSent } from './rate-readings.ts';
import { checkClient, type Connection, internals, type RateLimitStore } from './connection.ts';
import { badInput, checkOptions } from '../errors/index.ts';
import type { Bucket } from './endpoint.ts';
import type { RateLimitCounts } from './rate-limits.ts';
import { sameContent, type Watch, makeWatch } from '../watch.ts';

/** Rate limit state of one bucket. Times are in milliseconds since 1970. */
export interface BucketState {
  /** Number of requests in the last window. */
  readonly used: number;
  /**
   * Number of requests currently allowed per window, for this process or for all users of its
   * `rateLimitStore`. It's reduced for a while after a block.
   */
  readonly limit: number;
  /** When the service's block on this bucket ends. Absent if there's no block. */
  readonly blockedUntil?: number | undefined;
  /** When the next `high`-priority request may be sent. Absent if it may be sent now. */
  readonly nextAt?: number | undefined;
}

/** Rate limit state by bucket, as counted by this client. */
export type RateLimitState = Readonly<Record<Bucket, BucketState>>;

/**
 * Minimum time between emitted values. `READ_STORE_EVERY_MS` is the interval between store reads.
 */
const EMIT_EVERY_MS = 100;
const READ_STORE_EVERY_MS = 5_000;

/**
 * Watches the rate limits of a client and its derived clients. Emits a value on each change, up to
 * ten times per second. `limit` is reduced while other clients in this process send requests to the
 * same origin. With a `rateLimitStore`, the numbers cover all its users and are read from the store
 * every five seconds. Sends no requests to the service.
 *
 * @example
 * const stop = watchRateLimits(client).subscribe(({ others }) =>
 *   console.log(`${others.used} of ${others.limit}`),
 * );
 * stop();
 */
export function watchRateLimits(connection: Connection): Watch<RateLimitState> {
  checkClient(connection);
  const { clock } = connection[internals];
  const { together, store } = getLimiter(connection);
  const { listeners } = together;
  return makeWatch({
    clock,
    idle(last) {
      const state = readState(connection);
      return last && sameContent(last, state) ? last : state;
    },
    status: () => ({ readAt: clock.now(), reason: 'counted as requests leave' }),
    start(to) {
      let isLive = true;
      const emit = () => {
        to.next(readState(connection));
        alarm.byLatest(clock.monotonic() + changeIn(connection));
      };
      const read = async () => {
        const state = await readSharedState(connection, store!);
        if (!isLive) return;
        to.next(state);
        alarm.byLatest(clock.monotonic() + READ_STORE_EVERY_MS);
      };
      const alarm = new Alarm(clock, store ? () => void read() : emit);
      const hear = () => alarm.byLatest(clock.monotonic() + EMIT_EVERY_MS);
      if (!store) listeners.add(hear);
      if (store) void read();
      else emit();
      return {
        stop() {
          isLive = false;
          listeners.delete(hear);
          alarm.stop();
        },
      };
    },
  });
}

/**
 * Reads the state of all buckets from the store. Falls back to the client's own counts for buckets
 * that can't be read from the store.
 */
async function readSharedState(
  connection: Connection,
  store: RateLimitStore,
): Promise<RateLimitState> {
  const own = readState(connection);
  const { clock } = connection[internals];
  const buckets = Object.entries(own) as [Bucket, BucketState][];
  const states = buckets.map(async ([bucket, state]): Promise<[Bucket, BucketState]> => {
    const counts = await store[internals].read(connection, bucket);
    if (!counts) return [bucket, state];
    const { places } = countPlaces(connection, bucket, 'critical');
    return [bucket, bucketState(clock.now(), places * counts.part, counts)];
  });
  return Object.fromEntries(await Promise.all(states)) as RateLimitState;
}

function bucketState(
  now: number,
  places: number,
  { used, blockedFor, delay }: Omit<RateLimitCounts, 'part'>,
): BucketState {
  const later = (ms: number) => (ms > 0 ? now + ms : undefined);
  const limit = Math.max(1, Math.floor(places));
  return { limit, blockedUntil: later(blockedFor), nextAt: later(delay), used };
}

function readState(connection: Connection): RateLimitState {
  const { clock, settings } = connection[internals];
  const now = clock.now();
  const buckets = Object.keys(settings.rateLimits) as Bucket[];
  return Object.fromEntries(
    buckets.map((bucket): [Bucket, BucketState] => [
      bucket,
      bucketState(now, remaining(connection, bucket), {
        used: countSent(connection, bucket).length,
        blockedFor: blockedFor(connection, bucket),
        delay: placeHere(connection, bucket, 'high', true).delay,
      }),
    ]),
  ) as RateLimitState;
}

/** Returns the milliseconds until the state next changes, assuming no new requests. */
function changeIn(connection: Connection): number {
  const { clock, settings } = connection[internals];
  const now = clock.monotonic();
  const changes = (Object.keys(settings.rateLimits) as Bucket[]).flatMap((bucket) => {
    const [oldest = Infinity] = countSent(connection, bucket);
    return [
      oldest + countPlaces(connection, bucket, 'high').window - now,
      blockedFor(connection, bucket) || Infinity,
    ];
  });
  return Math.max(EMIT_EVERY_MS, Math.min(...changes));
}

/** Options for `forecastBlock`. */
export interface ForecastOptions {
  /** Bucket to forecast. Defaults to `others`, which counts all reads. */
  readonly bucket?: Bucket | undefined;
  /**
   * Number of requests per minute from now on. Defaults to the number of requests in the last
   * minute.
   */
  readonly perMinute?: number | undefined;
}

/**
 * Forecasts when the service would block this client if it sent requests at a constant rate and
 * ignored the rate limit. Use it before you start a batch. Returns the time in milliseconds since
 * 1970, or `undefined` if the rate wouldn't cause a block. Sends no request.
 *
 * @throws InputError if the rate is negative or not a number
 *
 * @example
 * const blockedAt = forecastBlock(client, { perMinute: 300 });
 */
export function forecastBlock(
  connection: Connection,
  options: ForecastOptions = {},
): number | undefined {
  checkClient(connection);
  const buckets = Object.keys(connection[internals].settings.rateLimits) as Bucket[];
  checkOptions<ForecastOptions>(options, { bucket: buckets, perMinute: 'number' });
  const { bucket = 'others', perMinute } = options;
  if (perMinute !== undefined && !(perMinute >= 0))
    throw badInput('perMinute', 'must be 0 or more');
  const { clock, settings } = connection[internals];
  const { limit, window } = settings.rateLimits[bucket];
  const now = clock.monotonic();
  if (blockedFor(connection, bucket) > 0) return clock.now();
  const sent = countSent(connection, bucket, '', getLimiter(connection).together.logs)
    .map((at) => at - now)
    .filter((at) => at > -window);
  const rate = (perMinute ?? sent.filter((at) => at > -60_000).length) / 60_000;
  if (rate === 0) return undefined;
  for (let left = sent.length, from = 0; left >= 0; left--) {
    // time when new requests exceed the limit while `left` old ones still count
    const full = Math.max(from, (limit + 1 - left) / rate);
    // time when the oldest of those requests leaves the window
    const end = left > 0 ? sent[sent.length - left]! + window : window;
    if (full <= end) return clock.now() + full;
    from = Math.max(from, end);
  }
  return undefined;
}
