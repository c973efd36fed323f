import type { ErrorCode, PaystateError } from '../core/errors/index.ts';
import type { Invoice } from '../resources/invoices/model.ts';
import { invoiceStates } from '../resources/invoices/states.ts';
import type { KnownSnapshot, Snapshot } from '../state/index.ts';

import type { QuoteProblem, CheckoutQuote } from './quote.ts';

/**
 * Where a checkout stands: `loading` nothing is known · `failed` it has ended with `error` · `awaiting`
 * a code is shown · `renewing` a
 * new code is on its way · `paused` the page is hidden · `pending` a payment runs · `unsafe` the
 * code must not be shown · `unknown` a state that is new to us.
 */
export type CheckoutPhase = CheckoutView['phase'];

interface Known {
  readonly invoice: Invoice;
  /** How far `invoice` can be trusted. */
  readonly freshness: KnownSnapshot<Invoice>['freshness'];
  /** Code of what stands in the way right now; it passes by itself. */
  readonly error?: ErrorCode | undefined;
}

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
  | (Known & {
      /** Where the checkout stands; see `CheckoutPhase`. */
      readonly phase: 'awaiting';
      /** What the payer scans or copies. */
      readonly quote: CheckoutQuote;
      /** The code replaces an earlier one: the rate, and so the amount to send, may have moved. */
      readonly renewed: boolean;
    })
  | (Known & {
      /** Where the checkout stands; see `CheckoutPhase`. */
      readonly phase:
        | 'renewing'
        | 'paused'
        | 'pending'
        | 'paid'
        | 'cancelled'
        | 'reversed'
        | 'unknown';
    })
  | (Known & {
      /** Where the checkout stands; see `CheckoutPhase`. */
      readonly phase: 'unsafe';
      /** What is wrong with the quote. */
      readonly problem: QuoteProblem | ErrorCode;
    });

/** A code with what renewal needs to know of it. Times are monotonic. */
interface HeldQuote {
  readonly quote: CheckoutQuote;
  readonly validity: number;
  /** It replaces an earlier one. */
  readonly isRenewed: boolean;
  /**
   * The check of signatures could not be loaded: the payee may be another than that of the first
   * code.
   */
  readonly isPayeeUnknown: boolean;
}

/** Everything that a checkout knows; changed by its loop, read by the pure functions below. */
export interface CheckoutState {
  readonly seen?: Snapshot<Invoice> | undefined;
  readonly held?: HeldQuote | undefined;
  readonly hidden: boolean;
  readonly quoting: boolean;
  readonly problem?: QuoteProblem | ErrorCode | undefined;
  readonly error?: ErrorCode | undefined;
  /** What has ended it. */
  readonly failure?: PaystateError | undefined;
  /** No quote is asked for before this time. */
  readonly notBefore: number;
  /** How long quotes took lately, milliseconds. */
  readonly took: readonly number[];
}

/** A code is taken off this long before its end, milliseconds. */
const LAST_SECOND = 1_000;
const SHORTEST_LEAD = 3_000;

const PHASES: Readonly<Record<string, 'pending' | 'paid' | 'cancelled' | 'reversed'>> = {
  PENDING: 'pending',
  PAID: 'paid',
  CANCELLED: 'cancelled',
  REVERSED: 'reversed',
};

/** What to show now. */
export function viewOf(state: CheckoutState, now: number): CheckoutView {
  const { seen, held, problem } = state;
  const code = state.error ?? seen?.error?.code;
  const error = code !== undefined && { error: code };
  if (state.failure) return { phase: 'failed', error: state.failure, invoice: seen?.value };
  if (!seen?.value) return { phase: 'loading', ...error };
  const known = { invoice: seen.value, freshness: seen.freshness, ...error };
  if (seen.value.state !== 'UNPAID')
    return { ...known, phase: PHASES[seen.value.state] ?? 'unknown' };
  if (problem !== undefined) return { ...known, phase: 'unsafe', problem };
  if (state.hidden) return { ...known, phase: 'paused' };
  if (!held || now >= held.quote.expiresAt - LAST_SECOND) return { ...known, phase: 'renewing' };
  return { ...known, phase: 'awaiting', quote: held.quote, renewed: held.isRenewed };
}

/**
 * How long before its end a code is renewed: twice what a quote takes, at least 3 s, at most a
 * third of its life.
 */
function leadOf(validity: number, took: readonly number[]): number {
  const sorted = [...took].sort((a, b) => a - b);
  const p95 = sorted[Math.max(0, Math.ceil(sorted.length * 0.95) - 1)] ?? 0;
  return Math.min(Math.max(SHORTEST_LEAD, 2 * p95), validity / 3);
}

/** When the next code is to be asked for; `undefined`: not at all. */
export function quoteDue(state: CheckoutState): number | undefined {
  const { seen, held, took } = state;
  const isKept = seen?.freshness === 'stale' && seen.error === undefined; // from an earlier checkout: it is read first
  const wanted =
    seen?.value?.state === 'UNPAID' &&
    state.failure === undefined &&
    !isKept &&
    !state.hidden &&
    !state.quoting &&
    state.problem === undefined;
  if (!wanted) return undefined;
  return Math.max(
    state.notBefore,
    held ? held.quote.expiresAt - leadOf(held.validity, took) : -Infinity,
  );
}

/** When what is shown changes by itself: the code is taken off. */
export function viewDue({ held }: CheckoutState, now: number): number | undefined {
  const end = held && held.quote.expiresAt - LAST_SECOND;
  return end !== undefined && end > now ? end : undefined;
}

/**
 * Coming back to a hidden page: a code with less than this left is renewed before it is shown
 * again.
 */
export function isWorthShowing({ quote: code, validity }: HeldQuote, now: number): boolean {
  return code.expiresAt - now >= Math.max(8_000, validity / 3);
}

/** Nothing more will change. */
export function isOver(invoice: Invoice | undefined): boolean {
  return invoice !== undefined && invoiceStates.isSettled(invoice.state);
}
