import { type Connection, internals } from './connection.ts';

/** Shortest time between two looks, milliseconds. */
const SHORTEST = 2_000;
/** Part of the limit that one regular reader takes. */
const PART = 0.3;

/**
 * Base period of everything that looks again and again: 2 s in production, 5.7 s in the test
 * environment.
 */
export function basePeriod(connection: Connection): number {
  const { settings } = connection[internals];
  const { limit, window } = settings.rateLimits.others;
  return Math.max(SHORTEST, window / (PART * limit * settings.rateLimitShare));
}
