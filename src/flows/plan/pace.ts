import { type Connection, internals, placesOf } from '../../core/http/index.ts';
import type { RowCost } from './rail.ts';

/** What is left for other requests of the same kind, and for rows that a restart begins again. */
const SLOWER = 1.2;
/** Part of the rate limit that may be used without a pause, and the most of it. */
const BURST = 0.04;
const MOST_BURST = 8;

/**
 * Spreads the rows of a plan evenly. A process that dies forgets what it has sent: were its rate
 * limit used up at once, the next process would do that again in the same window.
 */
export class Pace {
  readonly #client: Connection;
  /** When the next turn is due, by bucket. */
  readonly #dueAt: Map<string, number> = new Map();

  constructor(client: Connection) {
    this.#client = client;
  }

  /** Resolves when the next row may ask. */
  async takeTurn(costs: readonly RowCost[], signal?: AbortSignal): Promise<void> {
    const { clock } = this.#client[internals];
    const due = Math.max(...costs.map((cost) => this.#take(cost)));
    const wait = due - clock.monotonic();
    if (wait > 0) await clock.wait(wait, signal);
  }

  /** When it is this row's turn in one bucket. */
  #take({ bucket, requests }: RowCost): number {
    const { clock } = this.#client[internals];
    const { places, window } = placesOf(this.#client, bucket, 'normal');
    const interval = (requests * window * SLOWER) / places;
    const burst = Math.min(MOST_BURST, Math.floor((places * BURST) / requests));
    const now = clock.monotonic();
    const due = this.#dueAt.get(bucket) ?? now - burst * interval;
    this.#dueAt.set(bucket, Math.max(due, now - burst * interval) + interval);
    return due;
  }
}
