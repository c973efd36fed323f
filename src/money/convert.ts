import { badInput } from '../core/errors/index.ts';
import {
  decimalText,
  divide,
  matches,
  multiply,
  ONE,
  parseDecimal,
  parseUnsigned,
  type Rounding,
} from './decimal.ts';
import {
  type ConversionRate,
  type Money,
  NO_MIX,
  quotient,
  type RoundingOptions,
  wrongCurrency,
} from './money.ts';

/**
 * Counts an amount of bitcoin in satoshi.
 * @param value money in BTC
 * @param rounding what to do with parts of a satoshi; without it they are an error
 * @returns whole satoshi as text, since amounts are never JavaScript numbers; throws `InputError`
 * for other currencies
 * @example toSat(money('0.0001', 'BTC')) // '10000'
 */
export function toSat(value: Money<'BTC'>, rounding?: Rounding): string {
  return count(value, 8, rounding);
}

/**
 * Counts an amount of bitcoin in thousandths of a satoshi, the unit of Lightning.
 * @param value money in BTC
 * @returns whole millisatoshi as text; throws `InputError` for a finer amount or another currency
 * @example toMsat(money('0.0001', 'BTC')) // '10000000'
 */
export function toMsat(value: Money<'BTC'>): string {
  return count(value, 11);
}

/**
 * Makes money of satoshi.
 * @param sat whole satoshi, as text or bigint
 * @returns money in BTC with 8 digits; throws `InputError` for anything but a whole number
 * @example fromSat('10000') // { amount: '0.00010000', currency: 'BTC' }
 */
export function fromSat(sat: string | bigint): Money<'BTC'> {
  return fromMsat(whole(sat) * 1000n);
}

/**
 * Makes money of millisatoshi, such as `amountMsat` of a decoded invoice.
 * @param msat whole millisatoshi, as text or bigint
 * @returns money in BTC with 8 digits, or 11 when there are parts of a satoshi; throws `InputError`
 * for anything but a whole number
 * @example fromMsat('1500').amount // '0.00000001500'
 */
export function fromMsat(msat: string | bigint): Money<'BTC'> {
  const fine = decimalText({ digits: whole(msat), scale: 11 });
  return { amount: fine.replace(/000$/, ''), currency: 'BTC' };
}

function count(value: Money<'BTC'>, scale: number, rounding?: Rounding): string {
  if (value.currency !== 'BTC') throw wrongCurrency('must be BTC');
  return divide(parseDecimal(value.amount), ONE, scale, rounding).digits.toString();
}

function whole(count: string | bigint): bigint {
  if (typeof count !== 'bigint' && !matches(count, /^-?\d{1,41}$/))
    throw badInput('amount', 'must be a whole number');
  return BigInt(count);
}

/**
 * A converted amount with its rate and the time of that rate. It is plain data that survives JSON.
 */
export interface ConvertedMoney<To extends string = string> {
  /** The amount, in the other currency. */
  readonly value: Money<To>;
  /** The rate that was used. */
  readonly rate: ConversionRate;
  /** The time of the rate, milliseconds since 1970. */
  readonly asOf: number;
  /** Where the rate came from, such as `ticker` or `quote`. */
  readonly source?: string | undefined;
  /**
   * The rate was older than `maxAge` when the amount was converted. It is never `false`: an amount
   * that is kept grows old, so its absence promises nothing.
   */
  readonly stale?: true | undefined;
}

/** What a converted amount carries, and how digits that do not fit are dropped. */
export interface ConversionOptions extends RoundingOptions {
  /** The time of the rate, milliseconds since 1970. */
  readonly asOf: number;
  /** Where the rate came from, such as `ticker` or `quote`. */
  readonly source?: string | undefined;
  /**
   * Milliseconds after which a rate is `stale`. A rate that is ahead of `now` by more than this is
   * stale as well: one of the two clocks is wrong, so its age is not known.
   */
  readonly maxAge?: number | undefined;
  /** The present time, milliseconds since 1970; required with `maxAge`, and only there. */
  readonly now?: number | undefined;
}

/**
 * Converts an amount by a rate, in either direction of that rate.
 * @param value money in one of the two currencies of the rate
 * @param rate one unit of the source costs `amount` units of the target
 * @param options time of the rate, its longest age, rounding, and digits when not the currency's
 * own
 * @returns the amount in the other currency with its rate and time, and `stale: true` where the
 * rate is too old; throws `InputError` when the rate is of other currencies, or when digits would
 * be lost and no rounding is named
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
  if (!isTime(asOf)) throw badInput('asOf', 'must be a time');
  const stale = isTooOld(options);
  const own = parseDecimal(value.amount);
  const by = parseUnsigned(rate.amount, 'rate');
  const isSource = value.currency === sourceCurrency;
  if (!isSource && value.currency !== targetCurrency) throw wrongCurrency(NO_MIX);
  const converted = isSource
    ? quotient(multiply(own, by), ONE, targetCurrency, 0, options)
    : quotient(own, by, sourceCurrency, 0, options);
  return { value: converted, rate, asOf, source, ...(stale && { stale }) };
}

function isTooOld({ asOf, maxAge, now }: ConversionOptions): boolean {
  if (maxAge === undefined && now === undefined) return false;
  if (!(maxAge! >= 0 && isTime(now)))
    throw badInput('maxAge', 'must come with now, both in milliseconds');
  return Math.abs(now - asOf) > maxAge!;
}

/** `Infinity` is no time: its age is not a number, which would count as fresh. */
function isTime(at: unknown): at is number {
  return Number.isFinite(at) && (at as number) >= 0;
}
