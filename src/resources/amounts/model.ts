import type { Money } from '../../money/model.ts';
import type { ConversionRate } from '../../money/model.ts';
import type { Open } from '../../core/errors/index.ts';

/** Currencies that the service names; it may add others. */
export const CURRENCIES = ['BTC', 'USD', 'EUR', 'USDT', 'GBP', 'AUD'] as const;

export type CurrencyCode = (typeof CURRENCIES)[number];

/** `INCLUSIVE`: the fee is inside the amount · `EXCLUSIVE`: it comes on top. */
export type FeePolicy = 'INCLUSIVE' | 'EXCLUSIVE';

/** An amount to spend. */
export interface SpendAmount extends Money {
  /** The service's default is EXCLUSIVE. */
  readonly feePolicy?: Open<FeePolicy> | undefined;
}

/** A rate as the service writes it: the currencies it names, and others that it may add. */
export type QuotedRate = ConversionRate<Open<CurrencyCode>, Open<CurrencyCode>>;
