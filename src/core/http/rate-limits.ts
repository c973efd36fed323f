import type { Bucket } from './endpoint.ts';

/**
 * The rate limit for a bucket. The service accepts `limit` requests per `window` milliseconds.
 * Beyond that, it refuses all requests in the bucket for `block` milliseconds.
 */
export interface RateLimit {
  /** Maximum number of requests per window. */
  readonly limit: number;
  /** Window length in milliseconds. */
  readonly window: number;
  /** Block duration in milliseconds. */
  readonly block: number;
}

/** Rate limits by bucket. */
export type RateLimits = Readonly<Record<Bucket, RateLimit>>;

/** The result of requesting a slot in the rate limit. */
export interface QueuePlace {
  /** 0 if a slot was taken, otherwise the milliseconds to wait. */
  readonly delay: number;
  /**
   * Cause of the wait. `limit` means that the limit is used up. `block` means that the service
   * refuses all requests in the bucket. `store` means that the `rateLimitStore` failed, so this
   * process only counts its own requests.
   */
  readonly cause: 'limit' | 'block' | 'store';
  /**
   * Whether the request is a check that a block has really ended, because it has ended by the wall
   * clock.
   */
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

/** The rate limits of the production service, according to its public documentation. */
export const productionRateLimits: RateLimits = table(250, 1_000);

/** The rate limits of the service's test environment, according to its public documentation. */
export const testRateLimits: RateLimits = table(90, 350);

// Requests are counted with a sliding log of their times. The log contains only numbers, so it can
// be stored as JSON.

/** Log of the requests in one bucket. All times are measured with the same clock. */
export interface RateLog {
  readonly sent: number[];
  blockedUntil: number;
  /** Usable fraction of the limit since the last block started. */
  damped: number;
}

/** The limit that a log is checked against. */
export interface RatePlaces {
  /** Number of requests allowed per window at a given priority. */
  readonly places: number;
  /** Window length in milliseconds. */
  readonly window: number;
}

/**
 * Time without a block after which another tenth of the limit becomes usable. A block means that
 * other programs are sending from the same IP address, so each block halves the usable fraction,
 * down to a tenth.
 */
const QUIET_MS = 600_000;

export function newRateLog(): RateLog {
  return { sent: [], blockedUntil: 0, damped: 1 };
}

export function partIn({ damped, blockedUntil }: RateLog, now: number): number {
  return Math.min(1, damped + Math.max(0, Math.floor((now - blockedUntil) / QUIET_MS)) / 10);
}

/** Returns the times of the requests in the last window, and removes older ones from the log. */
export function sentIn({ sent }: RateLog, now: number, window: number): number[] {
  while (sent[0]! <= now - window) sent.shift();
  return sent;
}

/** Returns the milliseconds until the limit allows another request, ignoring blocks. */
export function placeIn(log: RateLog, now: number, { places, window }: RatePlaces): number {
  const sent = sentIn(log, now, window);
  const oldest = sent[sent.length - Math.max(1, Math.floor(places))];
  return oldest === undefined ? 0 : Math.max(1, oldest + window - now);
}

/** Returns the milliseconds until a request may be sent, considering both the limit and a block. */
export function delayIn(log: RateLog, now: number, { places, window }: RatePlaces): number {
  const { blockedUntil } = log;
  if (now < blockedUntil) return blockedUntil - now;
  return placeIn(log, now, { places: places * partIn(log, now), window });
}

/**
 * Returns how many slots must stay free so that requests can be sent at intervals of `every`
 * milliseconds while the requests in the log still count.
 */
export function heldIn(log: RateLog, now: number, window: number, every: number): number {
  const sent = sentIn(log, now, window);
  const most = window / every;
  // Later requests don't matter, because enough slots are free by the time they leave the window.
  const missing = sent.slice(0, most).map((at, freed) => (at + window - now) / every - freed);
  return Math.max(0, most - sent.length, ...missing);
}

export function blockIn(log: RateLog, now: number, ms: number): void {
  // Further refusals during a block belong to the same block, so they don't reduce the fraction
  // again.
  if (now >= log.blockedUntil) log.damped = Math.max(0.1, partIn(log, now) / 2);
  log.blockedUntil = Math.max(log.blockedUntil, now + ms);
}

/** A `RateLimitCounter`'s response to a slot request. */
export interface RateLimitPlace {
  /** 0 if a slot was taken, otherwise the milliseconds until you should try again. */
  readonly delay: number;
  /** Milliseconds until the service's block on this bucket ends, or 0 if there's no block. */
  readonly blockedFor: number;
}

/** A bucket's state in a `RateLimitCounter`. */
export interface RateLimitCounts extends RateLimitPlace {
  /** Number of requests in the last window. */
  readonly used: number;
  /** Usable fraction of the limit. It's 1, or less for a while after a block. */
  readonly part: number;
}

/**
 * Counts the requests of several clients, processes or Durable Objects that send from the same IP
 * address. Stores numbers and times by bucket name, but no request data. A counter uses its own
 * clock and only exchanges durations with callers, because clocks differ between processes.
 */
export interface RateLimitCounter {
  /** Takes a slot in the rate limit if one is free. This must be atomic. */
  take(bucket: string, places: RatePlaces): RateLimitPlace | Promise<RateLimitPlace>;
  /**
   * Records that the service refuses all requests in the bucket for `ms` milliseconds. Never
   * shortens a block that is already recorded.
   */
  block(bucket: string, ms: number): void | Promise<void>;
  /** Returns the state of a bucket without taking a slot. */
  read(bucket: string, places: RatePlaces): RateLimitCounts | Promise<RateLimitCounts>;
}
