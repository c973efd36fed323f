import type { Ticks } from '../../core/time.ts';
import { indexOf } from './list-index.ts';
import type { Listing } from './fields.ts';
import type { Filter, Literal } from './odata.ts';
import { positionOf, lowerBound } from './sorted.ts';

/**
 * 1 at each position of a list whose item passes: the parts of a filter are combined byte by byte.
 */
export type Bitmap = Uint8Array<ArrayBuffer>;

type Comparison = Extract<Filter, { is: 'comparison' }>;

/** Applies a filter to a whole list. An absent field matches nothing. */
export function bitmapOf<Item extends { readonly created: Ticks }>(
  filter: Filter,
  listing: Listing<Item>,
): Bitmap {
  const set = valueSetOf(filter);
  if (set) return membersOf(set, listing);
  if (filter.is === 'comparison') return bitmapOfComparison(filter, listing);
  const [first, ...others] = filter.parts.map((part) => bitmapOf(part, listing));
  for (const other of others) {
    if (filter.is === 'and')
      for (let position = 0; position < other.length; position++)
        first![position]! &= other[position]!;
    else
      for (let position = 0; position < other.length; position++)
        first![position]! |= other[position]!;
  }
  return first!;
}

function membersOf<Item extends { readonly created: Ticks }>(
  { field, literals }: ValueSet,
  { items, fields }: Listing<Item>,
): Bitmap {
  const { of, indexed } = fields[field]!;
  if (!indexed) return bitmapWhere(items, (item) => literals.has(of(item)!));
  const bitmap = new Uint8Array(items.length);
  const { offset, rowIdsOf } = indexOf(items, fields);
  for (const literal of literals) {
    const rowIds = rowIdsOf(field, literal);
    for (let index = lowerBound(rowIds, offset); index < rowIds.length; index++)
      bitmap[rowIds[index]! - offset] = 1;
  }
  return bitmap;
}

function bitmapOfComparison<Item extends { readonly created: Ticks }>(
  comparison: Comparison,
  { items, fields }: Listing<Item>,
): Bitmap {
  const span = spanOf(comparison, items);
  if (span) return new Uint8Array(items.length).fill(1, span.low, span.high);
  const { of } = fields[comparison.field]!;
  const decide = deciderOf(comparison);
  return bitmapWhere(items, (item) => {
    const value = of(item);
    return value !== undefined && decide(value);
  });
}

function deciderOf({ operator, literals }: Comparison): (value: Literal) => boolean {
  const literal = literals[0]!;
  switch (operator) {
    case 'gt':
      return (value) => value > literal;
    case 'ge':
      return (value) => value >= literal;
    case 'lt':
      return (value) => value < literal;
    case 'le':
      return (value) => value <= literal;
    default:
      throw new Error('a set is no comparison');
  }
}

function bitmapWhere<Item>(items: readonly Item[], passes: (item: Item) => boolean): Bitmap {
  const bitmap = new Uint8Array(items.length);
  for (let position = 0; position < items.length; position++)
    if (passes(items[position]!)) bitmap[position] = 1;
  return bitmap;
}

/** Values of one field, of which it must have one. */
export interface ValueSet {
  readonly field: string;
  readonly literals: ReadonlySet<Literal>;
}

/**
 * `a eq 1 or a eq 2 or a in (3)` on one field is a set, which costs the same for any number of
 * members.
 */
export function valueSetOf(filter: Filter): ValueSet | undefined {
  if (filter.is === 'comparison') {
    const isSet =
      (filter.operator === 'eq' || filter.operator === 'in') && filter.field !== 'created';
    return isSet ? { field: filter.field, literals: new Set(filter.literals) } : undefined;
  }
  if (filter.is === 'and') return undefined;
  const sets = filter.parts.map(valueSetOf);
  const field = sets[0]?.field;
  if (field === undefined || sets.some((set) => set?.field !== field)) return undefined;
  return { field, literals: new Set(sets.flatMap((set) => [...set!.literals])) };
}

/** Positions from `low` up to and without `high`. */
interface Span {
  readonly low: number;
  readonly high: number;
}

/**
 * A comparison of `created` leaves one span of an ascending list, exactly; nothing for any other
 * comparison.
 */
export function spanOf<Item extends { readonly created: Ticks }>(
  { field, operator, literals }: Comparison,
  items: readonly Item[],
): Span | undefined {
  if (field !== 'created') return undefined;
  const at = literals[0] as Ticks;
  const from = (ticks: Ticks): number => positionOf(items, ticks);
  switch (operator) {
    case 'gt':
      return { low: from(at + 1n), high: items.length };
    case 'ge':
      return { low: from(at), high: items.length };
    case 'lt':
      return { low: 0, high: from(at) };
    case 'le':
      return { low: 0, high: from(at + 1n) };
    default:
      return { low: from(at), high: from(at + 1n) };
  }
}
