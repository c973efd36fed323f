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

/** Reads `BankPaymentMethodState`; new texts pass. */
export const BankPaymentMethodStateSchema: OpenText<BankPaymentMethodState> = openText();
/** Reads `TransferType`; new texts pass. */
export const TransferTypeSchema: OpenText<TransferType> = openText();
/** Reads `SupportedAction`; new texts pass. */
export const SupportedActionSchema: OpenText<SupportedAction> = openText();
/** Reads the kind of a bank account; new texts pass. */
export const BankAccountTypeSchema: OpenText<'CHECKING' | 'SAVINGS'> = openText();

/** Reads `BankPaymentMethod` as the service sends it; new members pass. */
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

/** Reads a page of a list of `BankPaymentMethod` as the service sends it. */
export const BankPaymentMethodPageSchema: ObjectSchema<WirePage<BankPaymentMethod>> =
  makePage(BankPaymentMethodSchema);

/** Checks `BankPaymentMethodDraft` before it is sent, as far as the service limits it. */
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

/** Rules between the members of a `BankPaymentMethodDraft`. */
export const bankPaymentMethodDraftRules: DraftRules<BankPaymentMethodDraft> = draftRules(
  ({ transferType, routingNumber, accountType }) => [
    !routingNumber && ['ACH', 'US_DOMESTIC_WIRE'].includes(transferType) && ['routingNumber'],
    !accountType && transferType === 'ACH' && ['accountType'],
  ],
);
