import { badInput } from '../core/errors/index.ts';

/** Zeros that turn a count of this unit into millisatoshi. */
const ZEROS = { '': 11, m: 8, u: 5, n: 2 } as const;

/**
 * Reads the amount of an invoice's prefix, such as `2500u`, as millisatoshi. Texts all the way:
 * nothing to round.
 */
export function amountOfPrefix(text: string): string {
  const unit = text.replace(/\d+/, '');
  const count = text.slice(0, text.length - unit.length);
  if (count.startsWith('0')) throw bad('has an amount that begins with a zero');
  if (unit !== 'p') return count + '0'.repeat(ZEROS[unit as keyof typeof ZEROS]);
  if (!count.endsWith('0')) throw bad('has an amount finer than a millisatoshi');
  return count.slice(0, -1);
}

/** Writes millisatoshi in the largest unit that takes them whole. */
export function prefixOfAmount(msat: string): string {
  if (!/^[1-9]\d{0,17}$/.test(msat)) throw bad('needs a whole amount above zero, as text');
  const zeros = msat.length - msat.replace(/0+$/, '').length;
  for (const [unit, power] of Object.entries(ZEROS)) {
    if (zeros >= power) return msat.slice(0, msat.length - power) + unit;
  }
  return `${msat}0p`;
}

function bad(advice: string): Error {
  return badInput('invoice', advice, { values: { rule: 'amount' } });
}
