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
  openText,
  type OpenText,
  response,
  type SchemaOf,
  text,
} from './shape.ts';

/** Schema of `PaymentState`: texts that are new pass. */
export const PaymentStateSchema: OpenText<PaymentState> = openText();

/** Schema of `PaymentResult`: texts that are new pass. */
export const PaymentResultSchema: OpenText<'PENDING' | 'SUCCESS' | 'FAILURE'> = openText();

const members = (): EntriesOf<Payment> => ({
  paymentId: text,
  state: PaymentStateSchema,
  completed: maybe(text),
  conversionRate: maybe(ConversionRateSchema),
  amount: MoneySchema,
  totalFee: maybe(MoneySchema),
  totalAmount: MoneySchema,
  reward: maybe(MoneySchema),
  lightning: maybe(
    response<PaymentLightning>({ networkFee: maybe(MoneySchema), preImage: maybe(text) }),
  ),
  onchain: maybe(response<PaymentOnchain>({ txnId: maybe(text) })),
  result: maybe(PaymentResultSchema),
  delivered: maybe(text),
  lightningNetworkFee: maybe(MoneySchema),
});

/** Schema of `Payment`, as the service sends it: members that are new pass. */
export const PaymentSchema: SchemaOf<Payment> = response<Payment>(members());

/**
 * The description promises an id and no more: who has accepted without a state has not ended it.
 */
export const ExecutedPaymentSchema: SchemaOf<ExecutedPayment> = response<ExecutedPayment>(
  executedMembers(),
);

function executedMembers(): EntriesOf<ExecutedPayment> {
  const state = maybe(PaymentStateSchema, 'PENDING') as unknown as OpenText<PaymentState>;
  return { ...members(), state, amount: maybe(MoneySchema), totalAmount: maybe(MoneySchema) };
}
