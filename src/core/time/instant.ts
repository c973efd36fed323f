/** 100-nanosecond steps since 1970: the service prints up to seven fraction digits. */
export type Ticks = bigint;

export const TICKS_PER_SECOND = 10_000_000n;

/**
 * Reads an ISO 8601 date-time with offset exactly; `undefined` where the text is none.
 * Digits beyond the seventh are cut, as the service stores seven.
 */
export function ticksOf(text: string): Ticks | undefined {
  const form =
    /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d):([0-5]\d|60)(?:\.(\d{1,18}))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
  const [, day = '', hour, second, fraction = '', zone = ''] = form.exec(text) ?? [];
  if (!new Date(day).toJSON()?.startsWith(day)) return undefined; // none, or not in the calendar
  const minute = Date.parse(`${day}T${hour}:00${zone.toUpperCase()}`);
  return (
    BigInt(minute / 1_000 + Number(second)) * TICKS_PER_SECOND +
    BigInt(fraction.padEnd(7, '0').slice(0, 7))
  ); // :60 is the next minute's :00
}

/** Whole seconds since 1970, rounded down. */
export function secondsOf(ticks: Ticks): number {
  const rest = ((ticks % TICKS_PER_SECOND) + TICKS_PER_SECOND) % TICKS_PER_SECOND;
  return Number((ticks - rest) / TICKS_PER_SECOND);
}

/** Milliseconds since 1970 of a date-time text; `undefined` where it is none. */
export function millisOf(text: string): number | undefined {
  const ticks = ticksOf(text);
  return ticks === undefined ? undefined : Number(ticks / 10_000n);
}

/** A date-time text in UTC with whole seconds, as filters take it. */
export function textOfSecond(second: number): string {
  return `${new Date(second * 1_000).toISOString().slice(0, 19)}Z`;
}
