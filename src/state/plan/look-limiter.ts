import type { Clock } from '../../core/time.ts';
import { WINDOW } from '../sources/watch-plan.ts';

/** Part of a window's looks that may be sent at once. */
const AT_ONCE = 5 / 8;
/** Part of those that are there where nothing was sent lately. */
const RESTED = 0.9;

/**
 * Limits the looks at entries outside the plan's own rhythm, so that they never take the places of the
 * plan and of the caller's own requests. Many may leave at once, the others at an even pace. Counts
 * by the machine's monotonic clock: a jump of the wall clock gives no place.
 */
export class LookLimiter {
  /** Looks of any window. */
  #most: number = 0;
  /** Looks that may leave at once. */
  #left: number = 0;
  #countedAt: number = 0;
  readonly #sent: number[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  setMost(most: number): void {
    this.#refill();
    this.#left = Math.min(most * AT_ONCE, this.#most ? this.#left : Infinity);
    this.#most = most;
  }

  /** Hardly anything was sent lately. */
  get isRested(): boolean {
    this.#refill();
    return this.#left >= this.#most * AT_ONCE * RESTED;
  }

  /**
   * Milliseconds until a look may be sent. One that a change asks for goes before all others, on
   * their account.
   */
  delayFor(isInvalidated: boolean): number {
    const now = this.#refill();
    const more = isInvalidated ? this.#most * AT_ONCE : 0;
    const missing = 1 - more - this.#left;
    const oldest = this.#sent.at(-Math.floor(this.#most + more)) ?? -Infinity;
    return Math.ceil(Math.max(0, (missing * WINDOW) / this.#most, oldest + WINDOW - now));
  }

  acquire(): void {
    this.#left--;
    this.#sent.push(this.#clock.monotonic());
  }

  #refill(): number {
    const now = this.#clock.monotonic();
    const gained = ((now - this.#countedAt) * this.#most) / WINDOW;
    this.#left = Math.min(this.#most * AT_ONCE, this.#left + gained);
    this.#countedAt = now;
    while (this.#sent[0]! <= now - WINDOW) this.#sent.shift();
    return now;
  }
}
