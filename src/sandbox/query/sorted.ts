import type { Ticks } from '../../core/time.ts';
import { bisect } from '../time/bisect.ts';

/** First position of an ascending list whose item is not before `ticks`. */
export function positionOf(items: readonly { readonly created: Ticks }[], ticks: Ticks): number {
  return bisect(0, items.length, (position) => items[position]!.created >= ticks);
}

/** First position of ascending numbers that is not below `value`. */
export function lowerBound(numbers: readonly number[], value: number): number {
  return bisect(0, numbers.length, (position) => numbers[position]! >= value);
}

/** Puts an item where its time belongs: at the end, unless a clock was wrong. */
export function insert<Item extends { readonly created: Ticks }>(items: Item[], item: Item): void {
  const last = items.at(-1);
  if (!last || last.created <= item.created) items.push(item);
  else items.splice(positionOf(items, item.created + 1n), 0, item);
}
