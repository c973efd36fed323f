// Decimals over BigInt for the reference model. Nothing of the package is used here: what is checked must not check itself.

/** Digits behind the point of each currency. */
export const DIGITS: Readonly<Record<string, number>> = {
  BTC: 8,
  USD: 2,
  EUR: 2,
  USDT: 6,
  GBP: 2,
  AUD: 2,
};

/** Money in whole smallest units. */
export interface Sum {
  readonly units: bigint;
  readonly currency: string;
}

export interface Wire {
  readonly amount: string;
  readonly currency: string;
}

/** A decimal text as a whole number and the digits behind its point. */
export const read = (text: string): { readonly whole: bigint; readonly scale: number } => {
  const [before = '', behind = ''] = text.split('.');
  return { whole: BigInt(before + behind), scale: behind.length };
};

const power = (digits: number): bigint => 10n ** BigInt(digits);

/** Whole units of a text; `undefined` where it is finer than its currency. */
export const unitsOf = (text: string, currency: string): bigint | undefined => {
  const { whole, scale } = read(text);
  const own = DIGITS[currency]!;
  if (scale <= own) return whole * power(own - scale);
  return whole % power(scale - own) === 0n ? whole / power(scale - own) : undefined;
};

export const sum = (amount: string, currency: string): Sum => ({
  units: unitsOf(amount, currency)!,
  currency,
});

export const textOf = ({ units, currency }: Sum): string => {
  const digits = DIGITS[currency]!;
  const text = (units < 0n ? -units : units).toString().padStart(digits + 1, '0');
  return `${units < 0n ? '-' : ''}${text.slice(0, -digits)}.${text.slice(-digits)}`;
};

export const wire = (money: Sum): Wire => ({ amount: textOf(money), currency: money.currency });

export const plus = (a: Sum, b: Sum): Sum => ({ units: a.units + b.units, currency: a.currency });
export const minus = (a: Sum, b: Sum): Sum => ({ units: a.units - b.units, currency: a.currency });

/** Division of what is not negative. */
export const divide = (numerator: bigint, denominator: bigint, rounding: 'up' | 'down'): bigint =>
  (numerator + (rounding === 'up' ? denominator - 1n : 0n)) / denominator;

/** Money times a rate text, in the other currency. */
const times = (
  { units, currency }: Sum,
  rate: string,
  to: string,
  rounding: 'up' | 'down',
): Sum => {
  const { whole, scale } = read(rate);
  return {
    units: divide(units * whole * power(DIGITS[to]!), power(DIGITS[currency]! + scale), rounding),
    currency: to,
  };
};

/** Money divided by a rate text, in the other currency. */
export const per = (
  { units, currency }: Sum,
  rate: string,
  to: string,
  rounding: 'up' | 'down',
): Sum => {
  const { whole, scale } = read(rate);
  return {
    units: divide(units * power(DIGITS[to]! + scale), whole * power(DIGITS[currency]!), rounding),
    currency: to,
  };
};

/** Money in another currency, where one bitcoin costs so much in the first and in the second. */
export const across = (
  { units, currency }: Sum,
  [from, into]: readonly [string, string],
  to: string,
  rounding: 'up' | 'down',
): Sum => {
  const [own, other] = [read(from), read(into)];
  return {
    units: divide(
      units * other.whole * power(own.scale + DIGITS[to]!),
      own.whole * power(other.scale + DIGITS[currency]!),
      rounding,
    ),
    currency: to,
  };
};

/** One decimal text divided by another, with so many digits, to the nearest; a half to the even. */
export const quotient = (over: string, under: string, digits: number): string => {
  const [a, b] = [read(over), read(under)];
  const [top, bottom] = [a.whole * power(b.scale + digits), b.whole * power(a.scale)];
  const [whole, rest] = [top / bottom, 2n * (top % bottom)];
  const up = rest > bottom || (rest === bottom && whole % 2n === 1n) ? 1n : 0n;
  const text = (whole + up).toString().padStart(digits + 1, '0');
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
};

/** A part of it, such as `0.005`, rounded up. */
export const part = (money: Sum, factor: string): Sum => times(money, factor, money.currency, 'up');
