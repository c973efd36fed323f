import type { Clock } from '../core/time/index.ts';
import type { AccountStore } from './account-store.ts';
import type { Caller } from './calls.ts';
import type { RoomContract } from './contracts.ts';

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
  #pushing: Promise<void> | undefined;
  /** Rounds in a row in which a room did not confirm. */
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

  /** Sends all that is unconfirmed; one round at a time, and again while there is more. */
  push(): Promise<void> {
    this.#pushing ??= this.#pushRounds().finally(() => (this.#pushing = undefined));
    return this.#pushing;
  }

  async #pushRounds(): Promise<void> {
    for (let ids = this.#unconfirmedIds(); ids.length > 0; ids = this.#unconfirmedIds()) {
      const confirmed = await Promise.all(ids.map((id) => this.#send(id)));
      this.#misses = confirmed.includes(false) ? this.#misses + 1 : 0;
      if (this.#misses > 0) return;
    }
  }

  #unconfirmedIds(): readonly string[] {
    return this.#store.unconfirmedIds(this.#clock.now());
  }

  async #send(invoiceId: string): Promise<boolean> {
    const version = this.#store.version(invoiceId);
    if (!version) return true;
    try {
      await this.#roomOf(invoiceId)('update', { invoiceId, version });
      this.#store.confirm(invoiceId, version.number);
      return true;
    } catch {
      return false;
    }
  }
}
