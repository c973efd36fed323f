import { ResponseError } from '../errors/index.ts';
import { PAGE } from './filters.ts';

export interface UnreadableRow {
  /** The row's index in its response, starting at 0. */
  readonly index: number;
  readonly row: unknown;
}

/**
 * A list's rows. Rows that can't be parsed are in `unreadable`, so check that property before you
 * conclude that a row is missing.
 */
export interface Rows<T> extends ReadonlyArray<T> {
  /** Rows that couldn't be parsed and aren't in the array. Absent if there are none. */
  readonly unreadable?: readonly UnreadableRow[] | undefined;
}

/** One page of a list. */
export interface Page<T> {
  /** The page's items. */
  readonly items: Rows<T>;
  /** Total number of rows in the list, if the service counts them. */
  readonly count?: number | undefined;
  /** Whether the service didn't count the rows. */
  readonly isCountUnknown?: boolean | undefined;
  /**
   * Pass this cursor to `list(filter, { cursor })` to continue after this page later. Only lists
   * ordered by time have cursors.
   */
  readonly cursor?: string | undefined;
}

/** Adds the unreadable rows to the array as a property that JSON doesn't include. */
export function withUnreadable<All extends readonly unknown[]>(
  rows: All,
  unreadable: readonly UnreadableRow[],
): All & Pick<Rows<unknown>, 'unreadable'> {
  return unreadable.length > 0 ? Object.assign(rows, { unreadable }) : rows;
}

/** Converts all rows, including unreadable ones, and returns them in their original order. */
export function inOrder<T, Row>(
  rows: Rows<T>,
  read: (item: T) => Row,
  readUnreadable: (unreadable: UnreadableRow) => Row,
): Row[] {
  const all = rows.map(read);
  for (const one of rows.unreadable ?? []) all.splice(one.index, 0, readUnreadable(one));
  return all;
}

/**
 * Throws if some rows couldn't be parsed, because a row that seems to be missing may be one of
 * them.
 */
export function checkReadable({ unreadable = [] }: Pick<Rows<unknown>, 'unreadable'>): void {
  if (unreadable.length === 0) return;
  const message = `${unreadable.length} rows of the list could not be read (RESPONSE_INVALID)`;
  const facts = { code: 'RESPONSE_INVALID', outcome: 'not-done', next: 'stop' } as const;
  throw new ResponseError(message, facts);
}

export function readCount({
  count,
  isCountUnknown,
}: Omit<Page<unknown>, 'items'>): number | undefined {
  return isCountUnknown ? undefined : count;
}

/** Fetches one page of rows, either those created after a given second or all of them. */
export type FetchPage<T> = (
  top: number,
  skip: number,
  after: number | undefined,
) => PromiseLike<Page<T>>;

/**
 * A position in a list. The current window begins after the second `after`. `seen` contains the ids
 * returned so far, each with its creation time in seconds.
 */
export interface Cursor {
  after: number | undefined;
  seen: Map<string, number>;
}

const MAX_PASSES = 40;
/**
 * Number of passes without new rows after which a window counts as complete, if its rows keep
 * changing order. Four times as many passes are needed if the service's count is higher than the
 * number of rows found.
 */
const QUIET_PASSES = 3;

/**
 * Reads a list whose rows may change meanwhile. Each page is requested so that it begins with the
 * last row of the previous page. If it begins with another row, the list has changed, and the
 * current window is read again. With `secondOf`, the next window begins two seconds before the
 * newest row, unless more than half of the page would have to be read again.
 */
export async function* paginate<T>(
  fetchPage: FetchPage<T>,
  idOf: (item: T) => string,
  size: number,
  cursor: Cursor,
  secondOf?: (item: T) => number,
): AsyncGenerator<Page<T>> {
  for (let pass = 0, quiet = 0; pass < MAX_PASSES; pass++) {
    const counts = new Set<number | undefined>();
    let order: string[] = [];
    let isSteady = true;
    let hasNews = false;
    let isOver = false;
    let isStuck = false;
    let next: number | undefined;
    for (let skip = 0; !isOver && !isStuck && next === undefined; ) {
      const isLater = order.length > 0;
      const page = await fetchPage(isLater ? Math.min(PAGE, size + 1) : size, skip, cursor.after);
      const rows = inOrder<T, PageRow<T>>(
        page.items,
        (item) => ({ items: [item], bad: [], id: idOf(item), second: secondOf?.(item) ?? NaN }),
        (one) => ({ items: [], bad: [one], id: JSON.stringify(one.row), second: NaN }),
      );
      const ids = rows.map(({ id }) => id);
      const seconds = rows.map(({ second }) => second);
      const at = isLater ? order.indexOf(ids[0]!) : 0;
      isOver = isLast(page, ids.length, skip, isLater);
      isStuck = isLater && !isOver && ids.length === 1;
      isSteady &&= !isStuck && at >= 0 && order.slice(at).every((id, index) => id === ids[index]);
      const fresh = rows.filter((_, index) => isNew(cursor, ids, index));
      ids.forEach((id, index) => cursor.seen.set(id, seconds[index]!));
      hasNews ||= fresh.length > 0;
      if (fresh.length > 0) yield { ...page, items: toRows(fresh) };
      counts.add(readCount(page));
      next = secondOf && nextAfter(seconds, cursor.after);
      order = [...order.slice(0, at < 0 ? undefined : at), ...ids];
      skip += ids.length - 1;
    }
    quiet = hasNews ? 0 : quiet + 1;
    const [total = 0] = counts;
    const isWhole = isSteady && (!isOver || new Set(order).size >= total);
    const enough = cursor.seen.size < total ? 4 * QUIET_PASSES : QUIET_PASSES;
    if (!isWhole && (quiet < enough || counts.size > 1)) continue;
    if (isOver) return;
    if (next === undefined) continue;
    moveTo(cursor, next);
    pass = -1;
    quiet = -1;
  }
  const facts = { code: 'LIST_UNSTABLE', outcome: 'not-done', next: 'retry' } as const;
  throw new ResponseError('the list kept changing while it was read', facts);
}

/** A row with its id. The id of an unreadable row is its content. */
interface PageRow<T> {
  readonly items: readonly T[];
  readonly bad: readonly UnreadableRow[];
  readonly id: string;
  readonly second: number;
}

function toRows<T>(rows: readonly PageRow<T>[]): Rows<T> {
  return withUnreadable(
    rows.flatMap(({ items }) => items),
    rows.flatMap(({ bad }) => bad),
  );
}

function isNew({ seen }: Cursor, ids: readonly string[], index: number): boolean {
  return !seen.has(ids[index]!) && ids.indexOf(ids[index]!) === index;
}

function moveTo(cursor: Cursor, second: number): void {
  cursor.after = second;
  // The service's timestamps are off by less than a second.
  for (const [id, at] of cursor.seen) if (at < second - 1) cursor.seen.delete(id);
}

/**
 * Checks whether a page is the last one. If the service counts the rows, the count must be reached.
 * Otherwise the page must contain only the row that it shares with the previous page.
 */
function isLast(page: Page<unknown>, length: number, skip: number, isLater: boolean): boolean {
  const total = readCount(page);
  return length === 0 || (total === undefined ? isLater && length === 1 : skip + length >= total);
}

/**
 * Returns the second after which the next window may begin. Returns `undefined` if the page isn't
 * in order, or if more than half of it would have to be read again.
 */
function nextAfter(seconds: readonly number[], after = -Infinity): number | undefined {
  const next = seconds.at(-1)! - 2;
  const isOrdered = seconds.every((second, index) => index === 0 || second >= seconds[index - 1]!);
  return isOrdered &&
    next > after &&
    seconds.filter((second) => second > next).length * 2 <= seconds.length
    ? next
    : undefined;
}
