import { type StateMachine, stateMachine } from '../state-machine.ts';

export const CURRENCY_EXCHANGE_QUOTE_STATES = ['NEW', 'PENDING', 'COMPLETED', 'FAILED'] as const;

/** The states that are known; the service may add others. */
export type CurrencyExchangeQuoteState = (typeof CURRENCY_EXCHANGE_QUOTE_STATES)[number];

/** The states of an exchange quote. One that has ended without being executed stays NEW. */
export const currencyExchangeQuoteStates: StateMachine<CurrencyExchangeQuoteState> = stateMachine(
  { NEW: ['PENDING'], PENDING: ['COMPLETED', 'FAILED'], COMPLETED: [], FAILED: [] },
  ['COMPLETED', 'FAILED'],
);
