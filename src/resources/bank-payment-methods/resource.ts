import { known, type WatchedResource } from '../resource.ts';
import type { BankPaymentMethod } from './model.ts';
import { get } from './operations.ts';
import {
  BankAccountTypeSchema,
  BankMethodStateSchema,
  SupportedActionSchema,
  TransferTypeSchema,
} from './schemas.ts';
import { bankPaymentMethodStates } from './states.ts';

export const bankPaymentMethod: WatchedResource<'bankPaymentMethod', BankPaymentMethod> = {
  name: 'bankPaymentMethod',
  events: 'payment-method.bank',
  states: bankPaymentMethodStates,
  idOf: ({ id }) => id,
  stateOf: ({ state }) => state,
  read: get,
  watch: { wokenBy: 'events', isDeletable: true },
  known: () => [
    known(BankMethodStateSchema, bankPaymentMethodStates.transitions),
    known(BankAccountTypeSchema, { CHECKING: true, SAVINGS: true }),
    known(SupportedActionSchema, { DEPOSIT: true, WITHDRAWAL: true }),
    known(TransferTypeSchema, {
      ACH: true,
      US_DOMESTIC_WIRE: true,
      SEPA: true,
      FPS: true,
      BSB: true,
    }),
  ],
};
