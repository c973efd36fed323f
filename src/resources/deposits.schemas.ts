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

/** Reads `DepositState`; new texts pass. */
export const DepositStateSchema: OpenText<DepositState> = openText();

/** Reads `Deposit` as the service sends it; new members pass. */
export const DepositSchema: ObjectSchema<Deposit> = v.looseObject<EntriesOf<Deposit>>({
  id: v.string(),
  amount: MoneySchema,
  fee: MoneySchema,
  totalAmount: MoneySchema,
  state: DepositStateSchema,
  failureReason: maybe(v.string()),
});

/** Reads a page of a list of `Deposit` as the service sends it. */
export const DepositPageSchema: ObjectSchema<WirePage<Deposit>> = makePage(DepositSchema);

/** Checks `DepositDraft` before it is sent, as far as the service limits it. */
export const DepositDraftSchema: DraftSchema<DepositDraft> = v.strictObject<
  EntriesOf<DepositDraft>
>({
  paymentMethodId: v.string(),
  amount: DecimalDraftSchema,
  feePolicy: maybe(FeePolicySchema),
});

/** Reads `DepositFee` as the service sends it; new members pass. */
export const DepositFeeSchema: ObjectSchema<DepositFee> = v.looseObject<EntriesOf<DepositFee>>({
  amount: MoneySchema,
  fee: MoneySchema,
  total: MoneySchema,
  feePercent: maybe(DecimalSchema),
  feeFixed: maybe(DecimalSchema),
  settledAt: maybe(TimeSchema),
  settlementPeriodInDay: maybe(v.number()),
});
