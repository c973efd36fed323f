import { type StateMachine, stateMachine } from '../state-machine.ts';

/** The states that are known; the service may add others. */
export type CurrencyExchangeQuoteState = 'NEW' | 'PENDING' | 'COMPLETED' | 'FAILED';

/** The states of an exchange quote. One that has ended without being executed stays NEW. */
export const currencyExchangeQuoteStates: StateMachine<CurrencyExchangeQuoteState> = stateMachine(
  { NEW: ['PENDING'], PENDING: ['COMPLETED', 'FAILED'], COMPLETED: [], FAILED: [] },
  ['COMPLETED', 'FAILED'],
);
