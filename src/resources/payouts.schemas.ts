import * as v from 'valibot';
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
  type EntriesOf,
  maybe,
  type ObjectSchema,
  type OpenText,
  openText,
  makePage,
  type WirePage,
  type DraftSchema,
  TimeSchema,
} from './wire.ts';

/** Validates `PayoutState`. */
export const PayoutStateSchema: OpenText<PayoutState> = openText();

const PayoutFeeSchema: ObjectSchema<SpendAmount> = v.looseObject<EntriesOf<SpendAmount>>({
  amount: DecimalSchema,
  currency: CurrencySchema,
  feePolicy: maybe(FeePolicySchema),
});

/** Validates `Payout` in responses. */
export const PayoutSchema: ObjectSchema<Payout> = v.looseObject<EntriesOf<Payout>>({
  id: v.string(),
  state: PayoutStateSchema,
  created: TimeSchema,
  paymentMethodId: v.string(),
  originatorId: maybe(v.string()),
  amount: MoneySchema,
  fee: maybe(PayoutFeeSchema),
  reference: maybe(v.string()),
  initiated: maybe(TimeSchema),
  completed: maybe(TimeSchema),
  transactionId: maybe(v.string()),
});

/** Validates a page of `Payout`. */
export const PayoutPageSchema: ObjectSchema<WirePage<Payout>> = makePage(PayoutSchema);

/** Validates `PayoutDraft` in requests, including the service's limits. */
export const PayoutDraftSchema: DraftSchema<PayoutDraft> = v.strictObject<EntriesOf<PayoutDraft>>({
  paymentMethodId: v.string(),
  amount: DecimalDraftSchema,
  originatorId: maybe(v.string()),
  reference: maybe(v.string()),
  feePolicy: maybe(FeePolicySchema),
});
