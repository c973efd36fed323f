import type { RateLimitStore } from '../core/http/index.ts';
import { type Clock, systemClock } from '../core/time.ts';
import { LogCounter } from './log-counter.ts';
import { localRateLimitStoreOf } from './rate-limit-store.ts';

/**
 * Counts the requests of all clients of one process that are given it, in memory. A single client
 * needs none: it counts by itself.
 *
 * @param clock the clients' clock, where that is not the machine's
 * @example
 * const rateLimitStore = memoryRateLimitStore();
 * const [one, two] = ['KEY-1', 'KEY-2'].map((apiKey) =>
 *   createClient({ baseUrl: 'https://payments.example', apiKey, rateLimitStore }),
 * );
 */
export function memoryRateLimitStore(clock: Clock = systemClock): RateLimitStore {
  return localRateLimitStoreOf(new LogCounter(new Map(), () => clock.monotonic()));
}
