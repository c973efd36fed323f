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
} from './parties.schemas.ts';
import {
  array,
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
  withRules,
} from './shape.ts';

/** Schema of `BankPaymentMethodState`: texts that are new pass. */
export const BankPaymentMethodStateSchema: OpenText<BankPaymentMethodState> = openText();
/** Schema of `TransferType`: texts that are new pass. */
export const TransferTypeSchema: OpenText<TransferType> = openText();
/** Schema of `SupportedAction`: texts that are new pass. */
export const SupportedActionSchema: OpenText<SupportedAction> = openText();
/** Schema of the kind of a bank account: texts that are new pass. */
export const BankAccountTypeSchema: OpenText<'CHECKING' | 'SAVINGS'> = openText();

/** Schema of `BankPaymentMethod`, as the service sends it: members that are new pass. */
export const BankPaymentMethodSchema: SchemaOf<BankPaymentMethod> = response<BankPaymentMethod>({
  id: text,
  state: BankPaymentMethodStateSchema,
  supportedActions: array(SupportedActionSchema),
  created: text,
  transferType: TransferTypeSchema,
  accountNumber: text,
  routingNumber: text,
  referenceCode: maybe(text),
  accountType: maybe(BankAccountTypeSchema),
  bankName: maybe(text),
  bankAddress: maybe(AddressSchema),
  currency: CurrencySchema,
  beneficiaries: array(PartySchema),
});

/** A page of a list of `BankPaymentMethod`, as the service sends it. */
export const BankPaymentMethodPageSchema: SchemaOf<WirePage<BankPaymentMethod>> =
  pageOf(BankPaymentMethodSchema);

/** Schema of `BankPaymentMethodDraft`, which is sent: what the service bounds is checked. */
export const BankPaymentMethodDraftSchema: SchemaOf<BankPaymentMethodDraft> = withRules(
  draft<BankPaymentMethodDraft>({
    transferType: TransferTypeSchema,
    accountNumber: withLength(1, 100),
    routingNumber: maybe(text),
    accountType: maybe(BankAccountTypeSchema),
    bankName: maybe(withLength(1, 150)),
    bankAddress: maybe(AddressDraftSchema),
    beneficiaries: withLength(1, Infinity, array(PartyDraftSchema)),
  }),
  ({ transferType, routingNumber, accountType }) => [
    !routingNumber && /^(ACH|US_DOMESTIC_WIRE)$/.test(transferType) && ['routingNumber', undefined],
    !accountType && transferType === 'ACH' && ['accountType', undefined],
  ],
);
