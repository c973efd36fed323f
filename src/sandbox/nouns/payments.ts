import type * as rows from '../../resources/payments/endpoints.ts';
import type { Handlers } from '../http/handlers.ts';
import { notFound } from '../http/refusals.ts';
import { allPayments, showPayment } from './payment-book.ts';

export const paymentHandlers: Handlers<typeof rows> = {
  get(world, { account, where: { paymentId } }) {
    const payment = allPayments(world).get(paymentId);
    if (payment?.quote.account !== account) throw notFound(paymentId, payment);
    return { body: showPayment(payment) };
  },
};
