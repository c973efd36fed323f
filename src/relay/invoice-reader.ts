import {
  type Connection,
  type Priority,
  basePeriod,
  blockedFor,
  internals,
  placesOf,
  withPriority,
} from '../core/http/index.ts';
import { within } from '../core/time.ts';
import type { Watch } from '../core/watch.ts';
import {
  type Invoice,
  invoiceStates,
  resource,
  resource as invoices,
} from '../resources/invoices.ts';
import { type Snapshot, watchInvoice } from '../state/index.ts';
import { tellRead } from '../state/watch-one.ts';
import { GatheredReads, OwnTurns, ReadPace, EVENT_READS, readMany } from '../webhooks/reads.ts';
import type { AccountStore } from './account-store.ts';
import {
  type FromVisitor,
  type InvoiceRef,
  type InvoiceVersion,
  Refused,
  type WithTransactions,
  refusalOf,
  refusalBy,
} from './calls.ts';
import { type Confirmations, InvoiceKeeper } from './invoice-keeper.ts';
import { InvoiceReads, readKey, withoutPayments, type ServiceOutage } from './service-requests.ts';
import type { Shares } from './limits.ts';

/** Part of the rate limit for events of invoices that are no order's. */
const STRANGERS = 1 / 10;
/** The same for checks of invoices that no event has announced. */
const LOOKS = 0.3;

/** True if an event is the reason, in words that the log of requests shows. */
type Occasion = 'events' | 'looks';

/**
 * Reads invoices by lists: for their events, and in case an event was lost. What an order's event
 * asks for goes before all other reads. Where the shop ships orders only, others can make invoices
 * that are no order's, and many of them: they are read last, and take nothing from those of orders.
 */
export class EventReads {
  readonly #orders: GatheredReads<Invoice>;
  readonly #others: GatheredReads<Invoice>;
  readonly #looks: GatheredReads<Invoice>;
  readonly #isFirst: (invoiceId: string) => boolean;

  constructor(client: Connection, reader: InvoiceReader, isFirst: (invoiceId: string) => boolean) {
    this.#isFirst = isFirst;
    this.#orders = gatherReads(client, reader, EVENT_READS, 'high');
    this.#others = gatherReads(client, reader, STRANGERS, 'low');
    this.#looks = gatherReads(client, reader, LOOKS, 'low', 'looks');
  }

  read(invoiceId: string): Promise<Invoice> {
    return (this.#isFirst(invoiceId) ? this.#orders : this.#others).read(invoiceId);
  }

  /** Reads one that nothing has told of. */
  look(invoiceId: string): Promise<Invoice> {
    return this.#looks.read(invoiceId);
  }
}

function gatherReads(
  connection: Connection,
  reader: InvoiceReader,
  part: number,
  priority: Priority,
  occasion: Occasion = 'events',
): GatheredReads<Invoice> {
  const client = withPriority(connection, priority);
  const many = async (ids: readonly string[]) => {
    const sentAt = client[internals].clock.now();
    const found = await readMany(client, resource.watch.list!, resource.idOf, ids, occasion);
    // what could not be kept is read again
    for (const value of found.values()) reader.takeListed(value, sentAt).catch(() => {});
    return found;
  };
  const one = (id: string) =>
    reader.readNow(id, priority, occasion === 'looks' ? 'a look' : 'an event');
  return new GatheredReads(client, { one, many }, new OwnTurns(client, part, priority));
}

type InvoiceWatch = Watch<Snapshot<Invoice>>;

/** Hears of the results of watches. */
interface WatchListener {
  /** It shows something new. Rejects where that cannot be kept. */
  shown(value: Invoice, watch: InvoiceWatch): Promise<void>;
  /** The service refuses to show it, for good. */
  refused(invoiceId: string): void;
}

/** Watches of invoices by the client's hub, which joins, gathers and paces their reads. */
class InvoiceWatches {
  readonly #client: Connection;
  readonly #listener: WatchListener;
  readonly #watches: Map<string, { readonly watch: InvoiceWatch; stop: () => void }> = new Map();

  constructor(client: Connection, listener: WatchListener) {
    this.#client = client;
    this.#listener = listener;
  }

  /** Watches exactly these, and says which were not watched before. */
  set(wanted: ReadonlySet<string>, begun: (invoiceId: string) => void): void {
    for (const [id, { stop }] of [...this.#watches]) {
      if (wanted.has(id)) continue;
      stop();
      this.#watches.delete(id);
    }
    for (const id of wanted) if (this.begin(id)) begun(id);
  }

  /** Begins to watch one; returns whether it was not watched. */
  begin(invoiceId: string): boolean {
    if (this.#watches.has(invoiceId)) return false;
    const watch = watchInvoice(withPriority(this.#client, 'normal'), invoiceId, { until: 'never' });
    const entry = { watch, stop: () => {} };
    this.#watches.set(invoiceId, entry);
    entry.stop = watch.subscribe({
      next: ({ value }) => void this.#show(invoiceId, watch, value),
      error: () => {
        this.#watches.delete(invoiceId);
        this.#listener.refused(invoiceId);
      },
    });
    return true;
  }

  /**
   * An invoice that cannot be kept is watched no more: its object may be gone, else its alarm
   * begins again.
   */
  async #show(invoiceId: string, watch: InvoiceWatch, value: Invoice | undefined): Promise<void> {
    try {
      if (value) await this.#listener.shown(value, watch);
    } catch {
      this.#watches.get(invoiceId)?.stop();
      this.#watches.delete(invoiceId);
    }
  }

  get(invoiceId: string): InvoiceWatch | undefined {
    return this.#watches.get(invoiceId)?.watch;
  }
}

/**
 * A paid invoice is kept with its payments, which the watch does not read; they delay it by this at
 * most, milliseconds.
 */
const PAYMENTS_WITHIN = 1_000;

/**
 * A look of the account object has read it within this time, for all pages: who follows it and has
 * no share left is told to ask again then, milliseconds.
 */
const LOOKED_AT_WITHIN = 30_000;

/** Part of the rate limit for payments that are read for pages, which did not ask for them. */
const PAYMENTS = 1 / 5;

/** The parts of an invoice reader. */
interface ReaderParts {
  readonly client: Connection;
  readonly store: AccountStore;
  readonly shares: Shares;
  readonly outage: ServiceOutage;
  readonly confirmations: Confirmations;
  /** Something was kept that rooms have to be sent. */
  readonly changed: () => void;
  /** A page that opens need not read it. */
  readonly isKnown: (invoiceId: string) => boolean;
}

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
  readonly #outage: ServiceOutage;
  readonly #keeper: InvoiceKeeper;
  readonly #watches: InvoiceWatches;
  readonly #confirmations: Confirmations;
  readonly #isKnown: (invoiceId: string) => boolean;
  readonly #reads: InvoiceReads;
  /** When each was read last; lost with the object, at the cost of a read. */
  readonly #readAt: Map<string, number> = new Map();
  /** Reads of payments that no page asked for. */
  readonly #pace: ReadPace;

  constructor({ client, store, shares, outage, confirmations, changed, isKnown }: ReaderParts) {
    this.#outage = outage;
    this.#client = client;
    this.#store = store;
    this.#shares = shares;
    this.#confirmations = confirmations;
    this.#isKnown = isKnown;
    this.#keeper = new InvoiceKeeper(client, store, changed, (id) => this.#readAgain(id));
    this.#reads = new InvoiceReads(client, (...read) => this.#takeRead(...read));
    this.#watches = new InvoiceWatches(client, {
      shown: (value, watch) => this.#keepWhole(value, () => this.#keeper.keepShown(watch)),
      refused: (id) => store.drop(id),
    });
    const { places, window } = placesOf(client, 'others', 'low');
    this.#pace = new ReadPace(places * PAYMENTS, window);
  }

  /** Watches exactly these. */
  watchOnly(ids: readonly string[]): void {
    this.#watches.set(new Set(ids), (id) => this.#tellHub(id));
    this.#readAt.clear();
    this.#keeper.forgetPayments();
  }

  /** Watches one that pages follow. */
  watch(invoiceId: string): void {
    if (this.#watches.begin(invoiceId)) this.#tellHub(invoiceId);
  }

  /** A new hub has to know what a replica may be behind. */
  #tellHub(invoiceId: string): void {
    const known = this.#store.version(invoiceId);
    const value = known && withoutPayments(known.value);
    if (known) tellRead(this.#client, invoices, invoiceId, value!, known.asOf);
  }

  isWatched(invoiceId: string): boolean {
    return this.#watches.get(invoiceId) !== undefined;
  }

  /** The kept value is what a live watch shows. */
  isLive(invoiceId: string): boolean {
    const { freshness, value } = this.#watches.get(invoiceId)?.current() ?? {};
    return freshness === 'live' && value?.state === this.#store.version(invoiceId)?.value.state;
  }

  /** The invoice as read within the last period or now, with one read for all who ask. */
  async readRecent({ invoiceId, includeTransactions, visitor }: PageRead): Promise<InvoiceVersion> {
    const key = readKey(invoiceId, includeTransactions);
    const known = this.#store.version(invoiceId);
    const recent = this.#client[internals].clock.now() - basePeriod(this.#client);
    if (known && (this.#readAt.get(key) ?? -Infinity) >= recent) return known;
    if (known && !includeTransactions && this.#isKnown(invoiceId)) return known;
    const asked = {
      reason: 'a page asks',
      extent: includeTransactions,
      priority: 'normal',
    } as const;
    try {
      if (this.#reads.isUnderWay(invoiceId, includeTransactions))
        await this.#reads.share(invoiceId, asked);
      else
        await this.#outage.ask((tries) => {
          this.#shares.take('read', { id: invoiceId, visitor });
          return this.#reads.share(invoiceId, { ...asked, ...tries });
        });
    } catch (thrown) {
      throw includeTransactions ? thrown : this.#untilLook(thrown, invoiceId);
    }
    return this.#store.version(invoiceId)!;
  }

  /** If limits are spent, but the service has not blocked us: checks go on, and soon bring it. */
  #untilLook(thrown: unknown, invoiceId: string): unknown {
    const { clock } = this.#client[internals];
    const { code, wait = Infinity } = refusalOf(thrown, clock.now());
    const isSpent = code === 'RATE_LIMIT_EXCEEDED' && wait > LOOKED_AT_WITHIN;
    if (!isSpent || blockedFor(this.#client, 'others') > 0 || !this.#isFollowed(invoiceId))
      return thrown;
    return new Refused(refusalBy(code, LOOKED_AT_WITHIN));
  }

  /**
   * Reads an invoice after this call and not before; with the payments where pages show it: one
   * read has all.
   */
  readNow(invoiceId: string, priority: Priority, reason: string): Promise<Invoice> {
    const extent = this.#isFollowed(invoiceId) || undefined;
    return this.#reads.begin(invoiceId, { reason, extent, priority });
  }

  /** Nothing where no page shows it any more. */
  async #readAgain(invoiceId: string): Promise<Invoice | undefined> {
    if (!this.isWatched(invoiceId)) return undefined;
    const asked = {
      reason: 'a state that was left',
      extent: undefined,
      priority: 'normal',
    } as const;
    return this.#reads.share(invoiceId, asked);
  }

  #takeRead(read: Invoice, extent: WithTransactions['includeTransactions'], sentAt: number): void {
    const { invoiceId } = read;
    this.#readAt.set(readKey(invoiceId, extent), sentAt);
    this.#keeper.notePayments(read);
    this.take(withoutPayments(read), sentAt);
    const watch = read.transactions && this.#watches.get(invoiceId);
    if (watch) this.#keeper.keepShown(watch);
  }

  /** Takes in an invoice that was read by a request of then: without its payments. */
  take(invoice: Invoice, sentAt: number): void {
    const { invoiceId } = invoice;
    this.#readAt.set(invoiceId, sentAt);
    tellRead(this.#client, invoices, invoiceId, invoice, sentAt);
    if (!this.isWatched(invoiceId)) this.#keeper.keepRead(invoice, sentAt);
    this.#confirmations.note(invoice, sentAt);
  }

  /** The same from a list, which has no payments: they are read where pages show it. */
  async takeListed(invoice: Invoice, sentAt: number): Promise<void> {
    const isAlone = this.isWatched(invoice.invoiceId) || !this.#isFollowed(invoice.invoiceId);
    if (isAlone) this.take(invoice, sentAt);
    else await this.#keepWhole(invoice, () => this.take(invoice, sentAt));
  }

  #isFollowed(invoiceId: string): boolean {
    return this.#store.isFollowed(invoiceId, this.#client[internals].clock.now());
  }

  /** Keeps what is shown; what was paid with its payments, where they can be read in time. */
  async #keepWhole(value: Invoice, keep: () => void): Promise<void> {
    if (value.state === 'PAID' && !this.#keeper.paymentsOf(value)) {
      const { clock } = this.#client[internals];
      // they are not worth more waiting
      await within(clock, PAYMENTS_WITHIN, this.#readPayments(value));
    }
    keep();
  }

  async #readPayments({ invoiceId }: Invoice): Promise<void> {
    const now = this.#client[internals].clock.monotonic();
    if (!this.#reads.isUnderWay(invoiceId, true)) {
      if (this.#pace.delay(now) > 0) return; // many are paid at once: their events are read first
      this.#pace.take(now);
    }
    const asked = { reason: 'payments of the invoice', extent: true, priority: 'low' } as const;
    await this.#reads.share(invoiceId, asked).catch(() => {});
  }
}

/**
 * It is expected to change: its watch reads it, where one of a settled invoice waits for events.
 */
export function isOpen({ state }: Invoice): boolean {
  return invoiceStates.rank(state) !== undefined && !invoiceStates.isSettled(state);
}
