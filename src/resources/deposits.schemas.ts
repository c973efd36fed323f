import * as v from 'valibot';
import {
  DecimalDraftSchema,
  DecimalSchema,
  FeePolicySchema,
  MoneySchema,
} from './amounts.schemas.ts';
import type { Deposit, DepositDraft, DepositFee, DepositState } from './deposits.ts';
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

/** Validates `DepositState`. */
export const DepositStateSchema: OpenText<DepositState> = openText();

/** Validates `Deposit` in responses. */
export const DepositSchema: ObjectSchema<Deposit> = v.looseObject<EntriesOf<Deposit>>({
  id: v.string(),
  amount: MoneySchema,
  fee: MoneySchema,
  totalAmount: MoneySchema,
  state: DepositStateSchema,
  failureReason: maybe(v.string()),
});

/** Validates a page of `Deposit`. */
export const DepositPageSchema: ObjectSchema<WirePage<Deposit>> = makePage(DepositSchema);

/** Validates `DepositDraft` in requests, including the service's limits. */
export const DepositDraftSchema: DraftSchema<DepositDraft> = v.strictObject<
  EntriesOf<DepositDraft>
>({
  paymentMethodId: v.string(),
  amount: DecimalDraftSchema,
  feePolicy: maybe(FeePolicySchema),
});

/** Validates `DepositFee` in responses. */
export const DepositFeeSchema: ObjectSchema<DepositFee> = v.looseObject<EntriesOf<DepositFee>>({
  amount: MoneySchema,
  fee: MoneySchema,
  total: MoneySchema,
  feePercent: maybe(DecimalSchema),
  feeFixed: maybe(DecimalSchema),
  settledAt: maybe(TimeSchema),
  settlementPeriodInDay: maybe(v.number()),
});
