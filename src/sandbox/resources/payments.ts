import * as rows from '../../generated/endpoints/payments.ts';
import { type ResourceRoute, routesOf } from './handlers.ts';
import { notFound } from '../world/refusals.ts';
import { allPayments, showPayment } from './payment-store.ts';

export const routes: readonly ResourceRoute[] = routesOf<typeof rows>(rows, {
  get(world, { account, where: { paymentId } }) {
    const payment = allPayments(world).get(paymentId);
    if (payment?.quote.account !== account) throw notFound(payment);
    return { body: showPayment(payment) };
  },
});
