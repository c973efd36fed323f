import { badInput } from '../errors/index.ts';
import { equals, instant } from './odata.ts';

declare const resource: unique symbol;

/** A condition on the items of one resource's list. */
export interface Condition<Resource extends string> {
  readonly [resource]?: Resource;
  /** As OData, for reading; values in it cannot change its form. */
  readonly text: string;
  /** Both hold. */
  and(other: Condition<Resource>): Condition<Resource>;
  /** At least one holds. */
  or(other: Condition<Resource>): Condition<Resource>;
}

/** Conditions on a text. */
export interface TextField<Resource extends string, Value extends string> {
  eq(value: Value): Condition<Resource>;
  /** One of these, at least one. */
  in(values: readonly Value[]): Condition<Resource>;
}

/** Conditions on a time, with ISO 8601 date-times. */
export interface TimeField<Resource extends string> {
  eq(time: string): Condition<Resource>;
  gt(time: string): Condition<Resource>;
  lt(time: string): Condition<Resource>;
}

/** Conditions on a time where the service knows all four orders. */
export interface OrderedTimeField<Resource extends string> extends TimeField<Resource> {
  ge(time: string): Condition<Resource>;
  le(time: string): Condition<Resource>;
}

/** A condition of a text that is either a comparison, a chain of `and`, or in parentheses. */
function conditionOf<Resource extends string>(text: string): Condition<Resource> {
  return Object.freeze({
    text,
    and: (other: Condition<Resource>) => conditionOf<Resource>(`${text} and ${other.text}`),
    or: (other: Condition<Resource>) => conditionOf<Resource>(`(${text} or ${other.text})`),
  });
}

/** Makes a text field; `in` becomes a chain of `or`, which every list takes. */
export function textField<Resource extends string, Value extends string>(
  name: string,
): TextField<Resource, Value> {
  const eq = (value: Value) => {
    if (typeof value !== 'string') throw badInput(name, 'must be a text');
    return conditionOf<Resource>(equals(name, value)!);
  };
  return {
    eq,
    in(values) {
      const [first, ...more] = values.map(eq);
      if (!first) throw badInput(name, 'needs at least one value');
      return more.length === 0
        ? first
        : conditionOf(`(${[first, ...more].map(({ text }) => text).join(' or ')})`);
    },
  };
}

/** Makes a time field. Times stand bare in a filter, so they are checked. */
export function timeField<Resource extends string>(name: string): OrderedTimeField<Resource> {
  const compare = (operator: string) => (time: string) => {
    instant(name, time);
    return conditionOf<Resource>(`${name} ${operator} ${time}`);
  };
  return {
    eq: compare('eq'),
    gt: compare('gt'),
    lt: compare('lt'),
    ge: compare('ge'),
    le: compare('le'),
  };
}
