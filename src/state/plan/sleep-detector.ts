import type { Clock } from '../../core/time.ts';

/** A timer that is later than this was asleep, milliseconds; hidden pages wait for a minute. */
const SLEEP = 300_000;

/**
 * Notices that the machine was asleep: a timer came much too late by one of the two clocks. The
 * monotonic one stands still during a sleep on most platforms.
 */
export class SleepDetector {
  readonly #clock: Clock;
  /** What both clocks show at most when the next timer rings. */
  #wall: number = Infinity;
  #monotonic: number = Infinity;
  /** A sleep was noticed before the timer rang. */
  #isNoticed: boolean = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A timer was set for this monotonic time, which may have passed. */
  expect(at: number): void {
    this.#isNoticed ||= this.#isLate; // who comes first after a sleep sets it anew
    const now = this.#clock.monotonic();
    this.#monotonic = Math.max(at, now);
    this.#wall = this.#clock.now() + this.#monotonic - now;
  }

  /** Asked when the timer rings. */
  hasSlept(): boolean {
    const hasSlept = this.#isNoticed || this.#isLate;
    this.#isNoticed = false;
    return hasSlept;
  }

  get #isLate(): boolean {
    const late = this.#clock.monotonic() - this.#monotonic;
    return Math.max(late, this.#clock.now() - this.#wall) > SLEEP;
  }
}
