import { toSeconds, textOfSecond, type Ticks, TICKS_PER_SECOND } from '../../core/time.ts';

const ZONE = '+00:00';
export const TICKS_PER_MS = 10_000n;
export const TICKS_PER_US = 10n;

export function ticksOfMillis(ms: number): Ticks {
  return BigInt(Math.floor(ms)) * TICKS_PER_MS;
}

/** Rounds a time down to six fraction digits, the precision that the service stores. */
export function storedTicks(ticks: Ticks): Ticks {
  return ticks - (ticks % TICKS_PER_US);
}

/**
 * Formats a time as in the service's responses, without trailing zeros.
 *
 * @example textOfTicks(17_727_000_000_000_000n) // '2026-03-05T08:40:00+00:00'
 */
export function textOfTicks(ticks: Ticks): string {
  const fraction = ticks % TICKS_PER_SECOND;
  const digits = fraction.toString().padStart(7, '0').replace(/0+$/, '');
  return `${textOfSecond(toSeconds(ticks)).slice(0, -1)}${digits && `.${digits}`}${ZONE}`;
}

/**
 * Adds a seventh fraction digit to a time, as in webhooks and responses to create requests. The
 * service doesn't store this digit.
 */
export function withSeventhDigit(text: string): string {
  const [second = '', fraction = ''] = text.slice(0, -ZONE.length).split('.');
  const micros = fraction.padEnd(6, '0');
  return `${second}.${micros}${1n + (BigInt(micros) % 9n)}${ZONE}`;
}
