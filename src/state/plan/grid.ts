/** Longest period of a watch, milliseconds: its value is live throughout. */
const LONGEST = 20_000;
/** The same while its reads fail. */
const LONGEST_FAILING = 60_000;
/** A watch may be as slow as its age divided by this. */
const EASE = 30;
/** Part of a period that lies between any read and the next one on the grid. */
const APART = 1 / 4;

/**
 * Period of a watch: the base doubled as the watch ages and as reads fail, at most
 * 20 seconds, or a minute.
 * Powers of two of one base share a grid, so watches of any age meet in one request.
 */
export function periodOf(base: number, age: number, failures: number): number {
  const longest = failures > 0 ? LONGEST_FAILING : LONGEST;
  const wanted = Math.min(longest, Math.max(age / EASE, base * 2 ** failures));
  return base * 2 ** Math.max(0, Math.floor(Math.log2(wanted / base)));
}

/**
 * The next time that lies on the grid of this period and not too close: a part of `shortest` away.
 * All times in monotonic milliseconds.
 */
export function nextOnGrid(
  now: number,
  period: number,
  phase: number,
  shortest: number = period,
): number {
  return Math.ceil((now + shortest * APART - phase) / period) * period + phase;
}
