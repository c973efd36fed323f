import type { RateLimitCounts, RateLimitPlace } from '../core/http/index.ts';
import type { Invoice, InvoiceDraft, InvoiceQuote } from '../resources/invoices.ts';
import type { HeldState } from '../resources/held-state.ts';
import type { NewOrder } from './calls.ts';
import type { SqlPart } from './sql-text.ts';

/** The facts that decide which read of an invoice wins, besides its value. */
export type HeldFacts = Omit<HeldState<unknown>, 'value'>;

/** An order as it is kept. Times are milliseconds since 1970. */
export interface OrderRow extends NewOrder {
  readonly draft: InvoiceDraft;
  /** The invoice that was made for it; absent until the response to its creation is kept. */
  readonly invoiceId?: string | undefined;
  /** Account that the invoice was made by and for. */
  readonly receiverId?: string | undefined;
}

/** An order that a page opens: its invoice, or whose turn it is to make one. */
export interface OpenedOrder {
  readonly order: OrderRow;
  /** This process makes the invoice; else another one does, or it is there. */
  readonly isOurTurn: boolean;
}

/** A code that can be paid, and until when. */
export interface KeptQuote {
  readonly quote: InvoiceQuote;
  /** Milliseconds it was good for. */
  readonly validity: number;
  readonly endsAt: number;
}

/** An invoice as it is kept. */
export interface InvoiceRow {
  readonly account: string;
  readonly invoiceId: string;
  /** Changes when the row was made again: numbers of different epochs cannot be compared. */
  readonly epoch: string;
  /** Rises with each write; a write names the one that it has read. */
  readonly revision: number;
  /** Rises with each change that pages are told of, and is never given again. */
  readonly version: number;
  /** When it was read. */
  readonly asOf: number;
  readonly value: Invoice;
  readonly held: HeldFacts;
  /** A state that was read since and is not believed yet. */
  readonly unconfirmed?: string | undefined;
  readonly quote?: KeptQuote | undefined;
  /** When a read last showed it as it is kept. */
  readonly seen: number;
  /** Since when pages show it without a pause; `Infinity` where none does. */
  readonly since: number;
  /** When an event said that it has changed, if no read has answered that yet; else 0. */
  readonly announced: number;
}

/** The written members of an invoice. */
export interface InvoiceWrite {
  readonly asOf: number;
  readonly value: Invoice;
  readonly held: HeldFacts;
  readonly unconfirmed: string | undefined;
  /** Pages have to be told. */
  readonly isNews: boolean;
}

/** One that pages show, whose turn it is to be read. */
export interface DueCheck {
  readonly invoiceId: string;
  /** No page shows it any more. */
  readonly isOver: boolean;
  /** No page has shown it for the days after which it is forgotten. */
  readonly isOld: boolean;
  /** The time for which pages have shown it without a pause, milliseconds. */
  readonly followedFor: number;
}

/** The result of a check. */
export interface CheckResult {
  readonly invoiceId: string;
  /** Milliseconds until the next one; absent: as before. */
  readonly checkIn?: number | undefined;
}

/** Turns that were taken. */
export interface Turns {
  readonly granted: number;
  /** Milliseconds until the next one, where fewer were granted than asked for. */
  readonly delay: number;
}

/** The turns that somebody has had in a window, which ends after `left` milliseconds. */
export interface HadTurns {
  readonly count: number;
  readonly left: number;
}

/** Turns that are given one after the other, so that no reader takes those of a later minute. */
export interface EvenPace {
  /** Milliseconds between two turns. */
  readonly interval: number;
  /** The time by which turns may be given early after a quiet time, milliseconds. */
  readonly burst: number;
}

/** Turns that may be given at once, as long as a window has some left; whole numbers. */
export interface WindowPace<Part = never> {
  /** Turns of one window. */
  readonly most: number | Part;
  /** Milliseconds. */
  readonly window: number;
  /** The last ones of a window, which come evenly spread; absent: none are. */
  readonly spread?: number | undefined;
  /** So many are left to others. */
  readonly reserve?: number | undefined;
}

/** How turns are given. */
export type TurnPace = EvenPace | WindowPace;

/** A sign of life of a process. */
export interface ProcessSign {
  readonly id: string;
  /** By the database's clock; only whether it changes is compared. */
  readonly seen: number;
}

/**
 * The storage of a relay, as named operations: a decision and its write are one operation, so that
 * any process may call each at any time. Times are by this process's clock, except those that the
 * database compares: these are given as durations.
 */
export interface RelayStore {
  /** Makes the tables where they are missing; rejects with the reason where it may not be used. */
  ready(): Promise<void>;

  // Orders
  /** Resolves to the end of the order as it is kept; to nothing where its id is another order's. */
  addOrder(account: string, order: NewOrder): Promise<number | undefined>;
  order(account: string, orderId: string): Promise<OrderRow | undefined>;
  /** Takes the turn to make the order's invoice, unless it is made or another process has it. */
  openOrder(
    account: string,
    orderId: string,
    process: string,
    ms: number,
  ): Promise<OpenedOrder | undefined>;
  /** Keeps the invoice of an order; the first one stays, and is returned. */
  setOrderInvoice(account: string, orderId: string, invoice: Invoice): Promise<string | undefined>;
  /** Gives the turn back. */
  leaveOrder(account: string, orderId: string, process: string): Promise<void>;
  /** A paid order is not forgotten before it was handled. */
  holdOrder(account: string, orderId: string): Promise<void>;
  /** A statement that ends that, in the transaction that ends the event. */
  releaseOrder(account: string, orderId: string): SqlPart;
  /** Finds those of these invoices that were made for an order. */
  findOrdered(account: string, invoiceIds: readonly string[]): Promise<ReadonlySet<string>>;

  // Invoices
  invoices(account: string, invoiceIds: readonly string[]): Promise<readonly InvoiceRow[]>;
  /** Writes what was read, if nothing was written since `revision` (0: it is not there). */
  writeInvoice(
    account: string,
    invoiceId: string,
    revision: number,
    write: InvoiceWrite,
  ): Promise<boolean>;
  /** Takes the turn to make a new code; false where another process has it. */
  claimQuote(account: string, invoiceId: string, process: string, ms: number): Promise<boolean>;
  setQuote(account: string, invoiceId: string, quote: KeptQuote): Promise<void>;
  leaveQuote(account: string, invoiceId: string, process: string): Promise<void>;

  // Following
  /** Pages show these for `ms` from now on. */
  follow(account: string, invoiceIds: readonly string[], ms: number): Promise<void>;
  /** Rows that are newer, or were confirmed later, than what a process knows. */
  newer(known: readonly KnownRow[]): Promise<readonly InvoiceRow[]>;
  /** Takes those whose turn it is to be read. */
  takeChecks(
    account: string,
    process: string,
    limit: number,
    ms: number,
  ): Promise<readonly DueCheck[]>;
  /** Ends the turns. */
  endChecks(account: string, process: string, results: readonly CheckResult[]): Promise<void>;
  /** Takes the turn to read one for a page; false where another process reads it. */
  claimRead(account: string, invoiceId: string, process: string, ms: number): Promise<boolean>;
  /** Reads of then showed these as they are kept. */
  confirm(
    account: string,
    sentAt: number,
    invoices: readonly { readonly invoiceId: string; readonly mayLag: boolean }[],
  ): Promise<void>;
  /** All that pages show is due to be read: the service is back. */
  checkNow(account: string): Promise<void>;
  /** Forgets invoices. */
  drop(account: string, invoiceIds: readonly string[]): Promise<void>;
  /** Number of invoices that pages show. */
  countFollowed(account: string): Promise<number>;

  // Rooms
  /** Invoices that pages show and whose rooms have not confirmed the newest version. */
  untold(account: string): Promise<readonly string[]>;
  /** The room has this version. */
  setTold(account: string, invoiceId: string, version: number): Promise<void>;

  // Work
  /** When the earliest thing is due that nobody has taken; `Infinity` where nothing is. */
  nextDue(account: string): Promise<number>;
  /** Accounts with something to do now. */
  dueAccounts(limit: number): Promise<readonly string[]>;
  /** Takes the turn to read the account's feed, for `ms` unless it is ended. */
  claimFeed(account: string, ms: number): Promise<boolean>;
  /** The next turn is in `ms`; the feed has told of all that was before `trueAt`. */
  endFeed(account: string, ms: number, trueAt: number): Promise<void>;
  /** A webhook is kept for this subject. */
  hasEvent(account: string, subject: string, since: number): Promise<boolean>;

  // Limits
  takeEgress(address: string, bucket: string, pace: WindowPace): Promise<RateLimitPlace>;
  readEgress(address: string, bucket: string, pace: WindowPace): Promise<RateLimitCounts>;
  blockEgress(address: string, bucket: string, ms: number): Promise<void>;
  /** Takes turns of an account for requests of one kind. */
  takeTurns(account: string, kind: string, wanted: number, pace: TurnPace): Promise<Turns>;
  /** All turns of this kind are free again. */
  freeTurns(account: string, kind: string): Promise<void>;
  /** Who of these has had turns of this kind, in a window that has not ended. */
  hadTurns(
    account: string,
    kind: string,
    groups: readonly string[],
  ): Promise<ReadonlyMap<string, HadTurns>>;
  /** Counts turns for who had them, in a window of `ms` that begins with the first of them. */
  chargeTurns(
    account: string,
    kind: string,
    charges: readonly { readonly who: string; readonly count: number; readonly ms: number }[],
  ): Promise<void>;

  // Processes
  signOfLife(process: string): Promise<readonly ProcessSign[]>;
  /** The process is gone: what it had leased is free, and what it still writes under it is void. */
  bury(process: string): Promise<void>;
  /** The same for all but this one, where only one can be alive. */
  buryOthers(process: string): Promise<void>;

  // Notes and cleaning
  note<T>(account: string, name: string): Promise<T | undefined>;
  setNote(account: string, name: string, value: object): Promise<void>;
  /** Forgets what came from a service that is not there any more: a sandbox's world has ended. */
  forgetService(account: string): Promise<void>;
  /** Forgets a few rows that were over `ms` ago; returns how many. */
  clean(ms: number, limit: number): Promise<number>;
}

/** A process's knowledge of an invoice that its pages show. */
export interface KnownRow {
  readonly account: string;
  readonly invoiceId: string;
  readonly version: number;
  readonly seen: number;
}
