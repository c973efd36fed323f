import { badInput } from '../core/errors.ts';
import { matches } from './decimal.ts';

/**
 * Digits after the point that a currency is usually written with.
 * @returns 8 for BTC, 6 for USDT, 2 for the service's other currencies, `undefined` for one it does not name
 * @example digitsOf('BTC') // 8
 */
export function digitsOf(currency: string): number | undefined {
  return currency === 'BTC' ? 8 : currency === 'USDT' ? 6 : /^(?:USD|EUR|GBP|AUD)$/.test(currency) ? 2 : undefined;
}

/** Tells whether a value can be a currency's code, known here or not. */
export function isCurrency(code: unknown): code is string {
  return matches(code, /^[A-Z][A-Z\d]{1,11}$/);
}

export const NO_MIX = 'two currencies do not mix';

export function wrongCurrency(advice: string): Error {
  return badInput('currency', advice, { validation: 'INVALID_DATA_CURRENCY' });
}
