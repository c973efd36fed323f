import { badInput, type Open } from '../core/errors/index.ts';
import {
  add,
  compare,
  type Decimal,
  decimalText,
  divide,
  matches,
  multiply,
  ONE,
  parseDecimal,
  parseUnsigned,
  type Rounding,
  subtract,
} from './decimal.ts';

/** The service's currencies; any other code is accepted too. */
export type Currency = Open<'BTC' | 'USD' | 'EUR' | 'USDT' | 'GBP' | 'AUD'>;

/** An amount with its currency: plain data that survives JSON. */
export interface Money<C extends string = Currency> {
  /**
   * Decimal text such as `12.50`, below zero `-12.50`: no exponent; trailing zeros are kept. What is
   * sent, and what limits it, has no sign.
   */
  readonly amount: string;
  /** Code of the currency, such as "EUR". */
  readonly currency: C;
}

/** The price of one unit of the source in units of the target, as the service writes it. */
export interface ConversionRate<From extends string = string, To extends string = string> {
  /** Decimal text. */
  readonly amount: string;
  /** The currency of the one unit that is converted. */
  readonly sourceCurrency: From;
  /** The currency of `amount`. */
  readonly targetCurrency: To;
}

/**
 * Returns the number of digits after the point that a currency usually has.
 * @returns 8 for BTC, 6 for USDT, 2 for the service's other currencies, `undefined` for one it does
 * not name
 * @example digitsOf('BTC') // 8
 */
export function digitsOf(currency: string): number | undefined {
  return currency === 'BTC'
    ? 8
    : currency === 'USDT'
      ? 6
      : /^(?:USD|EUR|GBP|AUD)$/.test(currency)
        ? 2
        : undefined;
}

export const NO_MIX = 'currencies do not mix';

export function wrongCurrency(advice: string): Error {
  return badInput('currency', advice);
}

/** How many digits fit, and how others are dropped. */
export interface RoundingOptions {
  /** When absent, digits that do not fit are an error. */
  readonly rounding?: Rounding | undefined;
  /** Digits after the point, 0 to 30; the currency's own when absent. */
  readonly digits?: number | undefined;
}

/**
 * Makes money from a decimal text and a currency.
 * @param amount at most 30 digits, a point, at most 30 digits, with a minus where it is below zero;
 * kept as written
 * @param currency upper-case code
 * @returns the two as one value; throws `InputError` for anything else
 * @example money('12.50', 'USD') // { amount: '12.50', currency: 'USD' }
 */
export function money<const C extends string>(amount: string, currency: C): Money<C> {
  parseDecimal(amount);
  if (!matches(currency, /^[A-Z][A-Z\d]{1,11}$/)) throw wrongCurrency('must be a code like USD');
  return { amount, currency };
}

/**
 * Checks a value of unknown origin, such as parsed JSON, and returns it as money without further
 * members.
 * @param value should be `{ amount, currency }`, both texts
 * @returns the money; throws `InputError` when it is none
 * @example parseMoney(JSON.parse('{"amount":"12.50","currency":"USD"}'))
 */
export function parseMoney(value: unknown): Money {
  const { amount, currency } = (value ?? {}) as Partial<Money>;
  return money(amount as string, currency as string);
}

/** Checks an amount that is sent, or limits what is sent: it must not be negative. */
export function parseUnsignedMoney(value: unknown): Money {
  const read = parseMoney(value);
  parseUnsigned(read.amount);
  return read;
}

/**
 * Adds two amounts of one currency, exactly.
 * @returns the sum, with as many digits as the finer of the two; throws `InputError` for two
 * currencies
 * @example addMoney(money('0.10', 'USD'), money('0.2', 'USD')).amount // '0.30'
 */
export function addMoney<C extends string>(a: Money<C>, b: Money<NoInfer<C>>): Money<C> {
  return { amount: decimalText(add(...decimalsOf(a, b))), currency: a.currency };
}

/**
 * Subtracts the second amount from the first, exactly.
 * @returns the difference, which may be below zero; throws `InputError` for two currencies
 * @example subtractMoney(money('1.00', 'USD'), money('0.25', 'USD')).amount // '0.75'
 */
export function subtractMoney<C extends string>(a: Money<C>, b: Money<NoInfer<C>>): Money<C> {
  return { amount: decimalText(subtract(...decimalsOf(a, b))), currency: a.currency };
}

/**
 * Compares two amounts of one currency by value.
 * @returns -1, 0 or 1, fit for `sort`; throws `InputError` for two currencies
 * @example compareMoney(money('12.5', 'USD'), money('12.50', 'USD')) // 0
 */
export function compareMoney<C extends string>(a: Money<C>, b: Money<NoInfer<C>>): -1 | 0 | 1 {
  return compare(...decimalsOf(a, b));
}

/**
 * Tells whether two amounts are the same: one currency and one value. Never throws for two
 * currencies.
 * @example isSameMoney(money('12.5', 'USD'), money('12.50', 'USD')) // true
 */
export function isSameMoney(a: Money, b: Money): boolean {
  return a.currency === b.currency && plain(a.amount) === plain(b.amount);
}

/** Writes a value without leading and trailing zeros, and zero without a sign. */
function plain(amount: string): string {
  return amount.replace(/(?<=^-?)0+(?=\d)|\.0*$|(?<=\.\d*[1-9])0+$/g, '').replace(/^-0$/, '0');
}

/**
 * Multiplies an amount by a bare factor.
 * @param factor decimal text without a sign, such as a quantity or a fee of `0.015`
 * @returns the product with `digits`, else the finer of the currency's digits and the amount's own;
 *   throws `InputError` when digits would be lost and no rounding is named
 * @example multiplyMoney(money('9.99', 'USD'), '0.5', { rounding: 'half-even' }).amount // '5.00'
 */
export function multiplyMoney<C extends string>(
  value: Money<C>,
  factor: string,
  options: RoundingOptions = {},
): Money<C> {
  const own = parseDecimal(value.amount);
  const product = multiply(own, parseUnsigned(factor, 'factor'));
  return quotient(product, ONE, value.currency, own.scale, options);
}

/**
 * Rounds an amount to the digits of its currency, or to `digits`.
 * @returns the amount with exactly that many digits; throws `InputError` when digits would be lost
 * and no rounding is named
 * @example roundMoney(money('12.345', 'USD'), { rounding: 'up' }).amount // '12.35'
 */
export function roundMoney<C extends string>(
  value: Money<C>,
  options: RoundingOptions = {},
): Money<C> {
  return quotient(parseDecimal(value.amount), ONE, value.currency, 0, options);
}

/**
 * Divides and returns money with `digits`, or with the digits of the currency, but at least
 * `least`.
 */
export function quotient<C extends string>(
  over: Decimal,
  by: Decimal,
  currency: C,
  least: number,
  { digits, rounding }: RoundingOptions,
): Money<C> {
  const fitting = digits ?? Math.max(least, digitsOf(currency) ?? over.scale);
  return { amount: decimalText(divide(over, by, fitting, rounding)), currency };
}

/** Returns both amounts as decimals; throws where their currencies differ. */
function decimalsOf(a: Money, b: Money): [Decimal, Decimal] {
  if (a.currency !== b.currency) throw wrongCurrency(NO_MIX);
  return [parseDecimal(a.amount), parseDecimal(b.amount)];
}
