import type { Endpoint } from '../../core/http/index.ts';
import type { Payment, PaymentId } from './model.ts';
import { PaymentSchema } from './schemas.ts';

/** GET /v1/payments/{paymentId} @source documented */
export const get: Endpoint<{ paymentId: PaymentId }, void, Payment> = {
  operation: 'payments.get',
  method: 'GET',
  path: '/v1/payments/{paymentId}',
  scope: 'partner.payment.read',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: PaymentSchema,
  echo: { paymentId: 'paymentId' },
};
