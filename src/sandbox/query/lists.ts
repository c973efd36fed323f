import type { ListQuery, Page, SkipQuery } from '../../core/lists/index.ts';
import type { Ticks } from '../../core/time.ts';
import { badQuery, type FieldKind, type Filter, type Literal, parseFilter } from './odata.ts';

export interface Fields<Item, Name extends string = string> {
  readonly kinds: Readonly<Record<Name, FieldKind>>;
  readonly read: Readonly<Record<NoInfer<Name>, (item: Item) => Literal | undefined>>;
}

interface Dated {
  readonly created: Ticks;
}

/**
 * Returns the index of the first item created at or after `ticks`. The list must be in ascending
 * order.
 */
export function findPosition(items: readonly Dated[], ticks: Ticks): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle]!.created >= ticks) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Inserts an item by creation time. It usually goes at the end, unless a fault rule changed a time.
 */
export function insert<Item extends Dated>(items: Item[], item: Item): void {
  const last = items.at(-1);
  if (!last || last.created <= item.created) items.push(item);
  else items.splice(findPosition(items, item.created + 1n), 0, item);
}

function withinBounds<Item extends Dated>(
  items: readonly Item[],
  filter: Filter | undefined,
  before: Ticks | undefined,
): readonly Item[] {
  let low = 0;
  let high = before === undefined ? items.length : findPosition(items, before);
  for (const part of filter?.is === 'and' ? filter.parts : [filter]) {
    if (part?.is !== 'comparison' || part.field !== 'created') continue;
    const at = part.literals[0] as Ticks;
    const first = findPosition(items, at);
    const behind = findPosition(items, at + 1n);
    if (part.operator === 'gt') low = Math.max(low, behind);
    if (part.operator === 'ge') low = Math.max(low, first);
    if (part.operator === 'lt') high = Math.min(high, first);
    if (part.operator === 'le') high = Math.min(high, behind);
  }
  return items.slice(low, Math.max(low, high));
}

/**
 * Returns whether an item matches a filter. If the item doesn't have the field, it doesn't match.
 */
function passes<Item>(
  item: Item,
  filter: Filter,
  read: Fields<Item>['read'],
  isAnyCase: boolean,
): boolean {
  if (filter.is !== 'comparison') {
    const check = (part: Filter): boolean => passes(item, part, read, isAnyCase);
    return filter.is === 'and' ? filter.parts.every(check) : filter.parts.some(check);
  }
  const value = read[filter.field]!(item);
  const [literal] = filter.literals;
  if (value === undefined || literal === undefined) return false;
  switch (filter.operator) {
    case 'gt':
      return value > literal;
    case 'ge':
      return value >= literal;
    case 'lt':
      return value < literal;
    case 'le':
      return value <= literal;
    default:
      return isAnyCase
        ? filter.literals.some((one) => lowerCase(one) === lowerCase(value))
        : filter.literals.includes(value);
  }
}

function lowerCase(value: Literal): Literal {
  return typeof value === 'string' ? value.toLowerCase() : value;
}

/** Maximum size of a `$filter`. The service doesn't publish its limits, so the defaults are low. */
export interface FilterLimits {
  /** Maximum number of comparisons in one `$filter`. Each value of an `in` list counts as one. */
  readonly comparisons: number;
  /** Maximum number of bytes in the request line. */
  readonly requestLineBytes: number;
}

export interface ReadOptions {
  /** Only lists items created before this time. */
  readonly before?: Ticks | undefined;
  /** Lists items with their state at this time on the sandbox's clock. */
  readonly asOf?: number | undefined;
  /** Rotates items with equal creation times by this number of positions. */
  readonly rotateTiesBy?: number | undefined;
}

export interface ListAssumptions {
  /** Default number of items per page. */
  readonly usualPage: number;
  /** Maximum number of items per page. */
  readonly most: number;
  readonly isCounted: boolean;
  /** Whether string comparisons in filters are case-insensitive. */
  readonly isAnyCase: boolean;
}

interface CheckedQuery extends ListQuery, ReadOptions {
  readonly maxComparisons: number;
  readonly rules: ListAssumptions;
}

const USUAL: ListAssumptions = {
  usualPage: 50,
  most: 100,
  isCounted: true,
  isAnyCase: false,
};

export function makePlainPage<Item extends Dated, Shown>(
  items: readonly Item[],
  query: SkipQuery,
  show: (item: Item) => Shown,
): Page<Shown> {
  return makePage<Item, never, Shown>(items, query, { kinds: {}, read: {} }, show);
}

export function makePage<Item extends Dated, Name extends string, Shown>(
  items: readonly Item[],
  query: ListQuery,
  { kinds, read }: Fields<Item, Name>,
  show: (item: Item) => Shown,
): Page<Shown> {
  const {
    filter: text,
    orderBy,
    rules = USUAL,
    top = rules.usualPage,
    skip = 0,
    maxComparisons = Infinity,
    before,
    rotateTiesBy,
  } = query as ListQuery & Partial<CheckedQuery>;
  const isForward = isAscending(orderBy);
  const filter = text === undefined ? undefined : parseFilter(text, kinds, maxComparisons);
  const there = withinBounds(items, filter, before);
  const passed = filter
    ? there.filter((item) => passes(item, filter, read, rules.isAnyCase))
    : there;
  const all = rotateTiesBy === undefined ? passed : rotateTies(passed, rotateTiesBy);
  const size = Math.min(top, rules.most);
  const end = Math.max(0, all.length - skip);
  const found = isForward
    ? all.slice(skip, skip + size)
    : all.slice(Math.max(0, end - size), end).reverse();
  return {
    items: found.map(show),
    count: rules.isCounted ? all.length : 0,
    isCountUnknown: !rules.isCounted,
  };
}

function rotateTies<Item extends Dated>(
  items: readonly Item[],
  rotateTiesBy: number,
): readonly Item[] {
  const all: Item[] = [];
  for (let start = 0, end = 0; start < items.length; start = end) {
    while (end < items.length && items[end]!.created === items[start]!.created) end++;
    const length = end - start;
    for (let index = 0; index < length; index++)
      all.push(items[start + ((index + rotateTiesBy) % length)]!);
  }
  return all;
}

const ORDER = /^[ \t]*created(?:[ \t]+(asc|desc))?[ \t]*$/;

/** Returns whether the oldest items come first. Without `$orderby`, the newest come first. */
function isAscending(orderBy: string | undefined): boolean {
  if (orderBy === undefined) return false;
  const order = ORDER.exec(orderBy);
  if (!order) throw badQuery();
  return order[1] !== 'desc';
}
