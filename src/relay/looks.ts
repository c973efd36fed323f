import { basePeriod, type Connection, internals, withPriority } from '../core/http/index.ts';
import type { Watch } from '../core/watch/index.ts';
import type { Invoice } from '../resources/invoices/model.ts';
import { invoiceStates } from '../resources/invoices/states.ts';
import { get } from '../resources/invoices/operations.ts';
import { provide, type Snapshot, watchInvoice } from '../state/index.ts';
import type { FeedBook } from './feed-book.ts';
import type { Told } from './room-book.ts';
import { INVOICE_MEMBERS, shown } from './routes.ts';
import type { Shares } from './shares.ts';

/** How far a replica of the service may be behind, milliseconds. */
const LAG = 30_000;

/**
 * All reading of invoices for pages: followed ones are watched by the client's hub, which joins, gathers and paces;
 * others are read when somebody asks, and what is fresh enough is given again.
 */
export class Looks {
  readonly #client: Connection;
  readonly #book: FeedBook;
  readonly #shares: Shares;
  readonly #changed: (invoiceId: string) => void;
  readonly #watches: Map<string, { readonly watch: Watch<Snapshot<Invoice>>; stop: () => void }> =
    new Map();
  readonly #reads: Map<string, Promise<Invoice>> = new Map();
  readonly #nextReads: Map<string, Promise<Invoice>> = new Map();
  /** When each was read last; forgotten with the object, at the cost of a read. */
  readonly #lookedAt: Map<string, number> = new Map();

  constructor(
    client: Connection,
    book: FeedBook,
    shares: Shares,
    changed: (invoiceId: string) => void,
  ) {
    this.#client = client;
    this.#book = book;
    this.#shares = shares;
    this.#changed = changed;
  }

  /** Watches exactly those that pages follow now; after an eviction, again. */
  keepUp(): void {
    const wanted = new Set(this.#book.followed(this.#client[internals].clock.now()));
    for (const [id, { stop }] of [...this.#watches]) {
      if (wanted.has(id)) continue;
      stop();
      this.#watches.delete(id);
    }
    for (const id of wanted) this.follow(id);
    this.#lookedAt.clear();
  }

  /** Watches one that pages follow. */
  follow(invoiceId: string): void {
    if (this.#watches.has(invoiceId)) return;
    const watch = watchInvoice(withPriority(this.#client, 'normal'), invoiceId, { until: 'never' });
    const entry = { watch, stop: () => {} };
    this.#watches.set(invoiceId, entry);
    entry.stop = watch.subscribe({
      next: ({ value, asOf }) => this.#learn(value, asOf),
      error: () => {
        this.#watches.delete(invoiceId);
        this.#book.drop(invoiceId); // refused for good
      },
    });
    const known = this.#book.truth(invoiceId);
    if (known) provide(this.#client, 'invoice', known.value, { asOf: known.asOf }); // a new hub has to know what a replica may be behind
  }

  /** What is true of an invoice, read within the last period or now, once for all who ask. */
  async look(invoiceId: string): Promise<Told> {
    const watched = this.#watches.get(invoiceId)?.watch.status().readAt;
    const lookedAt = Math.max(watched ?? -Infinity, this.#lookedAt.get(invoiceId) ?? -Infinity);
    const known = this.#book.truth(invoiceId);
    if (known && lookedAt >= this.#client[internals].clock.now() - basePeriod(this.#client))
      return known;
    await (this.#reads.get(invoiceId) ?? this.#readFor(invoiceId));
    return this.#book.truth(invoiceId)!;
  }

  #readFor(invoiceId: string): Promise<Invoice> {
    this.#shares.take('look', invoiceId);
    return this.#read(invoiceId, 'a page asks');
  }

  /** Reads an invoice after this call and not before: one read under way, one waiting, for all who ask. */
  fresh(invoiceId: string): Promise<Invoice> {
    const under = this.#reads.get(invoiceId);
    if (!under) return this.#read(invoiceId, 'an event');
    const next = this.#nextReads.get(invoiceId) ?? this.#readAfter(under, invoiceId);
    this.#nextReads.set(invoiceId, next);
    return next;
  }

  async #readAfter(under: Promise<unknown>, invoiceId: string): Promise<Invoice> {
    await under.catch(() => {}); // whoever asked for it hears of it
    this.#nextReads.delete(invoiceId);
    return this.#reads.get(invoiceId) ?? this.#read(invoiceId, 'an event');
  }

  #read(invoiceId: string, why: string): Promise<Invoice> {
    const read = this.#readNow(invoiceId, why).finally(() => this.#reads.delete(invoiceId));
    this.#reads.set(invoiceId, read);
    return read;
  }

  async #readNow(invoiceId: string, why: string): Promise<Invoice> {
    const at = this.#client[internals].clock.now();
    const invoice = await get(withPriority(this.#client, 'normal'), invoiceId, { reason: why });
    this.#lookedAt.set(invoiceId, at);
    provide(this.#client, 'invoice', invoice, { asOf: at });
    this.#accept(invoice, at);
    return invoice;
  }

  /** The hub decides for what it watches; elsewhere a lower state is believed only when no replica can be behind. */
  #accept(invoice: Invoice, at: number): void {
    if (this.#watches.has(invoice.invoiceId)) return;
    const known = this.#book.truth(invoice.invoiceId);
    const rise =
      (invoiceStates.rank(invoice.state) ?? 0) -
      (invoiceStates.rank(known?.value.state ?? '') ?? 0);
    if (!known || rise >= 0 || at >= known.asOf + LAG) this.#learn(invoice, at);
  }

  #learn(invoice: Invoice, at: number): void {
    if (this.#book.learn(invoice.invoiceId, shown(invoice, INVOICE_MEMBERS), at))
      this.#changed(invoice.invoiceId);
  }
}
