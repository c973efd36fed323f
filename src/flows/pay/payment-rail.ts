import { get } from '../../resources/payments/operations.ts';
import { executePayment } from './execute-try.ts';
import { askForQuote } from './quote-request.ts';
import type { Rail } from './rail.ts';
import type { PayOrder } from './row.ts';
import { searchPayment } from './search.ts';
import { proofOf, readingOf, withoutPreimage } from './try-outcome.ts';

/** Payments over Lightning and on the chain. */
export const paymentRail: Rail<PayOrder> = {
  operation: 'pay',
  member: 'payment',
  quote: askForQuote,
  execute: executePayment,
  async read(client, row, options) {
    const payment = await get(client, row.paymentId!, options);
    return {
      is: readingOf(payment.state),
      payment: withoutPreimage(payment),
      proof: proofOf(row, payment),
    };
  },
  search: searchPayment,
};
