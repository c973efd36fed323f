import { ConversionRateSchema, MoneySchema } from '../amounts/schemas.ts';
import { answer, maybe, open, type OpenText, type SchemaOf, text } from '../shape.ts';
import type { LightningPart, OnchainPart, Payment } from './model.ts';
import type { PaymentState } from './states.ts';

export const PaymentStateSchema: OpenText<PaymentState> = open();

export const PaymentResultSchema: OpenText<'PENDING' | 'SUCCESS' | 'FAILURE'> = open();

export const PaymentSchema: SchemaOf<Payment> = answer<Payment>({
  paymentId: text,
  state: PaymentStateSchema,
  completed: maybe(text),
  conversionRate: maybe(ConversionRateSchema),
  amount: MoneySchema,
  totalFee: maybe(MoneySchema),
  totalAmount: MoneySchema,
  reward: maybe(MoneySchema),
  lightning: maybe(answer<LightningPart>({ networkFee: maybe(MoneySchema), preImage: maybe(text) })),
  onchain: maybe(answer<OnchainPart>({ txnId: maybe(text) })),
  result: maybe(PaymentResultSchema),
  delivered: maybe(text),
  lightningNetworkFee: maybe(MoneySchema),
});
