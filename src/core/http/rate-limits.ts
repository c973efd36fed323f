import type { Bucket } from './endpoint.ts';

/**
 * The limit of one bucket: `limit` requests in `window` milliseconds. After more requests, the
 * service refuses all of them for `block` milliseconds.
 */
export interface RateLimit {
  /** Requests in one window. */
  readonly limit: number;
  /** Milliseconds. */
  readonly window: number;
  /** Milliseconds. */
  readonly block: number;
}

/** The limit of each bucket. */
export type RateLimits = Readonly<Record<Bucket, RateLimit>>;

/** The result of asking for a place in the rate limit. */
export interface QueuePlace {
  /** 0 if a place was taken, otherwise the milliseconds to wait. */
  readonly delay: number;
  /**
   * `limit`: the limit is used up. `block`: the service refuses the whole bucket. `store`: the
   * `rateLimitStore` failed, so this process counts alone.
   */
  readonly cause: 'limit' | 'block' | 'store';
  /** This request probes a block that is over by the wall clock. */
  readonly isProbe?: boolean | undefined;
}

const MINUTE_MS = 60_000;

function table(perMinute: number, perTenMinutes: number): RateLimits {
  const minute: RateLimit = { limit: perMinute, window: MINUTE_MS, block: MINUTE_MS };
  return {
    invoices: minute,
    'invoice-quotes': minute,
    rates: minute,
    'payment-quotes': minute,
    execute: minute,
    others: { limit: perTenMinutes, window: 10 * MINUTE_MS, block: 60 * MINUTE_MS },
  };
}

/** The published limits of the service itself (public). */
export const productionRateLimits: RateLimits = table(250, 1_000);

/** The published limits of the service's own test environment (public). */
export const testRateLimits: RateLimits = table(90, 350);

// Requests are counted by a sliding log of their times. It contains only numbers, so that no
// request can corrupt it and it can be stored as JSON.

/** The log of one bucket. All its times are by its owner's clock. */
export interface RateLog {
  readonly sent: number[];
  blockedUntil: number;
  /** The usable part of the limit when the last block began. */
  damped: number;
}

/** A limit to check a log against. */
export interface RatePlaces {
  /** Requests of this priority allowed in a window, fewer for a while after a block. */
  readonly places: number;
  /** How long a request counts, in milliseconds. */
  readonly window: number;
}

/**
 * A block shows that others use this address too. So it halves the usable part of the limit, down
 * to a tenth. Each quiet period of this length returns a tenth.
 */
const QUIET_MS = 600_000;

export function newRateLog(): RateLog {
  return { sent: [], blockedUntil: 0, damped: 1 };
}

export function partIn({ damped, blockedUntil }: RateLog, now: number): number {
  return Math.min(1, damped + Math.max(0, Math.floor((now - blockedUntil) / QUIET_MS)) / 10);
}

/** Returns the requests of the last window, and removes older ones from the log. */
export function sentIn({ sent }: RateLog, now: number, window: number): number[] {
  while (sent[0]! <= now - window) sent.shift();
  return sent;
}

/** Returns the milliseconds until the limit has room, ignoring blocks. */
export function placeIn(log: RateLog, now: number, { places, window }: RatePlaces): number {
  const sent = sentIn(log, now, window);
  const oldest = sent[sent.length - Math.max(1, Math.floor(places))];
  return oldest === undefined ? 0 : Math.max(1, oldest + window - now);
}

/** Returns the milliseconds until a request may be sent. */
export function delayIn(log: RateLog, now: number, { places, window }: RatePlaces): number {
  const { blockedUntil } = log;
  if (now < blockedUntil) return blockedUntil - now;
  return placeIn(log, now, { places: places * partIn(log, now), window });
}

/**
 * Returns how many places must stay free to send a request every `every` milliseconds while the
 * requests in the log still count.
 */
export function heldIn(log: RateLog, now: number, window: number, every: number): number {
  const sent = sentIn(log, now, window);
  const most = window / every;
  // later ones are freed when enough is free in any case
  const missing = sent.slice(0, most).map((at, freed) => (at + window - now) / every - freed);
  return Math.max(0, most - sent.length, ...missing);
}

export function blockIn(log: RateLog, now: number, ms: number): void {
  // requests in progress are refused by the same block
  if (now >= log.blockedUntil) log.damped = Math.max(0.1, partIn(log, now) / 2);
  log.blockedUntil = Math.max(log.blockedUntil, now + ms);
}

/** A counter's response to a request for a place. */
export interface RateLimitPlace {
  /** 0 if a place was taken, otherwise milliseconds until it makes sense to ask again. */
  readonly delay: number;
  /** Milliseconds for which the service refuses the whole bucket, or 0. */
  readonly blockedFor: number;
}

/** The state of a bucket in a counter. */
export interface RateLimitCounts extends RateLimitPlace {
  /** Requests of the last window. */
  readonly used: number;
  /** The usable part of the limit: 1, or less for a while after a block. */
  readonly part: number;
}

/**
 * Counts the requests of several clients, processes or objects that send from one address. It
 * stores numbers and times by the name of a bucket, and nothing of a request. It uses its own
 * clock. Callers exchange only durations with it, because the clocks of processes differ.
 */
export interface RateLimitCounter {
  /** Takes a place if one is free, in one atomic step. */
  take(bucket: string, places: RatePlaces): RateLimitPlace | Promise<RateLimitPlace>;
  /** Notes that the service refuses the bucket for `ms`. A longer block that is known stays. */
  block(bucket: string, ms: number): void | Promise<void>;
  /** Returns the state of the bucket without taking a place. */
  read(bucket: string, places: RatePlaces): RateLimitCounts | Promise<RateLimitCounts>;
}
