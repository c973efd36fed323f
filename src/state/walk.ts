import { anyOf, between } from '../core/lists/index.ts';
import { toSeconds, type Ticks, TICKS_PER_SECOND, parseTicks } from '../core/time.ts';
import { idKey } from '../resources/resource.ts';
import { PAGE } from '../resources/service-facts.ts';
import { type AnyEntry, readCreated } from './entry.ts';

/** Seconds of creation since 1970. The last one isn't included. */
type Seconds = readonly [from: number, to: number];

/**
 * Walks through the account's open resources in order of creation, over and over, page by page.
 * Skips what nobody wants to have read. Times are monotonic milliseconds.
 */
export interface Walk {
  readonly type: AnyEntry['type'];
  /** The second of creation that the walk has reached. `Infinity` at the end. */
  at: number;
  /** When the first page that reached this second was sent. */
  since: number;
  /** Creation times of the rows that the next page may repeat. */
  seen: readonly Ticks[];
  /** The spans that the next page requests. It continues with the first. */
  spans: readonly [Seconds, ...Seconds[]];
  /** The second the walk has reached if the page includes all of them. */
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

/** From this fraction of a page on, nearly all of its items are watched. */
const ALL_WATCHED = 0.95;

/** Lets the next page of a walk begin with the next of these entries, which it finds first. */
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
 * Fits the next page to the sorted `seconds` of everything it may include. Returns which of the
 * entries `along` it can include too: new ones by the span of their creation, others by id. If one
 * of them lies ahead, the page ends early enough. A page that reaches the end of the list continues
 * at the `earliest` that's wanted.
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
  // if many other items lie in between, it's impossible to predict where a page ends
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

/** A page includes new entries if the span of their creation has at most this many rows. */
const MAX_ROWS_OF_NEW = 40;

interface PageContent {
  readonly along: readonly AnyEntry[];
  /** The earliest second of creation among the entries whose turn it is. */
  readonly earliest: number;
  /** Number of watched resources on a page. */
  readonly perPage: number;
  readonly seconds: Float64Array;
}

/** Returns whether an entry has never been read and the span of its creation finds it. */
export const isNew = ({ created, readSentAt }: AnyEntry): boolean =>
  created! >= 0 && readSentAt === -Infinity;

/** Returns the span of creation of these entries, if there are any. */
function spansOfNew(entries: readonly AnyEntry[]): readonly Seconds[] {
  const seconds = entries.map(({ created }) => created!);
  return seconds.length > 0 ? [[Math.min(...seconds), Math.max(...seconds) + 1]] : [];
}

/** Returns how many rows of a span a page includes. */
const rowsIn = (seconds: Float64Array, [from, to]: Seconds): number =>
  indexOfSecond(seconds, to) - indexOfSecond(seconds, from - 1);

/** Returns the index of the first element that isn't earlier than this second. */
function indexOfSecond(seconds: Float64Array, from: number): number {
  const index = seconds.findIndex((second) => second >= from);
  return index < 0 ? seconds.length : index;
}

/** Returns an entry's second of creation, by which lists are sorted, or -1 if unknown. */
export function findPlace({ created = NaN, held, type }: AnyEntry): number {
  return created >= 0 ? created : ((held && readCreated(type, held.value)) ?? -1);
}

/** Returns the creation times of the rows that the next page repeats. */
export function repeatedRows({ seen, spans: [[from]] }: Walk): readonly Ticks[] {
  // a filter "created gt" also lists the second it names
  const after = BigInt(from - 1) * TICKS_PER_SECOND;
  return seen.filter((ticks) => ticks > after);
}

/** Formats the filter of the next page. */
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

/** What a page of a walk returned. */
interface PageResult {
  readonly items: readonly unknown[];
  /** Whether the page includes everything it asked for. */
  readonly isOver: boolean;
  readonly repeated: readonly Ticks[];
  readonly sentAt: number;
}

/**
 * Moves a walk past a page. Returns the second before which the page includes everything it asked
 * for.
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

/** Returns the states in which a change is still expected. */
export function openStatesFor({ states }: AnyEntry['type']): readonly string[] {
  return states ? Object.keys(states.transitions).filter((state) => !states.isSettled(state)) : [];
}
