import type { Clock } from '../core/time.ts';
import type { AccountStore } from './account-store.ts';
import type { Caller } from './calls.ts';
import type { InvoiceVersion, RoomContract } from './contracts.ts';

/**
 * A room that could not be reached is asked again after this, then later and later, milliseconds.
 */
const RETRY = 1_000;
const SLOWEST = 60_000;

/**
 * Sends rooms what they do not have yet. A version stays in the store until its room has confirmed
 * it.
 */
export class Outbox {
  readonly #store: AccountStore;
  readonly #clock: Clock;
  readonly #roomOf: (invoiceId: string) => Caller<RoomContract>;
  /** Rooms that are being told, by invoice. */
  readonly #telling: Map<string, Promise<boolean>> = new Map();
  /** Times in a row that a room did not confirm. */
  #misses: number = 0;

  constructor(
    store: AccountStore,
    clock: Clock,
    roomOf: (invoiceId: string) => Caller<RoomContract>,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#roomOf = roomOf;
  }

  /** When to push again, if a room has not confirmed; milliseconds from now. */
  get retryDelay(): number {
    return this.#misses === 0 ? Infinity : Math.min(SLOWEST, RETRY * 2 ** this.#misses);
  }

  /** Sends all that is unconfirmed. No room waits for another. */
  async push(): Promise<void> {
    const ids = this.#store.unconfirmedIds(this.#clock.now());
    const told = ids.map((id) => this.#telling.get(id) ?? this.#begin(id));
    this.#misses = (await Promise.all(told)).includes(false) ? this.#misses + 1 : 0;
  }

  #begin(invoiceId: string): Promise<boolean> {
    const telling = Promise.resolve().then(() => this.#tell(invoiceId));
    this.#telling.set(invoiceId, telling);
    return telling;
  }

  /** Sends a room the newest, and again while there is something newer; returns whether it has it. */
  async #tell(invoiceId: string): Promise<boolean> {
    try {
      for (let told: number | undefined; ; ) {
        const version = this.#store.version(invoiceId);
        if (!version || version.number === told) return true;
        if (!(await this.#send(invoiceId, version))) return false;
        told = version.number;
      }
    } finally {
      this.#telling.delete(invoiceId); // at once: what is new from here on is told anew
    }
  }

  async #send(invoiceId: string, version: InvoiceVersion): Promise<boolean> {
    try {
      await this.#roomOf(invoiceId)('update', { invoiceId, version });
    } catch {
      return false;
    }
    this.#store.confirm(invoiceId, version.number);
    return true;
  }
}
