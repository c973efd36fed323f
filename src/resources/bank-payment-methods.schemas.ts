import * as v from 'valibot';
import { CurrencySchema } from './amounts.schemas.ts';
import type {
  BankPaymentMethod,
  BankPaymentMethodDraft,
  BankPaymentMethodState,
  SupportedAction,
  TransferType,
} from './bank-payment-methods.ts';
import {
  AddressDraftSchema,
  AddressSchema,
  PartyDraftSchema,
  PartySchema,
} from './payout-originators.schemas.ts';
import {
  type EntriesOf,
  maybe,
  type ObjectSchema,
  type OpenText,
  openText,
  makePage,
  type DraftRules,
  draftRules,
  type WirePage,
  type DraftSchema,
  TimeSchema,
} from './wire.ts';

/** Validates `BankPaymentMethodState`. */
export const BankPaymentMethodStateSchema: OpenText<BankPaymentMethodState> = openText();
/** Validates `TransferType`. */
export const TransferTypeSchema: OpenText<TransferType> = openText();
/** Validates `SupportedAction`. */
export const SupportedActionSchema: OpenText<SupportedAction> = openText();
/** Validates a bank account type. */
export const BankAccountTypeSchema: OpenText<'CHECKING' | 'SAVINGS'> = openText();

/** Validates `BankPaymentMethod` in responses. */
export const BankPaymentMethodSchema: ObjectSchema<BankPaymentMethod> = v.looseObject<
  EntriesOf<BankPaymentMethod>
>({
  id: v.string(),
  state: BankPaymentMethodStateSchema,
  supportedActions: v.array(SupportedActionSchema),
  created: TimeSchema,
  transferType: TransferTypeSchema,
  accountNumber: v.string(),
  routingNumber: v.string(),
  referenceCode: maybe(v.string()),
  accountType: maybe(BankAccountTypeSchema),
  bankName: maybe(v.string()),
  bankAddress: maybe(AddressSchema),
  currency: CurrencySchema,
  beneficiaries: v.array(PartySchema),
});

/** Validates a page of `BankPaymentMethod`. */
export const BankPaymentMethodPageSchema: ObjectSchema<WirePage<BankPaymentMethod>> =
  makePage(BankPaymentMethodSchema);

/** Validates `BankPaymentMethodDraft` in requests, including the service's limits. */
export const BankPaymentMethodDraftSchema: DraftSchema<BankPaymentMethodDraft> = v.strictObject<
  EntriesOf<BankPaymentMethodDraft>
>({
  transferType: TransferTypeSchema,
  accountNumber: v.string(),
  routingNumber: maybe(v.string()),
  accountType: maybe(BankAccountTypeSchema),
  bankName: maybe(v.string()),
  bankAddress: maybe(AddressDraftSchema),
  beneficiaries: v.array(PartyDraftSchema),
});

/** Cross-field rules for `BankPaymentMethodDraft`. */
export const bankPaymentMethodDraftRules: DraftRules<BankPaymentMethodDraft> = draftRules(
  ({ transferType, routingNumber, accountType }) => [
    !routingNumber && ['ACH', 'US_DOMESTIC_WIRE'].includes(transferType) && ['routingNumber'],
    !accountType && transferType === 'ACH' && ['accountType'],
  ],
);
