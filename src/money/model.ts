import type { Open } from '../core/errors/index.ts';

/** The service's currencies; later ones pass as plain text. */
export type Currency = Open<'BTC' | 'USD' | 'EUR' | 'USDT' | 'GBP' | 'AUD'>;

/** An amount and its currency, which never travel apart. Plain data: survives JSON. */
export interface Money<C extends string = Currency> {
  /** Decimal text such as `12.50`: no sign, no exponent; trailing zeros are kept. */
  readonly amount: string;
  /** Code of the currency, such as "EUR". */
  readonly currency: C;
}

/** What one unit of the source costs in units of the target, as the service writes it. */
export interface ConversionRate<From extends string = string, To extends string = string> {
  /** Decimal text. */
  readonly amount: string;
  /** One unit of it is converted. */
  readonly sourceCurrency: From;
  /** `amount` is in it. */
  readonly targetCurrency: To;
}

/**
 * How to drop digits that do not fit: `down` towards zero, `up` away from zero,
 * `half-up` and `half-even` to the nearest, a tie away from zero or to the even digit.
 */
export type Rounding = 'down' | 'up' | 'half-up' | 'half-even';
