import { badInput } from '../errors/index.ts';
import { textOfSecond, type Ticks, ticksOf } from '../time/index.ts';

/**
 * A text as a filter literal: quotes are doubled, so that it stays one literal whatever it holds.
 */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** `field eq 'text'`; nothing where no text was given. */
export function equals(field: string, text: string | undefined): string | undefined {
  return text === undefined ? text : `${field} eq ${literal(text)}`;
}

/** A time that a caller gave, as text with seconds, checked: it stands bare in a filter. */
export function timeText(field: string, time: string | Date): string {
  try {
    const text =
      typeof time === 'string' ? time.replace(/T..:..(?=[Z+-])/i, '$&:00') : time.toISOString();
    if (ticksOf(text) !== undefined) return text;
  } catch {
    // a date without a time, or something else
  }
  throw badInput(field, 'must be a Date or ISO 8601, such as 2026-03-04T09:15:00Z');
}

/** The exact time of one that a caller gave. */
export function instant(field: string, time: string | Date): Ticks {
  return ticksOf(timeText(field, time))!;
}

/** `created gt …` or `created lt …`, checked; nothing where no date-time was given. */
export function createdWhere(
  operator: 'gt' | 'lt',
  field: string,
  time: string | Date | undefined,
): string | undefined {
  return time === undefined ? time : `created ${operator} ${timeText(field, time)}`;
}

/** Created between two whole seconds, both exclusive; open on a side without one. */
export function between(after: number | undefined, before: number | undefined): string | undefined {
  return allOf(
    after === undefined ? after : `created gt ${textOfSecond(after)}`,
    before === undefined ? before : `created lt ${textOfSecond(before)}`,
  );
}

/** `a eq '1' or a eq '2' …` */
export function anyOf(field: string, texts: readonly string[]): string {
  return texts.map((text) => equals(field, text)).join(' or ');
}

/** Terms that must all hold; absent ones are left out. */
export function allOf(...terms: readonly (string | undefined)[]): string | undefined {
  const present = terms.filter((term) => term !== undefined);
  return present.length === 0 ? undefined : present.join(' and ');
}

/** Largest page that the service gives. */
export const PAGE = 100;

/** Checks a page size: a whole number from 1 to 100. */
export function pageSize(value: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= PAGE) return value;
  throw badInput('pageSize', `must be a whole number from 1 to ${PAGE}`);
}
