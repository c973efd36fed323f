import type { ListQuery, Page, SkipQuery } from '../../core/lists/index.ts';
import type { Ticks } from '../../core/time.ts';
import { type Fields, positionOf } from './list-index.ts';
import { type Bitmap, planOf, type Positions } from './plan.ts';
import { badQuery, parseFilter } from './odata.ts';

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

/** A list query that the service has accepted, with its limit. */
interface CheckedQuery extends ListQuery, ReadOptions {
  readonly maxComparisons: number;
}

const USUAL_PAGE = 50;

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
    maxComparisons = Infinity,
    before,
    rotateTiesBy,
  } = query as ListQuery & Partial<CheckedQuery>;
  const ascending = isAscending(orderBy);
  const parsed = filter === undefined ? undefined : parseFilter(filter, fields, maxComparisons);
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
  return { items: ascending ? found : found.reverse(), count, isCountUnknown: false };
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

function isAscending(orderBy: string | undefined): boolean {
  if (orderBy === undefined) return false;
  const order = ORDER.exec(orderBy);
  if (!order) throw badQuery();
  return order[1] !== 'desc';
}
