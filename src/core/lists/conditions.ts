import { badInput } from '../errors/index.ts';
import { equals, timeText } from './odata.ts';

declare const noun: unique symbol;

/** A condition on the rows of one noun's list. */
export interface Condition<Noun extends string> {
  /** Never present: keeps conditions of different resources apart. */
  readonly [noun]?: Noun;
  /** As OData, for reading; values in it cannot change its form. */
  readonly text: string;
  /** Both hold. */
  and(other: Condition<Noun>): Condition<Noun>;
  /** At least one holds. */
  or(other: Condition<Noun>): Condition<Noun>;
}

/** What a text can be asked. */
export interface TextField<Noun extends string, Value extends string> {
  /** Equal to this. */
  eq(value: Value): Condition<Noun>;
  /** One of these, at least one. */
  in(values: readonly Value[]): Condition<Noun>;
}

/** What a time can be asked, with dates or ISO 8601 date-times. */
export interface TimeField<Noun extends string> {
  /** At this time. */
  eq(time: string | Date): Condition<Noun>;
  /** After this time. */
  gt(time: string | Date): Condition<Noun>;
  /** Before this time. */
  lt(time: string | Date): Condition<Noun>;
}

/** What a time can be asked where the service knows all four orders. */
export interface OrderedTimeField<Noun extends string> extends TimeField<Noun> {
  /** At this time or after it. */
  ge(time: string | Date): Condition<Noun>;
  /** At this time or before it. */
  le(time: string | Date): Condition<Noun>;
}

/** A term of a text that is either a comparison, a chain of `and`, or in parentheses. */
function termOf<Noun extends string>(text: string): Condition<Noun> {
  return Object.freeze({
    text,
    and: (other: Condition<Noun>) => termOf<Noun>(`${text} and ${other.text}`),
    or: (other: Condition<Noun>) => termOf<Noun>(`(${text} or ${other.text})`),
  });
}

/** Makes a text field; `in` becomes a chain of `or`, which every list takes. */
export function textField<Noun extends string, Value extends string>(
  name: string,
): TextField<Noun, Value> {
  const eq = (value: Value) => {
    if (typeof value !== 'string') throw badInput(name, 'must be a text');
    return termOf<Noun>(equals(name, value)!);
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
export function timeField<Noun extends string>(name: string): OrderedTimeField<Noun> {
  const compare = (operator: string) => (time: string | Date) =>
    termOf<Noun>(`${name} ${operator} ${timeText(name, time)}`);
  return {
    eq: compare('eq'),
    gt: compare('gt'),
    lt: compare('lt'),
    ge: compare('ge'),
    le: compare('le'),
  };
}
