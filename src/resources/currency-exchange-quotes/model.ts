import type { Id, Open } from '../../core/errors/index.ts';
import type { ConversionRate, CurrencyCode, SpendAmount, WireMoney } from '../amounts/model.ts';
import type { CurrencyExchangeQuoteState } from './states.ts';

export type CurrencyExchangeQuoteId = Id<'currency-exchange-quote'>;

/** What an exchange between two currencies would cost: executed once and before its end, or never. */
export interface CurrencyExchangeQuote {
  readonly id: string;
  /** ISO 8601 date-time with offset. */
  readonly created: string;
  /** ISO 8601 date-time from which on it cannot be executed. */
  readonly validUntil: string;
  /** What is sold. */
  readonly source: WireMoney;
  /** What is bought. */
  readonly target: WireMoney;
  readonly fee?: WireMoney | undefined;
  readonly conversionRate: ConversionRate;
  readonly state: Open<CurrencyExchangeQuoteState>;
  readonly completed?: string | undefined;
}

/** What is needed to quote an exchange. */
export interface CurrencyExchangeQuoteDraft {
  readonly sell: Open<CurrencyCode>;
  readonly buy: Open<CurrencyCode>;
  /** How much of the one or the other. */
  readonly amount: SpendAmount;
}
