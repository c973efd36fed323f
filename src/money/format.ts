import { digitsOf } from './currencies.ts';
import { decimalText, parseDecimal, rescale } from './decimal.ts';
import type { Money } from './model.ts';

export interface FormatOptions {
  /** BCP 47 tag such as `de-CH`, or several in order of preference. */
  readonly locale: string | readonly string[];
  /** How bitcoin is written: `btc` (with ₿; the default) or `sat`. Other currencies ignore it. */
  readonly mode?: 'sat' | 'btc' | undefined;
}

/**
 * Writes money for a person to read. Shows every digit there is, never rounds, never goes through a JavaScript number.
 * @param value the money; fiat gets at least its usual digits, bitcoin is shown as written
 * @param options language of the reader, and the unit for bitcoin
 * @returns text with the digits, separators, symbol and direction marks of that language; never parse it.
 *   Throws `InputError` for an unreadable amount and `RangeError` for a malformed locale tag
 * @example formatMoney(money('1234.5', 'EUR'), { locale: 'de' }) // '1.234,50 €'
 */
export function formatMoney(value: Money, { locale, mode = 'btc' }: FormatOptions): string {
  const sign = signOf(value.currency, mode);
  const [integer = '', fraction = ''] = shownAmount(value, mode).split('.');
  const format = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale as string[], options);
  const digits = digitsIn(format({ useGrouping: false }));
  // The whole part goes in as a bigint; the digits after the point replace the zeros that Intl wrote.
  const parts = format({
    style: 'currency',
    currency: sign.like,
    currencyDisplay: sign.display,
    minimumFractionDigits: fraction.length,
    maximumFractionDigits: fraction.length,
  }).formatToParts(BigInt(integer));
  return parts.map(({ type, value: text }) => {
    if (type === 'fraction') return Array.from(fraction, (digit) => digits.get(digit)).join('');
    return type === 'currency' ? (sign.text ?? text) : text;
  }).join('');
}

interface Sign {
  /** A currency that every runtime knows, whose place in the text is borrowed. */
  readonly like: string;
  readonly display: 'symbol' | 'name';
  /** What to write in its stead. */
  readonly text?: string;
}

function signOf(currency: string, mode: 'sat' | 'btc'): Sign {
  if (digitsOf(currency) === 2) return { like: currency, display: 'symbol' };
  if (currency === 'BTC' && mode === 'btc') return { like: 'EUR', display: 'symbol', text: '₿' };
  return { like: 'EUR', display: 'name', text: currency === 'BTC' ? 'sat' : currency };
}

function shownAmount({ amount, currency }: Money, mode: 'sat' | 'btc'): string {
  const own = parseDecimal(amount);
  const fiat = digitsOf(currency) === 2;
  if (fiat) return decimalText(rescale(own, Math.max(own.scale, 2)));
  if (currency !== 'BTC' || mode === 'btc') return amount;
  const { digits, scale } = rescale(own, Math.max(own.scale, 8));
  const sat = decimalText({ digits, scale: scale - 8 });
  return sat.includes('.') ? sat.replace(/\.?0+$/, '') : sat;
}

/** The reader's own digits, found by writing all ten. */
function digitsIn(plain: Intl.NumberFormat): Map<string, string> {
  return new Map(Array.from(plain.format(9876543210n), (digit, place) => [`${9 - place}`, digit]));
}
