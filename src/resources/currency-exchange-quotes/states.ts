import { type Life, lifeOf } from '../state-machine.ts';

export const EXCHANGE_QUOTE_STATES = ['NEW', 'PENDING', 'COMPLETED', 'FAILED'] as const;

export type ExchangeQuoteState = (typeof EXCHANGE_QUOTE_STATES)[number];

/** An exchange quote's life. One that has ended without being executed stays NEW. */
export const exchangeQuoteLife: Life<ExchangeQuoteState> = lifeOf(
  { NEW: ['PENDING'], PENDING: ['COMPLETED', 'FAILED'], COMPLETED: [], FAILED: [] },
  ['COMPLETED', 'FAILED'],
);
