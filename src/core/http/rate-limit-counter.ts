import type { RatePlaces } from './rate-log.ts';

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
