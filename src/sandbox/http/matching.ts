import type { Ticks } from '../../core/instant.ts';
import { placeOf } from '../time/instants.ts';
import { lookupOf } from './columns.ts';
import type { Listing } from './fields.ts';
import type { Filter, Literal } from './odata.ts';

export type Test<Item> = (item: Item, place: number) => boolean;

type Comparison = Extract<Filter, { is: 'comparison' }>;

/** Makes a function of a filter. An absent field matches nothing. */
export function testOf<Item extends { readonly created: Ticks }>(filter: Filter, listing: Listing<Item>): Test<Item> {
  const set = setOf(filter);
  if (set) return memberTest(set, listing);
  if (filter.is === 'comparison') return comparisonTest(filter, listing);
  const any = filter.is === 'or';
  const tests = (any ? grouped(filter.parts, listing) : filter.parts).map((part) => testOf(part, listing));
  if (tests.length < 2) return tests[0] ?? (() => !any);
  return (item, place) => {
    for (const test of tests) if (test(item, place) === any) return any;
    return !any;
  };
}

/** Alternatives with all sets of one field as one, and without spans of time in which there is nothing. */
function grouped<Item extends { readonly created: Ticks }>(parts: readonly Filter[], { items }: Listing<Item>): readonly Filter[] {
  const bySet = new Map<string | Filter, Filter[]>();
  for (const part of parts) {
    const span = part.is === 'comparison' ? spanOf(part, items) : undefined;
    if (span && span.low >= span.high) continue;
    const key = setOf(part)?.field ?? part;
    bySet.set(key, [...(bySet.get(key) ?? []), part]);
  }
  return Array.from(bySet.values(), (same) => (same.length === 1 ? same[0]! : { is: 'or', parts: same }));
}

function comparisonTest<Item extends { readonly created: Ticks }>(comparison: Comparison, { items, fields }: Listing<Item>): Test<Item> {
  const span = spanOf(comparison, items);
  if (span) return (_, place) => place >= span.low && place < span.high;
  const { of } = fields[comparison.field]!;
  const literal = comparison.literals[0]!;
  const held = (decide: (value: Literal) => boolean): Test<Item> => (item) => {
    const value = of(item);
    return value !== undefined && decide(value);
  };
  switch (comparison.operator) {
    case 'gt': return held((value) => value > literal);
    case 'ge': return held((value) => value >= literal);
    case 'lt': return held((value) => value < literal);
    case 'le': return held((value) => value <= literal);
    default: throw new Error('a set is no comparison');
  }
}

function memberTest<Item extends object>({ field, literals }: ValueSet, { items, fields }: Listing<Item>): Test<Item> {
  const { of, indexed } = fields[field]!;
  if (!indexed) return (item) => literals.has(of(item)!);
  const { gone, valuesOf } = lookupOf(items, fields);
  const values = valuesOf(field);
  const [only] = literals;
  return literals.size === 1 ? (_, place) => values[place + gone] === only : (_, place) => literals.has(values[place + gone]!);
}

/** Values of one field, of which it must have one. */
export interface ValueSet {
  readonly field: string;
  readonly literals: ReadonlySet<Literal>;
}

/** `a eq 1 or a eq 2 or a in (3)` on one field is a set, which costs the same for any number of members. */
export function setOf(filter: Filter): ValueSet | undefined {
  if (filter.is === 'comparison') {
    const isSet = (filter.operator === 'eq' || filter.operator === 'in') && filter.field !== 'created';
    return isSet ? { field: filter.field, literals: new Set(filter.literals) } : undefined;
  }
  if (filter.is === 'and') return undefined;
  const sets = filter.parts.map(setOf);
  const field = sets[0]?.field;
  if (field === undefined || sets.some((set) => set?.field !== field)) return undefined;
  return { field, literals: new Set(sets.flatMap((set) => [...set!.literals])) };
}

/** Places from `low` up to and without `high`. */
export interface Span {
  readonly low: number;
  readonly high: number;
}

/** A comparison of `created` leaves one span of an ascending list, exactly; nothing for any other comparison. */
export function spanOf<Item extends { readonly created: Ticks }>({ field, operator, literals }: Comparison, items: readonly Item[]): Span | undefined {
  if (field !== 'created') return undefined;
  const at = literals[0] as Ticks;
  const from = (ticks: Ticks): number => placeOf(items, ticks);
  switch (operator) {
    case 'gt': return { low: from(at + 1n), high: items.length };
    case 'ge': return { low: from(at), high: items.length };
    case 'lt': return { low: 0, high: from(at) };
    case 'le': return { low: 0, high: from(at + 1n) };
    default: return { low: from(at), high: from(at + 1n) };
  }
}
