import { type Connection, internals } from '../../core/http/index.ts';
import { execute } from '../../resources/payment-quotes/operations.ts';
import { skewBy } from './quote-request.ts';
import type { PayRow } from './row.ts';
import { NOT_SENT, TRY_TIMEOUT } from './schedule.ts';
import { outcomeOfError, outcomeOfResponse, type TryOutcome } from './try-outcome.ts';

const LATE = {
  code: NOT_SENT,
  kind: 'input',
  next: 'new-quote',
  text: 'the quote had ended',
} as const;

interface Executed {
  readonly outcome: TryOutcome;
  /** How far the service's clock is ahead, where the response tells. */
  readonly skew?: number | undefined;
}

/**
 * Sends one request to execute the row's quote, and says what came of it; never rejects. The first
 * one waits no longer for its place in the rate limit than the quote lives. Nobody can abort it: what
 * was sent cannot be called back.
 */
export async function executeTry(client: Connection, row: PayRow, now: number): Promise<Executed> {
  const { paymentQuoteId, endsAt } = row.quote!;
  const left = row.tries.length > 1 ? TRY_TIMEOUT : endsAt - now;
  if (left <= 0) return { outcome: { is: 'unsent', code: NOT_SENT, why: LATE } };
  const queueTimeout = Math.min(left, TRY_TIMEOUT);
  const options = { attemptTimeout: TRY_TIMEOUT, queueTimeout, reason: 'pay' };
  try {
    const response = await execute(client, paymentQuoteId, options).withResponse();
    const skew = skewBy(response, client[internals].clock.now());
    return { outcome: outcomeOfResponse(row, response.value), skew };
  } catch (thrown) {
    return { outcome: outcomeOfError(thrown) };
  }
}
