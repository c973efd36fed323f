import type { Clock } from '../core/time/index.ts';
import { ask } from './calls.ts';
import type { AccountStore } from './account-store.ts';
import type { ObjectStub } from './platform.ts';

/** A room that could not be reached is told again after this, then later and later, milliseconds. */
const AGAIN = 1_000;
const SLOWEST = 60_000;

/** Brings rooms what they have not heard. What is to be said lies in the book until its room has said that it knows. */
export class Outbox {
  readonly #book: AccountStore;
  readonly #clock: Clock;
  readonly #roomOf: (invoiceId: string) => ObjectStub;
  #pushing: Promise<void> | undefined;
  /** Rounds in a row in which some room did not hear. */
  #misses: number = 0;

  constructor(book: AccountStore, clock: Clock, roomOf: (invoiceId: string) => ObjectStub) {
    this.#book = book;
    this.#clock = clock;
    this.#roomOf = roomOf;
  }

  /** When to push again, if some room has not heard; milliseconds from now. */
  get patience(): number {
    return this.#misses === 0 ? Infinity : Math.min(SLOWEST, AGAIN * 2 ** this.#misses);
  }

  /** Tells all that is unheard; one round at a time, and again while there is more. */
  push(): Promise<void> {
    this.#pushing ??= this.#rounds().finally(() => (this.#pushing = undefined));
    return this.#pushing;
  }

  async #rounds(): Promise<void> {
    for (let ids = this.#unheard(); ids.length > 0; ids = this.#unheard()) {
      const heard = await Promise.all(ids.map((id) => this.#tell(id)));
      this.#misses = heard.includes(false) ? this.#misses + 1 : 0;
      if (this.#misses > 0) return;
    }
  }

  #unheard(): readonly string[] {
    return this.#book.unconfirmed(this.#clock.now());
  }

  async #tell(invoiceId: string): Promise<boolean> {
    const told = this.#book.version(invoiceId);
    if (!told) return true;
    try {
      await ask(this.#roomOf(invoiceId), 'told', { invoiceId, told });
      this.#book.confirm(invoiceId, told.number);
      return true;
    } catch {
      return false;
    }
  }
}
