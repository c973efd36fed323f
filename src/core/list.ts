import type { CallOptions } from './call.ts';
import { type Connection, laned } from './connection.ts';
import { allOf, PAGE, pageSize } from './odata.ts';
import type { Row } from './row.ts';
import { send } from './send.ts';

/** One page as the service answers it. */
export interface Page<T> {
  readonly items: readonly T[];
  /** How many there are in all, where the service knows. */
  readonly count?: number | undefined;
  readonly isCountUnknown?: boolean | undefined;
}

/** What a list with a filter and an order is asked; the texts are OData. */
export interface ListQuery {
  readonly filter?: string | undefined;
  readonly orderBy?: string | undefined;
  readonly top?: number | undefined;
  readonly skip?: number | undefined;
}

/** Names of a list's query parameters on the wire. */
export const LIST_QUERY: Readonly<Record<keyof ListQuery, string>> = {
  filter: '$filter', orderBy: '$orderby', top: '$top', skip: '$skip',
};

/** All items of a list, asked for page by page while they are read. */
export interface List<T> extends AsyncIterable<T> {
  pages(): AsyncIterable<Page<T>>;
  /** The items as an array, at most `limit` of them. */
  toArray(options: { readonly limit: number }): Promise<T[]>;
  /** How many there are, or `'unknown'` where the service does not count. */
  total(): Promise<number | 'unknown'>;
}

/** Options of every list. */
export interface ListOptions extends CallOptions {
  /** Items a request, 1 to 100. */
  readonly pageSize?: number | undefined;
}

/**
 * Makes a `List` of what fits all `terms`, the oldest first, after everything more urgent.
 * `idOf` lets an item appear once even if rows move meanwhile.
 */
export function listOf<T>(
  connection: Connection,
  row: Row<ListQuery, void, Page<T>>,
  idOf: (item: T) => string,
  terms: readonly (string | undefined)[],
  options: ListOptions,
): List<T> {
  const where = { filter: allOf(...terms), orderBy: 'created asc' };
  const ask = (top: number, skip: number) => send(laned(connection, 'lists'), row, { where: { ...where, top, skip } }, options);
  return pagedList(ask, idOf, pageSize(options.pageSize ?? PAGE));
}

function pagedList<T>(ask: (top: number, skip: number) => PromiseLike<Page<T>>, idOf: (item: T) => string, size: number): List<T> {
  async function* pages(): AsyncGenerator<Page<T>> {
    for (let skip = 0; ; ) {
      const page = await ask(size, skip);
      skip += page.items.length;
      yield page;
      const total = countOf(page);
      const last = total === undefined ? page.items.length < size : skip >= total;
      if (last || page.items.length === 0) return;
    }
  }

  async function* items(): AsyncGenerator<T> {
    const seen = new Set<string>();
    for await (const page of pages())
      for (const item of page.items) {
        if (seen.has(idOf(item))) continue;
        seen.add(idOf(item));
        yield item;
      }
  }

  return {
    pages,
    [Symbol.asyncIterator]: items,
    async toArray({ limit }) {
      const found: T[] = [];
      if (limit > 0) for await (const item of items()) if (found.push(item) >= limit) break;
      return found;
    },
    async total() {
      return countOf(await ask(1, 0)) ?? 'unknown';
    },
  };
}

/** What a list without filter and order is asked. */
export interface SkipQuery {
  readonly top?: number | undefined;
  readonly skip?: number | undefined;
}

/** Names of its query parameters on the wire. */
export const SKIP_QUERY: Readonly<Record<keyof SkipQuery, string>> = { top: '$top', skip: '$skip' };

/** Makes a `List` of a noun that the service can neither filter by time nor order; `where` holds what else it is asked. */
export function listBySkip<Where extends SkipQuery, T>(
  connection: Connection,
  row: Row<Where, void, Page<T>>,
  where: Omit<Where, keyof SkipQuery>,
  idOf: (item: T) => string,
  options: ListOptions,
): List<T> {
  const ask = (top: number, skip: number) => send(laned(connection, 'lists'), row, { where: { ...where, top, skip } as Where }, options);
  return pagedList(ask, idOf, pageSize(options.pageSize ?? PAGE));
}

/** How many there are in all, where the service knows. */
export function countOf({ count, isCountUnknown }: Omit<Page<unknown>, 'items'>): number | undefined {
  return isCountUnknown ? undefined : count;
}
