import {
  badInput,
  checkArgument,
  checkOptions,
  type Expected,
  nameOfType,
} from '../errors/index.ts';
import { textOfSecond, type Ticks, parseTicks } from '../time.ts';

/** Formats a string as an OData literal, with quotes doubled so they can't end the literal. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Formats the OData filter `field eq 'text'`, or returns `undefined` if there's no value. */
export function equals(field: string, text: string | undefined): string | undefined {
  return text === undefined ? text : `${field} eq ${literal(text)}`;
}

/**
 * Formats a time with seconds for a filter. Validates the time, because filters contain times
 * without quotes.
 */
function timeText(field: string, time: string | Date): string {
  try {
    const text =
      typeof time === 'string' ? time.replace(/T..:..(?=[Z+-])/i, '$&:00') : time.toISOString();
    // The service refuses leap seconds.
    if (parseTicks(text) !== undefined && !text.includes(':60')) return text;
  } catch {
    // the date is invalid
  }
  throw badInput(field, 'must be a Date or an ISO 8601 string, such as 2026-03-04T09:15:00Z');
}

export function instant(field: string, time: string | Date): Ticks {
  return parseTicks(timeText(field, time))!;
}

interface CreatedFilter {
  readonly createdAfter?: string | Date | undefined;
  readonly createdBefore?: string | Date | undefined;
}

/** Formats the OData filter `created gt …`, `created lt …`, or both. */
export function createdIn({ createdAfter, createdBefore }: CreatedFilter): string | undefined {
  return allOf(
    createdAfter === undefined
      ? createdAfter
      : `created gt ${timeText('createdAfter', createdAfter)}`,
    createdBefore === undefined
      ? createdBefore
      : `created lt ${timeText('createdBefore', createdBefore)}`,
  );
}

/** Formats an OData filter with exclusive bounds on the creation time, in whole seconds. */
export function between(after: number | undefined, before: number | undefined): string | undefined {
  return allOf(
    after === undefined ? after : `created gt ${textOfSecond(after)}`,
    before === undefined ? before : `created lt ${textOfSecond(before)}`,
  );
}

/** Formats the OData filter `a eq '1' or a eq '2' …`. */
export function anyOf(field: string, texts: readonly string[]): string {
  return texts.map((text) => equals(field, text)).join(' or ');
}

export function allOf(...terms: readonly (string | undefined)[]): string | undefined {
  const present = terms.filter((term) => term !== undefined);
  return present.length === 0 ? undefined : present.join(' and ');
}

/** The service's maximum page size. */
export const PAGE = 100;

export function pageSize(value: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= PAGE) return value;
  throw badInput('pageSize', `must be a whole number from 1 to ${PAGE}`);
}

declare const resource: unique symbol;

/** A condition for filtering one resource's list. */
export interface Condition<Resource extends string> {
  /** Never present at runtime. Only distinguishes the conditions of different resources. */
  readonly [resource]?: Resource;
  /**
   * The condition as an OData string, for display. Values are escaped, so they can't change the
   * condition's structure.
   */
  readonly text: string;
  /** Checks whether a row matches the condition. */
  matches(row: object): boolean;
  /** Creates a condition that matches if both conditions match. */
  and(other: Condition<Resource>): Condition<Resource>;
  /** Creates a condition that matches if at least one of the two conditions matches. */
  or(other: Condition<Resource>): Condition<Resource>;
}

/** Creates conditions for a string field. */
export interface TextField<Resource extends string, Value extends string> {
  /** Creates a condition that matches if the field equals the value. */
  eq(value: Value): Condition<Resource>;
  /**
   * Creates a condition that matches if the field equals any of the values. The array must not be
   * empty.
   */
  in(values: readonly Value[]): Condition<Resource>;
}

/**
 * Creates conditions for a time field. Times are given as `Date` objects or ISO 8601 date-times.
 */
export interface TimeField<Resource extends string> {
  /** Creates a condition that matches if the field equals the time. */
  eq(time: string | Date): Condition<Resource>;
  /** Creates a condition that matches if the field is after the time. */
  gt(time: string | Date): Condition<Resource>;
  /** Creates a condition that matches if the field is before the time. */
  lt(time: string | Date): Condition<Resource>;
}

/** Creates conditions for a time field for which the service also supports `ge` and `le`. */
export interface OrderedTimeField<Resource extends string> extends TimeField<Resource> {
  /** Creates a condition that matches if the field is at or after the time. */
  ge(time: string | Date): Condition<Resource>;
  /** Creates a condition that matches if the field is at or before the time. */
  le(time: string | Date): Condition<Resource>;
}

function isCondition(given: unknown): given is Condition<string> {
  return typeof (Object(given) as Condition<string>).matches === 'function';
}

/**
 * Validates a list's filter, because a filter with only unknown fields would match all rows.
 * Returns the OData string if the filter is a condition.
 */
export function checkFilter<T>(filter: unknown, members: Expected<T>): string | undefined {
  if (isCondition(filter)) return filter.text;
  checkOptions(filter, members, 'filter.');
  return undefined;
}

export function buildCondition<Resource extends string, Fields>(
  build: (fields: Fields) => Condition<Resource>,
  fields: Fields,
): Condition<Resource> {
  checkArgument('build', build, 'function!');
  return checkCondition(build(fields));
}

function checkCondition<Resource extends string>(given: Condition<Resource>): Condition<Resource> {
  if (isCondition(given)) return given;
  throw badInput(
    'condition',
    `must be a condition such as f.state.eq('PAID'), not ${nameOfType(given)}`,
  );
}

function readMember(row: object, name: string): unknown {
  return new Map<string, unknown>(Object.entries(row)).get(name);
}

/** Creates a condition. `text` must be a comparison, a chain of `and`, or a term in parentheses. */
function makeCondition<Resource extends string>(
  text: string,
  matches: (row: object) => boolean,
): Condition<Resource> {
  return Object.freeze({
    text,
    matches,
    and: (other: Condition<Resource>) =>
      makeCondition<Resource>(
        `${text} and ${checkCondition(other).text}`,
        (row) => matches(row) && other.matches(row),
      ),
    or: (other: Condition<Resource>) =>
      makeCondition<Resource>(
        `(${text} or ${checkCondition(other).text})`,
        (row) => matches(row) || other.matches(row),
      ),
  });
}

/**
 * Creates the conditions for a string field. `in` becomes a chain of `or`, because every list
 * accepts that. `read` returns the row's value, by default from the property with the field's name.
 */
export function textField<Resource extends string, Value extends string>(
  name: string,
  read: (row: never) => unknown = (row) => readMember(row, name),
): TextField<Resource, Value> {
  const eq = (value: Value) => {
    if (typeof value !== 'string') throw badInput(name, 'must be a string');
    return makeCondition<Resource>(equals(name, value)!, (row) => read(row as never) === value);
  };
  return {
    eq,
    in(values) {
      checkArgument(name, values, 'array!');
      const [first, ...more] = values.map(eq);
      if (!first) throw badInput(name, 'needs at least one value');
      if (more.length === 0) return first;
      const all = [first, ...more];
      return makeCondition(`(${all.map(({ text }) => text).join(' or ')})`, (row) =>
        all.some((one) => one.matches(row)),
      );
    },
  };
}

export function timeField<Resource extends string>(name: string): OrderedTimeField<Resource> {
  const compare =
    (operator: string, holds: (a: Ticks, b: Ticks) => boolean) => (time: string | Date) => {
      const text = timeText(name, time);
      const limit = parseTicks(text)!;
      return makeCondition<Resource>(`${name} ${operator} ${text}`, (row) => {
        const at = parseTicks(String(readMember(row, name)));
        return at !== undefined && holds(at, limit);
      });
    };
  return {
    eq: compare('eq', (a, b) => a === b),
    gt: compare('gt', (a, b) => a > b),
    lt: compare('lt', (a, b) => a < b),
    ge: compare('ge', (a, b) => a >= b),
    le: compare('le', (a, b) => a <= b),
  };
}
