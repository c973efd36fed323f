import {
  blockHere,
  type Connection,
  count,
  internals,
  placesOf,
  type RateLimitCounter,
  type RateLimitStore,
  takePlace,
} from '../core/http/index.ts';

/** A counter is waited for this long, and not asked for a while after it has failed, ms. */
const TIMEOUT = 2_000;
const AWAY = 10_000;

/**
 * Makes a store of a counter of your own, for instance of a database that all processes reach. A
 * counter that fails or takes longer than two seconds stops no call: the client counts by itself
 * for the next ten seconds, and its `onWait` is told with `cause: 'store'`.
 *
 * @example
 * const store = rateLimitStoreOf({
 *   take: async (bucket, { places, window }) => ({ delay: 0, blockedFor: 0 }),
 *   block: async (bucket, ms) => {},
 *   read: async (bucket, places) => ({ delay: 0, blockedFor: 0, used: 0, part: 1 }),
 * });
 */
export function rateLimitStoreOf(counter: RateLimitCounter): RateLimitStore {
  let awayUntil = 0;

  /** What the counter says in time, or nothing: it may throw, reject, or be silent. */
  const ask = async <T>(
    connection: Connection,
    work: () => T | Promise<T>,
  ): Promise<T | undefined> => {
    const { clock } = connection[internals];
    if (clock.monotonic() < awayUntil) return undefined;
    const over = new AbortController();
    const time = clock.wait(TIMEOUT, over.signal);
    try {
      return await Promise.race([work(), time.then(() => Promise.reject<T>())]);
    } catch {
      awayUntil = clock.monotonic() + AWAY;
      return undefined;
    } finally {
      over.abort();
    }
  };

  return {
    [internals]: {
      async take(connection, bucket, priority) {
        const places = placesOf(connection, bucket, priority);
        const isAway = connection[internals].clock.monotonic() < awayUntil;
        const taken = await ask(connection, async () =>
          checked(await counter.take(bucket, places)),
        );
        if (!taken) {
          const place = await takePlace(connection, bucket, priority, null);
          return isAway ? place : { ...place, cause: 'store' };
        }
        const { delay, blockedFor } = taken;
        if (blockedFor > 0) blockHere(connection, bucket, blockedFor);
        if (delay === 0) count(connection, bucket, priority);
        return { delay, cause: blockedFor > 0 ? 'block' : 'limit' };
      },
      async block(connection, bucket, ms) {
        await ask(connection, () => counter.block(bucket, ms));
      },
      read: (connection, bucket) =>
        ask(connection, () => counter.read(bucket, placesOf(connection, bucket, 'high'))),
    },
  };
}

/** What is no place and no wait is a failure: nothing may leave because of it. */
function checked<Said extends { readonly delay: number; readonly blockedFor: number }>(
  said: Said,
): Said {
  if (!(said.delay >= 0 && said.blockedFor >= 0)) throw new TypeError('no place and no wait');
  return said;
}
