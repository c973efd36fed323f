const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/**
 * When a settled invoice is read next, as no event may tell that it moved on: every five minutes for
 * an hour, then hourly for a day. `since`: when it was settled; all on one clock, milliseconds.
 */
export function tailDue(since: number, now: number): number {
  const age = now - since;
  if (age >= 24 * HOUR) return Infinity;
  const period = age < HOUR ? 5 * MINUTE : HOUR;
  return since + (Math.floor(age / period) + 1) * period;
}
