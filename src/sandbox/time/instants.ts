import { secondsOf, textOfSecond, type Ticks, TICKS_PER_SECOND } from '../../core/time/index.ts';

export const TICKS_PER_MS = 10_000n;

/** Ticks of a time in milliseconds since 1970. */
export function ticksOfMillis(ms: number): Ticks {
  return BigInt(Math.floor(ms)) * TICKS_PER_MS;
}

/**
 * A time as answers show it: seven fraction digits are stored, six printed (in deliveries all
 * seven), zeros at the end cut.
 *
 * @example printed(17_727_000_000_000_000n) // '2026-03-05T08:40:00+00:00'
 */
export function textOfTicks(ticks: Ticks, most = 6): string {
  const fraction = ticks % TICKS_PER_SECOND;
  const digits = fraction.toString().padStart(7, '0').slice(0, most).replace(/0+$/, '');
  return `${textOfSecond(secondsOf(ticks)).slice(0, -1)}${digits && `.${digits}`}+00:00`;
}
