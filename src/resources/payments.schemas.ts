import * as v from 'valibot';
import { ConversionRateSchema, MoneySchema } from './amounts.schemas.ts';
import type {
  ExecutedPayment,
  Payment,
  PaymentLightning,
  PaymentOnchain,
  PaymentState,
} from './payments.ts';
import {
  type EntriesOf,
  maybe,
  type ObjectSchema,
  type OpenText,
  openText,
  TimeSchema,
} from './wire.ts';

/** Validates `PaymentState`. */
export const PaymentStateSchema: OpenText<PaymentState> = openText();

/** Validates `PaymentResult`. */
export const PaymentResultSchema: OpenText<'PENDING' | 'SUCCESS' | 'FAILURE'> = openText();

const members = (): EntriesOf<Payment> => ({
  paymentId: v.string(),
  state: PaymentStateSchema,
  completed: maybe(TimeSchema),
  conversionRate: maybe(ConversionRateSchema),
  amount: MoneySchema,
  totalFee: maybe(MoneySchema),
  totalAmount: MoneySchema,
  reward: maybe(MoneySchema),
  lightning: maybe(
    v.looseObject<EntriesOf<PaymentLightning>>({
      networkFee: maybe(MoneySchema),
      preImage: maybe(v.string()),
    }),
  ),
  onchain: maybe(v.looseObject<EntriesOf<PaymentOnchain>>({ txnId: maybe(v.string()) })),
  result: maybe(PaymentResultSchema),
  delivered: maybe(TimeSchema),
  lightningNetworkFee: maybe(MoneySchema),
});

/** Validates `Payment` in responses. */
export const PaymentSchema: ObjectSchema<Payment> = v.looseObject<EntriesOf<Payment>>(members());

/**
 * Validates the response to an execute request for a quote. The service only guarantees the
 * payment's id. If the state is missing, the payment counts as `PENDING`.
 */
export const ExecutedPaymentSchema: ObjectSchema<ExecutedPayment> = v.looseObject<
  EntriesOf<ExecutedPayment>
>(executedMembers());

function executedMembers(): EntriesOf<ExecutedPayment> {
  const state = v.nullish(PaymentStateSchema, 'PENDING') as unknown as OpenText<PaymentState>;
  return { ...members(), state, amount: maybe(MoneySchema), totalAmount: maybe(MoneySchema) };
}
