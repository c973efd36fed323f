import {
  CurrencySchema,
  DecimalSchema,
  FeePolicySchema,
  MoneySchema,
  DecimalDraftSchema,
} from '../amounts/schemas.ts';
import type { SpendAmount } from '../amounts/model.ts';
import {
  response,
  draft,
  maybe,
  openText,
  type OpenText,
  pageOf,
  type SchemaOf,
  withLength,
  text,
  type WirePage,
} from '../shape.ts';
import type { Payout, PayoutDraft } from './model.ts';
import type { PayoutState } from './states.ts';

export const PayoutStateSchema: OpenText<PayoutState> = openText();

const PayoutFeeSchema: SchemaOf<SpendAmount> = response<SpendAmount>({
  amount: DecimalSchema,
  currency: CurrencySchema,
  feePolicy: maybe(FeePolicySchema),
});

export const PayoutSchema: SchemaOf<Payout> = response<Payout>({
  id: text,
  state: PayoutStateSchema,
  created: text,
  paymentMethodId: text,
  originatorId: maybe(text),
  amount: MoneySchema,
  fee: maybe(PayoutFeeSchema),
  reference: maybe(text),
  initiated: maybe(text),
  completed: maybe(text),
  transactionId: maybe(text),
});

export const PayoutPageSchema: SchemaOf<WirePage<Payout>> = pageOf(PayoutSchema);

export const PayoutDraftSchema: SchemaOf<PayoutDraft> = draft<PayoutDraft>({
  paymentMethodId: text,
  amount: DecimalDraftSchema,
  originatorId: maybe(text),
  reference: maybe(withLength(1, 128)),
  feePolicy: maybe(FeePolicySchema),
});
