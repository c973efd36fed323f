import type { Endpoint } from '../../core/http/index.ts';
import { reading } from '../rows.ts';
import type { Payment, PaymentId } from './model.ts';
import { PaymentSchema } from './schemas.ts';

/** @source seed */
export const get: Endpoint<{ paymentId: PaymentId }, void, Payment> = reading(
  '/v1/payments/{paymentId}',
  'partner.payment.read',
  PaymentSchema,
  { echo: { paymentId: 'paymentId' } },
);
