import {
  LIST_QUERY,
  type ListQuery,
  type Page,
  SKIP_QUERY,
  type SkipQuery,
} from '../../core/lists/index.ts';
import type { Ticks } from '../../core/time/index.ts';
import type { Fields } from './fields.ts';
import type { Bitmap } from './matching.ts';
import { badQuery, parseFilter } from './odata.ts';
import { type Positions, planOf } from './plan.ts';
import { positionOf } from './sorted.ts';

export type { Field } from './fields.ts';

/** What a filter may cost; published nowhere, so these are on the safe side. */
export interface FilterLimits {
  /** Comparisons in one `$filter`; each member of an `in` counts. */
  readonly comparisons: number;
  /** Bytes of the request's first line. */
  readonly requestLineBytes: number;
}

/** What faults ask of a read. */
export interface ReadOptions {
  /** Only what was created before. */
  readonly before?: Ticks | undefined;
  /** In the state of this clock time. */
  readonly asOf?: number | undefined;
  /** Turns the order of what was created at the same time by so many places. */
  readonly turn?: number | undefined;
}

/** A list query that the service has accepted, with its limit. */
export interface CheckedQuery extends ListQuery, ReadOptions {
  readonly maxComparisons: number;
}

const LARGEST_PAGE = 100;
const USUAL_PAGE = 50;

/** Reads `$filter`, `$orderby`, `$top` and `$skip`; any other word with a dollar is refused. */
export function readListQuery(query: URLSearchParams, mostComparisons: number): CheckedQuery {
  const known = Object.values(LIST_QUERY);
  for (const name of new Set(query.keys()))
    if (name.startsWith('$') && (!known.includes(name) || query.getAll(name).length > 1))
      throw badQuery();
  const text = (name: keyof ListQuery): string | undefined =>
    query.get(LIST_QUERY[name]) ?? undefined;
  return {
    filter: text('filter'),
    orderBy: text('orderBy'),
    maxComparisons: mostComparisons,
    ...readPaging(query),
  };
}

/** Reads `$top` and `$skip`. */
export function readPaging(query: URLSearchParams): Required<SkipQuery> {
  const text = (name: keyof SkipQuery): string | undefined =>
    query.get(SKIP_QUERY[name]) ?? undefined;
  return { top: whole(text('top'), 1, LARGEST_PAGE), skip: whole(text('skip'), 0, 2_147_483_647) };
}

/** Answers a list that has neither filter nor order from an ascending one: newest first. */
export function plainPageOf<Item, Shown>(
  items: readonly Item[],
  query: SkipQuery,
  show: (item: Item) => Shown,
): Page<Shown> {
  const { top = USUAL_PAGE, skip = 0, before } = query as SkipQuery & ReadOptions;
  const there =
    before === undefined
      ? items
      : items.filter((item) => ((item as { created?: Ticks }).created ?? 0n) < before);
  const found = there
    .slice(Math.max(0, there.length - skip - top), Math.max(0, there.length - skip))
    .reverse();
  return { items: found.map(show), count: there.length, isCountUnknown: false };
}

function whole(text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,10}$/.test(text) ? +text : -1;
  if (value < least || value > most) throw badQuery('lists.pages');
  return value;
}

/** Answers a list query from an ascending list; newest first unless asked otherwise. */
export function pageOf<Item extends { readonly created: Ticks }, Shown>(
  items: readonly Item[],
  query: ListQuery,
  fields: Fields<Item>,
  show: (item: Item) => Shown,
): Page<Shown> {
  const {
    filter,
    orderBy,
    top = USUAL_PAGE,
    skip = 0,
    maxComparisons: mostComparisons = Infinity,
    before,
    turn,
  } = query as ListQuery & Partial<CheckedQuery>;
  const ascending = isAscending(orderBy);
  const parsed = filter === undefined ? undefined : parseFilter(filter, fields, mostComparisons);
  const end = before === undefined ? items.length : positionOf(items, before);
  const { positions: places, bitmap: marks } = planOf(parsed, { items, fields }, end);
  const all = marks || turn !== undefined ? allOf(places, items, marks, turn) : places;
  const count = all.length;
  const [from, to] = ascending ? [skip, skip + top] : [count - skip - top, count - skip];
  const found = all
    .part(within(from, count), within(to, count))
    .map((place) => show(items[place]!));
  return { items: ascending ? found : found.reverse(), count, isCountUnknown: false };
}

function within(place: number, length: number): number {
  return Math.min(Math.max(place, 0), length);
}

/** Every place that passes, looked at one by one; what was created at the same time can be turned. */
function allOf<Item extends { readonly created: Ticks }>(
  places: Positions,
  items: readonly Item[],
  marks: Bitmap | undefined,
  turn: number | undefined,
): Positions {
  const candidates = places.part(0, places.length);
  const passed = marks ? candidates.filter((place) => marks[place]) : candidates;
  const all = turn === undefined ? passed : rotateTies(passed, items, turn);
  return { length: all.length, part: (from, to) => all.slice(from, to) };
}

/** Moves each run of equal times round by `turn`. */
function rotateTies<Item extends { readonly created: Ticks }>(
  places: readonly number[],
  items: readonly Item[],
  turn: number,
): readonly number[] {
  const all: number[] = [];
  for (let start = 0, end = 0; start < places.length; start = end) {
    while (end < places.length && items[places[end]!]!.created === items[places[start]!]!.created)
      end++;
    const length = end - start;
    for (let index = 0; index < length; index++)
      all.push(places[start + ((index + turn) % length)]!);
  }
  return all;
}

function isAscending(orderBy: string | undefined): boolean {
  const [field, direction = 'asc', ...more] = orderBy?.trim().split(/ +/) ?? ['created', 'desc'];
  if (field !== 'created' || more.length > 0 || (direction !== 'asc' && direction !== 'desc'))
    throw badQuery();
  return direction === 'asc';
}
