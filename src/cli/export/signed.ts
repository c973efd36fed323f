import { add, compare, type Decimal, decimalText, parseDecimal } from '../../money/decimal.ts';

export const ZERO: Decimal = { digits: 0n, scale: 0 };

/** Reads a decimal text that may begin with a minus, as those of balances do. */
export function parseSigned(text: string): Decimal {
  return text.startsWith('-') ? negate(parseDecimal(text.slice(1))) : parseDecimal(text);
}

/** Writes a decimal with a minus where it is below zero. */
export function signedText({ digits, scale }: Decimal): string {
  return digits < 0n
    ? `-${decimalText({ digits: -digits, scale })}`
    : decimalText({ digits, scale });
}

export function negate({ digits, scale }: Decimal): Decimal {
  return { digits: -digits, scale };
}

export function isZero(value: Decimal): boolean {
  return compare(value, ZERO) === 0;
}

/** The exact sum, with the digits of the finest. */
export function sum(values: readonly Decimal[]): Decimal {
  return values.reduce(add, ZERO);
}
