// Checks of lists: envelope, pages, order, filters.
import type { ThingName } from './things.ts';
import { check, type Fact, same, section, type Stage, type Thing, type Values } from './fact.ts';
import { array, boolean, integer, queryOf, type ValueForm, valueAt } from './shapes.ts';

/** A list: its path, the way to make a row of it, and the member that names a row. */
interface List {
  readonly path: string;
  readonly thing: ThingName;
  readonly id: 'id' | 'invoiceId' | 'receiveId' | 'receiveRequestId';
}

const LISTS = {
  invoices: { path: '/v1/invoices', thing: 'invoice', id: 'invoiceId' },
  events: { path: '/v1/events', thing: 'event', id: 'id' },
  'bank methods': { path: '/v1/payment-methods/bank', thing: 'sepa', id: 'id' },
  originators: { path: '/v1/payout-originators', thing: 'originator', id: 'id' },
  payouts: { path: '/v1/payouts', thing: 'payout', id: 'id' },
  deposits: { path: '/v1/deposits', thing: 'achDeposit', id: 'id' },
  'receive requests': {
    path: '/v1/receive-requests',
    thing: 'bolt11Request',
    id: 'receiveRequestId',
  },
  receives: { path: '/v1/receive-requests/receives', thing: 'lightningReceive', id: 'receiveId' },
} satisfies Record<string, List>;

type ListName = keyof typeof LISTS;

/** A list of three or more. */
async function listOf(stage: Stage, name: ListName): Promise<List> {
  const list = LISTS[name];
  for (const number of [1, 2, 3]) await stage.thing(list.thing, number);
  return list;
}

/** A member of a list of three or more has this form. */
const listHas =
  (name: ListName, path: string, shape: ValueForm): Fact =>
  async (stage) => {
    const list = await listOf(stage, name);
    const json = await stage.get(list.path);
    check(shape.test(valueAt(json, path)), `${path} to be ${shape.name}`, valueAt(json, path));
  };

/** Ids on a page, and the count of all. */
interface Page {
  readonly ids: readonly string[];
  readonly count: number;
}

async function idsOf(stage: Stage, { path, id }: List, query: Values): Promise<Page> {
  const { items, count } = await stage.get(path, { query: queryOf(query) });
  return { ids: items.map((item) => item[id]), count };
}

/** `$top` bounds the page and not the count. */
const pagesTop =
  (name: ListName): Fact =>
  async (stage) => {
    const list = await listOf(stage, name);
    const all = await idsOf(stage, list, { $top: 100 });
    const page = await idsOf(stage, list, { $top: 2 });
    same([all.ids.slice(0, 2), all.count], [page.ids, page.count]);
  };

/** `$skip` leaves out the first ones. */
const pagesSkip =
  (name: ListName): Fact =>
  async (stage) => {
    const list = await listOf(stage, name);
    const all = await idsOf(stage, list, { $top: 100 });
    const page = await idsOf(stage, list, { $top: 100, $skip: 2 });
    check(all.ids.length > 2, 'three rows', all.ids);
    same([all.ids.slice(2), all.count], [page.ids, page.count]);
  };

/** Beyond its end a list is empty, and its count the same. */
const pagesEnd =
  (name: ListName): Fact =>
  async (stage) => {
    const list = await listOf(stage, name);
    const all = await idsOf(stage, list, { $top: 100 });
    const page = await idsOf(stage, list, { $skip: 1_000_000 });
    same([[], all.count], [page.ids, page.count]);
  };

/** Pages of one cover the list without a gap. */
const pagesCover =
  (name: ListName): Fact =>
  async (stage) => {
    const list = await listOf(stage, name);
    const all = await idsOf(stage, list, { $top: 5 });
    const single: string[] = [];
    for (const at of all.ids.keys())
      single.push(...(await idsOf(stage, list, { $top: 1, $skip: at })).ids);
    same(all.ids, single);
  };

/** The order of a list by time. */
const ordered =
  (name: ListName, order: string, sign: number, also: Values = {}): Fact =>
  async (stage) => {
    const list = await listOf(stage, name);
    const query = queryOf({ $orderby: order, $top: 100, ...also });
    const { items } = await stage.get(list.path, { query });
    const times = items.map(({ created }) => created);
    check(times.length > 2, 'three rows', times);
    const wanted = times.toSorted((a, b) => sign * (a < b ? -1 : a > b ? 1 : 0));
    same(wanted, times);
  };

/** A query of a filter: its text, or the whole query. */
type Filter = string | Values | ((it: Thing) => string);

/** Says whether the filter should keep a row; `it` is the row that the filter was made of. */
type IsWanted = (row: Thing, it: Thing) => boolean;

const filterQuery = (filterOf: Filter, it?: Thing): Values => {
  const filter = typeof filterOf === 'function' ? filterOf(it!) : filterOf;
  return typeof filter === 'string' ? { $filter: filter } : filter;
};

async function everything(stage: Stage, { path }: List): Promise<readonly Thing[]> {
  const found: Thing[] = [];
  for (;;) {
    const { items, count } = await stage.get(path, {
      query: queryOf({ $top: 100, $skip: found.length }),
    });
    found.push(...items);
    if (found.length >= count || items.length === 0) return found;
  }
}

/** A filter leaves exactly those rows of which `isWanted` holds. */
const findsAll =
  (name: ListName, filterOf: Filter, isWanted: IsWanted, isPart?: boolean): Fact =>
  async (stage) => {
    const list = await listOf(stage, name);
    const all = await everything(stage, list);
    const it = all.filter((row) => row.correlationId !== undefined || name !== 'invoices').at(1);
    check(it, 'a row to make the filter of', all.length);
    const wanted = all.filter((row) => isWanted(row, it!)).map((row) => row[list.id]);
    const query = { ...filterQuery(filterOf, it), $top: 100 };
    check(wanted.length > 0, 'a filter that leaves something', query);
    const isPartial = !isPart || wanted.length < all.length;
    check(isPartial, 'a filter that leaves something out', query);
    const { ids, count } = await idsOf(stage, list, query);
    same([wanted.toSorted(), wanted.length], [ids.toSorted(), count]);
  };

/** The same, of a filter that leaves some out. */
const finds = (name: ListName, filterOf: Filter, isWanted: IsWanted): Fact =>
  findsAll(name, filterOf, isWanted, true);

/** A filter that fits nothing. */
const findsNothing =
  (name: ListName, filter: Values | string): Fact =>
  async (stage) => {
    const list = await listOf(stage, name);
    same({ ids: [], count: 0 }, await idsOf(stage, list, filterQuery(filter)));
  };

/** A parameter with two values finds two rows. */
const repeated =
  (name: ListName, parameter: string, member: string): Fact =>
  async (stage) => {
    const { thing, path, id }: List = LISTS[name];
    const both = [await stage.thing(thing, 1), await stage.thing(thing, 2)];
    const query = queryOf({ [parameter]: both.map((one) => valueAt(one, member)) });
    const { items } = await stage.get(path, { query });
    same(both.map((made) => made[id]).toSorted(), items.map((row) => row[id]).toSorted());
  };

/** The count of a filter on a page of one. */
const countBeyondPage = (): Fact => async (stage) => {
  const list = await listOf(stage, 'events');
  const filter = { $filter: "eventType eq 'invoice.created'" };
  const { ids } = await idsOf(stage, list, { ...filter, $top: 100 });
  const page = await idsOf(stage, list, { ...filter, $top: 1 });
  same([1, ids.length], [page.ids.length, page.count]);
};

// All lists: envelope, pages, order; filters of invoices and events.

const about = (name: ListName): readonly Fact[] => [
  listHas(name, 'items', array),
  listHas(name, 'count', integer),
  listHas(name, 'isCountUnknown', boolean),
  pagesTop(name),
  pagesSkip(name),
  pagesEnd(name),
  pagesCover(name),
];

const NAMES: readonly ListName[] = [
  'invoices',
  'events',
  'bank methods',
  'originators',
  'payouts',
  'deposits',
  'receive requests',
  'receives',
];
const DAY = 86_400_000;

export const pages = section('pages', NAMES.flatMap(about), { pause: DAY });

const at = 'invoices';
const OFFSET = 2 * 3_600_000;
/** The same instant with an offset of two hours. */
const shifted = ({ created }: Thing): string =>
  `${new Date(Date.parse(created) + OFFSET).toISOString().slice(0, 19)}${/\.\d+/.exec(created) ?? ''}+02:00`;

export const invoiceFilters = section(
  'invoice filters',
  [
    finds(
      at,
      (it: Thing) => `invoiceId eq '${it.invoiceId}'`,
      (row: Thing, it: Thing) => row.invoiceId === it.invoiceId,
    ),
    finds(
      at,
      (it: Thing) => `correlationId eq '${it.correlationId}'`,
      (row: Thing, it: Thing) => row.correlationId === it.correlationId,
    ),
    finds(at, "state eq 'CANCELLED'", (row: Thing) => row.state === 'CANCELLED'),
    finds(at, "currency eq 'USD'", (row: Thing) => row.amount.currency === 'USD'),
    findsNothing(at, `issuerId eq '${crypto.randomUUID()}'`),
    findsNothing(at, `receiverId eq '${crypto.randomUUID()}'`),
    findsNothing(at, `payerId eq '${crypto.randomUUID()}'`),
    finds(
      at,
      (it: Thing) => `created gt ${it.created}`,
      (row: Thing, it: Thing) => row.created > it.created,
    ),
    finds(
      at,
      (it: Thing) => `created ge ${it.created}`,
      (row: Thing, it: Thing) => row.created >= it.created,
    ),
    finds(
      at,
      (it: Thing) => `created lt ${it.created}`,
      (row: Thing, it: Thing) => row.created < it.created,
    ),
    finds(
      at,
      (it: Thing) => `created le ${it.created}`,
      (row: Thing, it: Thing) => row.created <= it.created,
    ),
    finds(
      at,
      (it: Thing) => `created gt ${it.created.replace('+00:00', 'Z')}`,
      (row: Thing, it: Thing) => row.created > it.created,
    ),
    finds(
      at,
      (it: Thing) => `created ge ${shifted(it)}`,
      (row: Thing, it: Thing) => row.created >= it.created,
    ),
    finds(
      at,
      "state eq 'UNPAID' and currency eq 'USD'",
      (row: Thing) => row.state === 'UNPAID' && row.amount.currency === 'USD',
    ),
    finds(
      at,
      "state eq 'CANCELLED' or currency eq 'USD'",
      (row: Thing) => row.state === 'CANCELLED' || row.amount.currency === 'USD',
    ),
    finds(
      at,
      "currency eq 'USD' or state eq 'CANCELLED' and currency eq 'GBP'",
      (row: Thing) => row.amount.currency === 'USD',
    ),
    finds(
      at,
      "(currency eq 'USD' or state eq 'CANCELLED') and currency eq 'EUR'",
      (row: Thing) => row.state === 'CANCELLED' && row.amount.currency === 'EUR',
    ),
    finds(
      at,
      (it: Thing) => `invoiceId in ('${it.invoiceId}','${crypto.randomUUID()}')`,
      (row: Thing, it: Thing) => row.invoiceId === it.invoiceId,
    ),
    finds(at, "correlationId eq 'it''s mine'", (row: Thing) => row.correlationId === "it's mine"),
    findsNothing(at, "state eq 'EXPIRED'"),
    ordered(at, 'created asc', 1),
    ordered(at, 'created desc', -1),
    ordered(at, 'created', 1),
    ordered(at, 'created desc', -1, { $filter: "state eq 'UNPAID'" }),
  ],
  { things: ['usdInvoice', 'quotedInvoice', 'cancelledInvoice', 'invoice', 'bareInvoice'] },
);

const on = 'events';
const DELIVERED = 'deliverySuccess eq false';

export const eventFilters = section(
  'event filters',
  [
    finds(
      on,
      "eventType eq 'invoice.updated'",
      (row: Thing) => row.eventType === 'invoice.updated',
    ),
    finds(on, "eventType eq 'invoice.updated' or eventType eq 'payment.created'", (row: Thing) =>
      ['invoice.updated', 'payment.created'].includes(row.eventType),
    ),
    finds(
      on,
      (it: Thing) => `eventType eq 'invoice.created' and created lt ${it.created}`,
      (row: Thing, it: Thing) => row.eventType === 'invoice.created' && row.created < it.created,
    ),
    findsAll(on, DELIVERED, (row: Thing) => row.deliverySuccess === false),
    findsNothing(on, "eventType eq 'invoice.deleted'"),
    countBeyondPage(),
    ordered(on, 'created asc', 1),
    ordered(on, 'created desc', -1),
  ],
  { things: ['cancelledInvoice', 'executed', 'invoice', 'paidInvoice'] },
);

export const otherFilters = section(
  'other filters',
  [
    finds('bank methods', { $supportedAction: 'DEPOSIT' }, (row: Thing) =>
      row.supportedActions.includes('DEPOSIT'),
    ),
    findsAll('bank methods', { $supportedAction: 'WITHDRAWAL' }, (row: Thing) =>
      row.supportedActions.includes('WITHDRAWAL'),
    ),
    findsNothing('receives', { $paymentHash: 'ab'.repeat(32) }),
    findsNothing('receive requests', { $paymentHash: 'ab'.repeat(32) }),
    repeated('receive requests', '$paymentHash', 'bolt11.paymentHash'),
  ],
  { things: ['wire', 'sepa', 'ach'] },
);
