import type { Bucket } from './endpoint.ts';

/** Limit of one bucket of requests: `limit` in `window` ms, else refused for `block` ms. */
export interface RateLimit {
  /** Requests in one window. */
  readonly limit: number;
  /** Milliseconds. */
  readonly window: number;
  /** How long the service refuses after too many, milliseconds. */
  readonly block: number;
}

/** The limit of each bucket. */
export type RateLimits = Readonly<Record<Bucket, RateLimit>>;

/** A place that was taken, where `delay` is 0, or how long to wait for one, and why. */
export interface QueuePlace {
  /** Milliseconds. */
  readonly delay: number;
  /**
   * `limit`: it is used up · `block`: the service refuses everything of the bucket · `store`: the
   * `rateLimitStore` failed, and this process counts for itself.
   */
  readonly cause: 'limit' | 'block' | 'store';
  /** By the wall clock a block is over, and this request finds out. */
  readonly isProbe?: boolean | undefined;
}

const MINUTE = 60_000;

function table(perMinute: number, perTenMinutes: number): RateLimits {
  const minute: RateLimit = { limit: perMinute, window: MINUTE, block: MINUTE };
  return {
    invoices: minute,
    'invoice-quotes': minute,
    rates: minute,
    'payment-quotes': minute,
    execute: minute,
    others: { limit: perTenMinutes, window: 10 * MINUTE, block: 60 * MINUTE },
  };
}

/** The published limits of the service itself (public). */
export const productionRateLimits: RateLimits = table(250, 1_000);

/** The published limits of the service's own test environment (public). */
export const testRateLimits: RateLimits = table(90, 350);

// Counting requests by a log of sending times that slides: numbers and times only, so that no
// request can poison the next, and a log can be kept as JSON.

/** What is known of one bucket. The times are of one clock, whichever it is. */
export interface RateLog {
  /** Sending times, the oldest first. */
  readonly sent: number[];
  blockedUntil: number;
  /** Part of the places that was left when the last block began. */
  damped: number;
}

/** How many requests may leave in a window. */
export interface RatePlaces {
  /** For requests of this priority; less for a while after a block. */
  readonly places: number;
  /** How long a request counts, milliseconds. */
  readonly window: number;
}

/**
 * After a block half of the places are left, for others use this address too, but never less than a
 * tenth of all; each quiet ten minutes give a tenth of the whole back.
 */
const QUIET = 600_000;

export function newRateLog(): RateLog {
  return { sent: [], blockedUntil: 0, damped: 1 };
}

/** Part of the places that may be used now. */
export function partIn({ damped, blockedUntil }: RateLog, now: number): number {
  return Math.min(1, damped + Math.max(0, Math.floor((now - blockedUntil) / QUIET)) / 10);
}

/** The requests of the last window; older ones are forgotten. */
export function sentIn({ sent }: RateLog, now: number, window: number): number[] {
  while (sent[0]! <= now - window) sent.shift();
  return sent;
}

/** Milliseconds until one of these places is free; 0 means now. */
export function placeIn(log: RateLog, now: number, { places, window }: RatePlaces): number {
  const sent = sentIn(log, now, window);
  const oldest = sent[sent.length - Math.max(1, Math.floor(places))];
  return oldest === undefined ? 0 : Math.max(1, oldest + window - now);
}

/** Milliseconds until a request may leave; 0 means now. */
export function delayIn(log: RateLog, now: number, { places, window }: RatePlaces): number {
  const { blockedUntil } = log;
  if (now < blockedUntil) return blockedUntil - now;
  return placeIn(log, now, { places: places * partIn(log, now), window });
}

/**
 * Places that have to stay free so that a request can leave each `every` milliseconds from now on,
 * though requests of this log leave the window only then.
 */
export function heldIn(log: RateLog, now: number, window: number, every: number): number {
  const sent = sentIn(log, now, window);
  const last = window / every - sent.length;
  const missing = sent.map((at, freed) => (at + window - now) / every - freed);
  return Math.max(0, last, ...missing);
}

/** Notes that the service refuses everything for `ms`. */
export function blockIn(log: RateLog, now: number, ms: number): void {
  // those under way hear of the same block
  if (now >= log.blockedUntil) log.damped = Math.max(0.1, partIn(log, now) / 2);
  log.blockedUntil = Math.max(log.blockedUntil, now + ms);
}

/** What a counter says of a request that wants to leave. */
export interface RateLimitPlace {
  /** 0: a place was taken; else milliseconds until asking again may help. */
  readonly delay: number;
  /** Milliseconds for which the service refuses the whole bucket; 0 where it does not. */
  readonly blockedFor: number;
}

/** How a bucket stands, as a counter knows it. */
export interface RateLimitCounts extends RateLimitPlace {
  /** Requests of the last window. */
  readonly used: number;
  /** Part of the places that may be used now: 1, and less for a while after a block. */
  readonly part: number;
}

/**
 * Counts the requests of several clients, processes or objects that send from one address. It keeps
 * numbers and times by the name of a bucket, and nothing of a request. Times are its own clock's:
 * what it is told and says are durations, for the clocks of processes differ.
 */
export interface RateLimitCounter {
  /** Takes a place if there is one, in one step, also where two ask at once. */
  take(bucket: string, places: RatePlaces): RateLimitPlace | Promise<RateLimitPlace>;
  /** Notes that the service refuses the bucket for `ms`; a longer block that is known stays. */
  block(bucket: string, ms: number): void | Promise<void>;
  /** How the bucket stands; takes nothing. */
  read(bucket: string, places: RatePlaces): RateLimitCounts | Promise<RateLimitCounts>;
}
