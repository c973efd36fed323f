import { badInput } from '../core/errors/index.ts';

/**
 * Digits after the point that a currency is usually written with.
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
