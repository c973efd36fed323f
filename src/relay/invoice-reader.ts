import {
  basePeriod,
  type Connection,
  internals,
  placesOf,
  type Priority,
  withPriority,
} from '../core/http/index.ts';
import { isPaystateError } from '../core/errors/index.ts';
import type { Watch } from '../core/watch/index.ts';
import type { Invoice } from '../resources/invoices/model.ts';
import { get } from '../resources/invoices/operations.ts';
import { invoiceStates } from '../resources/invoices/states.ts';
import { provide, type Snapshot, watchInvoice } from '../state/index.ts';
import { ReadPace } from '../webhooks/pace.ts';
import type { AccountStore } from './account-store.ts';
import type { FromVisitor, InvoiceRef, InvoiceVersion, WithTransactions } from './contracts.ts';
import { InvoiceKeeper } from './invoice-keeper.ts';
import { PLACE_WAIT } from './routes.ts';
import type { Shares } from './shares.ts';

/**
 * A paid invoice is kept with its payments, which the watch does not read; they delay it by this at
 * most, milliseconds.
 */
const PAYMENTS_WITHIN = 1_000;

/** Part of the rate limit for payments that are read for pages, which did not ask for them. */
const PAYMENTS = 1 / 5;

type Extent = WithTransactions['includeTransactions'];
type PageRead = InvoiceRef & WithTransactions & FromVisitor;

/** One read of an invoice. */
interface Asked {
  readonly reason: string;
  readonly extent: Extent;
  readonly priority: Priority;
  /** Who asks for the same while it is under way shares it. */
  readonly key: string;
}

/**
 * All reading of invoices for pages: followed ones are watched by the client's hub, which joins,
 * gathers and paces reads; others are read when a page asks, and what is fresh enough is given
 * again.
 */
export class InvoiceReader {
  readonly #client: Connection;
  readonly #store: AccountStore;
  readonly #shares: Shares;
  readonly #keeper: InvoiceKeeper;
  readonly #watches: Map<string, { readonly watch: Watch<Snapshot<Invoice>>; stop: () => void }> =
    new Map();
  readonly #reads: Map<string, Promise<Invoice>> = new Map();
  /** When each was read last; lost with the object, at the cost of a read. */
  readonly #readAt: Map<string, number> = new Map();
  /** Reads of payments that nobody asked for. */
  readonly #pace: ReadPace;

  constructor(client: Connection, store: AccountStore, shares: Shares, changed: () => void) {
    this.#client = client;
    this.#store = store;
    this.#shares = shares;
    this.#keeper = new InvoiceKeeper(client, store, changed, (id) => this.#readAgain(id));
    const { places, window } = placesOf(client, 'others', 'low');
    this.#pace = new ReadPace(places * PAYMENTS, window);
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
    this.#keeper.forgetPayments();
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

  isWatched(invoiceId: string): boolean {
    return this.#watches.has(invoiceId);
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
    if (!this.#reads.has(key)) this.#shares.take('read', { id: invoiceId, visitor });
    await this.#read(invoiceId, 'a page asks', includeTransactions, 'normal');
    return this.#store.version(invoiceId)!;
  }

  /**
   * Reads an invoice after this call and not before; with the payments where pages look at it: one
   * read has all.
   */
  readForEvent(invoiceId: string, priority: Priority): Promise<Invoice> {
    const extent = this.#watches.has(invoiceId) || undefined;
    return this.#begin(invoiceId, { reason: 'an event', extent, priority, key: invoiceId });
  }

  /** Nothing where no page looks at it any more. */
  async #readAgain(invoiceId: string): Promise<Invoice | undefined> {
    if (!this.#watches.has(invoiceId)) return undefined;
    return this.#read(invoiceId, 'a state that was left', undefined, 'normal');
  }

  #read(invoiceId: string, reason: string, extent: Extent, priority: Priority): Promise<Invoice> {
    const key = readKey(invoiceId, extent);
    return this.#reads.get(key) ?? this.#begin(invoiceId, { reason, extent, priority, key });
  }

  #begin(invoiceId: string, asked: Asked): Promise<Invoice> {
    const { key } = asked;
    const end = () => void (this.#reads.get(key) === read && this.#reads.delete(key));
    const read = this.#readNow(invoiceId, asked).finally(end);
    this.#reads.set(key, read);
    return read;
  }

  async #readNow(invoiceId: string, asked: Asked): Promise<Invoice> {
    const sentAt = this.#client[internals].clock.now();
    const read = await this.#get(invoiceId, asked);
    const invoice = alone(read);
    this.#readAt.set(readKey(invoiceId, asked.extent), sentAt);
    this.#keeper.notePayments(read);
    this.take(invoice, sentAt);
    if (read.transactions) this.#keepShown(invoiceId);
    return invoice;
  }

  /** Takes in an invoice that was read by a request of then: without its payments. */
  take(invoice: Invoice, sentAt: number): void {
    const { invoiceId } = invoice;
    this.#readAt.set(invoiceId, sentAt);
    provide(this.#client, 'invoice', invoice, { asOf: sentAt });
    if (!this.#watches.has(invoiceId)) this.#keeper.keepRead(invoice, sentAt);
  }

  /** Where payments are refused, the invoice alone. */
  async #get(invoiceId: string, { reason, extent, priority }: Asked): Promise<Invoice> {
    const client = withPriority(this.#client, priority);
    const options = { reason, queueTimeout: PLACE_WAIT };
    try {
      return await get(client, invoiceId, { ...options, includeTransactions: extent });
    } catch (error) {
      if (!extent || !isPaystateError(error) || error.kind !== 'refused') throw error;
      return get(client, invoiceId, options);
    }
  }

  /** Keeps what the hub shows; what was paid with its payments, where they can be read in time. */
  async #keepWhole(value: Invoice, watch: Watch<Snapshot<Invoice>>): Promise<void> {
    if (value.state === 'PAID' && !this.#keeper.paymentsOf(value)) {
      const over = new AbortController();
      const late = this.#client[internals].clock.wait(PAYMENTS_WITHIN, over.signal);
      await Promise.race([this.#readPayments(value), late]); // they are not worth more waiting
      over.abort();
    }
    this.#keeper.keepShown(watch);
  }

  async #readPayments({ invoiceId }: Invoice): Promise<void> {
    const now = this.#client[internals].clock.monotonic();
    if (!this.#reads.has(readKey(invoiceId, true))) {
      if (this.#pace.delay(now) > 0) return; // many are paid at once: their events are read first
      this.#pace.take(now);
    }
    await this.#read(invoiceId, 'payments of the invoice', true, 'low').catch(() => {});
  }

  #keepShown(invoiceId: string): void {
    const watched = this.#watches.get(invoiceId);
    if (watched) this.#keeper.keepShown(watched.watch);
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
