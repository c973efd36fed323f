import { ConversionRateSchema, MoneySchema } from '../amounts/schemas.ts';
import {
  answer,
  type EntriesOf,
  maybe,
  open,
  type OpenText,
  type SchemaOf,
  text,
} from '../shape.ts';
import type { ExecutedPayment, PaymentLightning, PaymentOnchain, Payment } from './model.ts';
import type { PaymentState } from './states.ts';

export const PaymentStateSchema: OpenText<PaymentState> = open();

export const PaymentResultSchema: OpenText<'PENDING' | 'SUCCESS' | 'FAILURE'> = open();

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
    answer<PaymentLightning>({ networkFee: maybe(MoneySchema), preImage: maybe(text) }),
  ),
  onchain: maybe(answer<PaymentOnchain>({ txnId: maybe(text) })),
  result: maybe(PaymentResultSchema),
  delivered: maybe(text),
  lightningNetworkFee: maybe(MoneySchema),
});

export const PaymentSchema: SchemaOf<Payment> = answer<Payment>(members());

/** The description promises an id and no more: who has accepted without a state has not ended it. */
export const ExecutedPaymentSchema: SchemaOf<ExecutedPayment> = answer<ExecutedPayment>(
  executedMembers(),
);

function executedMembers(): EntriesOf<ExecutedPayment> {
  const state = maybe(PaymentStateSchema, 'PENDING') as unknown as OpenText<PaymentState>;
  return { ...members(), state, amount: maybe(MoneySchema), totalAmount: maybe(MoneySchema) };
}
