import type { RateLimitCounts, RateLimitPlace } from '../core/http/index.ts';
import type { Invoice, InvoiceDraft, InvoiceQuote } from '../resources/invoices.ts';
import type { HeldState } from '../resources/held-state.ts';
import type { NewOrder } from './calls.ts';
import type { SqlPart } from './sql-text.ts';

export type HeldFacts = Omit<HeldState<unknown>, 'value'>;

/** A stored order. Times are in milliseconds since 1970. */
export interface OrderRow extends NewOrder {
  readonly draft: InvoiceDraft;
  /** The id of the order's invoice. Absent until the response to the create request is stored. */
  readonly invoiceId?: string | undefined;
  /** The id of the account that created the invoice and receives the payment. */
  readonly receiverId?: string | undefined;
}

/**
 * An order that a page has opened. It either has an invoice already, or one process has claimed the
 * task of creating it.
 */
export interface OpenedOrder {
  readonly order: OrderRow;
  /**
   * Whether this process must create the invoice. If false, another process is creating it, or it
   * already exists.
   */
  readonly isOurTurn: boolean;
}

/** A quote that's payable until it expires. Times are in milliseconds. */
export interface KeptQuote {
  readonly quote: InvoiceQuote;
  readonly validity: number;
  readonly endsAt: number;
}

export interface InvoiceRow {
  readonly account: string;
  readonly invoiceId: string;
  /**
   * Changes if the row is recreated. Revisions and versions of different epochs can't be compared.
   */
  readonly epoch: string;
  /** Increases with each write. A write only succeeds for the revision that was read before. */
  readonly revision: number;
  /** Increases with each change that pages must receive. A version is never used twice. */
  readonly version: number;
  readonly asOf: number;
  readonly value: Invoice;
  readonly held: HeldFacts;
  /** A state that was read later but hasn't been accepted yet. */
  readonly unconfirmed?: string | undefined;
  readonly quote?: KeptQuote | undefined;
  /** When a read last confirmed the row, in milliseconds since 1970. */
  readonly seen: number;
  /**
   * Start of the period in which pages have shown the invoice without interruption. `Infinity` if
   * no page shows it.
   */
  readonly since: number;
  /** When a change was announced that no read has returned yet, or 0 if there's no such change. */
  readonly announced: number;
}

export interface InvoiceWrite {
  readonly asOf: number;
  readonly value: Invoice;
  readonly held: HeldFacts;
  readonly unconfirmed: string | undefined;
  readonly isNews: boolean;
}

/** An invoice to check, because pages show it. */
export interface DueCheck {
  readonly invoiceId: string;
  /** Whether the invoice is no longer shown on any page. */
  readonly isOver: boolean;
  /** Whether the row can be deleted, because no page has shown the invoice for a long time. */
  readonly isOld: boolean;
  /** How long pages have been showing the invoice without interruption, in milliseconds. */
  readonly followedFor: number;
}

export interface CheckResult {
  readonly invoiceId: string;
  /**
   * The time until the next check, in milliseconds. If absent, the next check isn't rescheduled.
   */
  readonly checkIn?: number | undefined;
}

export interface Turns {
  readonly granted: number;
  /**
   * The time until the next request is allowed, in milliseconds. Only used if fewer were granted
   * than requested.
   */
  readonly delay: number;
}

/**
 * The number of requests that one customer has used in a window, which ends in `left` milliseconds.
 */
export interface HadTurns {
  readonly count: number;
  readonly left: number;
}

/**
 * Allows requests one by one at an even rate, so that no caller can use up a later minute's
 * requests.
 */
export interface EvenPace {
  /** The time between two requests, in milliseconds. */
  readonly interval: number;
  /** How much earlier requests are allowed after a quiet period, in milliseconds. */
  readonly burst: number;
}

/** Allows requests right away as long as the window has some left. All fields are integers. */
export interface WindowPace<Part = never> {
  readonly most: number | Part;
  /** The length of the window, in milliseconds. */
  readonly window: number;
  /**
   * The number of requests that can always be sent at even intervals over the next window. Defaults
   * to none.
   */
  readonly spread?: number | undefined;
  /** The number of requests that are reserved for higher priorities. */
  readonly reserve?: number | undefined;
}

export type TurnPace = EvenPace | WindowPace;

export interface ProcessSign {
  readonly id: string;
  /** The time of the process's last heartbeat. It's only used to detect changes. */
  readonly seen: number;
}

/**
 * Storage of a relay. Each operation decides and writes in a single step, so any process can call
 * any operation at any time. Times are according to this process's clock. Times that the database
 * has to compare are passed as durations.
 */
export interface RelayStore {
  /** Creates missing tables. Rejects if this process isn't allowed to use the database. */
  ready(): Promise<void>;

  // Orders
  /**
   * Stores an order. Resolves to the time when the stored order expires, or to `undefined` if the
   * id belongs to a different order.
   */
  addOrder(account: string, order: NewOrder): Promise<number | undefined>;
  order(account: string, orderId: string): Promise<OrderRow | undefined>;
  /**
   * Claims the task of creating the order's invoice, unless the invoice exists or another process
   * has claimed the task.
   */
  openOrder(
    account: string,
    orderId: string,
    process: string,
    ms: number,
  ): Promise<OpenedOrder | undefined>;
  /**
   * Stores the invoice of an order, unless one is already stored. Resolves to the id of the stored
   * invoice.
   */
  setOrderInvoice(account: string, orderId: string, invoice: Invoice): Promise<string | undefined>;
  leaveOrder(account: string, orderId: string, process: string): Promise<void>;
  /** Protects a paid order from cleanup until it has been handled. */
  holdOrder(account: string, orderId: string): Promise<void>;
  /**
   * Returns the statement that ends an order's protection. It runs in the transaction that
   * completes the event.
   */
  releaseOrder(account: string, orderId: string): SqlPart;
  /** Returns which of these invoices belong to orders. */
  findOrdered(account: string, invoiceIds: readonly string[]): Promise<ReadonlySet<string>>;

  // Invoices
  invoices(account: string, invoiceIds: readonly string[]): Promise<readonly InvoiceRow[]>;
  /**
   * Writes an invoice after a read, if the row still has this `revision`. 0 means that there's no
   * row yet.
   */
  writeInvoice(
    account: string,
    invoiceId: string,
    revision: number,
    write: InvoiceWrite,
  ): Promise<boolean>;
  /**
   * Claims the task of creating a new quote. Resolves to false if another process has claimed it.
   */
  claimQuote(account: string, invoiceId: string, process: string, ms: number): Promise<boolean>;
  setQuote(account: string, invoiceId: string, quote: KeptQuote): Promise<void>;
  leaveQuote(account: string, invoiceId: string, process: string): Promise<void>;

  // Following
  /** Keeps these invoices up to date for `ms` milliseconds, because pages are showing them. */
  follow(account: string, invoiceIds: readonly string[], ms: number): Promise<void>;
  /** Returns the rows that have changed or were confirmed since the given versions. */
  newer(known: readonly KnownRow[]): Promise<readonly InvoiceRow[]>;
  takeChecks(
    account: string,
    process: string,
    limit: number,
    ms: number,
  ): Promise<readonly DueCheck[]>;
  endChecks(account: string, process: string, results: readonly CheckResult[]): Promise<void>;
  /**
   * Claims the read of an invoice for a page. Resolves to false if another process has claimed it.
   */
  claimRead(account: string, invoiceId: string, process: string, ms: number): Promise<boolean>;
  /** Records that reads sent at `sentAt` found these invoices unchanged. */
  confirm(
    account: string,
    sentAt: number,
    invoices: readonly { readonly invoiceId: string; readonly mayLag: boolean }[],
  ): Promise<void>;
  /** Makes all followed invoices due for a check, after the service has become available again. */
  checkNow(account: string): Promise<void>;
  drop(account: string, invoiceIds: readonly string[]): Promise<void>;
  countFollowed(account: string): Promise<number>;

  // Rooms
  /** Returns the ids of followed invoices whose rooms haven't confirmed the newest version. */
  untold(account: string): Promise<readonly string[]>;
  setTold(account: string, invoiceId: string, version: number): Promise<void>;

  // Work
  /** Resolves to when the next unclaimed work is due, or to `Infinity` if there's none. */
  nextDue(account: string): Promise<number>;
  dueAccounts(limit: number): Promise<readonly string[]>;
  /** Claims the account's event feed for `ms` milliseconds, or until `endFeed` is called. */
  claimFeed(account: string, ms: number): Promise<boolean>;
  /**
   * Releases the event feed. The next read is due in `ms` milliseconds, and the feed has reported
   * all changes made before `trueAt`.
   */
  endFeed(account: string, ms: number, trueAt: number): Promise<void>;
  /** Returns whether a webhook for this subject has been stored since the given time. */
  hasEvent(account: string, subject: string, since: number): Promise<boolean>;

  // Limits
  takeEgress(address: string, bucket: string, pace: WindowPace): Promise<RateLimitPlace>;
  readEgress(address: string, bucket: string, pace: WindowPace): Promise<RateLimitCounts>;
  blockEgress(address: string, bucket: string, ms: number): Promise<void>;
  /** Takes rate-limit slots for up to `wanted` requests of one kind. */
  takeTurns(account: string, kind: string, wanted: number, pace: TurnPace): Promise<Turns>;
  freeTurns(account: string, kind: string): Promise<void>;
  /**
   * Returns how many requests of this kind each of the given customers has used in the current
   * window.
   */
  hadTurns(
    account: string,
    kind: string,
    groups: readonly string[],
  ): Promise<ReadonlyMap<string, HadTurns>>;
  /**
   * Counts used requests. If a customer has no current window, starts one that lasts `ms`
   * milliseconds.
   */
  chargeTurns(
    account: string,
    kind: string,
    charges: readonly { readonly who: string; readonly count: number; readonly ms: number }[],
  ): Promise<void>;

  // Processes
  signOfLife(process: string): Promise<readonly ProcessSign[]>;
  /**
   * Removes a process that is no longer running. Its leases are released, and any later writes
   * under them have no effect.
   */
  bury(process: string): Promise<void>;
  /** Removes all other processes. Only used if no other process can be running. */
  buryOthers(process: string): Promise<void>;

  // Notes and cleaning
  note<T>(account: string, name: string): Promise<T | undefined>;
  setNote(account: string, name: string, value: object): Promise<void>;
  /** Deletes all data of a previous sandbox, because its ids are no longer valid. */
  forgetService(account: string): Promise<void>;
  /**
   * Deletes some of the rows that ended more than `ms` milliseconds ago. Resolves to the number of
   * deleted rows.
   */
  clean(ms: number, limit: number): Promise<number>;
}

/** The version of an invoice that a process has sent to its pages. */
export interface KnownRow {
  readonly account: string;
  readonly invoiceId: string;
  readonly version: number;
  readonly seen: number;
}
