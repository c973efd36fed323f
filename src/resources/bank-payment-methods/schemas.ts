import { CurrencySchema } from '../amounts/schemas.ts';
import {
  AddressDraftSchema,
  AddressSchema,
  PartyDraftSchema,
  PartySchema,
} from '../parties/schemas.ts';
import {
  answer,
  array,
  draft,
  maybe,
  open,
  type OpenText,
  pageOf,
  ruled,
  type SchemaOf,
  sized,
  text,
  type WirePage,
} from '../shape.ts';
import type {
  BankPaymentMethod,
  BankPaymentMethodDraft,
  SupportedAction,
  TransferType,
} from './model.ts';
import type { BankPaymentMethodState } from './states.ts';

export const BankMethodStateSchema: OpenText<BankPaymentMethodState> = open();
export const TransferTypeSchema: OpenText<TransferType> = open();
export const SupportedActionSchema: OpenText<SupportedAction> = open();
export const BankAccountTypeSchema: OpenText<'CHECKING' | 'SAVINGS'> = open();

export const BankMethodSchema: SchemaOf<BankPaymentMethod> = answer<BankPaymentMethod>({
  id: text,
  state: BankMethodStateSchema,
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

export const BankMethodPageSchema: SchemaOf<WirePage<BankPaymentMethod>> = pageOf(BankMethodSchema);

export const BankMethodDraftSchema: SchemaOf<BankPaymentMethodDraft> = ruled(
  draft<BankPaymentMethodDraft>({
    transferType: TransferTypeSchema,
    accountNumber: sized(1, 100),
    routingNumber: maybe(text),
    accountType: maybe(BankAccountTypeSchema),
    bankName: maybe(sized(1, 150)),
    bankAddress: maybe(AddressDraftSchema),
    beneficiaries: sized(1, Infinity, array(PartyDraftSchema)),
  }),
  ({ transferType, routingNumber, accountType }) => [
    !routingNumber && /^(ACH|US_DOMESTIC_WIRE)$/.test(transferType) && ['routingNumber', undefined],
    !accountType && transferType === 'ACH' && ['accountType', undefined],
  ],
);
