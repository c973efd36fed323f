import {
  blockIn,
  delayIn,
  newRateLog,
  partIn,
  type RateLimitCounter,
  type RateLimitCounts,
  type RateLimitPlace,
  type RateLog,
  type RatePlaces,
} from '../core/http/index.ts';

/** Where the logs of a counter are; each call happens before it returns. */
interface Logs {
  get(bucket: string): RateLog | undefined;
  set(bucket: string, log: RateLog, window: number): void;
}

/** Counts by logs of sending times. Nothing is between reading and writing one, so that none is lost. */
export class LogCounter implements RateLimitCounter {
  readonly #logs: Logs;
  readonly #now: () => number;

  constructor(logs: Logs, now: () => number) {
    this.#logs = logs;
    this.#now = now;
  }

  take(bucket: string, places: RatePlaces): RateLimitPlace {
    const now = this.#now();
    const log = this.#log(bucket);
    const delay = delayIn(log, now, places);
    if (delay === 0) {
      log.sent.push(now);
      this.#logs.set(bucket, log, places.window);
    }
    return { delay, blockedFor: Math.max(0, log.blockedUntil - now) };
  }

  block(bucket: string, ms: number): void {
    const log = this.#log(bucket);
    blockIn(log, this.#now(), ms);
    this.#logs.set(bucket, log, 0);
  }

  read(bucket: string, places: RatePlaces): RateLimitCounts {
    const now = this.#now();
    const log = this.#log(bucket);
    const delay = delayIn(log, now, places);
    const blockedFor = Math.max(0, log.blockedUntil - now);
    return { delay, blockedFor, used: log.sent.length, part: partIn(log, now) };
  }

  #log(bucket: string): RateLog {
    return this.#logs.get(bucket) ?? newRateLog();
  }
}
