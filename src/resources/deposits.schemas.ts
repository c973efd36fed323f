import * as v from 'valibot';
import {
  DecimalDraftSchema,
  DecimalSchema,
  FeePolicySchema,
  MoneySchema,
} from './amounts.schemas.ts';
import type { Deposit, DepositDraft, DepositFee, DepositState } from './deposits.ts';
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
} from './shape.ts';

/** Schema of `DepositState`: texts that are new pass. */
export const DepositStateSchema: OpenText<DepositState> = openText();

/** Schema of `Deposit`, as the service sends it: members that are new pass. */
export const DepositSchema: SchemaOf<Deposit> = response<Deposit>({
  id: text,
  amount: MoneySchema,
  fee: MoneySchema,
  totalAmount: MoneySchema,
  state: DepositStateSchema,
  failureReason: maybe(text),
});

/** A page of a list of `Deposit`, as the service sends it. */
export const DepositPageSchema: SchemaOf<WirePage<Deposit>> = pageOf(DepositSchema);

/** Schema of `DepositDraft`, which is sent: what the service bounds is checked. */
export const DepositDraftSchema: SchemaOf<DepositDraft> = draft<DepositDraft>({
  paymentMethodId: text,
  amount: DecimalDraftSchema,
  feePolicy: maybe(FeePolicySchema),
});

/** Schema of `DepositFee`, as the service sends it: members that are new pass. */
export const DepositFeeSchema: SchemaOf<DepositFee> = response<DepositFee>({
  amount: MoneySchema,
  fee: MoneySchema,
  total: MoneySchema,
  feePercent: maybe(DecimalSchema),
  feeFixed: maybe(DecimalSchema),
  settledAt: maybe(text),
  settlementPeriodInDay: maybe(v.number()),
});
