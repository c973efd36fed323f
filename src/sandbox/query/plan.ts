import type { Ticks } from '../../core/time.ts';
import { indexOf } from './list-index.ts';
import type { Listing } from './fields.ts';
import { type Bitmap, bitmapOf, valueSetOf, spanOf, type ValueSet } from './matching.ts';
import type { Filter } from './odata.ts';
import { bisect } from '../time/bisect.ts';
import { lowerBound } from './sorted.ts';

/** Positions of a list in ascending order; reading a part costs as much as its length. */
export interface Positions {
  readonly length: number;
  /** The positions with index `from` up to and without `to`. */
  part(from: number, to: number): readonly number[];
}

/** Which positions a filter leaves, and which of them pass; all, where there is no bitmap. */
interface Plan {
  readonly positions: Positions;
  readonly bitmap: Bitmap | undefined;
}

/** What one field leaves, as lists of ascending row ids. */
interface Candidates {
  readonly part: Filter;
  readonly lists: readonly (readonly number[])[];
  readonly size: number;
}

/**
 * Finds the way to answer a filter that looks at the fewest items; only those below `end` are
 * there.
 */
export function planOf<Item extends { readonly created: Ticks }>(
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

/** What must hold all at once. */
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
