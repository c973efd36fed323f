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

/** Reads `PayoutState`; new texts pass. */
export const PayoutStateSchema: OpenText<PayoutState> = openText();

const PayoutFeeSchema: ObjectSchema<SpendAmount> = v.looseObject<EntriesOf<SpendAmount>>({
  amount: DecimalSchema,
  currency: CurrencySchema,
  feePolicy: maybe(FeePolicySchema),
});

/** Reads `Payout` as the service sends it; new members pass. */
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

/** Reads a page of a list of `Payout` as the service sends it. */
export const PayoutPageSchema: ObjectSchema<WirePage<Payout>> = makePage(PayoutSchema);

/** Checks `PayoutDraft` before it is sent, as far as the service limits it. */
export const PayoutDraftSchema: DraftSchema<PayoutDraft> = v.strictObject<EntriesOf<PayoutDraft>>({
  paymentMethodId: v.string(),
  amount: DecimalDraftSchema,
  originatorId: maybe(v.string()),
  reference: maybe(v.string()),
  feePolicy: maybe(FeePolicySchema),
});
