import type { PaystateError } from '../core/errors/index.ts';
import { isLoginOver } from '../core/http/index.ts';
import { LAG } from '../resources/service-facts.ts';
import type { CheckoutState } from './checkout-state.ts';
import type { ClockReading } from './held-quote.ts';

/** Longest time between two tries to get a code, milliseconds. */
const SLOWEST = 30_000;
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
  const wait = slow ?? Math.min(SLOWEST, 1_000 * 2 ** failures);
  const isOld = monotonic - stateSince > LAG; // else a replica may not have it yet
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
