import { badInput } from '../core/errors.ts';
import { digitsOf } from './currencies.ts';
import type { Decimal } from './decimal.ts';
import { add, compare, decimalText, isDecimal, multiply, parseDecimal, rescale, subtract } from './decimal.ts';
import type { Money, Rounding } from './model.ts';

const CURRENCY = /^[A-Z][A-Z0-9]{1,11}$/;

/** How digits that do not fit are dropped, and how many fit. */
export interface RoundingOptions {
  /** Without it, digits that do not fit are an error. */
  readonly rounding?: Rounding | undefined;
  /** Digits after the point, 0 to 18; the currency's own when absent. */
  readonly digits?: number | undefined;
}

/**
 * Puts a bare decimal text and its currency together.
 * @param amount at most 20 digits, a point, at most 18 digits; kept as written
 * @param currency upper-case code
 * @returns the two as one value; throws `InputError` for anything else
 * @example money('12.50', 'USD') // { amount: '12.50', currency: 'USD' }
 */
export function money<const C extends string>(amount: string, currency: C): Money<C> {
  parseDecimal(amount);
  if (typeof currency !== 'string' || !CURRENCY.test(currency)) {
    throw badInput('currency', 'write an upper-case code such as USD', { validation: 'INVALID_DATA_CURRENCY' });
  }
  return { amount, currency };
}

/**
 * Checks a value of unknown origin, such as parsed JSON, and returns it as money without further members.
 * @param value should be `{ amount, currency }`, both texts
 * @returns the money; throws `InputError` when it is none
 * @example parseMoney(JSON.parse('{"amount":"12.50","currency":"USD"}'))
 */
export function parseMoney(value: unknown): Money {
  const { amount, currency } = (value ?? {}) as Partial<Money>;
  return money(amount as string, currency as string);
}

/**
 * Tells whether a value is money that the functions here accept.
 * @example isMoney({ amount: 12.5, currency: 'USD' }) // false: a JavaScript number
 */
export function isMoney(value: unknown): value is Money {
  const { amount, currency } = (value ?? {}) as Partial<Money>;
  return isDecimal(amount) && typeof currency === 'string' && CURRENCY.test(currency);
}

/**
 * Adds two amounts of one currency, exactly.
 * @returns the sum, with as many digits as the finer of the two; throws `InputError` for two currencies
 * @example addMoney(money('0.10', 'USD'), money('0.2', 'USD')).amount // '0.30'
 */
export function addMoney<C extends string>(a: Money<C>, b: Money<NoInfer<C>>): Money<C> {
  return combine(a, b, add);
}

/**
 * Takes the second amount from the first, exactly.
 * @returns the difference; throws `InputError` for two currencies or a result below zero
 * @example subtractMoney(money('1.00', 'USD'), money('0.25', 'USD')).amount // '0.75'
 */
export function subtractMoney<C extends string>(a: Money<C>, b: Money<NoInfer<C>>): Money<C> {
  return combine(a, b, subtract);
}

/**
 * Orders two amounts of one currency by value.
 * @returns -1, 0 or 1, fit for `sort`; throws `InputError` for two currencies
 * @example compareMoney(money('12.5', 'USD'), money('12.50', 'USD')) // 0
 */
export function compareMoney<C extends string>(a: Money<C>, b: Money<NoInfer<C>>): -1 | 0 | 1 {
  oneCurrency(a, b);
  return compare(parseDecimal(a.amount), parseDecimal(b.amount));
}

/**
 * Tells whether two amounts are the same: one currency and one value. Never throws for two currencies.
 * @example sameMoney(money('12.5', 'USD'), money('12.50', 'USD')) // true
 */
export function sameMoney(a: Money, b: Money): boolean {
  return a.currency === b.currency && compareMoney(a, b) === 0;
}

/**
 * Multiplies an amount by a bare factor.
 * @param factor decimal text, such as a quantity or a fee of `0.015`
 * @returns the product with `digits`, else the finer of the currency's digits and the amount's own;
 *   throws `InputError` when digits would be lost and no rounding is named
 * @example multiplyMoney(money('9.99', 'USD'), '0.5', { rounding: 'half-even' }).amount // '5.00'
 */
export function multiplyMoney<C extends string>(value: Money<C>, factor: string, options: RoundingOptions = {}): Money<C> {
  const own = parseDecimal(value.amount);
  const product = multiply(own, parseDecimal(factor, 'factor'));
  const digits = options.digits ?? Math.max(own.scale, digitsOf(value.currency) ?? product.scale);
  return money(decimalText(fit(product, digits, options.rounding)), value.currency);
}

/**
 * Gives an amount the digits of its currency, or as many as asked.
 * @returns the amount with exactly that many digits; throws `InputError` when digits would be lost and no rounding is named
 * @example roundMoney(money('12.345', 'USD'), { rounding: 'up' }).amount // '12.35'
 */
export function roundMoney<C extends string>(value: Money<C>, options: RoundingOptions = {}): Money<C> {
  const own = parseDecimal(value.amount);
  const digits = options.digits ?? digitsOf(value.currency) ?? own.scale;
  return money(decimalText(fit(own, digits, options.rounding)), value.currency);
}

/** `rescale` for a number of digits that a caller chose. */
export function fit(value: Decimal, digits: number, rounding: Rounding | undefined): Decimal {
  if (!Number.isInteger(digits) || digits < 0 || digits > 36) throw badInput('digits', 'must be a whole number from 0 to 18');
  return rescale(value, digits, rounding);
}

function combine<C extends string>(a: Money<C>, b: Money, sum: (a: Decimal, b: Decimal) => Decimal): Money<C> {
  oneCurrency(a, b);
  return { amount: decimalText(sum(parseDecimal(a.amount), parseDecimal(b.amount))), currency: a.currency };
}

function oneCurrency(a: Money, b: Money): void {
  if (a.currency !== b.currency) {
    throw badInput('currency', 'two currencies do not mix: convert one of them first', { validation: 'INVALID_DATA_CURRENCY' });
  }
}
