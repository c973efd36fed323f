/**
 * Digits after the point that a currency is usually written with.
 * @returns 8 for BTC, 6 for USDT, 2 for the service's other currencies, `undefined` for one it does not name
 * @example digitsOf('BTC') // 8
 */
export function digitsOf(currency: string): number | undefined {
  switch (currency) {
    case 'BTC': return 8;
    case 'USDT': return 6;
    case 'USD': case 'EUR': case 'GBP': case 'AUD': return 2;
    default: return undefined;
  }
}
