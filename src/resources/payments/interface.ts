// Made from operations.ts by `npm run interfaces`: change functions and comments there.
import type { Call, CallOptions } from '../../core/http/index.ts';
import type { Payment, PaymentId } from './model.ts';

/** Payments that were executed. */
export interface Payments {
  /**
   * Reads one payment. Resolves to the payment; PENDING is neither success nor failure, and may
   * last for days. `GET /v1/payments/{paymentId}` (documented).
   *
   * @throws RefusedError `NOT_FOUND`
   * @example
   * const { state } = await client.payments.get(payment.paymentId);
   */
  get(paymentId: PaymentId, options?: CallOptions): Call<Payment>;
}
