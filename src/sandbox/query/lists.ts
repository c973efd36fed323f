import type { ListQuery, Page, SkipQuery } from '../../core/lists/index.ts';
import type { Ticks } from '../../core/time.ts';
import {
  bisect,
  type Fields,
  indexOf,
  type Listing,
  lowerBound,
  positionOf,
} from './list-index.ts';
import { badQuery, type Filter, type Literal, parseFilter } from './odata.ts';

/** Positions of a list in ascending order; reading a part costs as much as its length. */
interface Positions {
  readonly length: number;
  /** The positions with index `from` up to and without `to`. */
  part(from: number, to: number): readonly number[];
}

/**
 * The positions that a filter leaves, and those of them that pass; all, where there is no bitmap.
 */
interface Plan {
  readonly positions: Positions;
  readonly bitmap: Bitmap | undefined;
}

/** The rows that one field leaves, as lists of ascending row ids. */
interface Candidates {
  readonly part: Filter;
  readonly lists: readonly (readonly number[])[];
  readonly size: number;
}

/**
 * Finds the way to answer a filter that reads the fewest items; only those below `end` are
 * there.
 */
function planOf<Item extends { readonly created: Ticks }>(
  filter: Filter | undefined,
  listing: Listing<Item>,
  end: number,
): Plan {
  const parts = partsOf(filter);
  let low = 0;
  let high = end;
  const left = parts.filter((part) => {
    const span = part.is === 'comparison' ? spanOf(part, listing.items) : undefined;
    if (span) [low, high] = [Math.max(low, span.low), Math.min(high, span.high)];
    return !span;
  });
  high = Math.max(low, high);
  const best = fewest(left, listing);
  const isWorthIt = best && (left.length === 1 || best.size * 4 < high - low);
  const rest = isWorthIt ? left.filter((part) => part !== best.part) : left;
  return {
    positions: isWorthIt
      ? mergeLists(best.lists, low, high, indexOf(listing.items, listing.fields).offset)
      : range(low, high),
    bitmap: rest.length === 0 ? undefined : bitmapOf({ is: 'and', parts: rest }, listing),
  };
}

/** Conditions that must all hold. */
function partsOf(filter: Filter | undefined): readonly Filter[] {
  if (!filter) return [];
  return filter.is === 'and' ? filter.parts.flatMap(partsOf) : [filter];
}

function fewest<Item extends { readonly created: Ticks }>(
  parts: readonly Filter[],
  listing: Listing<Item>,
): Candidates | undefined {
  const all = parts.flatMap((part) => {
    const set = valueSetOf(part);
    return set && listing.fields[set.field]?.indexed ? candidates(part, set, listing) : [];
  });
  return all.sort((a, b) => a.size - b.size)[0];
}

function candidates<Item extends { readonly created: Ticks }>(
  part: Filter,
  { field, literals }: ValueSet,
  { items, fields }: Listing<Item>,
): Candidates {
  const { rowIdsOf } = indexOf(items, fields);
  const lists = Array.from(literals, (literal) => rowIdsOf(field, literal)).filter(
    ({ length }) => length > 0,
  );
  return { part, lists, size: lists.reduce((sum, { length }) => sum + length, 0) };
}

function range(low: number, high: number): Positions {
  return {
    length: high - low,
    part(from, to) {
      const positions: number[] = []; // a plain loop: scans of 100,000 come by here
      for (let position = low + from; position < low + to; position++) positions.push(position);
      return positions;
    },
  };
}

/** Several ascending lists as one. */
function mergeLists(
  lists: readonly (readonly number[])[],
  low: number,
  high: number,
  offset: number,
): Positions {
  const before = (rowId: number): number =>
    lists.reduce((sum, list) => sum + lowerBound(list, rowId), 0);
  const skipped = before(low + offset);
  return {
    length: before(high + offset) - skipped,
    part(from, to) {
      const first = bisect(low + offset, high + offset, (rowId) => before(rowId) >= skipped + from);
      const next = lists.map((list) => lowerBound(list, first));
      return Array.from({ length: to - from }, () => take(lists, next) - offset);
    },
  };
}

/** Takes the smallest of what comes next. */
function take(lists: readonly (readonly number[])[], next: number[]): number {
  let best = 0;
  for (let index = 1; index < lists.length; index++)
    if ((lists[index]![next[index]!] ?? Infinity) < (lists[best]![next[best]!] ?? Infinity))
      best = index;
  return lists[best]![next[best]!++]!;
}

/**
 * 1 at each position of a list whose item passes: the parts of a filter are combined byte by byte.
 */
type Bitmap = Uint8Array<ArrayBuffer>;

type Comparison = Extract<Filter, { is: 'comparison' }>;

/** Applies a filter to a whole list. An absent field matches nothing. */
function bitmapOf<Item extends { readonly created: Ticks }>(
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
interface ValueSet {
  readonly field: string;
  readonly literals: ReadonlySet<Literal>;
}

/**
 * `a eq 1 or a eq 2 or a in (3)` on one field is a set, which costs the same for any number of
 * members.
 */
function valueSetOf(filter: Filter): ValueSet | undefined {
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
function spanOf<Item extends { readonly created: Ticks }>(
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

/** The highest cost of a filter; the service publishes no limit, so the defaults are low. */
export interface FilterLimits {
  /** Comparisons in one `$filter`; each member of an `in` counts. */
  readonly comparisons: number;
  /** Bytes of the request's first line. */
  readonly requestLineBytes: number;
}

/** The change that a fault makes to the result of a read. */
export interface ReadOptions {
  /** Only what was created before. */
  readonly before?: Ticks | undefined;
  /** In the state of this clock time. */
  readonly asOf?: number | undefined;
  /** Rotates items that were created at the same time by this number of positions. */
  readonly rotateTiesBy?: number | undefined;
}

/** Assumptions about a list. */
export interface ListAssumptions {
  /** Items of a page whose size is not asked for. */
  readonly usualPage: number;
  /** Items of any page. */
  readonly most: number;
  /** The order if none is asked for. */
  readonly isOldestFirst: boolean;
  readonly isCounted: boolean;
  /** Texts are the same in either case. */
  readonly isAnyCase: boolean;
}

/** A list query that the service has accepted, with its limit. */
interface CheckedQuery extends ListQuery, ReadOptions {
  readonly maxComparisons: number;
  readonly rules: ListAssumptions;
}

const USUAL: ListAssumptions = {
  usualPage: 50,
  most: 100,
  isOldestFirst: false,
  isCounted: true,
  isAnyCase: false,
};

/** Answers a list that has neither filter nor order from an ascending one. */
export function plainPageOf<Item, Shown>(
  items: readonly Item[],
  query: SkipQuery,
  show: (item: Item) => Shown,
): Page<Shown> {
  const { rules = USUAL, before, ...asked } = query as SkipQuery & Partial<CheckedQuery>;
  const { top = rules.usualPage, skip = 0 } = asked;
  const there =
    before === undefined
      ? items
      : items.filter((item) => ((item as { created?: Ticks }).created ?? 0n) < before);
  const ordered = rules.isOldestFirst ? there : [...there].reverse();
  const found = ordered.slice(skip, skip + Math.min(top, rules.most));
  return { items: found.map(show), ...countedBy(rules, there.length) };
}

/** Answers a list query from an ascending list, in the order that is asked for. */
export function pageOf<Item extends { readonly created: Ticks }, Shown>(
  items: readonly Item[],
  query: ListQuery,
  fields: Fields<Item>,
  show: (item: Item) => Shown,
): Page<Shown> {
  const {
    filter,
    orderBy,
    rules = USUAL,
    top: askedTop = rules.usualPage,
    skip = 0,
    maxComparisons = Infinity,
    before,
    rotateTiesBy,
  } = query as ListQuery & Partial<CheckedQuery>;
  const top = Math.min(askedTop, rules.most);
  const ascending = isAscending(orderBy, rules);
  const exact = filter === undefined ? undefined : parseFilter(filter, fields, maxComparisons);
  const parsed = exact && rules.isAnyCase ? inAnyCase(exact, { items, fields }) : exact;
  const end = before === undefined ? items.length : positionOf(items, before);
  const { positions, bitmap } = planOf(parsed, { items, fields }, end);
  const all =
    bitmap || rotateTiesBy !== undefined
      ? allOf(positions, items, bitmap, rotateTiesBy)
      : positions;
  const count = all.length;
  const [from, to] = ascending ? [skip, skip + top] : [count - skip - top, count - skip];
  const found = all
    .part(within(from, count), within(to, count))
    .map((position) => show(items[position]!));
  return { items: ascending ? found : found.reverse(), ...countedBy(rules, count) };
}

function countedBy({ isCounted }: ListAssumptions, count: number): Pick<Page<never>, 'count'> {
  const counted = { count: isCounted ? count : 0, isCountUnknown: !isCounted };
  return counted;
}

/** The filter with each text in all the cases in which the list has it. */
function inAnyCase<Item>(filter: Filter, listing: Listing<Item>): Filter {
  if (filter.is !== 'comparison')
    return { ...filter, parts: filter.parts.map((part) => inAnyCase(part, listing)) };
  const field = Object.hasOwn(listing.fields, filter.field)
    ? listing.fields[filter.field]
    : undefined;
  if (field?.kind !== 'text') return filter;
  const asked = new Set(filter.literals.map((literal) => String(literal).toLowerCase()));
  const found = listing.items
    .map(field.of)
    .filter((value) => typeof value === 'string' && asked.has(value.toLowerCase()));
  return {
    ...filter,
    operator: 'in',
    literals: [...new Set([...filter.literals, ...found])] as Literal[],
  };
}

function within(position: number, length: number): number {
  return Math.min(Math.max(position, 0), length);
}

/** Every position that passes, one by one; ties of `created` can be rotated. */
function allOf<Item extends { readonly created: Ticks }>(
  positions: Positions,
  items: readonly Item[],
  bitmap: Bitmap | undefined,
  rotateTiesBy: number | undefined,
): Positions {
  const candidates = positions.part(0, positions.length);
  const passed = bitmap ? candidates.filter((position) => bitmap[position]) : candidates;
  const all = rotateTiesBy === undefined ? passed : rotateTies(passed, items, rotateTiesBy);
  return { length: all.length, part: (from, to) => all.slice(from, to) };
}

/** Rotates each run of equal times by `rotateTiesBy`. */
function rotateTies<Item extends { readonly created: Ticks }>(
  positions: readonly number[],
  items: readonly Item[],
  rotateTiesBy: number,
): readonly number[] {
  const all: number[] = [];
  for (let start = 0, end = 0; start < positions.length; start = end) {
    while (
      end < positions.length &&
      items[positions[end]!]!.created === items[positions[start]!]!.created
    )
      end++;
    const length = end - start;
    for (let index = 0; index < length; index++)
      all.push(positions[start + ((index + rotateTiesBy) % length)]!);
  }
  return all;
}

const ORDER = /^[ \t]*created(?:[ \t]+(asc|desc))?[ \t]*$/;

function isAscending(orderBy: string | undefined, { isOldestFirst }: ListAssumptions): boolean {
  if (orderBy === undefined) return isOldestFirst;
  const order = ORDER.exec(orderBy);
  if (!order) throw badQuery();
  return order[1] !== 'desc';
}
