import type { Clock } from '../core/time.ts';

/** Webhooks come where one has come within this time, milliseconds. */
const LATELY = 600_000;
/** They come now: the service is there, and its way to us is open. */
const NOW = 60_000;
/** What one was about is remembered for so long, milliseconds. */
const MEMORY = 60_000;

/** Whether webhooks come, and what they have told lately. Lost with the object. */
export class WebhookHealth {
  readonly #clock: Clock;
  /** When each subject was told of last, the oldest first. */
  readonly #toldAt: Map<string, number> = new Map();
  #latest: number = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A delivery that was signed has come. */
  note(subject: string): void {
    const now = (this.#latest = this.#clock.now());
    this.#toldAt.delete(subject);
    this.#toldAt.set(subject, now);
    for (const [old, at] of this.#toldAt) {
      if (at > now - MEMORY) break;
      this.#toldAt.delete(old);
    }
  }

  /** They come: what was not told has not happened, but for what looks find. */
  get isGood(): boolean {
    return this.#latest > this.#clock.now() - LATELY;
  }

  /** One has come a moment ago. */
  get isComing(): boolean {
    return this.#latest > this.#clock.now() - NOW;
  }

  /** One has told of this subject within the last minute. */
  hasTold(subject: string): boolean {
    return (this.#toldAt.get(subject) ?? -Infinity) > this.#clock.now() - MEMORY;
  }
}
