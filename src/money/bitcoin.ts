import { badInput } from '../core/errors/index.ts';
import { wrongCurrency } from './currencies.ts';
import { decimalText, divide, matches, ONE, parseDecimal } from './decimal.ts';
import type { Money, Rounding } from './model.ts';

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
  if (typeof count !== 'bigint' && !matches(count, /^\d{1,20}$/))
    throw badInput('amount', 'must be whole');
  return BigInt(count);
}
