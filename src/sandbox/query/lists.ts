import type { ListQuery, Page, SkipQuery } from '../../core/lists/index.ts';
import type { Ticks } from '../../core/time.ts';
import { badQuery, type FieldKind, type Filter, type Literal, parseFilter } from './odata.ts';

/** The fields that a filter can name, and how each is read from an item. */
export interface Fields<Item, Name extends string = string> {
  readonly kinds: Readonly<Record<Name, FieldKind>>;
  readonly read: Readonly<Record<NoInfer<Name>, (item: Item) => Literal | undefined>>;
}

interface Dated {
  readonly created: Ticks;
}

/** First position of an ascending list whose item is not before `ticks`. */
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

/** Puts an item where its time belongs: at the end, unless a clock was wrong. */
export function insert<Item extends Dated>(items: Item[], item: Item): void {
  const last = items.at(-1);
  if (!last || last.created <= item.created) items.push(item);
  else items.splice(findPosition(items, item.created + 1n), 0, item);
}

/**
 * The part of an ascending list that the filter's bounds of `created` leave, and what was there
 * before `before`.
 */
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

/** True if an item passes a filter. An absent field matches nothing. */
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
  isCounted: true,
  isAnyCase: false,
};

/** Answers a list that has neither filter nor order from an ascending one. */
export function makePlainPage<Item extends Dated, Shown>(
  items: readonly Item[],
  query: SkipQuery,
  show: (item: Item) => Shown,
): Page<Shown> {
  return makePage<Item, never, Shown>(items, query, { kinds: {}, read: {} }, show);
}

/** Answers a list query from an ascending list, in the order that is asked for. */
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

/** Rotates each run of equal times by `rotateTiesBy`. */
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

/** Lists without an order are newest first. */
function isAscending(orderBy: string | undefined): boolean {
  if (orderBy === undefined) return false;
  const order = ORDER.exec(orderBy);
  if (!order) throw badQuery();
  return order[1] !== 'desc';
}
