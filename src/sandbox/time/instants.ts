import { toSeconds, textOfSecond, type Ticks, TICKS_PER_SECOND } from '../../core/time.ts';

const ZONE = '+00:00';
export const TICKS_PER_MS = 10_000n;
export const TICKS_PER_US = 10n;

/** Ticks of a time in milliseconds since 1970. */
export function ticksOfMillis(ms: number): Ticks {
  return BigInt(Math.floor(ms)) * TICKS_PER_MS;
}

/** A time as it is stored, listed and compared: with six fraction digits. */
export function storedTicks(ticks: Ticks): Ticks {
  return ticks - (ticks % TICKS_PER_US);
}

/**
 * A time as answers show it, without zeros at the end.
 *
 * @example textOfTicks(17_727_000_000_000_000n) // '2026-03-05T08:40:00+00:00'
 */
export function textOfTicks(ticks: Ticks): string {
  const fraction = ticks % TICKS_PER_SECOND;
  const digits = fraction.toString().padStart(7, '0').replace(/0+$/, '');
  return `${textOfSecond(toSeconds(ticks)).slice(0, -1)}${digits && `.${digits}`}${ZONE}`;
}

/**
 * A time as answers show it with a seventh digit, which is in the response to a creation and in
 * webhooks, and is not stored.
 */
export function withSeventhDigit(text: string): string {
  const [second = '', fraction = ''] = text.slice(0, -ZONE.length).split('.');
  const micros = fraction.padEnd(6, '0');
  return `${second}.${micros}${1n + (BigInt(micros) % 9n)}${ZONE}`;
}
