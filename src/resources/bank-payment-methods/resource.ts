import { knownTexts } from '../known-texts.ts';
import type { KnownTexts, WatchedResource } from '../resource.ts';
import type { BankPaymentMethod } from './model.ts';
import { get } from './operations.ts';
import {
  BankAccountTypeSchema,
  BankPaymentMethodStateSchema,
  SupportedActionSchema,
  TransferTypeSchema,
  BankPaymentMethodPageSchema,
  BankPaymentMethodSchema,
} from './schemas.ts';
import { bankPaymentMethodStates } from './states.ts';

export const resource: WatchedResource<'bankPaymentMethod', BankPaymentMethod> = {
  name: 'bankPaymentMethod',
  events: 'payment-method.bank',
  states: bankPaymentMethodStates,
  idOf: ({ id }) => id,
  stateOf: ({ state }) => state,
  read: get,
  watch: {
    wokenBy: 'events',
    isDeletable: true,
    schema: BankPaymentMethodSchema,
    page: BankPaymentMethodPageSchema,
  },
};

export function known(): readonly KnownTexts[] {
  return [
    knownTexts(BankPaymentMethodStateSchema, bankPaymentMethodStates.transitions),
    knownTexts(BankAccountTypeSchema, { CHECKING: true, SAVINGS: true }),
    knownTexts(SupportedActionSchema, { DEPOSIT: true, WITHDRAWAL: true }),
    knownTexts(TransferTypeSchema, {
      ACH: true,
      US_DOMESTIC_WIRE: true,
      SEPA: true,
      FPS: true,
      BSB: true,
    }),
  ];
}
