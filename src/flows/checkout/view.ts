import type { ErrorCode, PaystateError } from '../../core/errors/index.ts';
import { isLoginOver } from '../../core/http/index.ts';
import { CONFIRM_AFTER_MS } from '../../resources/held-state.ts';
import {
  type Invoice,
  type InvoiceId,
  invoiceStates,
  type InvoiceTransaction,
} from '../../resources/invoices.ts';
import { LAG_MS } from '../../resources/service-facts.ts';
import type { KnownSnapshot, Snapshot, WatchOptions } from '../../state/index.ts';
import {
  type CheckoutQuote,
  type ClockReading,
  type HeldQuote,
  HIDE_BEFORE_END_MS,
  measureLeft,
  type QuoteProblem,
} from './quote.ts';
import { listCompleted, isLate, receivedBeside } from './settled.ts';

/** Options of a checkout. */
export interface CheckoutOptions extends WatchOptions {
  /** Id of an invoice that exists. */
  readonly invoiceId: InvoiceId;
  /**
   * Shows the code with the on-chain address that it contains. Such an address never expires and
   * has no rate. Without this option a code that contains an address is `unsafe`.
   */
  readonly includeOnchain?: boolean | undefined;
  /**
   * Time for which codes are renewed after the last `touch`, milliseconds; 600,000. `Infinity`:
   * without end.
   */
  readonly pauseAfter?: number | undefined;
}

/**
 * The phase of a checkout: `loading` nothing is known yet · `failed` it has ended with `error` ·
 * `awaiting` a code is shown · `renewing` a new code is on its way · `paused` no code until `touch`
 * is called or the page is visible · `pending` a payment is under way · `partial` less than the
 * amount came in · `unsafe` the code must not be shown · `unknown` the invoice has a state that
 * this version does not know.
 */
export type CheckoutPhase = CheckoutView['phase'];

interface Known {
  readonly invoice: Invoice;
  /** The trust that `invoice` deserves. */
  readonly freshness: KnownSnapshot<Invoice>['freshness'];
  /** Code of a problem that passes by itself. */
  readonly error?: ErrorCode | undefined;
  /** A change of the invoice was announced that no read shows yet; the invoice is read at once. */
  readonly pending?: 'announced' | undefined;
}

/** The phase of a checkout whose invoice is known, with what belongs to it. */
type CheckoutStage =
  | {
      /** The phase; see `CheckoutPhase`. */
      readonly phase: 'awaiting';
      /** The code that the payer scans or copies. */
      readonly quote: CheckoutQuote;
      /** The code replaces an earlier one: the rate, and so the amount to send, may have moved. */
      readonly renewed: boolean;
    }
  | {
      /** The phase; see `CheckoutPhase`. */
      readonly phase: 'pending';
      /** A later read showed this state instead of PENDING: the payment seems to have failed. */
      readonly unconfirmed?: string | undefined;
      /**
       * When `unconfirmed` is certain, on the client's monotonic clock, milliseconds; `countdown`
       * takes it as `expiresAt`. A code follows then.
       */
      readonly knownAt?: number | undefined;
    }
  | {
      /** The phase; see `CheckoutPhase`. */
      readonly phase: 'paid';
      /** The payment was completed after the last code had ended. */
      readonly late: boolean;
      /** More came in than the amount of the invoice. */
      readonly over: boolean;
    }
  | {
      /** The phase; see `CheckoutPhase`. */
      readonly phase: 'unsafe';
      /** The fault of the quote. */
      readonly problem: QuoteProblem | ErrorCode;
    }
  | {
      /** The phase; see `CheckoutPhase`. */
      readonly phase: 'renewing' | 'paused' | 'partial' | 'cancelled' | 'reversed' | 'unknown';
    };

/** The view for a checkout page. It has at most one code, and never one that was replaced. */
export type CheckoutView =
  | {
      /** The phase; see `CheckoutPhase`. */
      readonly phase: 'loading';
      /** Absent: the invoice was not read yet. */
      readonly invoice?: undefined;
      /** Code of the problem with reading the invoice. */
      readonly error?: ErrorCode | undefined;
    }
  | {
      /** The phase; see `CheckoutPhase`. */
      readonly phase: 'failed';
      /** Why the checkout has ended. */
      readonly error: PaystateError;
      /** The invoice as it was last read; absent where it was never read. */
      readonly invoice?: Invoice | undefined;
    }
  | (Known & CheckoutStage);

// The state of a checkout, and what follows from it. All functions are pure and have no clock.

/**
 * The state that `CheckoutRun` changes and the functions below read. Times are on the monotonic
 * clock.
 */
export interface CheckoutState {
  readonly seen?: Snapshot<Invoice> | undefined;
  readonly held?: HeldQuote | undefined;
  readonly hidden: boolean;
  /** A read or a quote is under way. */
  readonly isBusy: boolean;
  /** The invoice is read before a code is shown. */
  readonly readFirst: boolean;
  /** When the payer last touched the page, and how long codes are renewed after that. */
  readonly touchedAt: number;
  readonly pauseAfter: number;
  /** The payer asked for the next code, so it does not wait for others. */
  readonly isDemanded: boolean;
  /** Since when the next code has waited because many codes are requested. */
  readonly putOffSince?: number | undefined;
  /** A quote was refused because a payment is under way or has ended. */
  readonly isClaimed: boolean;
  readonly problem?: QuoteProblem | ErrorCode | undefined;
  readonly error?: ErrorCode | undefined;
  /** The error that has ended the checkout. */
  readonly failure?: PaystateError | undefined;
  /** No request is sent before this time. */
  readonly notBefore: number;
  /** Durations of the last quotes, milliseconds. */
  readonly took: readonly number[];
  /** Completed payments, by the last read with payments. */
  readonly completed?: readonly InvoiceTransaction[] | undefined;
  /** End of the last code that was shown, by the service's clock. */
  readonly shownUntil?: number | undefined;
  /** When this checkout first saw the invoice in its state. */
  readonly stateSince: number;
  readonly unconfirmedSince?: number | undefined;
}

/** A checkout that knows nothing yet. */
export const NEW_CHECKOUT: CheckoutState = {
  hidden: false,
  isBusy: false,
  readFirst: false,
  touchedAt: -Infinity,
  pauseAfter: Infinity,
  isDemanded: false,
  isClaimed: false,
  notBefore: -Infinity,
  took: [],
  stateSince: -Infinity,
};

const MIN_LEAD_MS = 3_000;

const ENDED_PHASES: ReadonlyMap<string, 'cancelled' | 'reversed'> = /* @__PURE__ */ new Map([
  ['CANCELLED', 'cancelled'],
  ['REVERSED', 'reversed'],
] as const);

/** Returns the change of state after a snapshot of the invoice. */
export function withSnapshot(
  state: CheckoutState,
  seen: Snapshot<Invoice>,
  now: number,
): Partial<CheckoutState> {
  const isSame = seen.value?.state === state.seen?.value?.state;
  return {
    seen,
    stateSince: isSame ? state.stateSince : now,
    unconfirmedSince: seen.unconfirmed === undefined ? undefined : (state.unconfirmedSince ?? now),
    isClaimed: state.isClaimed && isSame,
    completed: (seen.value && listCompleted(seen.value)) ?? state.completed,
    ...(isOver(seen.value) && { held: undefined }),
  };
}

/** Returns the view to show now. */
export function makeView(
  state: CheckoutState,
  at: ClockReading,
  includeOnchain: boolean,
): CheckoutView {
  const { seen, failure } = state;
  if (failure) return { phase: 'failed', error: failure, invoice: seen?.value };
  const code = state.error ?? seen?.error?.code;
  const error = code !== undefined && { error: code };
  if (!seen?.value) return { phase: 'loading', ...error };
  const { value: invoice } = seen;
  // the service has just said that the invoice has another state than the one that was read
  const freshness = state.isClaimed && seen.freshness === 'live' ? 'stale' : seen.freshness;
  const pending = seen.pending && { pending: seen.pending };
  return {
    invoice,
    freshness,
    ...error,
    ...pending,
    ...chooseStage(state, seen, at, includeOnchain),
  };
}

function chooseStage(
  state: CheckoutState,
  { value: invoice, unconfirmed }: KnownSnapshot<Invoice>,
  at: ClockReading,
  includeOnchain: boolean,
): CheckoutStage {
  const { held, completed } = state;
  const received = receivedBeside(invoice, completed);
  if (invoice.state === 'PAID')
    return { phase: 'paid', late: isLate(completed, state.shownUntil), over: received === 1 };
  if (invoice.state === 'PENDING')
    return { phase: 'pending', unconfirmed, knownAt: knownAt(state) };
  if (invoice.state !== 'UNPAID') return { phase: ENDED_PHASES.get(invoice.state) ?? 'unknown' };
  if (received !== undefined) return { phase: received < 0 ? 'partial' : 'pending' };
  if (state.isClaimed) return { phase: 'pending' };
  const problem = state.problem ?? (includeOnchain ? held?.onchainProblem : held?.fallbackProblem);
  if (problem !== undefined) return { phase: 'unsafe', problem };
  if (isPaused(state, at)) return { phase: 'paused' };
  if (!held || state.readFirst || measureLeft(held, at) <= HIDE_BEFORE_END_MS)
    return { phase: state.putOffSince === undefined ? 'renewing' : 'paused' };
  const { quote, onchain, isRenewed } = held;
  const shown = includeOnchain && onchain ? { ...quote, onchain } : quote;
  return { phase: 'awaiting', quote: shown, renewed: isRenewed };
}

/** Returns when an unconfirmed state is certain. */
function knownAt({ stateSince, unconfirmedSince }: CheckoutState): number | undefined {
  return unconfirmedSince && Math.max(stateSince + LAG_MS, unconfirmedSince + CONFIRM_AFTER_MS);
}

/** Tells whether the payer has not touched the page for `pauseAfter`. */
export function isIdle({ touchedAt, pauseAfter }: CheckoutState, at: ClockReading): boolean {
  return at.monotonic >= touchedAt + pauseAfter;
}

/** Tells whether no code is shown or requested, because the page is hidden or idle. */
function isPaused(state: CheckoutState, at: ClockReading): boolean {
  return state.hidden || isIdle(state, at);
}

/**
 * Returns how long before its end a code is renewed: twice the time that a quote takes, at least 3
 * s, at most a third of the code's validity.
 */
function measureLead({ validity }: HeldQuote, took: readonly number[]): number {
  const sorted = [...took].sort((a, b) => a - b);
  const p95 = sorted[Math.max(0, Math.ceil(sorted.length * 0.95) - 1)] ?? 0;
  return Math.min(Math.max(MIN_LEAD_MS, 2 * p95), validity / 3);
}

/**
 * Tells whether the invoice was last read by an earlier checkout, or a change was announced that is
 * not read yet.
 */
function isKept({ freshness, error }: Snapshot<Invoice>): boolean {
  return freshness === 'stale' && error === undefined;
}

/** Returns when the invoice is read or the next code is requested; `undefined`: not at all. */
export function stepDue(state: CheckoutState, at: ClockReading): number | undefined {
  const { seen, held } = state;
  const isWanted =
    seen?.value?.state === 'UNPAID' &&
    !isKept(seen) &&
    !state.isBusy &&
    !state.failure &&
    state.problem === undefined &&
    receivedBeside(seen.value, state.completed) === undefined &&
    !isPaused(state, at);
  if (!isWanted) return undefined;
  const renewIn =
    held && !state.readFirst ? measureLeft(held, at) - measureLead(held, state.took) : 0;
  return Math.max(state.notBefore, at.monotonic + renewIn);
}

/** Returns when the view may change by itself. */
export function viewDue({ touchedAt, pauseAfter, held }: CheckoutState, at: ClockReading): number {
  const end = held ? at.monotonic + measureLeft(held, at) - HIDE_BEFORE_END_MS : 0;
  return Math.min(...[end, touchedAt + pauseAfter].filter((time) => time > at.monotonic));
}

/** Tells whether the invoice is settled. */
export function isOver(invoice: Invoice | undefined): boolean {
  return invoice !== undefined && invoiceStates.isSettled(invoice.state);
}

/** Longest pause between two requests for a code that fail. */
const MAX_RETRY_PAUSE_MS = 30_000;
/**
 * Pauses where a credential that has worked before is refused; after the last one the refusal is
 * final.
 */
const RETRY_REFUSED_MS = [60_000, 60_000, 180_000, 300_000];

/**
 * Tells whether the service has refused because the invoice has another state than the one that was
 * read.
 */
export function hasMoved({ code }: PaystateError): boolean {
  return /^INVALID_STATE_FOR_INVOICE|^PROCESSING_PAYMENT/.test(code);
}

/**
 * Returns the change of state after a failed step: a pause that grows with the number of failures
 * in a row, and after a final refusal no further step. `hasWorked`: the service has accepted the
 * credential before.
 */
export function judgeFailure(
  { isClaimed, stateSince }: CheckoutState,
  error: PaystateError,
  failures: number,
  { monotonic, wall }: ClockReading,
  isRead: boolean,
  hasWorked: boolean,
): Partial<CheckoutState> {
  const { code, kind, status, retryAt = wall } = error;
  const isRefused = (kind === 'refused' && status === 403) || isLoginOver(error);
  const slow = isRefused && hasWorked ? RETRY_REFUSED_MS[failures] : undefined;
  const wait = slow ?? Math.min(MAX_RETRY_PAUSE_MS, 1_000 * 2 ** failures);
  // before that a replica may not have the invoice yet
  const isOld = monotonic - stateSince > LAG_MS;
  const isMissing = kind === 'refused' && status === 404 && isOld;
  const isForGood = !isRead && slow === undefined && (isRefused || isMissing);
  return {
    isBusy: false,
    error: code,
    notBefore: monotonic + Math.max(wait, retryAt - wall),
    isClaimed: isClaimed || /_PAID$|^PROCESSING_PAYMENT/.test(code),
    ...(isForGood && { problem: code }),
  };
}
