/**
 * The smallest whole number from `low` up to and without `high` for which it holds, and for all
 * above it; else `high`.
 */
export function bisect(low: number, high: number, holds: (value: number) => boolean): number {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
