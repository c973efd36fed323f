import { secondsOf, textOfSecond, type Ticks, TICKS_PER_SECOND } from '../../core/time/index.ts';

export const TICKS_PER_MS = 10_000n;

/** Ticks of a time in milliseconds since 1970. */
export function ticksOfMillis(ms: number): Ticks {
  return BigInt(Math.floor(ms)) * TICKS_PER_MS;
}

/**
 * A time as answers show it: seven fraction digits are stored, six printed (in deliveries all seven), zeros at the end cut.
 *
 * @example printed(17_727_000_000_000_000n) // '2026-03-05T08:40:00+00:00'
 */
export function printed(ticks: Ticks, most = 6): string {
  const fraction = ticks % TICKS_PER_SECOND;
  const digits = fraction.toString().padStart(7, '0').slice(0, most).replace(/0+$/, '');
  return `${textOfSecond(secondsOf(ticks)).slice(0, -1)}${digits && `.${digits}`}+00:00`;
}

/** First place of an ascending list whose item is not before `ticks`. */
export function placeOf(items: readonly { readonly created: Ticks }[], ticks: Ticks): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle]!.created < ticks) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** First place of ascending numbers that is not below `value`. */
export function lowerBound(numbers: readonly number[], value: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Puts an item where its time belongs: at the end, unless a clock was wrong. */
export function insert<Item extends { readonly created: Ticks }>(items: Item[], item: Item): void {
  const last = items.at(-1);
  if (!last || last.created <= item.created) items.push(item);
  else items.splice(placeOf(items, item.created + 1n), 0, item);
}
