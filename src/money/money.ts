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

/** The service's currencies; any other code is accepted too. */
export type Currency = Open<'BTC' | 'USD' | 'EUR' | 'USDT' | 'GBP' | 'AUD'>;

/** An amount with its currency: plain data that survives JSON. */
export interface Money<C extends string = Currency> {
  /**
   * Decimal text such as `12.50`, below zero `-12.50`: no exponent; trailing zeros are kept. What
   * is sent, and what limits it, has no sign.
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
export function findDigits(currency: string): number | undefined {
  return currency === 'BTC'
    ? 8
    : currency === 'USDT'
      ? 6
      : /^(?:USD|EUR|GBP|AUD)$/.test(currency)
        ? 2
        : undefined;
}

const NO_MIX = 'currencies do not mix';

function wrongCurrency(advice: string): Error {
  return badInput('currency', advice);
}

/** The number of digits that fit, and the way to drop others. */
export interface RoundingOptions {
  /** When absent, digits that do not fit are an error. */
  readonly rounding?: Rounding | undefined;
  /** Digits after the point, 0 to 30; the currency's own when absent. */
  readonly digits?: number | undefined;
}

const ROUNDING_OPTIONS: Expected<RoundingOptions> = { rounding: ROUNDING, digits: 'number' };

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

/**
 * Pairs a bare figure with the currency beside it, such as `current` of a balance.
 * @param from has the figure and its currency
 * @param figure the name of the figure
 * @returns the two as one value, `undefined` where the service left the figure out; throws
 * `InputError` where it is no amount
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
  return { amount: decimalText(add(...parseBoth(a, b))), currency: a.currency };
}

/**
 * Subtracts the second amount from the first, exactly.
 * @returns the difference, which may be below zero; throws `InputError` for two currencies
 * @example subtractMoney(money('1.00', 'USD'), money('0.25', 'USD')).amount // '0.75'
 */
export function subtractMoney<C extends string>(a: Money<C>, b: Money<NoInfer<C>>): Money<C> {
  return { amount: decimalText(subtract(...parseBoth(a, b))), currency: a.currency };
}

/**
 * Compares two amounts of one currency by value.
 * @returns -1, 0 or 1, fit for `sort`; throws `InputError` for two currencies
 * @example compareMoney(money('12.5', 'USD'), money('12.50', 'USD')) // 0
 */
export function compareMoney<C extends string>(a: Money<C>, b: Money<NoInfer<C>>): -1 | 0 | 1 {
  return compare(...parseBoth(a, b));
}

/**
 * Tells whether two amounts are the same: one currency and one value. Never throws for two
 * currencies.
 * @example isSameMoney(money('12.5', 'USD'), money('12.50', 'USD')) // true
 */
export function isSameMoney(a: Money, b: Money): boolean {
  const [one, other] = [checkTexts(a), checkTexts(b)];
  return one.currency === other.currency && plain(one.amount) === plain(other.amount);
}

/** What plain JavaScript may pass in the place of money is refused, without reading its digits. */
function checkTexts<C extends string>(value: Money<C>): Money<C> {
  const { amount } = Object(value) as Partial<Money>;
  if (typeof amount !== 'string') parseDecimal(amount as unknown as string);
  return value;
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
  checkOptions(options, ROUNDING_OPTIONS);
  const own = parseDecimal(checkTexts(value).amount);
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
  checkOptions(options, ROUNDING_OPTIONS);
  return quotient(parseDecimal(checkTexts(value).amount), ONE, value.currency, 0, options);
}

/**
 * Divides and returns money with `digits`, or with the digits of the currency, but at least
 * `least`.
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

/** Returns both amounts as decimals; throws where their currencies differ. */
function parseBoth(a: Money, b: Money): [Decimal, Decimal] {
  if (checkTexts(a).currency !== checkTexts(b).currency) throw wrongCurrency(NO_MIX);
  return [parseDecimal(a.amount), parseDecimal(b.amount)];
}

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
 * A converted amount with its rate and the time of that rate. It is plain data that survives JSON.
 */
export interface ConvertedMoney<To extends string = string> {
  /** The amount, in the other currency. */
  readonly value: Money<To>;
  /** The rate that was used. */
  readonly rate: ConversionRate;
  /** The time of the rate, milliseconds since 1970. */
  readonly asOf: number;
  /** Source of the rate, such as `ticker` or `quote`. */
  readonly source?: string | undefined;
  /**
   * The rate was older than `maxAge` when the amount was converted. It is never `false`: an amount
   * that is kept grows old, so its absence promises nothing.
   */
  readonly stale?: true | undefined;
}

/** The facts that a converted amount carries, and the way to drop digits that do not fit. */
export interface ConversionOptions extends RoundingOptions {
  /** The time of the rate, milliseconds since 1970. */
  readonly asOf: number;
  /** Source of the rate, such as `ticker` or `quote`. */
  readonly source?: string | undefined;
  /**
   * Milliseconds after which a rate is `stale`. A rate that is ahead of `now` by more than this is
   * stale as well: one of the two clocks is wrong, so its age is not known.
   */
  readonly maxAge?: number | undefined;
  /** The present time, milliseconds since 1970; required with `maxAge`, and only there. */
  readonly now?: number | undefined;
}

const CONVERSION_OPTIONS: Expected<ConversionOptions> = /* @__PURE__ */ Object.assign(
  { asOf: 'number!', source: 'string', maxAge: 'number', now: 'number' } as const,
  ROUNDING_OPTIONS,
);

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
  checkOptions(options ?? null, CONVERSION_OPTIONS);
  checkArgument('rate', rate, 'object!');
  const { asOf, source } = options;
  const { sourceCurrency, targetCurrency } = rate;
  if (!isTime(asOf)) throw badInput('asOf', 'must be a time');
  const stale = isTooOld(options);
  const own = parseDecimal(checkTexts(value).amount);
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
