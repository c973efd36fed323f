import { anyOf, between } from '../core/lists/index.ts';
import { toSeconds, type Ticks, TICKS_PER_SECOND, parseTicks } from '../core/time.ts';
import { idKey } from '../resources/resource.ts';
import { PAGE } from '../resources/service-facts.ts';
import { type AnyEntry, readCreated } from './entry.ts';

/** A range of creation times in seconds since 1970. `to` isn't included. */
type Seconds = readonly [from: number, to: number];

/**
 * The position in the account's open resources, which are read page by page in order of creation,
 * over and over. Resources that aren't watched are skipped where possible. Times are in
 * milliseconds on the monotonic clock.
 */
export interface Walk {
  readonly type: AnyEntry['type'];
  /** The creation time, in seconds, that the walk has reached, or `Infinity` at the end. */
  at: number;
  /** When the first page that reached this position was sent. */
  since: number;
  /** The creation times of rows that the next page may repeat. */
  seen: readonly Ticks[];
  /**
   * The ranges of creation times that the next page requests. The page starts at the first range.
   */
  spans: readonly [Seconds, ...Seconds[]];
  /** The position after the next page, if the page includes everything in its ranges. */
  end: number;
  isUnderWay: boolean;
}

export const newWalk = (type: AnyEntry['type']): Walk => ({
  type,
  at: Infinity,
  since: -Infinity,
  seen: [],
  spans: [[0, Infinity]],
  end: Infinity,
  isUnderWay: false,
});

/**
 * If at least this fraction of a page's resources is watched, we assume that nearly all of the
 * account's resources are watched.
 */
const ALL_WATCHED = 0.95;

/** Makes the walk's next page start at whichever of these entries comes next. */
export function walkTo(walk: Walk, wanted: readonly AnyEntry[], now: number): void {
  let [ahead, earliest] = [Infinity, Infinity];
  for (const { created, readSentAt } of wanted) {
    earliest = Math.min(earliest, created!);
    const isAhead = created! > walk.at || (created === walk.at && readSentAt < walk.since);
    if (isAhead) ahead = Math.min(ahead, created!);
  }
  const from = ahead < Infinity ? ahead : earliest;
  if (ahead === Infinity) walk.seen = [];
  if (from !== walk.at || ahead === Infinity) walk.since = now;
  walk.spans = [[from, Infinity]];
  walk.end = Infinity;
}

/**
 * Limits the next page to what fits on it. `seconds` are the sorted creation times of everything
 * that the page may include. Returns which of the entries in `along` it can include too. New
 * entries are included by creation time, and others by id. If one of them comes later in the walk,
 * the page ends before it. A page that reaches the end of the list continues at `earliest`.
 */
export function fitPage(
  walk: Walk,
  { along: wanted, earliest, perPage, seconds }: PageContent,
): readonly AnyEntry[] {
  const [[from]] = walk.spans;
  const news = wanted.filter(isNew);
  const rows = spansOfNew(news).map((span) => rowsIn(seconds, span))[0] ?? 0;
  const along = rows > MAX_ROWS_OF_NEW ? wanted.filter((entry) => !isNew(entry)) : wanted;
  const passed = along.filter((entry) => findPlace(entry) < from);
  // if many resources aren't watched, it's impossible to predict where a page ends
  if (perPage < ALL_WATCHED * PAGE) return passed;
  const begin = indexOfSecond(seconds, from - 1);
  const room = Math.floor(perPage) - wanted.length - Math.max(0, rows - news.length);
  const left = seconds.length - begin;
  if (left > room) {
    if (passed.length === along.length) return along;
    const to = seconds[begin + room]!;
    if (to <= from) return passed;
    walk.end = to;
    walk.spans = [[from, to]];
    return along;
  }
  const first = indexOfSecond(seconds, earliest - 1);
  const to = seconds[Math.min(first + room - left, begin)] ?? -Infinity;
  if (to <= earliest || to >= from) return along;
  walk.end = to;
  walk.spans = [...walk.spans, [earliest, to]];
  return along;
}

/**
 * A page only includes new entries if the range of their creation times covers at most this many
 * rows.
 */
const MAX_ROWS_OF_NEW = 40;

interface PageContent {
  readonly along: readonly AnyEntry[];
  /** The earliest creation time of the entries that are due, in seconds. */
  readonly earliest: number;
  /** The average number of watched resources per page. */
  readonly perPage: number;
  readonly seconds: Float64Array;
}

/** Returns whether an entry has never been read and can be found by its creation time. */
export const isNew = ({ created, readSentAt }: AnyEntry): boolean =>
  created! >= 0 && readSentAt === -Infinity;

/** Returns the range of creation times of these entries, if there are any. */
function spansOfNew(entries: readonly AnyEntry[]): readonly Seconds[] {
  const seconds = entries.map(({ created }) => created!);
  return seconds.length > 0 ? [[Math.min(...seconds), Math.max(...seconds) + 1]] : [];
}

/** Returns how many rows a page includes in a range of creation times. */
const rowsIn = (seconds: Float64Array, [from, to]: Seconds): number =>
  indexOfSecond(seconds, to) - indexOfSecond(seconds, from - 1);

/** Returns the index of the first element at or after `from`. */
function indexOfSecond(seconds: Float64Array, from: number): number {
  const index = seconds.findIndex((second) => second >= from);
  return index < 0 ? seconds.length : index;
}

/**
 * Returns an entry's creation time in seconds, or -1 if it's unknown. Lists are sorted by this
 * time.
 */
export function findPlace({ created = NaN, held, type }: AnyEntry): number {
  return created >= 0 ? created : ((held && readCreated(type, held.value)) ?? -1);
}

/** Returns the creation times of the rows that the next page would repeat. */
export function repeatedRows({ seen, spans: [[from]] }: Walk): readonly Ticks[] {
  // the "created gt" filter also returns rows that were created in the given second
  const after = BigInt(from - 1) * TICKS_PER_SECOND;
  return seen.filter((ticks) => ticks > after);
}

/** Formats the filter for the next page. */
export function filterFor(
  { type, spans }: Walk,
  states: readonly string[],
  along: readonly AnyEntry[],
): string {
  const all = [...spans, ...spansOfNew(along.filter(isNew))];
  const within = all.map(([from, to]) => between(from - 1, to < Infinity ? to : undefined)!);
  const created = within.length > 1 ? `((${within.join(') or (')}))` : within[0]!;
  const some = states.length > 0 ? `${created} and (${anyOf('state', states)})` : created;
  const ids = along.filter((entry) => !isNew(entry)).map(({ id }) => idKey(id));
  return ids.length > 0 ? `(${some}) or ${anyOf(type.watch.list!.id, ids)}` : some;
}

interface PageResult {
  readonly items: readonly unknown[];
  /** Whether the page includes everything that was requested. */
  readonly isOver: boolean;
  readonly repeated: readonly Ticks[];
  readonly sentAt: number;
}

/**
 * Moves a walk past a page. Returns the creation time, in seconds, before which the page includes
 * everything that it requested.
 */
export function walkOn(walk: Walk, { items, isOver, repeated, sentAt }: PageResult): number {
  const [[from]] = walk.spans;
  const last = isOver ? Infinity : (readCreated(walk.type, items.at(-1)) ?? Infinity);
  walk.at = isOver ? walk.end : last;
  if (walk.at !== from) walk.since = sentAt;
  walk.seen = [...repeated, ...items.map((item) => ticksIn(item))].filter((ticks) => {
    const second = toSeconds(ticks);
    return second >= walk.at - 1 && second <= walk.at;
  });
  return last;
}

function ticksIn(item: unknown): Ticks {
  return parseTicks(String((item as { readonly created?: unknown }).created)) ?? 0n;
}

/** Returns the states that aren't settled, in which another change is expected. */
export function openStatesFor({ states }: AnyEntry['type']): readonly string[] {
  return states ? Object.keys(states.transitions).filter((state) => !states.isSettled(state)) : [];
}
