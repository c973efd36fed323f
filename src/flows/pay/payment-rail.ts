import type { CallOptions, Connection } from '../../core/http/index.ts';
import { get } from '../../resources/payments/operations.ts';
import { executePayment } from './execute-try.ts';
import { askForQuote } from './quote-request.ts';
import type { Rail } from './rail.ts';
import type { PayOrder, PayRow } from './row.ts';
import { searchPayment } from './search.ts';
import { proofOf, readingOf, withoutPreimage } from './try-outcome.ts';

/** Payments over Lightning and on the chain. */
export const paymentRail: Rail<PayOrder> = {
  operation: 'pay',
  kind: 'pay',
  member: 'payment',
  quote: askForQuote,
  execute: executePayment,
  read: readPayment,
  search: searchPayment,
};

/** Reads a payment: how it ended, and its proof. */
export async function readPayment(
  client: Connection,
  row: PayRow<PayOrder>,
  options: CallOptions,
): ReturnType<Rail<PayOrder>['read']> {
  const payment = await get(client, row.paymentId!, options);
  const proof = proofOf(row, payment);
  return { is: readingOf(payment.state, proof), payment: withoutPreimage(payment), proof };
}
