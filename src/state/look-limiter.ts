/** What looks that are not planned may cost: `burst` requests at once, then `perMs` of them. */
export interface LookRate {
  readonly burst: number;
  readonly perMs: number;
}

/**
 * Limits the looks at entries that no source vouches for yet, so that they never take the places
 * of the feed and of the caller's own requests. Times are monotonic milliseconds.
 */
export class LookLimiter {
  #rate: LookRate | undefined;
  #left: number = 0;
  #countedAt: number = 0;

  setRate(rate: LookRate, now: number): void {
    this.#refill(now);
    this.#left = Math.min(rate.burst, this.#rate ? this.#left : Infinity);
    this.#rate = rate;
  }

  /**
   * Milliseconds until a look may be sent. One that a change asks for goes before all others, on
   * their account.
   */
  delayFor(isInvalidated: boolean, now: number): number {
    this.#refill(now);
    const { burst, perMs } = this.#rate!;
    const missing = (isInvalidated ? 1 - burst : 1) - this.#left;
    return missing > 0 ? Math.ceil(missing / perMs) : 0;
  }

  acquire(): void {
    this.#left--;
  }

  #refill(now: number): void {
    const { burst, perMs } = this.#rate ?? { burst: 0, perMs: 0 };
    this.#left = Math.min(burst, this.#left + (now - this.#countedAt) * perMs);
    this.#countedAt = now;
  }
}
