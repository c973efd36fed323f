import { badInput } from '../core/errors.ts';
import { digitsOf } from './currencies.ts';
import { decimalText, divide, multiply, parseDecimal } from './decimal.ts';
import type { Money, Rate } from './model.ts';
import type { RoundingOptions } from './money.ts';
import { fit, money } from './money.ts';

/** A converted amount, which says by what rate and as of when. Plain data: survives JSON. */
export interface Converted<To extends string = string> {
  readonly value: Money<To>;
  readonly rate: Rate;
  /** When the rate was true, milliseconds since 1970. */
  readonly asOf: number;
  /** Who said so, such as `ticker` or `quote`. */
  readonly source?: string | undefined;
}

export interface ConversionOptions extends RoundingOptions {
  /** When the rate was true, milliseconds since 1970. */
  readonly asOf: number;
  readonly source?: string | undefined;
}

/**
 * Converts an amount by a rate, in either direction of that rate.
 * @param value money in one of the two currencies of the rate
 * @param rate one unit of the source costs `amount` units of the target
 * @param options time of the rate, rounding, and digits when not the currency's own
 * @returns the amount in the other currency with its rate and time; throws `InputError` when the rate is of other
 *   currencies, or when digits would be lost and no rounding is named
 * @example convertMoney(money('0.001', 'BTC'), ticker, { asOf: 0, rounding: 'half-even' }).value.amount // '65.43'
 */
export function convertMoney<From extends string, To extends string>(
  value: Money<From | To>, rate: Rate<From, To>, options: ConversionOptions,
): Converted<From | To> {
  const { asOf, source, rounding } = options;
  const forth = value.currency === rate.sourceCurrency;
  if (!forth && value.currency !== rate.targetCurrency) {
    throw badInput('rate', 'is of other currencies than the amount', { validation: 'INVALID_DATA_CURRENCY' });
  }
  if (!Number.isFinite(asOf)) throw badInput('asOf', 'give the time of the rate in milliseconds since 1970');
  const currency = forth ? rate.targetCurrency : rate.sourceCurrency;
  const own = parseDecimal(value.amount);
  const by = parseDecimal(rate.amount, 'rate');
  const digits = options.digits ?? digitsOf(currency);
  if (digits === undefined) throw badInput('digits', 'this currency has no usual number of digits: name one');
  const result = forth ? fit(multiply(own, by), digits, rounding) : divide(own, by, digits, rounding);
  const converted = { value: money(decimalText(result), currency), rate, asOf };
  return source === undefined ? converted : { ...converted, source };
}

/**
 * Tells whether the rate behind a converted amount is too old to act upon.
 * @param converted what `convertMoney` returned
 * @param now milliseconds since 1970, from the connection's clock
 * @param longest age that is still good, in milliseconds
 * @returns true when older, and when it claims to be of the future by more than that
 * @example isStale(shown, clock.now(), 60_000)
 */
export function isStale(converted: Pick<Converted, 'asOf'>, now: number, longest: number): boolean {
  return !(Math.abs(now - converted.asOf) <= longest);
}
