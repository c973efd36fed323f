import { ResponseError } from '../errors/index.ts';
import { PAGE } from './filters.ts';

/** A row of a list that could not be read. */
export interface UnreadableRow {
  /** Its place among the rows that the service has sent with it, from 0. */
  readonly index: number;
  /** The row as it came. */
  readonly row: unknown;
}

/**
 * Rows of a list. A row that cannot be read does not hide the others, but it is not absent either:
 * whoever concludes that something does not exist checks `unreadable` first.
 */
export interface Rows<T> extends ReadonlyArray<T> {
  /** The rows that could not be read and are not among the others; absent where there is none. */
  readonly unreadable?: readonly UnreadableRow[] | undefined;
}

/** One page of a list. */
export interface Page<T> {
  /** The items of this page. */
  readonly items: Rows<T>;
  /** Number of all rows, where the service knows it. */
  readonly count?: number | undefined;
  /** The service did not count. */
  readonly isCountUnknown?: boolean | undefined;
  /**
   * A text by which the list can be continued later: `list(filter, { cursor })`. Only for lists in
   * order of time.
   */
  readonly cursor?: string | undefined;
}

/** Adds to rows those that could not be read. Only arrays can have the member: JSON cannot. */
export function withUnreadable<All extends readonly unknown[]>(
  rows: All,
  unreadable: readonly UnreadableRow[],
): All & Pick<Rows<unknown>, 'unreadable'> {
  return unreadable.length > 0 ? Object.assign(rows, { unreadable }) : rows;
}

/** Returns all rows in the order in which they came, each as its function makes it. */
export function inOrder<T, Row>(
  rows: Rows<T>,
  read: (item: T) => Row,
  readUnreadable: (unreadable: UnreadableRow) => Row,
): Row[] {
  const all = rows.map(read);
  for (const one of rows.unreadable ?? []) all.splice(one.index, 0, readUnreadable(one));
  return all;
}

/** Throws where rows could not be read: what is absent may be one of them. */
export function checkReadable({ unreadable = [] }: Pick<Rows<unknown>, 'unreadable'>): void {
  if (unreadable.length === 0) return;
  const message = `${unreadable.length} rows of the list could not be read (RESPONSE_INVALID)`;
  const facts = { code: 'RESPONSE_INVALID', outcome: 'not-done', next: 'stop' } as const;
  throw new ResponseError(message, facts);
}

/** Returns the number of all rows, where the service knows it. */
export function readCount({
  count,
  isCountUnknown,
}: Omit<Page<unknown>, 'items'>): number | undefined {
  return isCountUnknown ? undefined : count;
}

/** Fetches one page of the rows created after a whole second, or of all rows. */
export type FetchPage<T> = (
  top: number,
  skip: number,
  after: number | undefined,
) => PromiseLike<Page<T>>;

/**
 * The position up to which a list was read: the second after which its window begins, and the ids
 * that were returned, with their seconds.
 */
export interface Cursor {
  after: number | undefined;
  seen: Map<string, number>;
}

/** Maximum number of reads of a window that keeps changing. */
const MAX_PASSES = 40;
/**
 * A window whose ties change order is complete after this many passes without new rows; after four
 * times as many where the service counts more rows than were seen.
 */
const QUIET_PASSES = 3;

/**
 * Reads a list whose rows may change during the reading. Each page begins with the last row of the
 * page before; where it does not, the list has changed and its window is read again. With
 * `secondOf` the window moves on to two seconds before the newest row, as soon as that leaves at
 * least half of a page behind.
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

/** A row, read or not, with its id; one that could not be read is named by its content. */
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

/** Tells whether a row was neither returned before nor is earlier on the same page. */
function isNew({ seen }: Cursor, ids: readonly string[], index: number): boolean {
  return !seen.has(ids[index]!) && ids.indexOf(ids[index]!) === index;
}

function moveTo(cursor: Cursor, second: number): void {
  cursor.after = second;
  // the service's printed times are off by less than a second
  for (const [id, at] of cursor.seen) if (at < second - 1) cursor.seen.delete(id);
}

/**
 * Tells whether the list ends with this page: its count is reached, or, without a count, the page
 * has only the row that it shares with the page before.
 */
function isLast(page: Page<unknown>, length: number, skip: number, isLater: boolean): boolean {
  const total = readCount(page);
  return length === 0 || (total === undefined ? isLater && length === 1 : skip + length >= total);
}

/**
 * Returns where the next window may begin, if the page is in order and at most half of it would be
 * read again.
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
