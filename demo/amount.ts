import type { Money } from 'paystate';

/** Money, or the rule that the text breaks. */
export type ReadAmount =
  | { readonly money: Money; readonly rule?: undefined }
  | { readonly rule: string };

const MOST_DIGITS = 7;

/**
 * Reads an amount that a person typed, with a point or a comma. It refuses grouping, because
 * "1,000" means different things to different people.
 */
export function readAmount(typed: string, currency: string): ReadAmount {
  const text = typed.trim().replace(',', '.');
  const [whole = '', fraction = ''] = text.split('.');
  if (text === '') return { rule: 'Amount: is missing. Type one, such as 12.50.' };
  if (text.startsWith('-')) return { rule: 'Amount: must be more than zero.' };
  if (!/^\d+(\.\d+)?$/.test(text))
    return { rule: 'Amount: must be digits with one point or comma, such as 12.50.' };
  if (fraction.length > 2)
    return { rule: 'Amount: has at most two decimals, and no separator for thousands.' };
  if (/^0*$/.test(whole + fraction)) return { rule: 'Amount: must be more than zero.' };
  const digits = whole.replace(/^0+(?=\d)/, '');
  if (digits.length > MOST_DIGITS) return { rule: 'Amount: must be below 10 million.' };
  return { money: { amount: `${digits}.${fraction.padEnd(2, '0')}`, currency } };
}
