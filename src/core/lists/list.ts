import {
  CALL_OPTIONS,
  type CallOptions,
  checkClient,
  type Connection,
  type Endpoint,
  send,
} from '../http/index.ts';
import { badInput, checkOptions, type Expected } from '../errors/index.ts';
import { parseMillis } from '../time.ts';
import { allOf, between, PAGE, pageSize } from './filters.ts';
import {
  checkReadable,
  readCount,
  type Cursor,
  type FetchPage,
  type Page,
  paginate,
  type Rows,
  type UnreadableRow,
  withUnreadable,
} from './pages.ts';

export interface ListQuery {
  readonly filter?: string | undefined;
  readonly orderBy?: string | undefined;
  readonly top?: number | undefined;
  readonly skip?: number | undefined;
}

export const LIST_QUERY: Readonly<Record<keyof ListQuery, string>> = {
  filter: '$filter',
  orderBy: '$orderby',
  top: '$top',
  skip: '$skip',
};

/**
 * A list's items, fetched page by page as you iterate. If some rows can't be parsed, iterating
 * returns all other items first and then throws a `ResponseError`.
 */
export interface List<T> extends AsyncIterable<T> {
  /**
   * Iterates over pages without duplicate items. Rows that can't be parsed are in
   * `items.unreadable`.
   */
  pages(): AsyncIterable<Page<T>>;
  /**
   * Resolves to an array of at most `limit` items. Rows that can't be parsed are in the array's
   * `unreadable` property. If there are rows but none can be parsed, the promise rejects.
   */
  toArray(options: { readonly limit: number }): Promise<T[] & Pick<Rows<unknown>, 'unreadable'>>;
  /** Resolves to the number of rows, or to `'unknown'` if the service doesn't count them. */
  count(): Promise<number | 'unknown'>;
}

/** Options that every list supports. */
export interface ListOptions extends CallOptions {
  /** Number of items to fetch per request, from 1 to 100. */
  readonly pageSize?: number | undefined;
  /** Cursor of the page to continue after. The list must have the same filter. */
  readonly cursor?: string | undefined;
  /**
   * Order by creation time, if the service supports it. Defaults to `asc`, which means oldest
   * first. With `desc`, rows that are added while you're reading may be missing.
   */
  readonly order?: 'asc' | 'desc' | undefined;
}

const LIMIT_ADVICE = 'is required, such as toArray({ limit: 100 })';

const LIST_OPTIONS: Expected<ListOptions> = /* @__PURE__ */ Object.assign(
  { pageSize: 'number', cursor: 'string', order: ['asc', 'desc'] } as const,
  CALL_OPTIONS,
);

/**
 * Creates a `List` of the rows that match all `terms`, ordered by creation time. A row that matches
 * throughout the read appears exactly once, even if other rows change meanwhile.
 */
export function makeList<T>(
  connection: Connection,
  endpoint: Endpoint<ListQuery, void, Page<T>>,
  idOf: (item: T) => string,
  terms: readonly (string | undefined)[],
  options: ListOptions,
): List<T> {
  checkClient(connection);
  checkOptions(options, LIST_OPTIONS);
  const { pageSize: size, cursor, order = 'asc', ...call } = options;
  // Descending order uses the same algorithm with negated seconds.
  const sign = order === 'asc' ? 1 : -1;
  const name = allOf(...terms, order === 'asc' ? undefined : order);
  const fetchPage: FetchPage<T> = (top, skip, after) =>
    send(
      connection,
      endpoint,
      {
        where: {
          filter: allOf(
            ...terms,
            order === 'asc' ? between(after, undefined) : between(undefined, after && -after),
          ),
          orderBy: `created ${order}`,
          top,
          skip,
        },
      },
      call,
    );
  const createdSecond = (item: T) => {
    const { created = '' } = item as { readonly created?: string };
    return Math.floor((sign * (parseMillis(created) ?? NaN)) / 1_000);
  };
  return listBy(
    fetchPage,
    idOf,
    pageSize(size ?? PAGE),
    () => cursorFrom(name, cursor),
    createdSecond,
    ({ after, seen }) => JSON.stringify([name, after, ...seen]),
  );
}

function cursorFrom(name: string | undefined, cursor: string | undefined): Cursor {
  if (cursor === undefined) return { after: undefined, seen: new Map() };
  try {
    const [of, after, ...seen] = JSON.parse(cursor) as [
      string | null,
      number | null,
      ...[string, number][],
    ];
    if (of === (name ?? null)) return { after: after ?? undefined, seen: new Map(seen) };
  } catch {
    // the string isn't a valid cursor
  }
  throw badInput('cursor', 'must come from a list with the same filter and order');
}

function listBy<T>(
  fetchPage: FetchPage<T>,
  idOf: (item: T) => string,
  size: number,
  begin: () => Cursor,
  secondOf?: (item: T) => number,
  cursorOf?: (cursor: Cursor) => string,
): List<T> {
  begin();

  // A cursor contains the ids of all rows in its window, so cursors are only created for `pages()`.
  async function* pages(hasCursor: boolean): AsyncGenerator<Page<T>> {
    const cursor = begin();
    let count: Pick<Page<T>, 'count' | 'isCountUnknown'> | undefined;
    for await (const page of paginate(fetchPage, idOf, size, cursor, secondOf)) {
      // Later requests only count the remaining rows.
      count ??= { count: page.count, isCountUnknown: page.isCountUnknown };
      yield { ...page, ...count, cursor: hasCursor ? cursorOf?.(cursor) : undefined };
    }
  }

  // Throw if there were unreadable rows. Otherwise a loop would treat them as missing.
  async function* items(): AsyncGenerator<T> {
    const unreadable: UnreadableRow[] = [];
    for await (const page of pages(false)) {
      unreadable.push(...(page.items.unreadable ?? []));
      yield* page.items;
    }
    checkReadable({ unreadable });
  }

  return {
    pages: () => pages(true),
    [Symbol.asyncIterator]: items,
    async toArray({ limit } = {} as { readonly limit: number }) {
      if (typeof limit !== 'number') throw badInput('limit', LIMIT_ADVICE);
      const found: T[] = [];
      const unreadable: UnreadableRow[] = [];
      if (limit > 0)
        for await (const page of pages(false)) {
          unreadable.push(...(page.items.unreadable ?? []));
          found.push(...page.items.slice(0, limit - found.length));
          if (found.length >= limit) break;
        }
      if (found.length === 0) checkReadable({ unreadable });
      return withUnreadable(found, unreadable);
    },
    async count() {
      return readCount(await fetchPage(1, 0, undefined)) ?? 'unknown';
    },
  };
}

export type SkipQuery = Pick<ListQuery, 'top' | 'skip'>;

export const SKIP_QUERY: Readonly<Record<keyof SkipQuery, string>> = { top: '$top', skip: '$skip' };

/**
 * Creates a `List` for a resource that the service can neither filter by time nor sort. A row that
 * exists throughout the read appears exactly once. If the list changes during the read, it's read
 * again.
 */
export function listBySkip<Where extends SkipQuery, T>(
  connection: Connection,
  endpoint: Endpoint<Where, void, Page<T>>,
  where: Omit<Where, keyof SkipQuery>,
  idOf: (item: T) => string,
  options: ListOptions,
): List<T> {
  checkClient(connection);
  checkOptions(options, LIST_OPTIONS);
  const { pageSize: size, ...call } = options;
  for (const name of ['cursor', 'order'] as const)
    if (call[name] !== undefined) throw badInput(name, 'needs a sorted list');
  const fetchPage: FetchPage<T> = (top, skip) =>
    send(connection, endpoint, { where: { ...where, top, skip } as Where }, call);
  const begin = () => cursorFrom(undefined, undefined);
  return listBy(fetchPage, idOf, pageSize(size ?? PAGE), begin);
}
