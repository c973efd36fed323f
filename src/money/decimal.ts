import { badInput } from '../core/errors.ts';
import type { Rounding } from './model.ts';

/** An exact decimal number: `digits` ÷ 10^`scale`. Inside only; the public data are texts. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

const GRAMMAR = /^\d{1,20}(?:\.\d{1,18})?$/;
const LONGEST_SCALE = 18;
const ABOVE_ALL = 10n ** 20n;

/** Tells whether a value is a decimal text: at most 20 digits, a point, at most 18 digits. */
export function isDecimal(text: unknown): text is string {
  return typeof text === 'string' && GRAMMAR.test(text);
}

/** Reads a decimal text; `field` names it in the error. */
export function parseDecimal(text: string, field = 'amount'): Decimal {
  if (!isDecimal(text)) {
    throw badInput(field, 'write a decimal text such as "12.50": no sign, exponent or separators');
  }
  const point = text.indexOf('.');
  if (point < 0) return { digits: BigInt(text), scale: 0 };
  return { digits: BigInt(text.slice(0, point) + text.slice(point + 1)), scale: text.length - point - 1 };
}

/** Writes a decimal with exactly its `scale` digits after the point. Refuses what `parseDecimal` could not read. */
export function decimalText({ digits, scale }: Decimal): string {
  if (digits < 0n) throw badInput('amount', 'the result is below zero');
  if (scale > LONGEST_SCALE || digits >= ABOVE_ALL * tenTo(scale)) {
    throw badInput('amount', 'the result has more than 20 digits before or 18 after the point');
  }
  const text = digits.toString();
  if (scale === 0) return text;
  const padded = text.padStart(scale + 1, '0');
  return `${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

/** Exact sum, with the digits of the finer of the two. */
export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { digits: finer(a, scale) + finer(b, scale), scale };
}

/** Exact difference; may be below zero. */
export function subtract(a: Decimal, b: Decimal): Decimal {
  return add(a, { digits: -b.digits, scale: b.scale });
}

/** -1, 0 or 1, by value: 12.5 equals 12.50. */
export function compare(a: Decimal, b: Decimal): -1 | 0 | 1 {
  const scale = Math.max(a.scale, b.scale);
  const left = finer(a, scale);
  const right = finer(b, scale);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Exact product. */
export function multiply(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, scale: a.scale + b.scale };
}

/** Quotient with `scale` digits. Without `rounding` it throws unless it comes out even. */
export function divide(a: Decimal, b: Decimal, scale: number, rounding?: Rounding): Decimal {
  if (b.digits === 0n) throw badInput('divisor', 'must not be zero');
  const up = scale + b.scale - a.scale;
  const over = up > 0 ? a.digits * tenTo(up) : a.digits;
  const under = up < 0 ? b.digits * tenTo(-up) : b.digits;
  return { digits: roundedQuotient(over, under, rounding), scale };
}

/** The same value with `scale` digits. Without `rounding` it throws when digits would be lost. */
export function rescale(value: Decimal, scale: number, rounding?: Rounding): Decimal {
  if (scale === value.scale) return value;
  if (scale > value.scale) return { digits: finer(value, scale), scale };
  return { digits: roundedQuotient(value.digits, tenTo(value.scale - scale), rounding), scale };
}

function finer(value: Decimal, scale: number): bigint {
  return value.scale === scale ? value.digits : value.digits * tenTo(scale - value.scale);
}

function tenTo(power: number): bigint {
  return 10n ** BigInt(power);
}

function roundedQuotient(over: bigint, under: bigint, rounding: Rounding | undefined): bigint {
  const quotient = over / under;
  const rest = over % under;
  if (rest === 0n) return quotient;
  return awayFromZero(quotient, rest, under, rounding) ? quotient + (over < 0n === under < 0n ? 1n : -1n) : quotient;
}

function awayFromZero(quotient: bigint, rest: bigint, under: bigint, rounding: Rounding | undefined): boolean {
  const twice = 2n * (rest < 0n ? -rest : rest) - (under < 0n ? -under : under);
  switch (rounding) {
    case 'down': return false;
    case 'up': return true;
    case 'half-up': return twice >= 0n;
    case 'half-even': return twice > 0n || (twice === 0n && quotient % 2n !== 0n);
    default: throw badInput('rounding', 'digits would be lost: name down, up, half-up or half-even');
  }
}
