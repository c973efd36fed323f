import { checkOptions, type Expected } from '../core/errors/index.ts';
import { findDigits, type Money, parseMoney } from './money.ts';

/** Options for formatting money. */
export interface FormatOptions {
  /** Language as a BCP 47 tag such as `de-CH`, or several tags in order of preference. */
  readonly locale: string | readonly string[];
  /** Unit for bitcoin amounts. Defaults to `btc`, which is shown as ₿. */
  readonly bitcoinUnit?: 'sat' | 'btc' | undefined;
}

const FORMAT_OPTIONS: Expected<FormatOptions> = {
  locale: 'string|array!',
  bitcoinUnit: ['sat', 'btc'],
};

/**
 * Formats money for display. Shows all digits without rounding, and never converts the amount to a
 * JavaScript number.
 * @param value the money. Fiat amounts are shown with at least two fractional digits, and bitcoin
 * amounts with their own digits
 * @param options the result's language and the unit for bitcoin
 * @returns text with the language's digits, separators, symbol and direction marks. Don't parse
 * this text. Throws `InputError` for an invalid amount and `RangeError` for a malformed locale tag
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
  // The digits before and after the decimal point are formatted separately, as bigints. For units
  // that `Intl` doesn't support, the amount is formatted as euros and then the euro sign is
  // replaced.
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
      // Use a negative zero for amounts such as -0.50, because `BigInt` has no negative zero and
      // the sign would be lost.
      .formatToParts(BigInt(whole) || (isBelow ? -0 : 0n))
      .map(({ type, value: own }) => text[type as keyof typeof text] ?? own)
      .join('')
  );
}

/**
 * Splits the digits at the decimal point, which is moved by eight places for satoshi. Fiat amounts
 * get at least two fractional digits.
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
