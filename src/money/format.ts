import { checkOptions, type Expected } from '../core/errors/index.ts';
import { findDigits, type Money, parseMoney } from './money.ts';

/** Options for formatting money. */
export interface FormatOptions {
  /** BCP 47 tag such as `de-CH`, or several in order of preference. */
  readonly locale: string | readonly string[];
  /** Unit for bitcoin, `sat` or `btc` (with ₿). Defaults to `btc`. Other currencies ignore it. */
  readonly bitcoinUnit?: 'sat' | 'btc' | undefined;
}

const FORMAT_OPTIONS: Expected<FormatOptions> = {
  locale: 'string|array!',
  bitcoinUnit: ['sat', 'btc'],
};

/**
 * Formats money for people. Shows every digit, never rounds, and never converts to a JavaScript
 * number.
 * @param value the amount. Fiat gets at least its usual digits, bitcoin keeps its digits
 * @param options language of the reader, and the unit for bitcoin
 * @returns text with the digits, separators, symbol and direction marks of the language. Never
 * parse it. Throws `InputError` for an invalid amount and `RangeError` for a malformed locale tag
 *
 * @example formatMoney(money('1234.5', 'EUR'), { locale: 'de' }) // '1.234,50 €'
 */
export function formatMoney(value: Money, options: FormatOptions): string {
  checkOptions(options ?? null, FORMAT_OPTIONS);
  const { locale, bitcoinUnit } = options;
  const { amount, currency } = parseMoney(value);
  const isBelow = /^-.*[1-9]/.test(amount);
  const unit = currency === 'BTC' ? (bitcoinUnit === 'sat' ? 'sat' : '₿') : currency;
  const fiat = findDigits(currency) === 2;
  const [whole, fraction] = splitAmount(amount, unit, fiat);
  const format = (style: Intl.NumberFormatOptions) =>
    new Intl.NumberFormat(locale as string[], style);
  const text = { currency: fiat ? undefined : unit, fraction: '' };
  // `Intl` formats both sides of the decimal point as separate bigints. If `Intl` doesn't know the
  // unit, it replaces the euro sign.
  if (fraction)
    text.fraction = format({ useGrouping: false, minimumIntegerDigits: fraction.length }).format(
      BigInt(fraction),
    );
  return (
    format({
      style: 'currency',
      currency: fiat ? currency : 'EUR',
      currencyDisplay: fiat || unit === '₿' ? 'symbol' : 'name',
      minimumFractionDigits: fraction.length,
    })
      // only a negative zero shows the sign of an amount such as -0.50, and it contributes no digit
      .formatToParts(BigInt(whole) || (isBelow ? -0 : 0n))
      .map(({ type, value: own }) => text[type as keyof typeof text] ?? own)
      .join('')
  );
}

/**
 * Splits the digits at the decimal point, which moves by eight places for satoshi. Fiat gets at
 * least two fraction digits.
 */
function splitAmount(
  amount: string,
  unit: string,
  fiat: boolean,
): [whole: string, fraction: string] {
  const [whole, fraction = ''] = amount.split('.') as [string, string?];
  if (unit !== 'sat') return [whole, fraction.padEnd(fiat ? 2 : 0, '0')];
  return [whole + fraction.slice(0, 8).padEnd(8, '0'), fraction.slice(8).replace(/0+$/, '')];
}
