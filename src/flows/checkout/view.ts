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
  leftOf,
  type QuoteProblem,
} from './quote.ts';
import { completedOf, isLate, receivedBeside } from './settled.ts';

/** What a checkout sells, and how. */
export interface CheckoutOptions extends WatchOptions {
  /** Of an invoice that exists. */
  readonly invoiceId: InvoiceId;
  /**
   * Shows the on-chain address that a code holds, and the code. Such an address never ends and has no
   * rate. Without it a code that holds an address is `unsafe`.
   */
  readonly includeOnchain?: boolean | undefined;
  /**
   * Codes are renewed for so long after the last `touch`, milliseconds; 600,000. `Infinity`: without
   * end.
   */
  readonly pauseAfter?: number | undefined;
}

/**
 * Where a checkout stands: `loading` nothing is known · `failed` it has ended with `error` ·
 * `awaiting` a code is shown · `renewing` a new code is on its way · `paused` no code before `touch`
 * is called or the page is visible · `pending` a payment runs · `partial` less than the amount came
 * in · `unsafe` the code must not be shown · `unknown` a state that is new to us.
 */
export type CheckoutPhase = CheckoutView['phase'];

interface Known {
  readonly invoice: Invoice;
  /** How far `invoice` can be trusted. */
  readonly freshness: KnownSnapshot<Invoice>['freshness'];
  /** Code of what stands in the way right now; it passes by itself. */
  readonly error?: ErrorCode | undefined;
  /** A change of the invoice was announced that no read shows yet: it is read at once. */
  readonly pending?: 'announced' | undefined;
}

/** Where the checkout of a known invoice stands. */
type CheckoutStage =
  | {
      /** Where the checkout stands; see `CheckoutPhase`. */
      readonly phase: 'awaiting';
      /** What the payer scans or copies. */
      readonly quote: CheckoutQuote;
      /** The code replaces an earlier one: the rate, and so the amount to send, may have moved. */
      readonly renewed: boolean;
    }
  | {
      /** Where the checkout stands; see `CheckoutPhase`. */
      readonly phase: 'pending';
      /** A state behind PENDING that was read since: the payment seems to have failed. */
      readonly unconfirmed?: string | undefined;
      /**
       * When `unconfirmed` is sure, on the client's monotonic clock, milliseconds; `countdown` takes
       * it as `expiresAt`. A code follows then.
       */
      readonly knownAt?: number | undefined;
    }
  | {
      /** Where the checkout stands; see `CheckoutPhase`. */
      readonly phase: 'paid';
      /** The payment was completed after the end of the code that was shown last. */
      readonly late: boolean;
      /** More came in than was asked for. */
      readonly over: boolean;
    }
  | {
      /** Where the checkout stands; see `CheckoutPhase`. */
      readonly phase: 'unsafe';
      /** What is wrong with the quote. */
      readonly problem: QuoteProblem | ErrorCode;
    }
  | {
      /** Where the checkout stands; see `CheckoutPhase`. */
      readonly phase: 'renewing' | 'paused' | 'partial' | 'cancelled' | 'reversed' | 'unknown';
    };

/** What a checkout page shows. At most one code is shown, and a replaced one never again. */
export type CheckoutView =
  | {
      /** Where the checkout stands; see `CheckoutPhase`. */
      readonly phase: 'loading';
      /** Absent: it was not read yet. */
      readonly invoice?: undefined;
      /** Code of what stands in the way of reading it. */
      readonly error?: ErrorCode | undefined;
    }
  | {
      /** Where the checkout stands; see `CheckoutPhase`. */
      readonly phase: 'failed';
      /** Why it has ended. */
      readonly error: PaystateError;
      /** As it was read last; absent where it never was. */
      readonly invoice?: Invoice | undefined;
    }
  | (Known & CheckoutStage);

// What a checkout knows, and what follows from it: pure functions without a clock.

/** Changed by a checkout's loop, read by the functions below. Times are monotonic. */
export interface CheckoutState {
  readonly seen?: Snapshot<Invoice> | undefined;
  readonly held?: HeldQuote | undefined;
  readonly hidden: boolean;
  /** A read or a quote is under way. */
  readonly isBusy: boolean;
  /** The invoice is read before a code is shown. */
  readonly readFirst: boolean;
  /** When the payer was seen last, and for how long without that codes are renewed. */
  readonly touchedAt: number;
  readonly pauseAfter: number;
  /** The next code was asked for by the payer, so it does not wait for others. */
  readonly isDemanded: boolean;
  /** Since when the next code waits because many are asked for. */
  readonly putOffSince?: number | undefined;
  /** A quote was refused because a payment runs or has ended. */
  readonly isClaimed: boolean;
  readonly problem?: QuoteProblem | ErrorCode | undefined;
  readonly error?: ErrorCode | undefined;
  /** What has ended it. */
  readonly failure?: PaystateError | undefined;
  /** Nothing is asked for before this time. */
  readonly notBefore: number;
  /** How long quotes took lately, milliseconds. */
  readonly took: readonly number[];
  /** Payments that have ended well, of the last read that says so. */
  readonly completed?: readonly InvoiceTransaction[] | undefined;
  /** End of the code that was shown last, by the service's clock. */
  readonly shownUntil?: number | undefined;
  /** When the invoice came into its state, as far as this checkout saw. */
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

/** Takes what was read of the invoice in. */
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
    completed: (seen.value && completedOf(seen.value)) ?? state.completed,
    ...(isOver(seen.value) && { held: undefined }),
  };
}

/** What to show now. */
export function viewOf(
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
  // the service has just said that the invoice is in another state than the one that was read
  const freshness = state.isClaimed && seen.freshness === 'live' ? 'stale' : seen.freshness;
  const pending = seen.pending && { pending: seen.pending };
  return { invoice, freshness, ...error, ...pending, ...stageOf(state, seen, at, includeOnchain) };
}

function stageOf(
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
  if (!held || state.readFirst || leftOf(held, at) <= HIDE_BEFORE_END_MS)
    return { phase: state.putOffSince === undefined ? 'renewing' : 'paused' };
  const { quote, onchain, isRenewed } = held;
  const shown = includeOnchain && onchain ? { ...quote, onchain } : quote;
  return { phase: 'awaiting', quote: shown, renewed: isRenewed };
}

/** When a state that is not believed yet is sure. */
function knownAt({ stateSince, unconfirmedSince }: CheckoutState): number | undefined {
  return unconfirmedSince && Math.max(stateSince + LAG_MS, unconfirmedSince + CONFIRM_AFTER_MS);
}

/** The payer has not touched it for long. */
export function isIdle({ touchedAt, pauseAfter }: CheckoutState, at: ClockReading): boolean {
  return at.monotonic >= touchedAt + pauseAfter;
}

/** The page is hidden: no code is shown, and none is asked for. */
function isPaused(state: CheckoutState, at: ClockReading): boolean {
  return state.hidden || isIdle(state, at);
}

/**
 * How long before its end a code is renewed: twice what a quote takes, at least 3 s, at most a
 * third of its life.
 */
function leadOf({ validity }: HeldQuote, took: readonly number[]): number {
  const sorted = [...took].sort((a, b) => a - b);
  const p95 = sorted[Math.max(0, Math.ceil(sorted.length * 0.95) - 1)] ?? 0;
  return Math.min(Math.max(MIN_LEAD_MS, 2 * p95), validity / 3);
}

/** It was read by an earlier checkout, and not since; or a change was announced and is not read. */
function isKept({ freshness, error }: Snapshot<Invoice>): boolean {
  return freshness === 'stale' && error === undefined;
}

/** When the invoice is to be read, or the next code to be asked for; `undefined`: not at all. */
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
  const renewIn = held && !state.readFirst ? leftOf(held, at) - leadOf(held, state.took) : 0;
  return Math.max(state.notBefore, at.monotonic + renewIn);
}

/** When what is shown may change by itself. */
export function viewDue({ touchedAt, pauseAfter, held }: CheckoutState, at: ClockReading): number {
  const end = held ? at.monotonic + leftOf(held, at) - HIDE_BEFORE_END_MS : 0;
  return Math.min(...[end, touchedAt + pauseAfter].filter((time) => time > at.monotonic));
}

/** Nothing more is expected. */
export function isOver(invoice: Invoice | undefined): boolean {
  return invoice !== undefined && invoiceStates.isSettled(invoice.state);
}

/** Longest time between two tries to get a code, milliseconds. */
const MAX_RETRY_PAUSE_MS = 30_000;
/** The same where a credential that has worked is refused: then the refusal is for good. */
const RETRY_REFUSED_MS = [60_000, 60_000, 180_000, 300_000];

/** The service says that the invoice is in another state than the one that was read. */
export function hasMoved({ code }: PaystateError): boolean {
  return /^INVALID_STATE_FOR_INVOICE|^PROCESSING_PAYMENT/.test(code);
}

/**
 * What follows from a failed step, after so many failures in a row: a wait that grows, and after a
 * refusal for good no further step. `hasWorked`: the service has accepted before what it refuses.
 */
export function failureOf(
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
  const isOld = monotonic - stateSince > LAG_MS; // else a replica may not have it yet
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
