import { PAGE } from './odata.ts';

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

/** Makes a `List`. `ask` gets one page; `idOf` lets an item appear once even if rows move meanwhile. */
export function listOf<T>(ask: (top: number, skip: number) => Promise<Page<T>>, idOf: (item: T) => string, size: number = PAGE): List<T> {
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

/** How many there are in all, where the service knows. */
export function countOf({ count, isCountUnknown }: Omit<Page<unknown>, 'items'>): number | undefined {
  return isCountUnknown ? undefined : count;
}
