// A shop without the event feed that writes down which lists of invoices it was asked for.
import { type ClientOptions, createClient, type Invoice } from 'paystate';
import type { SandboxOptions } from 'paystate/sandbox';
import { type Answers, openShop, type Shop } from './shop.ts';

/** A page of the list of invoices: what it was asked for, and what it held. */
export interface AskedPage {
  /** Clock time of the request, milliseconds since 1970. */
  readonly at: number;
  readonly filter: string;
  readonly skip: number;
  /** Ids that the filter names. */
  readonly asked: ReadonlySet<string>;
  /** Ids of the invoices that it held; none where it failed. */
  readonly held: ReadonlySet<string>;
}

export interface PagedShop extends Shop {
  readonly pages: AskedPage[];
  /** Makes invoices at the same moment, by as many other addresses as that takes. */
  makeAtOnce(count: number): Promise<Invoice[]>;
  /** Makes invoices at these seconds from now on. */
  makeAt(seconds: readonly number[]): Promise<Invoice[]>;
}

/** Opens such a shop. `answers` may change the lists of invoices, `others` all else. */
export function openPaged(
  answers: Answers = (_url, ask) => ask(),
  changes: Partial<ClientOptions> = {},
  options: SandboxOptions = {},
  others: Answers = (_url, ask) => ask(),
): PagedShop {
  const pages: AskedPage[] = [];
  const shop = openShop(
    options,
    async (url, ask) => {
      const { pathname, searchParams } = new URL(url);
      if (pathname !== '/v1/invoices' || !searchParams.has('$top')) return others(url, ask);
      const at = shop.sandbox.clock.now();
      const response = await answers(url, ask).catch((error: unknown) => {
        pages.push(pageOf(at, searchParams, []));
        throw error;
      });
      const body = (await response.clone().json()) as { readonly items?: readonly Invoice[] };
      pages.push(pageOf(at, searchParams, body.items ?? []));
      return response;
    },
    { capabilities: { feed: false }, callTimeout: 3_600_000, ...changes },
  );
  let address = 0;
  const makeAtOnce = async (count: number) => {
    const made: Invoice[] = [];
    for (let left = count; left > 0; left -= 200) {
      const till = createClient(
        shop.sandbox.clientOptionsFor({ address: `198.18.${++address >> 8}.${address & 255}` }),
      );
      for (let n = 0; n < Math.min(left, 200); n++) made.push(await make(shop, till));
    }
    return made;
  };
  const makeAt = async (seconds: readonly number[]) => {
    const made: Invoice[] = [];
    const begun = shop.sandbox.clock.now();
    for (const second of seconds) {
      await shop.sandbox.advance(Math.max(0, begun + second * 1_000 - shop.sandbox.clock.now()));
      made.push(...(await makeAtOnce(1)));
    }
    return made;
  };
  return { ...shop, pages, makeAtOnce, makeAt };
}

const make = ({ sandbox }: Shop, { invoices }: Pick<Shop['client'], 'invoices'>) =>
  sandbox.run(invoices.create({ amount: { amount: '1', currency: 'EUR' } }));

function pageOf(at: number, query: URLSearchParams, items: readonly Invoice[]): AskedPage {
  const filter = query.get('$filter') ?? '';
  return {
    at,
    filter,
    skip: Number(query.get('$skip') ?? 0),
    asked: new Set([...filter.matchAll(/invoiceId eq '([^']+)'/g)].map(([, id]) => id!)),
    held: new Set(items.map(({ invoiceId }) => invoiceId)),
  };
}
