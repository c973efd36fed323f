import { badInput } from '../../core/errors/index.ts';
import type { Connection } from '../../core/http/index.ts';
import type { Money } from '../../money/index.ts';
import type { CommonPaymentOptions, PayResult, PayStep } from './model.ts';
import { checkOptions, readRequest, readText } from './order.ts';
import { refundRail } from './refund-rail.ts';
import type { Run } from './run-model.ts';
import { begin } from './runs.ts';

/** What is given back, and to whom. */
export interface RefundOptions extends Omit<CommonPaymentOptions, 'feePolicy'> {
  /** Id of the invoice that was paid; this or `receiveId`. */
  readonly invoiceId?: string | undefined;
  /** Id of the receive that came in. */
  readonly receiveId?: string | undefined;
  /** How much, in the currency that came in; all that is left when absent. Fees come on top. */
  readonly amount?: Money | undefined;
  /**
   * The most to spend, with its fee, in `sourceCurrency`. Without it what came in is the limit of what
   * is given back, and `maxFee` that of the fee.
   */
  readonly maxTotal?: Money | 'any' | undefined;
  /**
   * Your name for this refund; `refund/` with the id when absent. Several refunds of one invoice need a
   * name each.
   */
  readonly intent?: string | undefined;
}

/**
 * Gives back what came in for an invoice or a receive, or a part of it: a payment to a text, an address
 * or a Lightning address that its payer has named. All refunds of one invoice in one journal together
 * never give back more than came in, however many run at once. The same call twice is one refund.
 *
 * @param options `invoiceId` or `receiveId`, `to`, `sourceCurrency`, `maxFee`, `journal`; see
 * `RefundOptions`
 * @returns a run as that of `pay`; `refused` with guard `refund` where it would be too much
 * @throws InputError as `pay`
 * @example
 * const run = refund(client, {
 *   invoiceId,
 *   to: 'ada@wallet.example',
 *   sourceCurrency: 'USD',
 *   maxFee: { percent: '2' },
 *   journal: memoryStore(),
 * });
 * console.log((await sandbox.run(run.result)).phase); // refused: nothing has come in
 */
export function refund(client: Connection, options: RefundOptions): Run<PayStep, PayResult> {
  const { invoiceId, receiveId } = checkOptions(client, options);
  const id = readText('invoiceId', invoiceId) ?? readText('receiveId', receiveId);
  if (!id || (invoiceId && receiveId))
    throw badInput('invoiceId', 'exactly one of invoiceId and receiveId is required');
  const refundOf = `${invoiceId ? 'invoice' : 'receive'}/${id}`;
  const { intent = `refund/${id}` } = options;
  const request = readRequest(client, { ...options, intent }, refundOf);
  return begin(client, refundRail, request, options);
}
