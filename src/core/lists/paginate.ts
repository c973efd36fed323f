import { ResponseError } from '../errors/index.ts';
import { millisOf } from '../time/index.ts';
import { PAGE } from './odata.ts';
import { countOf, type Page } from './page.ts';

/** Asks for one page of what comes after a whole second, or of everything. */
export type FetchPage<T> = (
  top: number,
  skip: number,
  after: number | undefined,
) => PromiseLike<Page<T>>;

/** Where a walk stands: the second that its window begins after, and what was given, with its second. */
export interface Cursor {
  after: number | undefined;
  seen: Map<string, number>;
}

/** How often a window is read at most while it moves, and how many readings without news are believed where only the order of ties changes; more where the count says that something is missing. */
const PASSES = 40;
const QUIET = 3;

/**
 * Walks over a list whose rows may come and go meanwhile. Each page begins with the last item of the one before: when
 * it does not, the list has moved and its window is read again. With `createdOf` the window itself moves on, two
 * seconds behind the newest item, as soon as that leaves most of a page behind.
 */
export async function* paginate<T>(
  ask: FetchPage<T>,
  idOf: (item: T) => string,
  size: number,
  place: Cursor,
  createdOf?: (item: T) => string | undefined,
): AsyncGenerator<Page<T>> {
  for (let pass = 0, quiet = 0; pass < PASSES; pass++) {
    const counts = new Set<number | undefined>();
    let order: string[] = [];
    let [isSteady, hasNews, isOver] = [true, false, false];
    let next: number | undefined;
    for (let skip = 0, isStuck = false; !isOver && !isStuck && next === undefined; ) {
      const isLater = order.length > 0;
      const page = await ask(isLater ? Math.min(PAGE, size + 1) : size, skip, place.after);
      const ids = page.items.map(idOf);
      const at = isLater ? order.indexOf(ids[0]!) : 0;
      isOver = isLast(page, skip, isLater);
      isStuck = isLater && !isOver && ids.length === 1;
      isSteady &&= !isStuck && at >= 0 && order.slice(at).every((id, index) => id === ids[index]);
      const items = page.items.filter(
        (_, index) => !place.seen.has(ids[index]!) && ids.indexOf(ids[index]!) === index,
      );
      const seconds = page.items.map((item) => secondOf(createdOf?.(item)));
      ids.forEach((id, index) => place.seen.set(id, seconds[index]!));
      hasNews ||= items.length > 0;
      if (items.length > 0) yield { ...page, items };
      counts.add(countOf(page));
      next = createdOf && nextAfter(seconds, place.after);
      order = [...order.slice(0, at < 0 ? undefined : at), ...ids];
      skip += ids.length - 1;
    }
    quiet = hasNews ? 0 : quiet + 1;
    const [total = 0] = counts;
    if (
      !(isSteady && (!isOver || new Set(order).size >= total)) &&
      (quiet < (place.seen.size < total ? 4 * QUIET : QUIET) || counts.size > 1)
    )
      continue;
    if (isOver) return;
    if (next === undefined) continue;
    place.after = next;
    for (const [id, second] of place.seen) if (second < next - 1) place.seen.delete(id); // printed times are less than a second off
    pass = quiet = -1;
  }
  throw new ResponseError('the list never held still', {
    code: 'LIST_UNSTABLE',
    outcome: 'not-done',
    next: 'retry',
  });
}

function secondOf(created = ''): number {
  return Math.floor((millisOf(created) ?? NaN) / 1_000);
}

/** The list ends here: it was counted to its end, or nobody counts and there is nothing beside the item that joins it. */
function isLast(page: Page<unknown>, skip: number, isLater: boolean): boolean {
  const { length } = page.items;
  const total = countOf(page);
  return length === 0 || (total === undefined ? isLater && length === 1 : skip + length >= total);
}

/** Where the next window may begin, if the page is in order and at most half of it would be read again. */
function nextAfter(seconds: readonly number[], after = -Infinity): number | undefined {
  const next = seconds.at(-1)! - 2;
  const isOrdered = seconds.every((second, index) => index === 0 || second >= seconds[index - 1]!);
  return isOrdered &&
    next > after &&
    seconds.filter((second) => second > next).length * 2 <= seconds.length
    ? next
    : undefined;
}
