import { basePeriod, type Connection, internals, withPriority } from '../core/http/index.ts';
import { isPaystateError } from '../core/errors/index.ts';
import type { Watch } from '../core/watch/index.ts';
import { applyRead } from '../resources/held-state.ts';
import type { Invoice } from '../resources/invoices/model.ts';
import { get } from '../resources/invoices/operations.ts';
import { invoiceStates } from '../resources/invoices/states.ts';
import { provide, type Snapshot, watchInvoice } from '../state/index.ts';
import type { AccountStore, HeldFacts } from './account-store.ts';
import type { FromVisitor, InvoiceRef, InvoiceVersion, WithTransactions } from './contracts.ts';
import { INVOICE_MEMBERS, PLACE_WAIT, pickMembers } from './routes.ts';
import type { Shares } from './shares.ts';

/**
 * A paid invoice is kept with its payments, which the watch does not read; they delay it by this at
 * most, milliseconds.
 */
const PAYMENTS_WITHIN = 1_000;

type Extent = WithTransactions['includeTransactions'];
type PageRead = InvoiceRef & WithTransactions & FromVisitor;

/**
 * All reading of invoices for pages: followed ones are watched by the client's hub, which joins,
 * gathers and paces reads; others are read when a page asks, and what is fresh enough is given
 * again.
 */
export class InvoiceReader {
  readonly #client: Connection;
  readonly #store: AccountStore;
  readonly #shares: Shares;
  readonly #changed: () => void;
  readonly #watches: Map<string, { readonly watch: Watch<Snapshot<Invoice>>; stop: () => void }> =
    new Map();
  readonly #reads: Map<string, Promise<Invoice>> = new Map();
  readonly #nextReads: Map<string, Promise<Invoice>> = new Map();
  /** When each was read last; lost with the object, at the cost of a read. */
  readonly #readAt: Map<string, number> = new Map();
  /** The latest reads with payments. */
  readonly #payments: Map<string, Invoice> = new Map();

  constructor(client: Connection, store: AccountStore, shares: Shares, changed: () => void) {
    this.#client = client;
    this.#store = store;
    this.#shares = shares;
    this.#changed = changed;
  }

  /** Watches exactly those that pages follow now; after an eviction, again. */
  watchFollowed(): void {
    const wanted = new Set(this.#store.followedIds(this.#client[internals].clock.now()));
    for (const [id, { stop }] of [...this.#watches]) {
      if (wanted.has(id)) continue;
      stop();
      this.#watches.delete(id);
    }
    for (const id of wanted) this.watch(id);
    this.#readAt.clear();
    this.#payments.clear();
  }

  /** Watches one that pages follow. */
  watch(invoiceId: string): void {
    if (this.#watches.has(invoiceId)) return;
    const watch = watchInvoice(withPriority(this.#client, 'normal'), invoiceId, { until: 'never' });
    const entry = { watch, stop: () => {} };
    this.#watches.set(invoiceId, entry);
    entry.stop = watch.subscribe({
      next: ({ value }) => void (value && this.#keepWhole(value, watch)),
      error: () => {
        this.#watches.delete(invoiceId);
        this.#store.drop(invoiceId); // refused for good
      },
    });
    const known = this.#store.version(invoiceId);
    // a new hub has to know what a replica may be behind
    if (known) provide(this.#client, 'invoice', alone(known.value), { asOf: known.asOf });
  }

  /** What is kept is what a live watch shows. */
  isLive(invoiceId: string): boolean {
    const { freshness, value } = this.#watches.get(invoiceId)?.watch.current() ?? {};
    return freshness === 'live' && value?.state === this.#store.version(invoiceId)?.value.state;
  }

  /** The invoice as read within the last period or now, with one read for all who ask. */
  async readRecent({ invoiceId, includeTransactions, visitor }: PageRead): Promise<InvoiceVersion> {
    const key = readKey(invoiceId, includeTransactions);
    const known = this.#store.version(invoiceId);
    const recent = this.#client[internals].clock.now() - basePeriod(this.#client);
    if (known && (this.#readAt.get(key) ?? -Infinity) >= recent) return known;
    if (known && !includeTransactions && isOpen(known.value) && this.isLive(invoiceId))
      return known;
    const underWay = this.#reads.get(key);
    if (!underWay) this.#shares.take('read', { id: invoiceId, visitor });
    await (underWay ?? this.#read(invoiceId, 'a page asks', includeTransactions));
    return this.#store.version(invoiceId)!;
  }

  /**
   * Reads an invoice after this call and not before: one read under way, one waiting, for all who
   * ask.
   */
  readAnew(invoiceId: string): Promise<Invoice> {
    const under = this.#reads.get(invoiceId);
    if (!under) return this.#readForEvent(invoiceId);
    const next = this.#nextReads.get(invoiceId) ?? this.#readAfter(under, invoiceId);
    this.#nextReads.set(invoiceId, next);
    return next;
  }

  async #readAfter(under: Promise<unknown>, invoiceId: string): Promise<Invoice> {
    await under.catch(() => {}); // its own caller gets the error
    this.#nextReads.delete(invoiceId);
    return this.#reads.get(invoiceId) ?? this.#readForEvent(invoiceId);
  }

  /** An event is read with the payments where pages look at its invoice: one read has all. */
  #readForEvent(invoiceId: string): Promise<Invoice> {
    return this.#read(invoiceId, 'an event', this.#watches.has(invoiceId) || undefined, invoiceId);
  }

  #read(
    invoiceId: string,
    reason: string,
    extent: Extent,
    key: string = readKey(invoiceId, extent),
  ): Promise<Invoice> {
    const read = this.#readNow(invoiceId, reason, extent).finally(() => this.#reads.delete(key));
    this.#reads.set(key, read);
    return read;
  }

  async #readNow(invoiceId: string, reason: string, extent: Extent): Promise<Invoice> {
    const sentAt = this.#client[internals].clock.now();
    const read = await this.#get(invoiceId, reason, extent);
    const invoice = alone(read);
    this.#readAt.set(invoiceId, sentAt);
    this.#readAt.set(readKey(invoiceId, extent), sentAt);
    if (read.transactions) this.#payments.set(invoiceId, read);
    provide(this.#client, 'invoice', invoice, { asOf: sentAt });
    const watched = this.#watches.get(invoiceId);
    if (!watched) this.#apply(invoice, sentAt);
    else if (read.transactions) this.#keepSeen(watched.watch);
    return invoice;
  }

  /** Where payments are refused, the invoice alone. */
  async #get(invoiceId: string, reason: string, includeTransactions: Extent): Promise<Invoice> {
    const client = withPriority(this.#client, 'normal');
    const options = { reason, queueTimeout: PLACE_WAIT };
    try {
      return await get(client, invoiceId, { ...options, includeTransactions });
    } catch (error) {
      if (!includeTransactions || !isPaystateError(error) || error.kind !== 'refused') throw error;
      return get(client, invoiceId, options);
    }
  }

  /** What the hub does not watch: the same rule decides. */
  #apply(value: Invoice, sentAt: number): void {
    const { invoiceId, state } = value;
    const before = this.#store.heldState(invoiceId);
    const read = { value, state, sentAt, receivedAt: this.#client[internals].clock.now() };
    const { held } = applyRead(invoiceStates, before, read);
    if (held.value === value) this.#keep(value, held);
    else if (held !== before) this.#store.keepFacts(invoiceId, factsOf(held));
  }

  /** Keeps what the hub shows; what was paid with its payments, where they can be read in time. */
  async #keepWhole(value: Invoice, watch: Watch<Snapshot<Invoice>>): Promise<void> {
    if (value.state === 'PAID' && !this.#paymentsOf(value)) {
      const { invoiceId } = value;
      const key = readKey(invoiceId, true);
      const read = this.#reads.get(key) ?? this.#read(invoiceId, 'payments of the invoice', true);
      const over = new AbortController();
      const late = this.#client[internals].clock.wait(PAYMENTS_WITHIN, over.signal);
      await Promise.race([read.catch(() => {}), late]); // they are not worth more waiting
      over.abort();
    }
    this.#keepSeen(watch);
  }

  #keepSeen(watch: Watch<Snapshot<Invoice>>): void {
    const { value, asOf } = watch.current();
    if (asOf === undefined) return;
    const { state } = value;
    const before = this.#store.heldState(value.invoiceId);
    const facts = { state, sentAt: asOf, since: asOf };
    this.#keep(value, before?.state === state ? { ...factsOf(before), sentAt: asOf } : facts);
  }

  /** The payments of an invoice in this state, as they were read last. */
  #paymentsOf({ invoiceId, state }: Invoice): Invoice['transactions'] {
    const known = [this.#payments.get(invoiceId), this.#store.version(invoiceId)?.value];
    return known.find((one) => one?.state === state && one.transactions)?.transactions;
  }

  #keep(invoice: Invoice, facts: HeldFacts): void {
    const whole = { ...invoice, transactions: this.#paymentsOf(invoice) };
    if (this.#store.keep(invoice.invoiceId, pickMembers(whole, INVOICE_MEMBERS), factsOf(facts)))
      this.#changed();
  }
}

/** It is expected to change: its watch reads it, where one of a settled invoice waits for events. */
export function isOpen({ state }: Invoice): boolean {
  return invoiceStates.rank(state) !== undefined && !invoiceStates.isSettled(state);
}

/** Reads with payments are counted apart from those without. */
function readKey(invoiceId: string, extent: Extent): string {
  return extent ? `${invoiceId} with payments` : invoiceId;
}

/** Without its payments, as lists and watches have it. */
function alone(read: Invoice): Invoice {
  const { transactions: _, ...invoice } = read;
  return invoice;
}

function factsOf({ state, sentAt, since, contradiction, left }: HeldFacts): HeldFacts {
  return { state, sentAt, since, contradiction, left };
}
