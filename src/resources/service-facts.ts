// What the service is assumed to do, and its limits: one place for each number. Durations are
// milliseconds.

export { PAGE } from '../core/lists/index.ts';

/** A replica of the service is at most this far behind. */
export const LAG = 30_000;
/** An event is visible at most this long after its creation. */
export const EVENT_LATENESS = 300_000;
/** The service lists events for this long, and repeats deliveries of webhooks for less. */
export const EVENT_HISTORY: number = 30 * 86_400_000;
/** Our clock and the service's differ by less. */
export const CLOCK_SKEW = 3_600_000;
/** Deliveries of webhooks are smaller; a larger body is not read. */
export const MAX_DELIVERY_BYTES = 65_536;
