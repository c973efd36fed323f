import type { Clock } from '../core/time.ts';
import { type Invoice, invoiceStates } from '../resources/invoices.ts';
import { LAG_MS } from '../resources/service-facts.ts';
import type { AccountStore } from './account-store.ts';

/** What is older says nothing any more, milliseconds. */
const MEMORY = 600_000;
/** An event that could not be read for so long waits for the inbox alone, milliseconds. */
const LONGEST_DOUBT = 3_600_000;

/**
 * When what is kept of an invoice was last known to be so. Times are milliseconds since 1970; what
 * is in memory only is lost at the cost of a read.
 */
export class Confirmations {
  readonly #store: AccountStore;
  readonly #clock: Clock;
  /** When it was last read and found as it is kept, the oldest first. */
  readonly #seenAt: Map<string, number> = new Map();
  /** When an event was received that no read has answered yet, the oldest first. */
  readonly #announcedAt: Map<string, number> = new Map();

  constructor(store: AccountStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** An event says that it has changed: nothing is known until it was read. */
  announce(invoiceId: string): void {
    setLast(this.#announcedAt, invoiceId, this.#clock.now(), LONGEST_DOUBT);
  }

  /** It was read by a request of then. A copy of the service's data may hide what was announced. */
  note({ invoiceId, state }: Invoice, sentAt: number): void {
    if (this.#store.version(invoiceId)?.value.state !== state) return;
    const announcedAt = this.#announcedAt.get(invoiceId) ?? -Infinity;
    if (sentAt < (invoiceStates.rank(state) === 0 ? announcedAt + LAG_MS : announcedAt)) return;
    this.#announcedAt.delete(invoiceId);
    const before = this.#seenAt.get(invoiceId) ?? 0;
    setLast(this.#seenAt, invoiceId, Math.max(before, sentAt), MEMORY);
  }

  /**
   * When it was last known to be as it is kept; nothing where an event waits for its read.
   *
   * @param allAt when all were that pages followed then
   */
  of(invoiceId: string, allAt: number): number | undefined {
    const asOf = this.#store.version(invoiceId)?.asOf;
    if (asOf === undefined || this.#announcedAt.has(invoiceId)) return undefined;
    const wasFollowed = allAt >= this.#store.followedAt(invoiceId, this.#clock.now());
    return Math.max(asOf, this.#seenAt.get(invoiceId) ?? 0, wasFollowed ? allAt : 0);
  }
}

/** Puts an entry last, and forgets those that are too old. */
function setLast(times: Map<string, number>, id: string, at: number, memory: number): void {
  times.delete(id);
  times.set(id, at);
  for (const [old, time] of times) {
    if (time > at - memory) break;
    times.delete(old);
  }
}
