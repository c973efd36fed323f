import { type Connection, internals, placesOf } from '../../core/http/index.ts';

/** What is left for other requests of the same kind, and for rows that a restart begins again. */
const SLOWER = 1.1;
/** Part of the rate limit that may be used without a pause. */
const BURST = 0.04;

/**
 * Spreads the quotes of a plan evenly. A process that dies forgets what it has sent: were its rate
 * limit used up at once, the next process would do that again in the same window.
 */
export class Pace {
  readonly #client: Connection;
  readonly #interval: number;
  #dueAt: number;

  constructor(client: Connection) {
    const { places, window } = placesOf(client, 'payment-quotes', 'normal');
    this.#client = client;
    this.#interval = (window / places) * SLOWER;
    this.#dueAt = this.#now() - Math.floor(places * BURST) * this.#interval;
  }

  /** Resolves when the next quote may be asked for. */
  async takeTurn(signal?: AbortSignal): Promise<void> {
    const { clock } = this.#client[internals];
    const due = this.#dueAt;
    this.#dueAt = Math.max(due, this.#now() - this.#interval) + this.#interval;
    if (due > this.#now()) await clock.wait(due - this.#now(), signal);
  }

  #now(): number {
    return this.#client[internals].clock.monotonic();
  }
}
