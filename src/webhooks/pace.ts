/** Part of a window's requests that may leave at once. */
const AT_ONCE = 1 / 8;

/**
 * Spreads requests evenly over a window, but for a few that may leave at once after a quiet time:
 * no window has more than `most`. Times are monotonic milliseconds.
 */
export class ReadPace {
  /** Between two requests, where none has been saved up. */
  readonly #interval: number;
  /** How far a request may leave before its turn. */
  readonly #early: number;
  /** When the next request would leave if all were spread evenly. */
  #turn: number = -Infinity;

  constructor(most: number, window: number) {
    const atOnce = most * AT_ONCE;
    this.#interval = window / (most - atOnce);
    this.#early = atOnce * this.#interval;
  }

  /** Milliseconds until another request may leave. */
  delay(now: number): number {
    return Math.max(0, this.#turn - this.#early - now);
  }

  /** Gives the next place away. */
  take(now: number): void {
    this.#turn = Math.max(now, this.#turn) + this.#interval;
  }
}
