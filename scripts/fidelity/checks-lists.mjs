// Checks of lists: envelope, pages, order, filters.
import { checkRefusal } from './checks.mjs';
import { queryOf, valueAt } from './json.mjs';
import { check, same } from './verdict.mjs';

/** How a list is asked: its path, how a row of it is made, and what names a row. */
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
};

const rows = async (stage, name) => {
  const { thing } = LISTS[name];
  for (const key of [1, 2, 3]) await stage.thing(thing, key);
  return LISTS[name];
};

/** A member of a list of three or more has this form. */
export const listHas = (name, path, shape) => async (stage) => {
  const list = await rows(stage, name);
  const json = await stage.get(list.path);
  check(shape.test(valueAt(json, path)), `${path} to be ${shape.name}`, valueAt(json, path));
};

const idsOf = async (stage, { path, id }, query) => {
  const { items, count } = await stage.get(path, { query: queryOf(query) });
  return { ids: items.map((item) => item[id]), count };
};

/** `$top` bounds the page and not the count. */
export const pagesTop = (name) => async (stage) => {
  const list = await rows(stage, name);
  const all = await idsOf(stage, list, { $top: 100 });
  const page = await idsOf(stage, list, { $top: 2 });
  same([all.ids.slice(0, 2), all.count], [page.ids, page.count]);
};

/** `$skip` leaves out the first ones. */
export const pagesSkip = (name) => async (stage) => {
  const list = await rows(stage, name);
  const all = await idsOf(stage, list, { $top: 100 });
  const page = await idsOf(stage, list, { $top: 100, $skip: 2 });
  check(all.ids.length > 2, 'three rows', all.ids);
  same([all.ids.slice(2), all.count], [page.ids, page.count]);
};

/** Beyond its end a list is empty, and its count the same. */
export const pagesEnd = (name) => async (stage) => {
  const list = await rows(stage, name);
  const all = await idsOf(stage, list, { $top: 100 });
  const page = await idsOf(stage, list, { $skip: 1_000_000 });
  same([[], all.count], [page.ids, page.count]);
};

/** Pages of one cover the list without a gap. */
export const pagesCover = (name) => async (stage) => {
  const list = await rows(stage, name);
  const all = await idsOf(stage, list, { $top: 5 });
  const single = [];
  for (const at of all.ids.keys())
    single.push(...(await idsOf(stage, list, { $top: 1, $skip: at })).ids);
  same(all.ids, single);
};

/** A query that cannot be. */
export const badQuery = (name, query) => async (stage) =>
  checkRefusal(
    await stage.ask(`GET ${LISTS[name].path}`, {
      query: typeof query === 'string' ? query : queryOf(query),
    }),
    400,
    'INVALID_DATA_QUERY',
  );

/** A query that can be. */
export const goodQuery = (name, query) => async (stage) =>
  void (await stage.get(LISTS[name].path, {
    query: typeof query === 'string' ? query : queryOf(query),
  }));

/** The order of a list by time. */
export const ordered =
  (name, order, sign, also = {}) =>
  async (stage) => {
    const list = await rows(stage, name);
    const query = queryOf({ $orderby: order, $top: 100, ...also });
    const { items } = await stage.get(list.path, { query });
    const times = items.map(({ created }) => created);
    check(times.length > 2, 'three rows', times);
    const wanted = times.toSorted((a, b) => sign * (a < b ? -1 : a > b ? 1 : 0));
    same(wanted, times);
  };

/** A query of a filter: its text, or the whole query. */
const filterQuery = (filterOf, it) => {
  const filter = typeof filterOf === 'function' ? filterOf(it) : filterOf;
  return typeof filter === 'string' ? { $filter: filter } : filter;
};

const everything = async (stage, { path }) => {
  const found = [];
  for (;;) {
    const { items, count } = await stage.get(path, {
      query: queryOf({ $top: 100, $skip: found.length }),
    });
    found.push(...items);
    if (found.length >= count || items.length === 0) return found;
  }
};

/** A filter leaves exactly those rows of which `isWanted` holds. */
export const findsAll = (name, filterOf, isWanted, isPart) => async (stage) => {
  await rows(stage, name);
  const list = LISTS[name];
  const all = await everything(stage, list);
  const it = all.filter((row) => row.correlationId !== undefined || name !== 'invoices').at(1);
  const wanted = all.filter((row) => isWanted(row, it)).map((row) => row[list.id]);
  const query = { ...filterQuery(filterOf, it), $top: 100 };
  const { ids, count } = await idsOf(stage, list, query);
  check(wanted.length > 0, 'a filter that leaves something', query);
  check(!isPart || wanted.length < all.length, 'a filter that leaves something out', query);
  same([wanted.toSorted(), wanted.length], [ids.toSorted(), count]);
};

/** The same, of a filter that leaves some out. */
export const finds = (name, filterOf, isWanted) => findsAll(name, filterOf, isWanted, true);

/** A filter that fits nothing. */
export const findsNothing = (name, filter) => async (stage) => {
  const list = await rows(stage, name);
  same({ ids: [], count: 0 }, await idsOf(stage, list, filterQuery(filter)));
};

/** A parameter with two values finds two rows. */
export const repeated = (name, parameter, member) => async (stage) => {
  const { thing, path, id } = LISTS[name];
  const both = [await stage.thing(thing, 1), await stage.thing(thing, 2)];
  const query = queryOf({ [parameter]: both.map((one) => valueAt(one, member)) });
  const { items } = await stage.get(path, { query });
  same(both.map((one) => one[id]).toSorted(), items.map((one) => one[id]).toSorted());
};

/** The count of a filter on a page of one. */
export const countBeyondPage = () => async (stage) => {
  const list = await rows(stage, 'events');
  const filter = { $filter: "eventType eq 'invoice.created'" };
  const { ids } = await idsOf(stage, list, { ...filter, $top: 100 });
  const page = await idsOf(stage, list, { ...filter, $top: 1 });
  same([1, ids.length], [page.ids.length, page.count]);
};

/** Paths and filters take an id in capital letters alike. */
export const idCase = () => async (stage) => {
  const { invoiceId } = await stage.thing('invoice');
  const upper = invoiceId.toUpperCase();
  const { status } = await stage.ask('GET /v1/invoices/{id}', { values: { id: upper } });
  const { count } = await idsOf(stage, LISTS.invoices, { $filter: `invoiceId eq '${upper}'` });
  check((status === 200) === (count === 1), 'the same in both', { path: status, filter: count });
};

/** Each time that a list prints finds the rows that have it. */
export const eachTimeFinds = (name) => async (stage) => {
  const list = await rows(stage, name);
  const { items } = await stage.get(list.path, { query: '?$top=8' });
  for (const { created } of items) {
    const wanted = items.filter((row) => row.created === created).map((row) => row[list.id]);
    const { ids } = await idsOf(stage, list, { $filter: `created eq ${created}` });
    const missing = wanted.filter((id) => !ids.includes(id));
    check(missing.length === 0, `created eq ${created} to find ${missing}`, ids);
  }
};
