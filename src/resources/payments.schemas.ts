import * as v from 'valibot';
import { ConversionRateSchema, MoneySchema } from './amounts.schemas.ts';
import type {
  ExecutedPayment,
  Payment,
  PaymentLightning,
  PaymentOnchain,
  PaymentState,
} from './payments.ts';
import { type EntriesOf, maybe, type ObjectSchema, type OpenText, openText } from './wire.ts';

/** Schema of `PaymentState`: texts that are new pass. */
export const PaymentStateSchema: OpenText<PaymentState> = openText();

/** Schema of `PaymentResult`: texts that are new pass. */
export const PaymentResultSchema: OpenText<'PENDING' | 'SUCCESS' | 'FAILURE'> = openText();

const members = (): EntriesOf<Payment> => ({
  paymentId: v.string(),
  state: PaymentStateSchema,
  completed: maybe(v.string()),
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
  delivered: maybe(v.string()),
  lightningNetworkFee: maybe(MoneySchema),
});

/** Schema of `Payment`, as the service sends it: members that are new pass. */
export const PaymentSchema: ObjectSchema<Payment> = v.looseObject<EntriesOf<Payment>>(members());

/**
 * The description promises an id and no more: who has accepted without a state has not ended it.
 */
export const ExecutedPaymentSchema: ObjectSchema<ExecutedPayment> = v.looseObject<
  EntriesOf<ExecutedPayment>
>(executedMembers());

function executedMembers(): EntriesOf<ExecutedPayment> {
  const state = v.nullish(PaymentStateSchema, 'PENDING') as unknown as OpenText<PaymentState>;
  return { ...members(), state, amount: maybe(MoneySchema), totalAmount: maybe(MoneySchema) };
}
