import * as v from 'valibot';
import {
  DecimalSchema,
  FeePolicySchema,
  MoneySchema,
  DecimalDraftSchema,
} from '../amounts/schemas.ts';
import {
  response,
  draft,
  maybe,
  openText,
  type OpenText,
  pageOf,
  type SchemaOf,
  text,
  type WirePage,
} from '../shape.ts';
import type { Deposit, DepositDraft, DepositFee } from './model.ts';
import type { DepositState } from './states.ts';

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
