import type { ListQuery, Page, SkipQuery } from '../../core/lists/index.ts';
import type { Ticks } from '../../core/time.ts';
import { type Fields, type Listing, positionOf } from './list-index.ts';
import { type Bitmap, planOf, type Positions } from './plan.ts';
import { badQuery, type Filter, type Literal, parseFilter } from './odata.ts';

/** What a filter may cost; the service publishes no limit, so the defaults are low. */
export interface FilterLimits {
  /** Comparisons in one `$filter`; each member of an `in` counts. */
  readonly comparisons: number;
  /** Bytes of the request's first line. */
  readonly requestLineBytes: number;
}

/** How a fault changes what a read shows. */
export interface ReadOptions {
  /** Only what was created before. */
  readonly before?: Ticks | undefined;
  /** In the state of this clock time. */
  readonly asOf?: number | undefined;
  /** Rotates items that were created at the same time by so many positions. */
  readonly rotateTiesBy?: number | undefined;
}

/** What is assumed of a list. */
export interface ListAssumptions {
  /** Items of a page whose size is not asked for. */
  readonly usualPage: number;
  /** Items of any page. */
  readonly most: number;
  /** Where no order is asked for. */
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
