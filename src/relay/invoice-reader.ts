import { basePeriod, type Connection, internals, withPriority } from '../core/http/index.ts';
import type { Watch } from '../core/watch/index.ts';
import { applyRead } from '../resources/held-state.ts';
import type { Invoice } from '../resources/invoices/model.ts';
import { get } from '../resources/invoices/operations.ts';
import { invoiceStates } from '../resources/invoices/states.ts';
import { provide, type Snapshot, watchInvoice } from '../state/index.ts';
import type { AccountStore, HeldFacts } from './account-store.ts';
import type { InvoiceVersion } from './contracts.ts';
import { INVOICE_MEMBERS, PLACE_WAIT, pickMembers } from './routes.ts';
import type { Shares } from './shares.ts';

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
  }

  /** Watches one that pages follow. */
  watch(invoiceId: string): void {
    if (this.#watches.has(invoiceId)) return;
    const watch = watchInvoice(withPriority(this.#client, 'normal'), invoiceId, { until: 'never' });
    const entry = { watch, stop: () => {} };
    this.#watches.set(invoiceId, entry);
    entry.stop = watch.subscribe({
      next: (seen) => void (seen.asOf !== undefined && this.#keepSeen(seen.value, seen.asOf)),
      error: () => {
        this.#watches.delete(invoiceId);
        this.#store.drop(invoiceId); // refused for good
      },
    });
    const known = this.#store.version(invoiceId);
    // a new hub has to know what a replica may be behind
    if (known) provide(this.#client, 'invoice', known.value, { asOf: known.asOf });
  }

  /** What is kept is what a live watch shows. */
  isLive(invoiceId: string): boolean {
    const { freshness, value } = this.#watches.get(invoiceId)?.watch.current() ?? {};
    return freshness === 'live' && value?.state === this.#store.version(invoiceId)?.value.state;
  }

  /** The invoice as read within the last period or now, with one read for all who ask. */
  async readRecent(invoiceId: string): Promise<InvoiceVersion> {
    const watched = this.#watches.get(invoiceId)?.watch.status().readAt;
    const readAt = Math.max(watched ?? -Infinity, this.#readAt.get(invoiceId) ?? -Infinity);
    const known = this.#store.version(invoiceId);
    if (known && readAt >= this.#client[internals].clock.now() - basePeriod(this.#client))
      return known;
    await (this.#reads.get(invoiceId) ?? this.#readForPage(invoiceId));
    return this.#store.version(invoiceId)!;
  }

  #readForPage(invoiceId: string): Promise<Invoice> {
    this.#shares.take('read', invoiceId);
    return this.#read(invoiceId, 'a page asks');
  }

  /**
   * Reads an invoice after this call and not before: one read under way, one waiting, for all who
   * ask.
   */
  readAnew(invoiceId: string): Promise<Invoice> {
    const under = this.#reads.get(invoiceId);
    if (!under) return this.#read(invoiceId, 'an event');
    const next = this.#nextReads.get(invoiceId) ?? this.#readAfter(under, invoiceId);
    this.#nextReads.set(invoiceId, next);
    return next;
  }

  async #readAfter(under: Promise<unknown>, invoiceId: string): Promise<Invoice> {
    await under.catch(() => {}); // its own caller gets the error
    this.#nextReads.delete(invoiceId);
    return this.#reads.get(invoiceId) ?? this.#read(invoiceId, 'an event');
  }

  #read(invoiceId: string, reason: string): Promise<Invoice> {
    const read = this.#readNow(invoiceId, reason).finally(() => this.#reads.delete(invoiceId));
    this.#reads.set(invoiceId, read);
    return read;
  }

  async #readNow(invoiceId: string, reason: string): Promise<Invoice> {
    const sentAt = this.#client[internals].clock.now();
    const invoice = await get(withPriority(this.#client, 'normal'), invoiceId, {
      reason,
      queueTimeout: PLACE_WAIT,
    });
    this.#readAt.set(invoiceId, sentAt);
    provide(this.#client, 'invoice', invoice, { asOf: sentAt });
    this.#apply(invoice, sentAt);
    return invoice;
  }

  /** The hub decides for what it watches; elsewhere the same rule does. */
  #apply(value: Invoice, sentAt: number): void {
    const { invoiceId, state } = value;
    if (this.#watches.has(invoiceId)) return;
    const before = this.#store.heldState(invoiceId);
    const read = { value, state, sentAt, receivedAt: this.#client[internals].clock.now() };
    const { held } = applyRead(invoiceStates, before, read);
    if (held.value === value) this.#keep(value, held);
    else if (held !== before) this.#store.keepFacts(invoiceId, factsOf(held));
  }

  /** Keeps what the hub shows. */
  #keepSeen(value: Invoice, asOf: number): void {
    const { state } = value;
    const before = this.#store.heldState(value.invoiceId);
    const facts = { state, sentAt: asOf, since: asOf };
    this.#keep(value, before?.state === state ? { ...factsOf(before), sentAt: asOf } : facts);
  }

  #keep(invoice: Invoice, facts: HeldFacts): void {
    if (this.#store.keep(invoice.invoiceId, pickMembers(invoice, INVOICE_MEMBERS), factsOf(facts)))
      this.#changed();
  }
}

function factsOf({ state, sentAt, since, contradiction, left }: HeldFacts): HeldFacts {
  return { state, sentAt, since, contradiction, left };
}
