import { badInput } from '../core/errors/index.ts';
import { NO_MIX, wrongCurrency } from './currencies.ts';
import { multiply, ONE, parseDecimal } from './decimal.ts';
import type { ConversionRate, Money } from './model.ts';
import type { RoundingOptions } from './money.ts';
import { quotient } from './money.ts';

/** A converted amount, which says by what rate and as of when. Plain data: survives JSON. */
export interface ConvertedMoney<To extends string = string> {
  /** The amount, in the other currency. */
  readonly value: Money<To>;
  /** The rate that was used. */
  readonly rate: ConversionRate;
  /** When the rate was true, milliseconds since 1970: the caller decides how old is too old. */
  readonly asOf: number;
  /** Who said so, such as `ticker` or `quote`. */
  readonly source?: string | undefined;
}

/** What a converted amount has to carry, and how digits that do not fit are dropped. */
export interface ConversionOptions extends RoundingOptions {
  /** When the rate was true, milliseconds since 1970. */
  readonly asOf: number;
  /** Who said so, such as `ticker` or `quote`. */
  readonly source?: string | undefined;
}

/**
 * Converts an amount by a rate, in either direction of that rate.
 * @param value money in one of the two currencies of the rate
 * @param rate one unit of the source costs `amount` units of the target
 * @param options time of the rate, rounding, and digits when not the currency's own
 * @returns the amount in the other currency with its rate and time; throws `InputError` when the
 * rate is of other currencies, or when digits would be lost and no rounding is named
 * @example
 * const options = { asOf: 0, rounding: 'half-even' } as const;
 * convertMoney(money('0.001', 'BTC'), ticker, options).value.amount // '65.43'
 */
export function convertMoney<From extends string, To extends string>(
  value: Money<From | To>,
  rate: ConversionRate<From, To>,
  options: ConversionOptions,
): ConvertedMoney<From | To> {
  const { asOf, source } = options;
  const { sourceCurrency, targetCurrency } = rate;
  if (!(asOf >= 0)) throw badInput('asOf', 'must be a time');
  const own = parseDecimal(value.amount);
  const by = parseDecimal(rate.amount, 'rate');
  const isSource = value.currency === sourceCurrency;
  if (!isSource && value.currency !== targetCurrency) throw wrongCurrency(NO_MIX);
  const converted = isSource
    ? quotient(multiply(own, by), ONE, targetCurrency, 0, options)
    : quotient(own, by, sourceCurrency, 0, options);
  return { value: converted, rate, asOf, source };
}
