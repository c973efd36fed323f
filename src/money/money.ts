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

/** The service's currencies. Other codes are accepted too. */
export type Currency = Open<'BTC' | 'USD' | 'EUR' | 'USDT' | 'GBP' | 'AUD'>;

/** An amount and its currency, as plain data that survives JSON. */
export interface Money<C extends string = Currency> {
  /**
   * Decimal string such as `12.50` or `-12.50`, without an exponent. Trailing zeros are kept.
   * Amounts in requests and limits are unsigned.
   */
  readonly amount: string;
  /** Currency code, such as "EUR". */
  readonly currency: C;
}

/** The price of one source unit in target units, as formatted by the service. */
export interface ConversionRate<From extends string = string, To extends string = string> {
  /** Decimal string. */
  readonly amount: string;
  /** Currency of the one unit. */
  readonly sourceCurrency: From;
  /** Currency of `amount`. */
  readonly targetCurrency: To;
}

/**
 * Returns how many fraction digits a currency usually has.
 * @returns 8 for BTC, 6 for USDT, 2 for the service's other currencies, `undefined` for unknown
 * ones
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

/** How many digits to keep, and how to round. */
export interface RoundingOptions {
  /** If absent, digits that don't fit cause an error. */
  readonly rounding?: Rounding | undefined;
  /** Fraction digits, 0 to 30. Defaults to the currency's own. */
  readonly digits?: number | undefined;
}

const ROUNDING_OPTIONS: Expected<RoundingOptions> = { rounding: ROUNDING, digits: 'number' };

/**
 * Creates money from a decimal string and a currency.
 * @param amount at most 30 digits, a decimal point, at most 30 digits, with a minus if negative.
 * Kept as it is
 * @param currency upper-case code
 * @returns both as one value. Throws `InputError` for invalid arguments
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
 * @param value should be `{ amount, currency }`, both strings
 * @returns the money. Throws `InputError` if it's invalid
 *
 * @example parseMoney(JSON.parse('{"amount":"12.50","currency":"USD"}'))
 */
export function parseMoney(value: unknown): Money {
  const { amount, currency } = (value ?? {}) as Partial<Money>;
  return money(amount as string, currency as string);
}

/**
 * Pairs an amount with the currency next to it, such as a balance's `current`.
 * @param from contains the amount and its currency
 * @param figure name of the field with the amount
 * @returns both as one value, or `undefined` if the service left the amount out. Throws
 * `InputError` if it's invalid
 *
 * @example moneyIn({ currency: 'EUR', current: '20.00' }, 'current') // { amount: '20.00', currency: 'EUR' }
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

/** Checks an amount in a request or a limit. It must not be negative. */
export function parseUnsignedMoney(value: unknown): Money {
  const read = parseMoney(value);
  parseUnsigned(read.amount);
  return read;
}

/**
 * Adds two amounts in the same currency, exactly.
 * @returns the sum, with as many digits as the finer amount. Throws `InputError` for two currencies
 *
 * @example addMoney(money('0.10', 'USD'), money('0.2', 'USD')).amount // '0.30'
 */
export function addMoney<C extends string>(a: Money<C>, b: Money<NoInfer<C>>): Money<C> {
  return { amount: decimalText(add(...parseBoth(a, b))), currency: a.currency };
}

/**
 * Subtracts the second amount from the first, exactly.
 * @returns the difference, which may be negative. Throws `InputError` for two currencies
 *
 * @example subtractMoney(money('1.00', 'USD'), money('0.25', 'USD')).amount // '0.75'
 */
export function subtractMoney<C extends string>(a: Money<C>, b: Money<NoInfer<C>>): Money<C> {
  return { amount: decimalText(subtract(...parseBoth(a, b))), currency: a.currency };
}

/**
 * Compares two amounts in the same currency by value.
 * @returns -1, 0 or 1, as `sort` needs it. Throws `InputError` for two currencies
 *
 * @example compareMoney(money('12.5', 'USD'), money('12.50', 'USD')) // 0
 */
export function compareMoney<C extends string>(a: Money<C>, b: Money<NoInfer<C>>): -1 | 0 | 1 {
  return compare(...parseBoth(a, b));
}

/**
 * Checks whether two amounts have the same currency and value. Doesn't throw if the currencies
 * differ.
 *
 * @example isSameMoney(money('12.5', 'USD'), money('12.50', 'USD')) // true
 */
export function isSameMoney(a: Money, b: Money): boolean {
  const [one, other] = [checkTexts(a), checkTexts(b)];
  return one.currency === other.currency && plain(one.amount) === plain(other.amount);
}

/** Rejects invalid values from plain JavaScript without parsing their digits. */
function checkTexts<C extends string>(value: Money<C>): Money<C> {
  const { amount } = Object(value) as Partial<Money>;
  if (typeof amount !== 'string') parseDecimal(amount as unknown as string);
  return value;
}

/** Formats a value without leading and trailing zeros, and zero without a sign. */
function plain(amount: string): string {
  return amount.replace(/(?<=^-?)0+(?=\d)|\.0*$|(?<=\.\d*[1-9])0+$/g, '').replace(/^-0$/, '0');
}

/**
 * Multiplies an amount by a factor.
 * @param factor unsigned decimal string, such as a quantity or a fee of `0.015`
 * @returns the product with `digits`, or with the finer of the currency's digits and the amount's
 * own. Throws `InputError` if digits would be lost without a rounding
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
 * Rounds an amount to its currency's digits, or to `digits`.
 * @returns the amount with exactly that many digits. Throws `InputError` if digits would be lost
 * without a rounding
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

/** Divides and returns money with `digits`, or with the currency's digits but at least `least`. */
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
 * @param rounding how to drop parts of a satoshi, which are an error without it
 * @returns whole satoshi as a string, because amounts are never JavaScript numbers. Throws
 * `InputError` for other currencies
 *
 * @example toSat(money('0.0001', 'BTC')) // '10000'
 */
export function toSat(value: Money<'BTC'>, rounding?: Rounding): string {
  return count(value, 8, rounding);
}

/**
 * Converts bitcoin to millisatoshi, the unit of Lightning.
 * @param value money in BTC
 * @returns whole millisatoshi as a string. Throws `InputError` for a finer amount or another
 * currency
 *
 * @example toMsat(money('0.0001', 'BTC')) // '10000000'
 */
export function toMsat(value: Money<'BTC'>): string {
  return count(value, 11);
}

/**
 * Converts satoshi to money.
 * @param sat whole satoshi, as string or bigint
 * @returns money in BTC with 8 digits. Throws `InputError` for anything but a whole number
 *
 * @example fromSat('10000') // { amount: '0.00010000', currency: 'BTC' }
 */
export function fromSat(sat: string | bigint): Money<'BTC'> {
  return fromMsat(whole(sat) * 1000n);
}

/**
 * Converts millisatoshi to money, such as `amountMsat` of a decoded invoice.
 * @param msat whole millisatoshi, as string or bigint
 * @returns money in BTC with 8 digits, or 11 if there are parts of a satoshi. Throws `InputError`
 * for anything but a whole number
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

/** A converted amount with its rate and the time of that rate, as plain data that survives JSON. */
export interface ConvertedMoney<To extends string = string> {
  /** Amount in the other currency. */
  readonly value: Money<To>;
  /** The rate that was used. */
  readonly rate: ConversionRate;
  /** Time of the rate, in milliseconds since 1970. */
  readonly asOf: number;
  /** Source of the rate, such as `ticker` or `quote`. */
  readonly source?: string | undefined;
  /**
   * Set if the rate was older than `maxAge` at the time of the conversion. Never `false`, because a
   * stored amount ages, so its absence guarantees nothing.
   */
  readonly stale?: true | undefined;
}

/** What to store with a converted amount, and how to round it. */
export interface ConversionOptions extends RoundingOptions {
  /** Time of the rate, in milliseconds since 1970. */
  readonly asOf: number;
  /** Source of the rate, such as `ticker` or `quote`. */
  readonly source?: string | undefined;
  /**
   * Age in milliseconds after which a rate is `stale`. A rate that's ahead of `now` by more than
   * this is stale too, because one of the clocks is wrong and its age is unknown.
   */
  readonly maxAge?: number | undefined;
  /**
   * The current time in milliseconds since 1970. Required with `maxAge`, and rejected without it.
   */
  readonly now?: number | undefined;
}

const CONVERSION_OPTIONS: Expected<ConversionOptions> = /* @__PURE__ */ Object.assign(
  { asOf: 'number!', source: 'string', maxAge: 'number', now: 'number' } as const,
  ROUNDING_OPTIONS,
);

/**
 * Converts an amount by a rate, in either direction.
 * @param value money in one of the rate's two currencies
 * @param rate one unit of the source costs `amount` units of the target
 * @param options time and maximum age of the rate, rounding, and digits if not the currency's own
 * @returns the amount in the other currency with its rate and time, and `stale: true` if the rate
 * is too old. Throws `InputError` if the rate is for other currencies, or if digits would be lost
 * without a rounding
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

/** `Infinity` isn't a time, because its age would be NaN, which would count as fresh. */
function isTime(at: unknown): at is number {
  return Number.isFinite(at) && (at as number) >= 0;
}
