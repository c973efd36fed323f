/** Length of the window that looks are counted in, milliseconds: that of the limit, and a little. */
const WINDOW = 630_000;
/** Part of a window's looks that may be sent at once. */
const AT_ONCE = 5 / 8;

/**
 * Limits the looks at entries that no source vouches for yet, so that they never take the places
 * of the feed and of the caller's own requests. Many may leave at once, the others at an even pace.
 * Times are monotonic milliseconds.
 */
export class LookLimiter {
  /** Looks of any window. */
  #most: number = 0;
  /** Looks that may leave at once. */
  #left: number = 0;
  #countedAt: number = 0;
  readonly #sent: number[] = [];

  setMost(most: number, now: number): void {
    this.#refill(now);
    this.#left = Math.min(most * AT_ONCE, this.#most ? this.#left : Infinity);
    this.#most = most;
  }

  /**
   * Milliseconds until a look may be sent. One that a change asks for goes before all others, on
   * their account.
   */
  delayFor(isInvalidated: boolean, now: number): number {
    this.#refill(now);
    const more = isInvalidated ? this.#most * AT_ONCE : 0;
    const missing = 1 - more - this.#left;
    const oldest = this.#sent.at(-Math.floor(this.#most + more)) ?? -Infinity;
    return Math.ceil(Math.max(0, (missing * WINDOW) / this.#most, oldest + WINDOW - now));
  }

  acquire(now: number): void {
    this.#left--;
    this.#sent.push(now);
  }

  #refill(now: number): void {
    const gained = ((now - this.#countedAt) * this.#most) / WINDOW;
    this.#left = Math.min(this.#most * AT_ONCE, this.#left + gained);
    this.#countedAt = now;
    while (this.#sent[0]! <= now - WINDOW) this.#sent.shift();
  }
}
