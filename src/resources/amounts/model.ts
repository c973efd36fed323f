import type { ConversionRate } from '../../money/model.ts';
import type { Open } from '../../core/errors/index.ts';

/** Currencies that the service names; it may add others. */
export const CURRENCIES = ['BTC', 'USD', 'EUR', 'USDT', 'GBP', 'AUD'] as const;

export type CurrencyCode = (typeof CURRENCIES)[number];

/** An amount as it travels: a decimal text and its currency. */
export interface WireMoney {
  /** Decimal text, such as "12.50". */
  readonly amount: string;
  /** Code of the currency, such as "EUR". */
  readonly currency: Open<CurrencyCode>;
}

/** An amount to send. */
export interface MoneyDraft {
  /** Decimal text without sign, such as "12.50". */
  readonly amount: string;
  /** Code of the currency, such as "EUR". */
  readonly currency: Open<CurrencyCode>;
}

/** `INCLUSIVE`: the fee is inside the amount · `EXCLUSIVE`: it comes on top. */
export type FeePolicy = 'INCLUSIVE' | 'EXCLUSIVE';

/** An amount to spend. */
export interface SpendAmount extends MoneyDraft {
  /** The service's default is EXCLUSIVE. */
  readonly feePolicy?: Open<FeePolicy> | undefined;
}

/** A rate as the service writes it: the currencies it names, and others that it may add. */
export type QuotedRate = ConversionRate<Open<CurrencyCode>, Open<CurrencyCode>>;
