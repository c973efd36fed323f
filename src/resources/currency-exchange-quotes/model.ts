import type { Money } from '../../money/model.ts';
import type { Id, Open } from '../../core/errors/index.ts';
import type { QuotedRate, CurrencyCode, SpendAmount } from '../amounts/model.ts';
import type { CurrencyExchangeQuoteState } from './states.ts';

/** Id of a currency exchange quote. */
export type CurrencyExchangeQuoteId = Id<'currency-exchange-quote'>;

/**
 * What an exchange between two currencies would cost: executed once and before its end, or never.
 */
export interface CurrencyExchangeQuote {
  /** Id of the quote. */
  readonly id: string;
  /** ISO 8601 date-time with offset. */
  readonly created: string;
  /** ISO 8601 date-time from which on it cannot be executed. */
  readonly validUntil: string;
  /** What is sold. */
  readonly source: Money;
  /** What is bought. */
  readonly target: Money;
  /** Fee of the exchange. */
  readonly fee?: Money | undefined;
  /** Rate of the exchange. */
  readonly conversionRate: QuotedRate;
  /** Where it stands. */
  readonly state: Open<CurrencyExchangeQuoteState>;
  /** ISO 8601 date-time of the end. */
  readonly completed?: string | undefined;
}

/** What is needed to quote an exchange. */
export interface CurrencyExchangeQuoteDraft {
  /** Currency to sell. */
  readonly sell: Open<CurrencyCode>;
  /** Currency to buy. */
  readonly buy: Open<CurrencyCode>;
  /** How much of the one or the other. */
  readonly amount: SpendAmount;
}
