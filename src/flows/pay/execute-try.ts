import {
  type CallOptions,
  type CallResult,
  type Connection,
  internals,
} from '../../core/http/index.ts';
import { isSameMoney } from '../../money/index.ts';
import { execute } from '../../resources/payment-quotes/operations.ts';
import { get } from '../../resources/payments/operations.ts';
import type { PayOrder, PayRow } from './row.ts';
import { NOT_SENT, TRY_TIMEOUT } from './schedule.ts';
import { skewBy } from './service-clock.ts';
import { outcomeOfError, outcomeOfResponse, proofOf, type TryOutcome } from './try-outcome.ts';

const LATE = {
  code: NOT_SENT,
  kind: 'input',
  next: 'new-quote',
  text: 'the quote had ended',
} as const;

/** What came of one request to move the money. */
export interface Executed {
  readonly outcome: TryOutcome;
  /** How far the service's clock is ahead, where the response tells. */
  readonly skew?: number | undefined;
}

/** It was too late to send it. */
export const UNSENT: Executed = { outcome: { is: 'unsent', code: NOT_SENT, why: LATE } };

/**
 * One request that waits so long for its place in the rate limit. No signal aborts it: what was
 * sent cannot be called back.
 */
export function oneTry(left: number): CallOptions {
  const queueTimeout = Math.min(left, TRY_TIMEOUT);
  return { attemptTimeout: TRY_TIMEOUT, queueTimeout, maxAttempts: 1, reason: 'move money' };
}

/** What a response, or an error, says of one try. */
export async function outcomeOf<T>(
  client: Connection,
  call: { withResponse(): Promise<CallResult<T>> },
  accept: (value: T) => TryOutcome,
  processed: Parameters<typeof outcomeOfError>[1],
): Promise<Executed> {
  try {
    const response = await call.withResponse();
    const skew = skewBy(response, client[internals].clock.now());
    return { outcome: accept(response.value), skew };
  } catch (thrown) {
    return { outcome: outcomeOfError(thrown, processed) };
  }
}

/**
 * Sends one request to execute the row's quote, and says what came of it; never rejects. The first
 * one waits no longer for its place in the rate limit than the quote lives.
 */
export async function executePayment(
  client: Connection,
  row: PayRow<PayOrder>,
  now: number,
): Promise<Executed> {
  const { id, endsAt } = row.quote!;
  const left = row.tries.length > 1 ? TRY_TIMEOUT : endsAt - now;
  if (left <= 0) return UNSENT;
  const executed = await outcomeOf(
    client,
    execute(client, id, oneTry(left)),
    (response) => outcomeOfResponse(row, response),
    { code: 'PAYMENT_PROCESSED', value: 'paymentId' },
  );
  return { ...executed, outcome: await withTerms(client, row, executed.outcome) };
}

/**
 * A payment that is named without its terms is read: where it cannot be, or has other terms, nobody
 * knows that it is this one.
 */
async function withTerms(
  client: Connection,
  row: PayRow<PayOrder>,
  outcome: TryOutcome,
): Promise<TryOutcome> {
  const { is, paymentId, payment, code } = outcome;
  if (!paymentId || payment || (is !== 'processed' && is !== 'accepted')) return outcome;
  const read = await get(client, paymentId, { maxAttempts: 1, reason: 'whose it is' }).catch(
    () => undefined,
  );
  const isOurs = read && isSameMoney(row.quote!.totalAmount, read.totalAmount);
  const proof = isOurs && proofOf(row, read) === 'bad' ? 'bad' : undefined;
  if (isOurs && !proof) return outcome;
  return { is: is === 'processed' ? 'processed-blind' : 'blind', code, proof };
}
