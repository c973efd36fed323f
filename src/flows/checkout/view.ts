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

/** Options for `checkout`. */
export interface CheckoutOptions extends WatchOptions {
  /** The id of an existing invoice. */
  readonly invoiceId: InvoiceId;
  /**
   * Shows the code together with its on-chain address, which never expires and has no fixed rate.
   * Without this option, a code that contains an address is `unsafe`.
   */
  readonly includeOnchain?: boolean | undefined;
  /**
   * How long codes keep being renewed after the last `touch`, in milliseconds. Defaults to 600,000.
   * Use `Infinity` for no limit.
   */
  readonly pauseAfter?: number | undefined;
}

/**
 * The phase of a checkout. `loading`: the invoice hasn't been read yet · `failed`: the checkout
 * ended with `error` · `awaiting`: a code is visible · `renewing`: a new code has been requested ·
 * `paused`: no code until you call `touch` or the page becomes visible · `pending`: a payment is in
 * progress · `partial`: less than the amount arrived · `unsafe`: the code must not be shown ·
 * `unknown`: the invoice has a state that this version doesn't support.
 */
export type CheckoutPhase = CheckoutView['phase'];

interface Known {
  readonly invoice: Invoice;
  /** How fresh the `invoice` value is. */
  readonly freshness: KnownSnapshot<Invoice>['freshness'];
  /** The error code of a temporary problem. */
  readonly error?: ErrorCode | undefined;
  /** Set if a change was announced but hasn't been read yet. The invoice is being read. */
  readonly pending?: 'announced' | undefined;
}

type CheckoutStage =
  | {
      readonly phase: 'awaiting';
      /** The code to scan or copy. */
      readonly quote: CheckoutQuote;
      /**
       * Whether the code replaces an earlier one. If so, the rate and the amount to send may have
       * changed.
       */
      readonly renewed: boolean;
    }
  | {
      readonly phase: 'pending';
      /**
       * Set if a later read returned this state instead of PENDING, which suggests that the payment
       * failed.
       */
      readonly unconfirmed?: string | undefined;
      /**
       * When `unconfirmed` becomes certain and a new code follows, in milliseconds on the client's
       * monotonic clock. You can pass it to `countdown` as `expiresAt`.
       */
      readonly knownAt?: number | undefined;
    }
  | {
      readonly phase: 'paid';
      /** Whether the payment completed after the last code expired. */
      readonly late: boolean;
      /** Whether more than the invoice's amount arrived. */
      readonly over: boolean;
    }
  | {
      readonly phase: 'unsafe';
      /** Why the quote is unsafe. */
      readonly problem: QuoteProblem | ErrorCode;
    }
  | {
      /** The phase. See `CheckoutPhase`. */
      readonly phase: 'renewing' | 'paused' | 'partial' | 'cancelled' | 'reversed' | 'unknown';
    };

/**
 * The view to render on a checkout page. It contains at most one code, and never one that has been
 * replaced.
 */
export type CheckoutView =
  | {
      readonly phase: 'loading';
      /** Always absent, because the invoice hasn't been read yet. */
      readonly invoice?: undefined;
      /** The error code if reading the invoice failed. */
      readonly error?: ErrorCode | undefined;
    }
  | {
      readonly phase: 'failed';
      /** Why the checkout ended. */
      readonly error: PaystateError;
      /** The invoice as of its last read. Absent if no read succeeded. */
      readonly invoice?: Invoice | undefined;
    }
  | (Known & CheckoutStage);

// All functions in this file are pure. They get the time as an argument.

/** The state of a checkout. Unless noted otherwise, times are on the monotonic clock. */
export interface CheckoutState {
  readonly seen?: Snapshot<Invoice> | undefined;
  readonly held?: HeldQuote | undefined;
  readonly hidden: boolean;
  readonly isBusy: boolean;
  /** Whether the invoice must be read before a code is shown. */
  readonly readFirst: boolean;
  /** When the payer was last active on the page, and how long codes are renewed after that. */
  readonly touchedAt: number;
  readonly pauseAfter: number;
  /**
   * Set if the payer is waiting for the next code. It's then requested even if the rate limit is
   * nearly used up.
   */
  readonly isDemanded: boolean;
  /** When the next code was first delayed because too many codes were being requested. */
  readonly putOffSince?: number | undefined;
  /** Set if a quote was refused because a payment is in progress or has ended. */
  readonly isClaimed: boolean;
  readonly problem?: QuoteProblem | ErrorCode | undefined;
  readonly error?: ErrorCode | undefined;
  readonly failure?: PaystateError | undefined;
  readonly notBefore: number;
  /** How long recent quote requests took, in milliseconds. */
  readonly took: readonly number[];
  /** The completed payments, as of the last read that included payments. */
  readonly completed?: readonly InvoiceTransaction[] | undefined;
  /** When the last visible code expires, according to the service's clock. */
  readonly shownUntil?: number | undefined;
  /** When this checkout first saw the invoice in its current state. */
  readonly stateSince: number;
  readonly unconfirmedSince?: number | undefined;
}

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
  // the service just refused a quote because the invoice's state differs from the one we read
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

function knownAt({ stateSince, unconfirmedSince }: CheckoutState): number | undefined {
  return unconfirmedSince && Math.max(stateSince + LAG_MS, unconfirmedSince + CONFIRM_AFTER_MS);
}

export function isIdle({ touchedAt, pauseAfter }: CheckoutState, at: ClockReading): boolean {
  return at.monotonic >= touchedAt + pauseAfter;
}

function isPaused(state: CheckoutState, at: ClockReading): boolean {
  return state.hidden || isIdle(state, at);
}

/**
 * Returns how long before its expiry a code is renewed. The lead time is twice as long as a quote
 * request takes, but at least 3 s and at most a third of the code's validity period.
 */
function measureLead({ validity }: HeldQuote, took: readonly number[]): number {
  const sorted = [...took].sort((a, b) => a - b);
  const p95 = sorted[Math.max(0, Math.ceil(sorted.length * 0.95) - 1)] ?? 0;
  return Math.min(Math.max(MIN_LEAD_MS, 2 * p95), validity / 3);
}

/**
 * Returns whether the snapshot is out of date, because it comes from an earlier checkout or an
 * announced change hasn't been read yet.
 */
function isKept({ freshness, error }: Snapshot<Invoice>): boolean {
  return freshness === 'stale' && error === undefined;
}

/** Returns when the next read or code request is due, or `undefined` if there is none. */
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

export function viewDue({ touchedAt, pauseAfter, held }: CheckoutState, at: ClockReading): number {
  const end = held ? at.monotonic + measureLeft(held, at) - HIDE_BEFORE_END_MS : 0;
  return Math.min(...[end, touchedAt + pauseAfter].filter((time) => time > at.monotonic));
}

export function isOver(invoice: Invoice | undefined): boolean {
  return invoice !== undefined && invoiceStates.isSettled(invoice.state);
}

const MAX_RETRY_PAUSE_MS = 30_000;
/**
 * The delays between attempts after the service refuses a credential that used to work. After the
 * last one, the refusal is final.
 */
const RETRY_REFUSED_MS = [60_000, 60_000, 180_000, 300_000];

/**
 * Returns whether the service refused the request because the invoice's state differs from the one
 * we read.
 */
export function hasMoved({ code }: PaystateError): boolean {
  return /^INVALID_STATE_FOR_INVOICE|^PROCESSING_PAYMENT/.test(code);
}

/**
 * Returns the state change after a failed step. Either the next step is delayed, by a longer time
 * with each consecutive failure, or the refusal is final and there's no next step. `hasWorked`
 * means that the service has accepted the credential before.
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
  // a replica may not have the invoice yet right after it's created
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
