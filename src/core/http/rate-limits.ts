import type { Bucket } from './endpoint.ts';

/**
 * Limit of one bucket: `limit` requests in `window` milliseconds. Beyond that, the service refuses
 * all requests in the bucket for `block` milliseconds.
 */
export interface RateLimit {
  /** Requests per window. */
  readonly limit: number;
  /** Length of the window in milliseconds. */
  readonly window: number;
  /** Length of a block in milliseconds. */
  readonly block: number;
}

/** The limit of each bucket. */
export type RateLimits = Readonly<Record<Bucket, RateLimit>>;

/** The result of requesting a slot in the rate limit. */
export interface QueuePlace {
  /** 0 if a slot was taken, otherwise the milliseconds to wait. */
  readonly delay: number;
  /**
   * `limit` means the limit is used up. `block` means the service refuses the whole bucket. `store`
   * means the `rateLimitStore` failed, so this process counts on its own.
   */
  readonly cause: 'limit' | 'block' | 'store';
  /** Whether this request probes a block that's over by the wall clock. */
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

/** The published limits of the production service (public). */
export const productionRateLimits: RateLimits = table(250, 1_000);

/** The published limits of the service's test environment (public). */
export const testRateLimits: RateLimits = table(90, 350);

// Requests are counted with a sliding log of their times. The log only contains numbers, so no
// request can corrupt it and it can be stored as JSON.

/** The log of one bucket. All its times are by its owner's clock. */
export interface RateLog {
  readonly sent: number[];
  blockedUntil: number;
  /** Usable fraction of the limit when the last block began. */
  damped: number;
}

/** The limit a log is checked against. */
export interface RatePlaces {
  /** Requests of this priority allowed per window. Fewer for a while after a block. */
  readonly places: number;
  /** How long a request counts, in milliseconds. */
  readonly window: number;
}

/**
 * A block shows that somebody else is using this IP address too. It halves the usable fraction of
 * the limit, down to a tenth. Each quiet period of this length restores a tenth.
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

/** Returns in how many milliseconds the limit has a free slot, ignoring blocks. */
export function placeIn(log: RateLog, now: number, { places, window }: RatePlaces): number {
  const sent = sentIn(log, now, window);
  const oldest = sent[sent.length - Math.max(1, Math.floor(places))];
  return oldest === undefined ? 0 : Math.max(1, oldest + window - now);
}

/** Returns in how many milliseconds a request may be sent. */
export function delayIn(log: RateLog, now: number, { places, window }: RatePlaces): number {
  const { blockedUntil } = log;
  if (now < blockedUntil) return blockedUntil - now;
  return placeIn(log, now, { places: places * partIn(log, now), window });
}

/**
 * Returns how many slots must stay free to be able to send a request every `every` milliseconds
 * while the requests in the log still count.
 */
export function heldIn(log: RateLog, now: number, window: number, every: number): number {
  const sent = sentIn(log, now, window);
  const most = window / every;
  // later ones are freed when enough is free in any case
  const missing = sent.slice(0, most).map((at, freed) => (at + window - now) / every - freed);
  return Math.max(0, most - sent.length, ...missing);
}

export function blockIn(log: RateLog, now: number, ms: number): void {
  // the same block refuses all requests in progress
  if (now >= log.blockedUntil) log.damped = Math.max(0.1, partIn(log, now) / 2);
  log.blockedUntil = Math.max(log.blockedUntil, now + ms);
}

/** A counter's response when asked for a slot. */
export interface RateLimitPlace {
  /** 0 if a slot was taken, otherwise the milliseconds until it makes sense to ask again. */
  readonly delay: number;
  /** How long the service refuses the whole bucket in milliseconds, or 0. */
  readonly blockedFor: number;
}

/** State of a bucket in a counter. */
export interface RateLimitCounts extends RateLimitPlace {
  /** Requests in the last window. */
  readonly used: number;
  /** Usable fraction of the limit: 1, or less for a while after a block. */
  readonly part: number;
}

/**
 * Counts the requests of several clients, processes or objects that send from the same IP address.
 * Stores numbers and times by bucket name, and nothing from a request. Uses its own clock. Callers
 * only exchange durations with it, because the clocks of processes differ.
 */
export interface RateLimitCounter {
  /** Takes a slot if one is free, in one atomic step. */
  take(bucket: string, places: RatePlaces): RateLimitPlace | Promise<RateLimitPlace>;
  /** Records that the service refuses the bucket for `ms`. Never shortens a known block. */
  block(bucket: string, ms: number): void | Promise<void>;
  /** Returns the state of the bucket without taking a slot. */
  read(bucket: string, places: RatePlaces): RateLimitCounts | Promise<RateLimitCounts>;
}
