import { type ListQuery, LIST_QUERY, type Page } from '../core/list.ts';
import type { Ticks } from '../core/instant.ts';
import { placeOf } from './instants.ts';
import { type Field, type Fields, testOf, windowOf } from './matching.ts';
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
  return {
    filter: text('filter'), orderBy: text('orderBy'), mostComparisons,
    top: whole(text('top'), 1, LARGEST_PAGE), skip: whole(text('skip'), 0, 2_147_483_647),
  };
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
  const high = to === undefined ? items.length : placeOf(items, to + 1n);
  const within = low === 0 && high === items.length ? items : items.slice(low, Math.max(low, high));
  const found = filter ? within.filter(testOf(filter, fields)) : within;
  const first = ascending ? skip : Math.max(0, found.length - skip - top);
  const last = ascending ? skip + top : Math.max(0, found.length - skip);
  const page = found.slice(first, last);
  return { items: (ascending ? page : page.reverse()).map(show), count: found.length, isCountUnknown: false };
}

function isAscending(orderBy: string | undefined): boolean {
  const [field, direction = 'asc', ...more] = orderBy?.trim().split(/ +/) ?? ['created', 'desc'];
  if (field !== 'created' || more.length > 0 || (direction !== 'asc' && direction !== 'desc')) throw badQuery();
  return direction === 'asc';
}
