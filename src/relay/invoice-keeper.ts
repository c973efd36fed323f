import { type Connection, internals } from '../core/http/index.ts';
import type { Clock } from '../core/time.ts';
import type { Watch } from '../core/watch.ts';
import { type AppliedRead, applyRead, heldSince } from '../resources/held-state.ts';
import { type Invoice, invoiceStates } from '../resources/invoices.ts';
import { LAG_MS } from '../resources/service-facts.ts';
import type { Snapshot } from '../state/index.ts';
import type { AccountStore } from './account-store.ts';
import type { HeldFacts } from './relay-store.ts';
import { INVOICE_MEMBERS, pickMembers } from './tokens.ts';

/** Older notes say nothing any more, milliseconds. */
const MEMORY = 600_000;
/** An event that could not be read for this time waits for the inbox alone, milliseconds. */
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

/** A read that failed is repeated after this, milliseconds. */
const AGAIN = 5_000;

/** Keeps invoices as they were read, whole with their payments, and says when something is new. */
export class InvoiceKeeper {
  readonly #client: Connection;
  readonly #store: AccountStore;
  readonly #changed: () => void;
  readonly #readAgain: (invoiceId: string) => Promise<Invoice | undefined>;
  /** Invoices whose shown state is not believed yet. */
  readonly #unsure: Set<string> = new Set();
  /** The latest reads with payments. */
  readonly #payments: Map<string, Invoice> = new Map();

  constructor(
    client: Connection,
    store: AccountStore,
    changed: () => void,
    readAgain: (invoiceId: string) => Promise<Invoice | undefined>,
  ) {
    this.#client = client;
    this.#store = store;
    this.#changed = changed;
    this.#readAgain = readAgain;
  }

  /** Remembers the payments, where they were read. */
  notePayments(read: Invoice): void {
    if (read.transactions) this.#payments.set(read.invoiceId, read);
  }

  forgetPayments(): void {
    this.#payments.clear();
  }

  /** The payments of an invoice in this state, as they were read last. */
  paymentsOf({ invoiceId, state }: Invoice): Invoice['transactions'] {
    const known = [this.#payments.get(invoiceId), this.#store.version(invoiceId)?.value];
    return known.find((one) => one?.state === state && one.transactions)?.transactions;
  }

  /** Keeps a read of an invoice that the hub does not watch, by the hub's rule. */
  keepRead(value: Invoice, sentAt: number): void {
    const { held } = this.#apply(value, sentAt);
    if (held.value === value) this.#keep(value, held);
    else this.#store.keepFacts(value.invoiceId, factsOf(held));
    this.#noteUnconfirmed(value.invoiceId, held.contradiction?.state);
  }

  /**
   * Keeps what the hub shows: it has read more. Only of states without rank it does not know which
   * were left before the object was put out of memory; one of those waits as long as a replica may
   * show it.
   */
  keepShown(watch: Watch<Snapshot<Invoice>>): void {
    const { value, asOf, unconfirmed } = watch.current();
    if (asOf === undefined) return;
    const { held, confirmAt } = this.#apply(value, asOf);
    const isUnranked = [held.state, value.state].some(
      (one) => invoiceStates.rank(one) === undefined,
    );
    if (held.value === value) this.#keep(value, held);
    else if (!isUnranked) this.#keep(value, heldSince(value, value.state, asOf));
    else if (confirmAt !== undefined) this.#confirmLater(value.invoiceId, confirmAt);
    this.#noteUnconfirmed(value.invoiceId, unconfirmed);
  }

  #noteUnconfirmed(invoiceId: string, state: string | undefined): void {
    if (this.#store.noteUnconfirmed(invoiceId, state)) this.#changed();
  }

  /** Reads again when no replica can show any more what is not believed. */
  #confirmLater(invoiceId: string, at: number): void {
    const { clock } = this.#client[internals];
    if (this.#unsure.has(invoiceId)) return;
    this.#unsure.add(invoiceId);
    clock.after(Math.max(at - clock.now(), AGAIN), () => {
      this.#confirm(invoiceId, at).catch(() => {}); // it cannot be kept: a look reads it later
    });
  }

  async #confirm(invoiceId: string, at: number): Promise<void> {
    const sentAt = this.#client[internals].clock.now();
    const read = await this.#readAgain(invoiceId).catch(() => 'failed' as const);
    this.#unsure.delete(invoiceId);
    if (read === 'failed') this.#confirmLater(invoiceId, at);
    else if (read) this.keepRead(read, sentAt);
  }

  #apply(value: Invoice, sentAt: number): AppliedRead<Invoice> {
    const { invoiceId, state } = value;
    const receivedAt = this.#client[internals].clock.now();
    return applyRead(invoiceStates, this.#store.heldState(invoiceId), {
      value,
      state,
      sentAt,
      receivedAt,
    });
  }

  #keep(invoice: Invoice, facts: HeldFacts): void {
    const whole = { ...invoice, transactions: this.paymentsOf(invoice) };
    if (this.#store.keep(invoice.invoiceId, pickMembers(whole, INVOICE_MEMBERS), factsOf(facts)))
      this.#changed();
  }
}

function factsOf({ state, sentAt, since, contradiction, left }: HeldFacts): HeldFacts {
  return { state, sentAt, since, contradiction, left };
}
