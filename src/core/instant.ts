/** 100-nanosecond steps since 1970: the service prints up to seven fraction digits. */
export type Ticks = bigint;

export const TICKS_PER_SECOND = 10_000_000n;

const FORM = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,18}))?([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * Reads an ISO 8601 date-time with offset exactly; `undefined` where the text is none.
 * Digits beyond the seventh are cut, as the service stores seven.
 */
export function ticksOf(text: string): Ticks | undefined {
  const match = FORM.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zone] = match as unknown as string[];
  const leap = second === '60' ? 1 : 0; // a leap second is read as the second after :59
  const utc = Date.UTC(+year!, +month! - 1, +day!, +hour!, +minute!, +second! - leap);
  if (!isCalendarDate(+year!, +month!, +day!) || +hour! > 23 || +minute! > 59 || +second! > 60) return undefined;
  const offset = zone!.toUpperCase() === 'Z' ? 0 : offsetMinutes(zone!);
  if (offset === undefined) return undefined;
  const seconds = BigInt(utc / 1_000 + leap - offset * 60);
  return seconds * TICKS_PER_SECOND + BigInt(fraction.padEnd(7, '0').slice(0, 7));
}

function isCalendarDate(year: number, month: number, day: number): boolean {
  const lastDay = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  return month >= 1 && month <= 12 && day >= 1 && day <= lastDay;
}

function offsetMinutes(zone: string): number | undefined {
  const hours = +zone.slice(1, 3);
  const minutes = +zone.slice(4, 6);
  if (hours > 23 || minutes > 59) return undefined;
  return (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes);
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
