import type { Invoice } from 'paystate';
import { openShop, type Shop } from './shop.ts';

/** All invoices of the account at one time, the oldest first. */
export type Copy = readonly Invoice[];

/** A shop whose lists of invoices can come from a copy of the data that is behind. */
export interface CopiedShop extends Shop {
  /** Queries of the lists that were asked for. */
  readonly queries: URLSearchParams[];
  /** Copies the data as they are now. */
  copy(): Copy;
  /**
   * From now on lists are those of this copy: its filter, order and rows; without one those of now.
   * `isFiltered`: only those with a filter.
   */
  show(copy?: Copy, isFiltered?: boolean): void;
}

/**
 * Opens a shop with such copies. The fault `stale` of the sandbox finds the rows of a list by the data
 * of now and only shows them as they were, so that a row that has left a filter never comes back.
 */
export function openCopied(): CopiedShop {
  let shown: Copy | undefined;
  let isFiltered = false;
  const queries: URLSearchParams[] = [];
  const shop = openShop({}, async (url, ask) => {
    const { pathname, searchParams } = new URL(url);
    if (pathname !== '/v1/invoices' || !searchParams.has('$top')) return ask();
    queries.push(searchParams);
    const isOld = shown && (!isFiltered || searchParams.has('$filter'));
    return isOld ? answerFrom(shown!, searchParams) : ask();
  });
  const copy = (): Copy => {
    const { invoices } = shop.sandbox.inspect() as unknown as { readonly invoices: Copy };
    return invoices.toSorted((a, b) => (a.created < b.created ? -1 : 1));
  };
  const show = (one?: Copy, filtered: boolean = false) => {
    shown = one;
    isFiltered = filtered;
  };
  return { ...shop, queries, copy, show };
}

function answerFrom(copy: Copy, query: URLSearchParams): Response {
  const [top, skip] = ['$top', '$skip'].map((name) => Number(query.get(name) ?? 0));
  const found = copy.filter(filterOf(query.get('$filter')));
  const ordered = query.get('$orderby')?.endsWith('asc') ? found : found.toReversed();
  const items = ordered.slice(skip, skip! + top!);
  const body = { items, count: found.length, isCountUnknown: false };
  return new Response(JSON.stringify(body), { status: 200 });
}

/** Filters by one state, by ids, or by the caller's own id, which is compared without case. */
function filterOf(text: string | null): (invoice: Invoice) => boolean {
  if (text === null) return () => true;
  const state = /^state eq '(\w+)'$/.exec(text)?.[1];
  if (state) return (invoice) => invoice.state === state;
  const own = /^correlationId eq '(.+)'$/.exec(text)?.[1]?.toLowerCase();
  if (own) return ({ correlationId = '' }) => correlationId.toLowerCase() === own;
  const ids = [...text.matchAll(/invoiceId eq '([^']+)'/g)].map(([, id]) => id);
  if (ids.length === 0) throw new Error(`these copies do not know the filter ${text}`);
  return ({ invoiceId }) => ids.includes(invoiceId);
}
