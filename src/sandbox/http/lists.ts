import { LIST_QUERY, type ListQuery, type Page, SKIP_QUERY, type SkipQuery } from '../../core/list.ts';
import type { Ticks } from '../../core/instant.ts';
import { placeOf } from '../time/instants.ts';
import { type Field, type Fields, type Test, testOf, windowOf } from './matching.ts';
import { badQuery, type FieldKind, parseFilter } from './odata.ts';

export type { Field } from './matching.ts';

/** What a filter may cost; published nowhere, so these are on the safe side. */
export interface FilterLimit {
  /** Comparisons in one `$filter`; each member of an `in` counts. */
  readonly comparisons: number;
  /** Bytes of the request's first line. */
  readonly requestLine: number;
}

/** A list query that the service has accepted, with its limit. */
export interface CheckedQuery extends ListQuery {
  readonly mostComparisons: number;
}

const LARGEST_PAGE = 100;
const USUAL_PAGE = 50;

/** Reads `$filter`, `$orderby`, `$top` and `$skip`; any other word with a dollar is refused. */
export function readListQuery(query: URLSearchParams, mostComparisons: number): CheckedQuery {
  const known = Object.values(LIST_QUERY);
  for (const name of new Set(query.keys()))
    if (name.startsWith('$') && (!known.includes(name) || query.getAll(name).length > 1)) throw badQuery();
  const text = (name: keyof ListQuery): string | undefined => query.get(LIST_QUERY[name]) ?? undefined;
  return { filter: text('filter'), orderBy: text('orderBy'), mostComparisons, ...readPaging(query) };
}

/** Reads `$top` and `$skip`. */
export function readPaging(query: URLSearchParams): Required<SkipQuery> {
  const text = (name: keyof SkipQuery): string | undefined => query.get(SKIP_QUERY[name]) ?? undefined;
  return { top: whole(text('top'), 1, LARGEST_PAGE), skip: whole(text('skip'), 0, 2_147_483_647) };
}

/** Answers a list that has neither filter nor order from an ascending one: newest first. */
export function plainPageOf<Item, Shown>(items: readonly Item[], { top = USUAL_PAGE, skip = 0 }: SkipQuery, show: (item: Item) => Shown): Page<Shown> {
  const { found, count } = select(items.length, (index) => items[items.length - 1 - index]!, undefined, skip, top);
  return { items: found.map(show), count, isCountUnknown: false };
}

function whole(text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,10}$/.test(text) ? +text : -1;
  if (value < least || value > most) throw badQuery();
  return value;
}

/** Answers a list query from an ascending list; newest first unless asked otherwise. */
export function pageOf<Item extends { readonly created: Ticks }, Shown>(
  items: readonly Item[],
  query: ListQuery,
  fields: Fields<Item>,
  show: (item: Item) => Shown,
): Page<Shown> {
  const { top = USUAL_PAGE, skip = 0 } = query;
  const ascending = isAscending(query.orderBy);
  const kinds = Object.fromEntries(Object.entries<Field<Item>>(fields).map(([name, { kind }]): [string, FieldKind] => [name, kind]));
  const limit = (query as Partial<CheckedQuery>).mostComparisons ?? Infinity;
  const filter = query.filter === undefined ? undefined : parseFilter(query.filter, kinds, limit);
  const { from, to } = windowOf(filter);
  const low = from === undefined ? 0 : placeOf(items, from);
  const high = to === undefined ? items.length : Math.max(low, placeOf(items, to + 1n));
  const at = (index: number): Item => items[ascending ? low + index : high - 1 - index]!;
  const { found, count } = select(high - low, at, filter && testOf(filter, fields), skip, top);
  return { items: found.map(show), count, isCountUnknown: false };
}

/** One page of what passes the test, and how much passes; without a test only the page is touched. */
function select<Item>(
  length: number,
  at: (index: number) => Item,
  test: Test<Item> | undefined,
  skip: number,
  top: number,
): { readonly found: readonly Item[]; readonly count: number } {
  const found: Item[] = [];
  if (!test) {
    for (let index = skip; index < Math.min(length, skip + top); index++) found.push(at(index));
    return { found, count: length };
  }
  let count = 0;
  for (let index = 0; index < length; index++) {
    const item = at(index);
    if (!test(item)) continue;
    if (count >= skip && found.length < top) found.push(item);
    count++;
  }
  return { found, count };
}

function isAscending(orderBy: string | undefined): boolean {
  const [field, direction = 'asc', ...more] = orderBy?.trim().split(/ +/) ?? ['created', 'desc'];
  if (field !== 'created' || more.length > 0 || (direction !== 'asc' && direction !== 'desc')) throw badQuery();
  return direction === 'asc';
}
