import type { Ticks } from '../../core/time/index.ts';

/** First place of an ascending list whose item is not before `ticks`. */
export function positionOf(items: readonly { readonly created: Ticks }[], ticks: Ticks): number {
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
  else items.splice(positionOf(items, item.created + 1n), 0, item);
}
