import type { ConversionRate, Money } from '../../money/model.ts';
import type { Open } from '../../core/errors/index.ts';
import type { CURRENCIES } from './currencies.ts';

/** A currency that is known; the service may add others. */
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
