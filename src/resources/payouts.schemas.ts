import {
  CurrencySchema,
  DecimalDraftSchema,
  DecimalSchema,
  FeePolicySchema,
  MoneySchema,
} from './amounts.schemas.ts';
import type { SpendAmount } from './amounts.ts';
import type { Payout, PayoutDraft, PayoutState } from './payouts.ts';
import {
  draft,
  maybe,
  openText,
  type OpenText,
  pageOf,
  response,
  type SchemaOf,
  text,
  type WirePage,
  withLength,
} from './shape.ts';

/** Schema of `PayoutState`: texts that are new pass. */
export const PayoutStateSchema: OpenText<PayoutState> = openText();

const PayoutFeeSchema: SchemaOf<SpendAmount> = response<SpendAmount>({
  amount: DecimalSchema,
  currency: CurrencySchema,
  feePolicy: maybe(FeePolicySchema),
});

/** Schema of `Payout`, as the service sends it: members that are new pass. */
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

/** A page of a list of `Payout`, as the service sends it. */
export const PayoutPageSchema: SchemaOf<WirePage<Payout>> = pageOf(PayoutSchema);

/** Schema of `PayoutDraft`, which is sent: what the service bounds is checked. */
export const PayoutDraftSchema: SchemaOf<PayoutDraft> = draft<PayoutDraft>({
  paymentMethodId: text,
  amount: DecimalDraftSchema,
  originatorId: maybe(text),
  reference: maybe(withLength(1, 128)),
  feePolicy: maybe(FeePolicySchema),
});
