// Payments that were executed.
import { type Call, type CallOptions, type Connection, send } from '../../core/http/index.ts';
import * as endpoints from './endpoints.ts';
import type { Payment, PaymentId } from './model.ts';

/**
 * Reads one payment. Resolves to the payment; PENDING is neither success nor failure, and may last
 * for days. `GET /v1/payments/{paymentId}` (documented).
 *
 * @throws RefusedError `NOT_FOUND`
 * @example
 * const { state } = await client.payments.get(payment.paymentId);
 */
export function get(
  connection: Connection,
  paymentId: PaymentId,
  options: CallOptions = {},
): Call<Payment> {
  return send(connection, endpoints.get, { where: { paymentId } }, options);
}
