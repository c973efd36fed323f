import { badInput } from '../core/errors/index.ts';

/** Rounding modes, ordered by how often they round away from zero. */
export const ROUNDING = ['down', 'half-even', 'half-up', 'up'] as const;

/**
 * How to round excess digits. `down` rounds toward zero, and `up` away from zero. `half-up` and
 * `half-even` round to the nearest value. Ties are rounded away from zero by `half-up`, and to the
 * even digit by `half-even`.
 */
export type Rounding = (typeof ROUNDING)[number];

/**
 * An exact decimal number whose value is `digits` ÷ 10^`scale`. It's only used internally, because
 * public amounts are strings.
 */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

// Patterns for decimal strings, which the schemas and the OpenAPI file also use.

/**
 * Matches a whole number of a currency's smallest unit, such as satoshi or cents. The number may be
 * negative.
 */
export const WHOLE: RegExp = /^-?\d{1,41}$/;

/**
 * Matches any decimal string from the service, such as an amount, a balance or a rate. The string
 * may be negative.
 */
export const DECIMAL: RegExp = /^-?\d{1,30}(\.\d{1,30})?$/;

/** Matches a decimal string in a request, which can't be negative and has fewer digits. */
export const UNSIGNED_DECIMAL: RegExp = /^\d{1,20}(\.\d{1,18})?$/;

export const ONE: Decimal = { digits: 1n, scale: 0 };

/**
 * Checks whether a value is a string that matches the pattern. Testing only the pattern would also
 * accept numbers and arrays.
 */
export function matches(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

/** Parses a decimal string, which may be negative. `field` is the name to use in errors. */
export function parseDecimal(text: string, field = 'amount'): Decimal {
  if (!matches(text, DECIMAL)) throw badInput(field, 'must be a decimal string like 12.50');
  const [whole, fraction = ''] = text.split('.') as [string, string?];
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

/** Parses a decimal string that can't be negative, such as a limit or a rate. */
export function parseUnsigned(text: string, field = 'amount'): Decimal {
  const read = parseDecimal(text, field);
  if (text.startsWith('-')) throw badInput(field, 'must not be negative');
  return read;
}

/**
 * Formats a decimal with exactly `scale` fractional digits. Throws if the result is too long for
 * `parseDecimal`.
 */
export function decimalText({ digits, scale }: Decimal): string {
  const [, sign, whole = ''] = /(-?)(.+)/.exec(`${digits}`)!;
  const padded = whole.padStart(scale + 1, '0');
  const text = sign + (scale > 0 ? `${padded.slice(0, -scale)}.${padded.slice(-scale)}` : padded);
  if (!matches(text, DECIMAL)) throw badInput('amount', 'is too long');
  return text;
}

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { digits: finer(a, scale) + finer(b, scale), scale };
}

export function subtract(a: Decimal, b: Decimal): Decimal {
  return add(a, { digits: -b.digits, scale: b.scale });
}

/** Compares two decimals by value, so 12.5 equals 12.50. Returns -1, 0 or 1. */
export function compare(a: Decimal, b: Decimal): -1 | 0 | 1 {
  const { digits } = subtract(a, b);
  return digits < 0n ? -1 : digits > 0n ? 1 : 0;
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, scale: a.scale + b.scale };
}

/**
 * Returns the quotient with `scale` fractional digits. The divisor must be positive. Without
 * `rounding`, throws if the quotient has more digits.
 */
export function divide(a: Decimal, b: Decimal, scale: number, rounding?: Rounding): Decimal {
  if (!/^([12]?\d|30)$/.test(`${scale}`))
    throw badInput('digits', 'must be a whole number from 0 to 30');
  if (b.digits <= 0n) throw badInput('divisor', 'must be above zero');
  const up = scale + b.scale - a.scale;
  return { digits: quotient(a.digits * tenTo(up), b.digits * tenTo(-up), rounding), scale };
}

function finer(value: Decimal, scale: number): bigint {
  return value.digits * tenTo(scale - value.scale);
}

/**
 * Returns a power of ten. For a negative exponent, returns 1, because the caller then multiplies
 * the other side of the fraction.
 */
function tenTo(power: number): bigint {
  return power > 0 ? 10n ** BigInt(power) : 1n;
}

/** Divides two integers. A negative quotient is rounded like a positive one. */
function quotient(over: bigint, under: bigint, rounding: Rounding | undefined): bigint {
  if (over < 0n) return -quotient(-over, under, rounding);
  const whole = over / under;
  const rest = over - whole * under;
  return rest > 0n && goesUp(whole, 2n * rest - under, rounding) ? whole + 1n : whole;
}

/**
 * Decides whether to round away from zero. `beyondHalf` is positive if the remainder is more than
 * one half, and negative if it's less.
 */
function goesUp(whole: bigint, beyondHalf: bigint, rounding: Rounding | undefined): boolean {
  if (rounding === undefined)
    throw badInput('amount', `would lose digits: set rounding to one of ${ROUNDING}`);
  const mode = ROUNDING.indexOf(rounding);
  const nearest = beyondHalf > 0n || (beyondHalf === 0n && (mode > 1 || whole % 2n > 0n));
  return mode > 2 || (mode > 0 && nearest);
}
