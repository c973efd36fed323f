import type { PaystateError } from '../core/errors/index.ts';
import { isLoginOver } from '../core/http/index.ts';
import { LAG } from '../resources/service-facts.ts';
import type { CheckoutState } from './checkout-state.ts';
import type { ClockReading } from './held-quote.ts';

/** Longest time between two tries to get a code, milliseconds. */
const SLOWEST = 30_000;

/** The service says that the invoice is in another state than the one that was read. */
export function hasMoved({ code }: PaystateError): boolean {
  return /^INVALID_STATE_FOR_INVOICE|^PROCESSING_PAYMENT/.test(code);
}

/**
 * What follows from a failed step, after so many failures in a row: a wait that grows, and after a
 * refusal for good no further step.
 */
export function failureOf(
  { isClaimed, stateSince }: CheckoutState,
  error: PaystateError,
  failures: number,
  { monotonic, wall }: ClockReading,
  isRead: boolean,
): Partial<CheckoutState> {
  const { code, kind, status, retryAt = wall } = error;
  const wait = Math.min(SLOWEST, 1_000 * 2 ** failures);
  const isOld = monotonic - stateSince > LAG; // else a replica may not have it yet
  const isRefused = kind === 'refused' && (status === 403 || (status === 404 && isOld));
  const isForGood = !isRead && (isRefused || isLoginOver(error));
  return {
    isBusy: false,
    error: code,
    notBefore: monotonic + Math.max(wait, retryAt - wall),
    isClaimed: isClaimed || /_PAID$|^PROCESSING_PAYMENT/.test(code),
    ...(isForGood && { problem: code }),
  };
}
