import type { RateLimitCounts, RateLimitPlace } from '../core/http/index.ts';
import type { Invoice, InvoiceDraft, InvoiceQuote } from '../resources/invoices.ts';
import type { HeldState } from '../resources/held-state.ts';
import type { NewOrder } from './calls.ts';
import type { SqlPart } from './sql-text.ts';

export type HeldFacts = Omit<HeldState<unknown>, 'value'>;

/** A stored order. Times are milliseconds since 1970. */
export interface OrderRow extends NewOrder {
  readonly draft: InvoiceDraft;
  /** The order's invoice. Absent until the response to its creation is stored. */
  readonly invoiceId?: string | undefined;
  /** The account that created the invoice and receives the payment. */
  readonly receiverId?: string | undefined;
}

/** An order that a page opens. It has an invoice, or somebody has the turn to create one. */
export interface OpenedOrder {
  readonly order: OrderRow;
  /** Whether this process must create the invoice. If false, another one does or it exists. */
  readonly isOurTurn: boolean;
}

/** A quote that can be paid until it expires. Times are milliseconds. */
export interface KeptQuote {
  readonly quote: InvoiceQuote;
  readonly validity: number;
  readonly endsAt: number;
}

export interface InvoiceRow {
  readonly account: string;
  readonly invoiceId: string;
  /** Changes if the row was recreated. Numbers from different epochs can't be compared. */
  readonly epoch: string;
  /** Increases with each write. A write names the revision it has read. */
  readonly revision: number;
  /** Increases with each change for pages. A number is never used twice. */
  readonly version: number;
  readonly asOf: number;
  readonly value: Invoice;
  readonly held: HeldFacts;
  /** A state that was read later and hasn't been accepted yet. */
  readonly unconfirmed?: string | undefined;
  readonly quote?: KeptQuote | undefined;
  /** When the row was last confirmed by a read. */
  readonly seen: number;
  /** Since when pages have shown it without interruption. `Infinity` if none does. */
  readonly since: number;
  /** When a change was announced that no read has shown yet, otherwise 0. */
  readonly announced: number;
}

export interface InvoiceWrite {
  readonly asOf: number;
  readonly value: Invoice;
  readonly held: HeldFacts;
  readonly unconfirmed: string | undefined;
  readonly isNews: boolean;
}

/** A followed invoice whose check is due. */
export interface DueCheck {
  readonly invoiceId: string;
  /** Whether no page shows it any more. */
  readonly isOver: boolean;
  /** Whether it hasn't been shown for so long that its row can be deleted. */
  readonly isOld: boolean;
  /** How long pages have shown it without interruption, in milliseconds. */
  readonly followedFor: number;
}

export interface CheckResult {
  readonly invoiceId: string;
  /** Milliseconds until the next check. If absent, that doesn't change. */
  readonly checkIn?: number | undefined;
}

export interface Turns {
  readonly granted: number;
  /** Milliseconds until the next turn, if fewer were granted than requested. */
  readonly delay: number;
}

/** How many turns one customer has used in a window, which ends after `left` milliseconds. */
export interface HadTurns {
  readonly count: number;
  readonly left: number;
}

/** Gives turns one by one, so no caller uses up those of a later minute. */
export interface EvenPace {
  /** Milliseconds between two turns. */
  readonly interval: number;
  /** How much earlier turns can be given after a quiet period, in milliseconds. */
  readonly burst: number;
}

/** Gives turns immediately while the window has some left. All fields are integers. */
export interface WindowPace<Part = never> {
  readonly most: number | Part;
  /** Length of the window in milliseconds. */
  readonly window: number;
  /** How many of a window's last turns are spread evenly. None if absent. */
  readonly spread?: number | undefined;
  /** How many turns are left to others. */
  readonly reserve?: number | undefined;
}

export type TurnPace = EvenPace | WindowPace;

export interface ProcessSign {
  readonly id: string;
  /** Only use it to detect changes. */
  readonly seen: number;
}

/**
 * Storage of a relay. Each operation decides and writes in one step, so any process may call any
 * operation at any time. Times are by this process's clock. Times that the database compares are
 * passed as durations.
 */
export interface RelayStore {
  /** Creates missing tables. Rejects if this process isn't allowed to use the database. */
  ready(): Promise<void>;

  // Orders
  /**
   * Resolves to when the stored order expires, or to `undefined` if the id belongs to a different
   * order.
   */
  addOrder(account: string, order: NewOrder): Promise<number | undefined>;
  order(account: string, orderId: string): Promise<OrderRow | undefined>;
  /**
   * Takes the turn to create the order's invoice, unless it exists or another process has the turn.
   */
  openOrder(
    account: string,
    orderId: string,
    process: string,
    ms: number,
  ): Promise<OpenedOrder | undefined>;
  /**
   * Stores the invoice of an order. If one is already stored, keeps it. Resolves to the stored id.
   */
  setOrderInvoice(account: string, orderId: string, invoice: Invoice): Promise<string | undefined>;
  leaveOrder(account: string, orderId: string, process: string): Promise<void>;
  /** Protects a paid order from cleanup until it's handled. */
  holdOrder(account: string, orderId: string): Promise<void>;
  /** Returns the statement that ends the protection, for the transaction that ends the event. */
  releaseOrder(account: string, orderId: string): SqlPart;
  /** Returns which of these invoices belong to orders. */
  findOrdered(account: string, invoiceIds: readonly string[]): Promise<ReadonlySet<string>>;

  // Invoices
  invoices(account: string, invoiceIds: readonly string[]): Promise<readonly InvoiceRow[]>;
  /**
   * Writes an invoice that was read, if the row still has this `revision`. 0 means there's no row.
   */
  writeInvoice(
    account: string,
    invoiceId: string,
    revision: number,
    write: InvoiceWrite,
  ): Promise<boolean>;
  /** Takes the turn to create a new quote. Resolves to false if another process has it. */
  claimQuote(account: string, invoiceId: string, process: string, ms: number): Promise<boolean>;
  setQuote(account: string, invoiceId: string, quote: KeptQuote): Promise<void>;
  leaveQuote(account: string, invoiceId: string, process: string): Promise<void>;

  // Following
  /** Follows these invoices for `ms`, because pages show them. */
  follow(account: string, invoiceIds: readonly string[], ms: number): Promise<void>;
  /** Returns rows that have changed or were confirmed since the known ones. */
  newer(known: readonly KnownRow[]): Promise<readonly InvoiceRow[]>;
  takeChecks(
    account: string,
    process: string,
    limit: number,
    ms: number,
  ): Promise<readonly DueCheck[]>;
  endChecks(account: string, process: string, results: readonly CheckResult[]): Promise<void>;
  /** Takes the turn to read an invoice for a page. Resolves to false if another process has it. */
  claimRead(account: string, invoiceId: string, process: string, ms: number): Promise<boolean>;
  /** Records that reads sent at `sentAt` showed these invoices unchanged. */
  confirm(
    account: string,
    sentAt: number,
    invoices: readonly { readonly invoiceId: string; readonly mayLag: boolean }[],
  ): Promise<void>;
  /** Makes all followed invoices due, because the service is back. */
  checkNow(account: string): Promise<void>;
  drop(account: string, invoiceIds: readonly string[]): Promise<void>;
  countFollowed(account: string): Promise<number>;

  // Rooms
  /** Returns followed invoices whose rooms haven't confirmed the newest version. */
  untold(account: string): Promise<readonly string[]>;
  setTold(account: string, invoiceId: string, version: number): Promise<void>;

  // Work
  /** Resolves to when the earliest unclaimed work is due, or to `Infinity`. */
  nextDue(account: string): Promise<number>;
  dueAccounts(limit: number): Promise<readonly string[]>;
  /** Takes the turn to read the account's feed, for `ms` unless it's ended earlier. */
  claimFeed(account: string, ms: number): Promise<boolean>;
  /**
   * Ends the turn. The next one is due in `ms`, and the feed has reported all changes before
   * `trueAt`.
   */
  endFeed(account: string, ms: number, trueAt: number): Promise<void>;
  /** Returns whether a webhook for this subject is stored. */
  hasEvent(account: string, subject: string, since: number): Promise<boolean>;

  // Limits
  takeEgress(address: string, bucket: string, pace: WindowPace): Promise<RateLimitPlace>;
  readEgress(address: string, bucket: string, pace: WindowPace): Promise<RateLimitCounts>;
  blockEgress(address: string, bucket: string, ms: number): Promise<void>;
  /** Takes an account's turns for requests of one kind. */
  takeTurns(account: string, kind: string, wanted: number, pace: TurnPace): Promise<Turns>;
  freeTurns(account: string, kind: string): Promise<void>;
  /** Returns the turns of this kind that each of these customers has used in a running window. */
  hadTurns(
    account: string,
    kind: string,
    groups: readonly string[],
  ): Promise<ReadonlyMap<string, HadTurns>>;
  /** Counts used turns, in a window of `ms` that starts with the first of them. */
  chargeTurns(
    account: string,
    kind: string,
    charges: readonly { readonly who: string; readonly count: number; readonly ms: number }[],
  ): Promise<void>;

  // Processes
  signOfLife(process: string): Promise<readonly ProcessSign[]>;
  /**
   * Buries a dead process. Its leases are freed, and anything it still writes under them is void.
   */
  bury(process: string): Promise<void>;
  /** Buries all other processes, if only one can be alive. */
  buryOthers(process: string): Promise<void>;

  // Notes and cleaning
  note<T>(account: string, name: string): Promise<T | undefined>;
  setNote(account: string, name: string, value: object): Promise<void>;
  /** Deletes all data from a service that no longer exists, because a sandbox's world has ended. */
  forgetService(account: string): Promise<void>;
  /** Deletes a few rows that ended more than `ms` ago. Resolves to how many. */
  clean(ms: number, limit: number): Promise<number>;
}

/** The version of an invoice that a process has sent to its pages. */
export interface KnownRow {
  readonly account: string;
  readonly invoiceId: string;
  readonly version: number;
  readonly seen: number;
}
