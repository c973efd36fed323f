import type { Ticks } from '../../core/instant.ts';
import type { FieldKind, Filter, Literal } from './odata.ts';

/** How a filter gets at a field of an item. */
export interface Field<Item> {
  readonly kind: FieldKind;
  of(item: Item): Literal | undefined;
}

export type Fields<Item> = Readonly<Record<string, Field<Item>>>;
export type Test<Item> = (item: Item) => boolean;

/** Makes a function of a filter. An absent field matches nothing. */
export function testOf<Item>(filter: Filter, fields: Fields<Item>): Test<Item> {
  if (filter.is === 'comparison') return comparisonTest(filter, fields);
  const set = filter.is === 'or' ? setOf(filter.parts) : undefined;
  if (set) return memberTest(fields[set.field]!, set.literals);
  const tests = filter.parts.map((part) => testOf(part, fields));
  const any = filter.is === 'or';
  return (item) => {
    for (const test of tests) if (test(item) === any) return any;
    return !any;
  };
}

function comparisonTest<Item>({ field, operator, literals }: Extract<Filter, { is: 'comparison' }>, fields: Fields<Item>): Test<Item> {
  const { of } = fields[field]!;
  const literal = literals[0]!;
  const held = (decide: (value: Literal) => boolean): Test<Item> => (item) => {
    const value = of(item);
    return value !== undefined && decide(value);
  };
  switch (operator) {
    case 'eq': return held((value) => value === literal);
    case 'gt': return held((value) => value > literal);
    case 'ge': return held((value) => value >= literal);
    case 'lt': return held((value) => value < literal);
    case 'le': return held((value) => value <= literal);
    case 'in': return memberTest(fields[field]!, literals);
  }
}

function memberTest<Item>({ of }: Field<Item>, literals: readonly Literal[]): Test<Item> {
  const members = new Set<Literal | undefined>(literals);
  return (item) => members.has(of(item));
}

/** `a eq 1 or a eq 2 or a in (3)` on one field is a set, which costs the same for any number of members. */
function setOf(parts: readonly Filter[]): { field: string; literals: Literal[] } | undefined {
  const literals: Literal[] = [];
  let field: string | undefined;
  for (const part of parts) {
    if (part.is !== 'comparison' || (part.operator !== 'eq' && part.operator !== 'in')) return undefined;
    if (part.field !== (field ??= part.field)) return undefined;
    literals.push(...part.literals);
  }
  return field === undefined ? undefined : { field, literals };
}

/** Bounds of `created` outside of which nothing can match; both inclusive, absent where there is none. */
export interface Window {
  readonly from?: Ticks | undefined;
  readonly to?: Ticks | undefined;
}

/** The window of `created` that a filter leaves: what an ascending list needs to look at. */
export function windowOf(filter: Filter | undefined): Window {
  if (filter?.is === 'and') return filter.parts.map(windowOf).reduce(narrower);
  if (filter?.is !== 'comparison' || filter.field !== 'created') return {};
  const at = filter.literals[0] as Ticks;
  switch (filter.operator) {
    case 'gt': case 'ge': return { from: at };
    case 'lt': case 'le': return { to: at };
    default: return { from: at, to: at };
  }
}

function narrower(a: Window, b: Window): Window {
  const from = a.from === undefined || (b.from !== undefined && b.from > a.from) ? b.from : a.from;
  const to = a.to === undefined || (b.to !== undefined && b.to < a.to) ? b.to : a.to;
  return { from, to };
}
