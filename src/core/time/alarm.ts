import type { Clock } from './clock.ts';

/** One timer on a clock. Times are monotonic milliseconds; `Infinity` means never. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #cancel: (() => void) | undefined;
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
    this.#at = at;
    this.#cancel = this.#clock.after(at - this.#clock.monotonic(), () => {
      this.#at = Infinity;
      this.#ring();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#at = Infinity;
  }
}
