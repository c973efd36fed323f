import type { Clock } from './clock.ts';

/** One timer on a clock. Times are monotonic milliseconds; `Infinity` means never. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #timer: AbortController | undefined;
  #at: number = Infinity;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Rings at `at`, unless an earlier time is set already. */
  byLatest(at: number): void {
    if (at < this.#at) this.set(at);
  }

  /** Rings at `at` and at no other time. */
  set(at: number): void {
    this.stop();
    if (at === Infinity) return;
    const timer = new AbortController();
    this.#timer = timer;
    this.#at = at;
    void this.#clock.wait(at - this.#clock.monotonic(), timer.signal).then(() => {
      if (timer.signal.aborted) return;
      this.#at = Infinity;
      this.#ring();
    });
  }

  stop(): void {
    this.#timer?.abort();
    this.#at = Infinity;
  }
}
