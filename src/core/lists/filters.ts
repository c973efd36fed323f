import { badInput } from '../errors/index.ts';
import { textOfSecond, type Ticks, ticksOf } from '../time.ts';

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
function timeText(field: string, time: string | Date): string {
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

declare const resource: unique symbol;

/** A condition on the rows of one resource's list. */
export interface Condition<Resource extends string> {
  /** Never present: keeps conditions of different resources apart. */
  readonly [resource]?: Resource;
  /** As OData, for reading; values in it cannot change its form. */
  readonly text: string;
  /** Both hold. */
  and(other: Condition<Resource>): Condition<Resource>;
  /** At least one holds. */
  or(other: Condition<Resource>): Condition<Resource>;
}

/** What a text can be asked. */
export interface TextField<Resource extends string, Value extends string> {
  /** Equal to this. */
  eq(value: Value): Condition<Resource>;
  /** One of these, at least one. */
  in(values: readonly Value[]): Condition<Resource>;
}

/** What a time can be asked, with dates or ISO 8601 date-times. */
export interface TimeField<Resource extends string> {
  /** At this time. */
  eq(time: string | Date): Condition<Resource>;
  /** After this time. */
  gt(time: string | Date): Condition<Resource>;
  /** Before this time. */
  lt(time: string | Date): Condition<Resource>;
}

/** What a time can be asked where the service knows all four orders. */
export interface OrderedTimeField<Resource extends string> extends TimeField<Resource> {
  /** At this time or after it. */
  ge(time: string | Date): Condition<Resource>;
  /** At this time or before it. */
  le(time: string | Date): Condition<Resource>;
}

/** A term of a text that is either a comparison, a chain of `and`, or in parentheses. */
function termOf<Resource extends string>(text: string): Condition<Resource> {
  return Object.freeze({
    text,
    and: (other: Condition<Resource>) => termOf<Resource>(`${text} and ${other.text}`),
    or: (other: Condition<Resource>) => termOf<Resource>(`(${text} or ${other.text})`),
  });
}

/** Makes a text field; `in` becomes a chain of `or`, which every list takes. */
export function textField<Resource extends string, Value extends string>(
  name: string,
): TextField<Resource, Value> {
  const eq = (value: Value) => {
    if (typeof value !== 'string') throw badInput(name, 'must be a text');
    return termOf<Resource>(equals(name, value)!);
  };
  return {
    eq,
    in(values) {
      const [first, ...more] = values.map(eq);
      if (!first) throw badInput(name, 'needs at least one value');
      return more.length === 0
        ? first
        : termOf(`(${[first, ...more].map(({ text }) => text).join(' or ')})`);
    },
  };
}

/** Makes a time field. Times stand bare in a filter, so they are checked. */
export function timeField<Resource extends string>(name: string): OrderedTimeField<Resource> {
  const compare = (operator: string) => (time: string | Date) =>
    termOf<Resource>(`${name} ${operator} ${timeText(name, time)}`);
  return {
    eq: compare('eq'),
    gt: compare('gt'),
    lt: compare('lt'),
    ge: compare('ge'),
    le: compare('le'),
  };
}
