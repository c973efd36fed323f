import {
  block,
  type Bucket,
  type Connection,
  count,
  internals,
  placesNow,
  placesOf,
  type Priority,
  type QueuePlace,
  type RateLimitCounter,
  type RateLimitCounts,
  type RateLimitPlace,
  type RateLimitStore,
  takePlace,
} from '../core/http/index.ts';

/**
 * A counter is waited for this long, and longer by what can wait: one that is slow because of a
 * flood must not let the flood through. It is not asked for a while after it has failed. All ms.
 */
const TIMEOUT = 5_000;
const LONG_TIMEOUT = 30_000;
const AWAY = 10_000;

/**
 * Makes a store of a counter of your own, for instance of a database that all processes reach. A
 * counter that fails or takes longer than five seconds, or than thirty where no money moves, stops
 * no call: the client counts by itself for the next ten seconds, and its `onWait` is told with
 * `cause: 'store'`.
 *
 * @example
 * const rateLimitStore = rateLimitStoreOf({
 *   take: async (bucket, { places, window }) => ({ delay: 0, blockedFor: 0 }),
 *   block: async (bucket, ms) => {},
 *   read: async (bucket, places) => ({ delay: 0, blockedFor: 0, used: 0, part: 1 }),
 * });
 */
export function rateLimitStoreOf(counter: RateLimitCounter): RateLimitStore {
  return { [internals]: new GuardedCounter(counter, true) };
}

/** The same for a counter that only this process reaches. */
export function localRateLimitStoreOf(counter: RateLimitCounter): RateLimitStore {
  return { [internals]: new GuardedCounter(counter, false) };
}

type Shared = RateLimitStore[typeof internals];

/** A counter that may throw, reject, be silent or say nonsense, and yet stops no call. */
class GuardedCounter implements Shared {
  readonly isShared: boolean;
  readonly #counter: RateLimitCounter;
  /** Until when it is not asked, because it failed; monotonic milliseconds. */
  #awayUntil: number = 0;

  constructor(counter: RateLimitCounter, isShared: boolean) {
    this.#counter = counter;
    this.isShared = isShared;
  }

  async take(
    connection: Connection,
    bucket: Bucket,
    priority: Priority,
    signal: AbortSignal | undefined,
  ): Promise<QueuePlace> {
    const places = placesNow(connection, bucket, priority);
    const isAway = this.#isAway(connection);
    const taken = await this.#ask(
      connection,
      async () => checkPlace(await this.#counter.take(bucket, places)),
      priority === 'critical' ? TIMEOUT : LONG_TIMEOUT,
      signal,
    );
    if (signal?.aborted) return { delay: 0, cause: 'limit' }; // nothing leaves any more
    if (!taken) {
      const place = await takePlace(connection, bucket, priority, signal, null);
      return isAway ? place : { ...place, cause: 'store' };
    }
    const { delay, blockedFor } = taken;
    if (blockedFor > 0) void block(connection, bucket, blockedFor, null);
    if (delay === 0) count(connection, bucket, priority);
    return { delay, cause: blockedFor > 0 ? 'block' : 'limit' };
  }

  async block(connection: Connection, bucket: Bucket, ms: number): Promise<void> {
    await this.#ask(connection, () => this.#counter.block(bucket, ms));
  }

  read(connection: Connection, bucket: Bucket): Promise<RateLimitCounts | undefined> {
    const places = placesOf(connection, bucket, 'high');
    return this.#ask(connection, () => this.#counter.read(bucket, places));
  }

  #isAway(connection: Connection): boolean {
    return connection[internals].clock.monotonic() < this.#awayUntil;
  }

  /** What the counter says in time, or nothing. */
  async #ask<T>(
    connection: Connection,
    work: () => T | Promise<T>,
    timeout: number = TIMEOUT,
    signal?: AbortSignal,
  ): Promise<T | undefined> {
    if (this.#isAway(connection)) return undefined;
    const { clock } = connection[internals];
    const over = new AbortController();
    const end = () => over.abort();
    signal?.addEventListener('abort', end);
    const time = clock.wait(timeout, over.signal);
    try {
      return await Promise.race([work(), time.then(() => Promise.reject<T>())]);
    } catch {
      if (!signal?.aborted) this.#awayUntil = clock.monotonic() + AWAY;
      return undefined;
    } finally {
      signal?.removeEventListener('abort', end);
      end();
    }
  }
}

/** What is no place and no wait is a failure: nothing may leave because of it. */
function checkPlace(said: RateLimitPlace): RateLimitPlace {
  if (!(said.delay >= 0 && said.blockedFor >= 0)) throw new TypeError('no place and no wait');
  return said;
}
