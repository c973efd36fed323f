import {
  badInput,
  checkArgument,
  checkOptions,
  type Expected,
  type Open,
} from '../core/errors/index.ts';
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
  ROUNDING,
  type Rounding,
  subtract,
  WHOLE,
} from './decimal.ts';

/** The service's currency codes. Any other code is accepted too. */
export type Currency = Open<'BTC' | 'USD' | 'EUR' | 'USDT' | 'GBP' | 'AUD'>;

/** An amount and its currency, as plain data that can be stored as JSON. */
export interface Money<C extends string = Currency> {
  /**
   * The amount as a decimal string without an exponent, such as `12.50` or `-12.50`. Trailing zeros
   * are kept. Amounts in requests and limits can't be negative.
   */
  readonly amount: string;
  /** Currency code, such as "EUR". */
  readonly currency: C;
}

/**
 * An exchange rate, given as the price of one unit of the source currency in the target currency.
 */
export interface ConversionRate<From extends string = string, To extends string = string> {
  /** Price of one unit of the source currency, as a decimal string. */
  readonly amount: string;
  /** The currency being priced. */
  readonly sourceCurrency: From;
  /** The currency that the price in `amount` is in. */
  readonly targetCurrency: To;
}

/**
 * Returns a currency's usual number of fractional digits.
 * @returns 8 for BTC, 6 for USDT, 2 for the service's other currencies, and `undefined` for unknown
 * currencies
 *
 * @example digitsOf('BTC') // 8
 */
export function findDigits(currency: string): number | undefined {
  return currency === 'BTC'
    ? 8
    : currency === 'USDT'
      ? 6
      : /^(?:USD|EUR|GBP|AUD)$/.test(currency)
        ? 2
        : undefined;
}

function wrongCurrency(advice: string): Error {
  return badInput('currency', advice);
}

/** Options for rounding an amount. */
export interface RoundingOptions {
  /** How to round excess digits. If absent, excess digits cause an error. */
  readonly rounding?: Rounding | undefined;
  /** Number of fractional digits, from 0 to 30. Defaults to the currency's usual number. */
  readonly digits?: number | undefined;
}

const ROUNDING_OPTIONS: Expected<RoundingOptions> = { rounding: ROUNDING, digits: 'number' };

/**
 * Creates money from a decimal string and a currency.
 * @param amount decimal string with at most 30 digits before and 30 digits after the decimal point.
 * It may be negative, and is kept unchanged
 * @param currency currency code in uppercase
 * @returns the money. Throws `InputError` for invalid arguments
 *
 * @example money('12.50', 'USD') // { amount: '12.50', currency: 'USD' }
 */
export function money<const C extends string>(amount: string, currency: C): Money<C> {
  parseDecimal(amount);
  if (!matches(currency, /^[A-Z][A-Z\d]{1,11}$/)) throw wrongCurrency('must be a code such as USD');
  return { amount, currency };
}

/**
 * Validates a value of unknown origin, such as parsed JSON, and returns it as money without extra
 * fields.
 * @param value expected to be `{ amount, currency }` with two strings
 * @returns the money. Throws `InputError` if it's invalid
 *
 * @example parseMoney(JSON.parse('{"amount":"12.50","currency":"USD"}'))
 */
export function parseMoney(value: unknown): Money {
  const { amount, currency } = (value ?? {}) as Partial<Money>;
  return money(amount as string, currency as string);
}

/**
 * Creates money from an object with the amount and the currency in separate fields, such as a
 * balance.
 * @param from the object with the amount and its currency
 * @param figure name of the field with the amount
 * @returns the money, or `undefined` if the service omitted the amount. Throws `InputError` if the
 * amount is invalid
 *
 // { amount: '20.00', currency: 'EUR' }
 * @example moneyIn({ currency: 'EUR', current: '20.00' }, 'current')
 */
export function moneyIn<From extends { readonly currency: string }, Name extends keyof From>(
  from: From,
  figure: Name,
): Money<From['currency']> | Extract<From[Name], undefined> {
  checkArgument('from', from, 'object!');
  checkArgument('from.currency', from.currency, 'string!');
  checkArgument('figure', figure, 'string!');
  const amount: unknown = from[figure];
  return amount === undefined ? (amount as never) : money(amount as string, from.currency);
}

/** Validates money in a request or a limit, whose amount must not be negative. */
export function parseUnsignedMoney(value: unknown): Money {
  const read = parseMoney(value);
  parseUnsigned(read.amount);
  return read;
}

/**
 * Adds two amounts in the same currency, exactly.
 * @returns the sum, with as many fractional digits as the more precise amount. Throws `InputError`
 * if the currencies differ
 *
 * @example addMoney(money('0.10', 'USD'), money('0.2', 'USD')).amount // '0.30'
 */
export function addMoney<C extends string>(a: Money<C>, b: Money<NoInfer<C>>): Money<C> {
  return { amount: decimalText(add(...parseBoth(a, b))), currency: a.currency };
}

/**
 * Subtracts the second amount from the first, exactly.
 * @returns the difference, which may be negative. Throws `InputError` if the currencies differ
 *
 * @example subtractMoney(money('1.00', 'USD'), money('0.25', 'USD')).amount // '0.75'
 */
export function subtractMoney<C extends string>(a: Money<C>, b: Money<NoInfer<C>>): Money<C> {
  return { amount: decimalText(subtract(...parseBoth(a, b))), currency: a.currency };
}

/**
 * Compares two amounts in the same currency by value.
 * @returns -1, 0 or 1, as required by `sort`. Throws `InputError` if the currencies differ
 *
 * @example compareMoney(money('12.5', 'USD'), money('12.50', 'USD')) // 0
 */
export function compareMoney<C extends string>(a: Money<C>, b: Money<NoInfer<C>>): -1 | 0 | 1 {
  return compare(...parseBoth(a, b));
}

/**
 * Checks whether two amounts have the same currency and value. Returns false if the currencies
 * differ.
 *
 * @example isSameMoney(money('12.5', 'USD'), money('12.50', 'USD')) // true
 */
export function isSameMoney(a: Money, b: Money): boolean {
  const [one, other] = [checkTexts(a), checkTexts(b)];
  return one.currency === other.currency && plain(one.amount) === plain(other.amount);
}

/** Rejects invalid values from JavaScript callers without parsing the amount. */
function checkTexts<C extends string>(value: Money<C>): Money<C> {
  const { amount } = Object(value) as Partial<Money>;
  if (typeof amount !== 'string') parseDecimal(amount as unknown as string);
  return value;
}

/** Removes leading and trailing zeros from an amount, and the sign from zero. */
function plain(amount: string): string {
  return amount.replace(/(?<=^-?)0+(?=\d)|\.0*$|(?<=\.\d*[1-9])0+$/g, '').replace(/^-0$/, '0');
}

/**
 * Multiplies an amount by a factor.
 * @param factor unsigned decimal string, such as a quantity or a fee of `0.015`
 * @returns the product with `digits` fractional digits. By default, it has the currency's usual
 * number of digits, or the amount's if that's more. Throws `InputError` if digits would be lost and
 * `rounding` isn't set
 *
 * @example multiplyMoney(money('9.99', 'USD'), '0.5', { rounding: 'half-even' }).amount // '5.00'
 */
export function multiplyMoney<C extends string>(
  value: Money<C>,
  factor: string,
  options: RoundingOptions = {},
): Money<C> {
  checkOptions(options, ROUNDING_OPTIONS);
  const own = parseDecimal(checkTexts(value).amount);
  const product = multiply(own, parseUnsigned(factor, 'factor'));
  return quotient(product, ONE, value.currency, own.scale, options);
}

/**
 * Rounds an amount to its currency's usual number of fractional digits, or to `digits`.
 * @returns the amount with exactly that many fractional digits. Throws `InputError` if digits would
 * be lost and `rounding` isn't set
 *
 * @example roundMoney(money('12.345', 'USD'), { rounding: 'up' }).amount // '12.35'
 */
export function roundMoney<C extends string>(
  value: Money<C>,
  options: RoundingOptions = {},
): Money<C> {
  checkOptions(options, ROUNDING_OPTIONS);
  return quotient(parseDecimal(checkTexts(value).amount), ONE, value.currency, 0, options);
}

/**
 * Divides two decimals and returns the quotient as money. Without `digits`, it has the currency's
 * usual number of fractional digits, but at least `least`.
 */
function quotient<C extends string>(
  over: Decimal,
  by: Decimal,
  currency: C,
  least: number,
  { digits, rounding }: RoundingOptions,
): Money<C> {
  const fitting = digits ?? Math.max(least, findDigits(currency) ?? over.scale);
  return { amount: decimalText(divide(over, by, fitting, rounding)), currency };
}

function parseBoth(a: Money, b: Money): [Decimal, Decimal] {
  if (checkTexts(a).currency !== checkTexts(b).currency)
    throw wrongCurrency('must be the same in both amounts');
  return [parseDecimal(a.amount), parseDecimal(b.amount)];
}

/**
 * Converts bitcoin to satoshi.
 * @param value money in BTC
 * @param rounding how to round fractions of a satoshi. If absent, fractions cause an error
 * @returns whole satoshi as a string. Throws `InputError` for other currencies
 *
 * @example toSat(money('0.0001', 'BTC')) // '10000'
 */
export function toSat(value: Money<'BTC'>, rounding?: Rounding): string {
  return count(value, 8, rounding);
}

/**
 * Converts bitcoin to millisatoshi, the unit of Lightning payments.
 * @param value money in BTC
 * @returns whole millisatoshi as a string. Throws `InputError` for fractions of a millisatoshi and
 * for other currencies
 *
 * @example toMsat(money('0.0001', 'BTC')) // '10000000'
 */
export function toMsat(value: Money<'BTC'>): string {
  return count(value, 11);
}

/**
 * Converts satoshi to money in BTC.
 * @param sat whole number of satoshi, as a string or bigint
 * @returns money in BTC with 8 fractional digits. Throws `InputError` if `sat` isn't a whole number
 *
 * @example fromSat('10000') // { amount: '0.00010000', currency: 'BTC' }
 */
export function fromSat(sat: string | bigint): Money<'BTC'> {
  return fromMsat(whole(sat) * 1000n);
}

/**
 * Converts millisatoshi, such as `amountMsat` of a decoded invoice, to money in BTC.
 * @param msat whole number of millisatoshi, as a string or bigint
 * @returns money in BTC with 8 fractional digits, or 11 if there are fractions of a satoshi. Throws
 * `InputError` if `msat` isn't a whole number
 *
 * @example fromMsat('1500').amount // '0.00000001500'
 */
export function fromMsat(msat: string | bigint): Money<'BTC'> {
  const fine = decimalText({ digits: whole(msat), scale: 11 });
  return { amount: fine.replace(/000$/, ''), currency: 'BTC' };
}

function count(value: Money<'BTC'>, scale: number, rounding?: Rounding): string {
  checkArgument('rounding', rounding, ROUNDING);
  if (checkTexts(value).currency !== 'BTC') throw wrongCurrency('must be BTC');
  return `${divide(parseDecimal(value.amount), ONE, scale, rounding).digits}`;
}

function whole(count: string | bigint): bigint {
  if (typeof count !== 'bigint' && !matches(count, WHOLE))
    throw badInput('amount', 'must be a whole number');
  return BigInt(count);
}

/**
 * A converted amount with the exchange rate and the rate's time, as plain data that can be stored
 * as JSON.
 */
export interface ConvertedMoney<To extends string = string> {
  /** The converted amount. */
  readonly value: Money<To>;
  /** The exchange rate that was used. */
  readonly rate: ConversionRate;
  /** The exchange rate's time, in milliseconds since 1970. */
  readonly asOf: number;
  /** Where the exchange rate comes from, such as `ticker` or `quote`. */
  readonly source?: string | undefined;
  /**
   * Set if the exchange rate was older than `maxAge` at the time of the conversion. If it's absent,
   * the rate may still have become too old since.
   */
  readonly stale?: true | undefined;
}

/** Options for converting an amount. */
export interface ConversionOptions extends RoundingOptions {
  /** The exchange rate's time, in milliseconds since 1970. */
  readonly asOf: number;
  /** Where the exchange rate comes from, such as `ticker` or `quote`. */
  readonly source?: string | undefined;
  /**
   * Maximum age of the exchange rate in milliseconds. An older rate is `stale`. A rate whose time
   * is more than this far in the future is stale too, because one of the clocks must be wrong.
   */
  readonly maxAge?: number | undefined;
  /**
   * Current time in milliseconds since 1970. It's required if `maxAge` is set, and not allowed
   * otherwise.
   */
  readonly now?: number | undefined;
}

const CONVERSION_OPTIONS: Expected<ConversionOptions> = /* @__PURE__ */ Object.assign(
  { asOf: 'number!', source: 'string', maxAge: 'number', now: 'number' } as const,
  ROUNDING_OPTIONS,
);

/**
 * Converts an amount with an exchange rate, in either direction.
 * @param value money in one of the rate's two currencies
 * @param rate the exchange rate. One unit of the source currency costs `amount` in the target
 * currency
 * @param options the rate's time and maximum age, and rounding options
 * @returns the converted amount with the rate and its time, and `stale: true` if the rate is too
 * old. Throws `InputError` if the rate is for other currencies, or if digits would be lost and
 * `rounding` isn't set
 *
 * @example
 * const options = { asOf: 0, rounding: 'half-even' } as const;
 * convertMoney(money('0.001', 'BTC'), ticker, options).value.amount // '65.43'
 */
export function convertMoney<From extends string, To extends string>(
  value: Money<From | To>,
  rate: ConversionRate<From, To>,
  options: ConversionOptions,
): ConvertedMoney<From | To> {
  checkOptions(options ?? null, CONVERSION_OPTIONS);
  checkArgument('rate', rate, 'object!');
  const { asOf, source } = options;
  const { sourceCurrency, targetCurrency } = rate;
  if (!isTime(asOf)) throw badInput('asOf', 'must be a time');
  const stale = isTooOld(options);
  const own = parseDecimal(checkTexts(value).amount);
  const by = parseUnsigned(rate.amount, 'rate');
  const isSource = value.currency === sourceCurrency;
  if (!isSource && value.currency !== targetCurrency)
    throw wrongCurrency("must be one of the rate's currencies");
  const converted = isSource
    ? quotient(multiply(own, by), ONE, targetCurrency, 0, options)
    : quotient(own, by, sourceCurrency, 0, options);
  return { value: converted, rate, asOf, source, ...(stale && { stale }) };
}

function isTooOld({ asOf, maxAge, now }: ConversionOptions): boolean {
  if (maxAge === undefined && now === undefined) return false;
  if (!(maxAge! >= 0 && isTime(now)))
    throw badInput('maxAge', 'requires now, and both must be in milliseconds');
  return Math.abs(now - asOf) > maxAge!;
}

/**
 * Checks whether a value is a valid time. `Infinity` isn't valid, because it would make the age
 * NaN, which would count as recent.
 */
function isTime(at: unknown): at is number {
  return Number.isFinite(at) && (at as number) >= 0;
}
