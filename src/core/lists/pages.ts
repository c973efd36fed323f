import { ResponseError } from '../errors/index.ts';
import { PAGE } from './filters.ts';

export interface UnreadableRow {
  /** Its index among the rows in the same response, from 0. */
  readonly index: number;
  readonly row: unknown;
}

/**
 * Rows of a list. A row that can't be read doesn't hide the others, but it does exist. Check
 * `unreadable` before you conclude that something is missing.
 */
export interface Rows<T> extends ReadonlyArray<T> {
  /** Rows that couldn't be read and aren't among the others. Absent if there are none. */
  readonly unreadable?: readonly UnreadableRow[] | undefined;
}

/** One page of a list. */
export interface Page<T> {
  /** Items of this page. */
  readonly items: Rows<T>;
  /** Total number of rows, if the service counts them. */
  readonly count?: number | undefined;
  /** Whether the service didn't count the rows. */
  readonly isCountUnknown?: boolean | undefined;
  /** Continues the list later with `list(filter, { cursor })`. Only for lists ordered by time. */
  readonly cursor?: string | undefined;
}

/** Adds the unreadable rows to the array as a property. JSON doesn't include it. */
export function withUnreadable<All extends readonly unknown[]>(
  rows: All,
  unreadable: readonly UnreadableRow[],
): All & Pick<Rows<unknown>, 'unreadable'> {
  return unreadable.length > 0 ? Object.assign(rows, { unreadable }) : rows;
}

/** Returns all rows in their original order, each converted by its function. */
export function inOrder<T, Row>(
  rows: Rows<T>,
  read: (item: T) => Row,
  readUnreadable: (unreadable: UnreadableRow) => Row,
): Row[] {
  const all = rows.map(read);
  for (const one of rows.unreadable ?? []) all.splice(one.index, 0, readUnreadable(one));
  return all;
}

/** Throws if some rows couldn't be read, because a missing row may be one of them. */
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

/** Fetches one page of the rows created after a whole second, or of all rows. */
export type FetchPage<T> = (
  top: number,
  skip: number,
  after: number | undefined,
) => PromiseLike<Page<T>>;

/**
 * The reading position: the second after which the window begins, and the ids returned so far with
 * their seconds.
 */
export interface Cursor {
  after: number | undefined;
  seen: Map<string, number>;
}

const MAX_PASSES = 40;
/**
 * If rows with equal times change order, a window counts as complete after this many passes without
 * new rows. It takes four times as many if the service counts more rows than were seen.
 */
const QUIET_PASSES = 3;

/**
 * Reads a list whose rows may change in the meantime. Each page begins with the last row of the
 * previous page. If it doesn't, the list has changed and its window is read again. With `secondOf`,
 * the window moves on to two seconds before the newest row, as soon as that leaves at least half a
 * page behind.
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

/** A row with its id. For an unreadable row, its content serves as the id. */
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
  // the service's printed times are off by less than a second
  for (const [id, at] of cursor.seen) if (at < second - 1) cursor.seen.delete(id);
}

/**
 * Checks whether the list ends here. Either the count is reached, or without a count, the page only
 * has the row it shares with the previous page.
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
