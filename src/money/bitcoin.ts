import { badInput } from '../core/errors.ts';
import { decimalText, parseDecimal, rescale } from './decimal.ts';
import type { Money, Rounding } from './model.ts';

const SAT = 8;
const MSAT = 11;

/**
 * Counts an amount of bitcoin in satoshi.
 * @param value money in BTC
 * @param rounding what to do with parts of a satoshi; without it they are an error
 * @returns whole satoshi as text, since amounts are never JavaScript numbers; throws `InputError` for other currencies
 * @example toSat(money('0.0001', 'BTC')) // '10000'
 */
export function toSat(value: Money<'BTC'>, rounding?: Rounding): string {
  return count(value, SAT, rounding);
}

/**
 * Counts an amount of bitcoin in thousandths of a satoshi, the unit of Lightning.
 * @param value money in BTC
 * @returns whole millisatoshi as text; throws `InputError` for a finer amount or another currency
 * @example toMsat(money('0.0001', 'BTC')) // '10000000'
 */
export function toMsat(value: Money<'BTC'>): string {
  return count(value, MSAT, undefined);
}

/**
 * Makes money of satoshi.
 * @param sat whole satoshi, as text or bigint
 * @returns money in BTC with 8 digits; throws `InputError` for anything but a whole number
 * @example fromSat('10000') // { amount: '0.00010000', currency: 'BTC' }
 */
export function fromSat(sat: string | bigint): Money<'BTC'> {
  return { amount: decimalText({ digits: whole(sat), scale: SAT }), currency: 'BTC' };
}

/**
 * Makes money of millisatoshi, such as `amountMsat` of a decoded invoice.
 * @param msat whole millisatoshi, as text or bigint
 * @returns money in BTC with 8 digits, or 11 when there are parts of a satoshi; throws `InputError` for anything but a whole number
 * @example fromMsat('1500').amount // '0.00000001500'
 */
export function fromMsat(msat: string | bigint): Money<'BTC'> {
  const digits = whole(msat);
  if (digits % 1000n === 0n) return fromSat(digits / 1000n);
  return { amount: decimalText({ digits, scale: MSAT }), currency: 'BTC' };
}

function count(value: Money<'BTC'>, scale: number, rounding: Rounding | undefined): string {
  if (value.currency !== 'BTC') throw badInput('currency', 'only BTC is counted in satoshi', { validation: 'INVALID_DATA_CURRENCY' });
  return rescale(parseDecimal(value.amount), scale, rounding).digits.toString();
}

function whole(count: string | bigint): bigint {
  const { digits, scale } = parseDecimal(typeof count === 'bigint' ? count.toString() : count);
  if (scale > 0) throw badInput('amount', 'must be a whole number');
  return digits;
}
