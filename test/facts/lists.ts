// Checks of lists: envelope, pages, order, filters.
import type { ThingName } from './things.ts';
import { checkRefusal } from './checks.ts';
import {
  check,
  type Check,
  type FactRow,
  same,
  section,
  type Stage,
  type Thing,
  type Values,
  PUBLIC,
  under,
} from './fact.ts';
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
  (name: ListName, path: string, shape: ValueForm): Check =>
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
  (name: ListName): Check =>
  async (stage) => {
    const list = await listOf(stage, name);
    const all = await idsOf(stage, list, { $top: 100 });
    const page = await idsOf(stage, list, { $top: 2 });
    same([all.ids.slice(0, 2), all.count], [page.ids, page.count]);
  };

/** `$skip` leaves out the first ones. */
const pagesSkip =
  (name: ListName): Check =>
  async (stage) => {
    const list = await listOf(stage, name);
    const all = await idsOf(stage, list, { $top: 100 });
    const page = await idsOf(stage, list, { $top: 100, $skip: 2 });
    check(all.ids.length > 2, 'three rows', all.ids);
    same([all.ids.slice(2), all.count], [page.ids, page.count]);
  };

/** Beyond its end a list is empty, and its count the same. */
const pagesEnd =
  (name: ListName): Check =>
  async (stage) => {
    const list = await listOf(stage, name);
    const all = await idsOf(stage, list, { $top: 100 });
    const page = await idsOf(stage, list, { $skip: 1_000_000 });
    same([[], all.count], [page.ids, page.count]);
  };

/** Pages of one cover the list without a gap. */
const pagesCover =
  (name: ListName): Check =>
  async (stage) => {
    const list = await listOf(stage, name);
    const all = await idsOf(stage, list, { $top: 5 });
    const single: string[] = [];
    for (const at of all.ids.keys())
      single.push(...(await idsOf(stage, list, { $top: 1, $skip: at })).ids);
    same(all.ids, single);
  };

/** A query that cannot be. */
export const badQuery =
  (name: ListName, query: Values | string): Check =>
  async (stage) =>
    checkRefusal(
      await stage.ask(`GET ${LISTS[name].path}`, {
        query: typeof query === 'string' ? query : queryOf(query),
      }),
      400,
      'INVALID_DATA_QUERY',
    );

/** A query that can be. */
export const goodQuery =
  (name: ListName, query: Values | string): Check =>
  async (stage) =>
    void (await stage.get(LISTS[name].path, {
      query: typeof query === 'string' ? query : queryOf(query),
    }));

/** The order of a list by time. */
const ordered =
  (name: ListName, order: string, sign: number, also: Values = {}): Check =>
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
  (name: ListName, filterOf: Filter, isWanted: IsWanted, isPart?: boolean): Check =>
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
const finds = (name: ListName, filterOf: Filter, isWanted: IsWanted): Check =>
  findsAll(name, filterOf, isWanted, true);

/** A filter that fits nothing. */
const findsNothing =
  (name: ListName, filter: Values | string): Check =>
  async (stage) => {
    const list = await listOf(stage, name);
    same({ ids: [], count: 0 }, await idsOf(stage, list, filterQuery(filter)));
  };

/** A parameter with two values finds two rows. */
const repeated =
  (name: ListName, parameter: string, member: string): Check =>
  async (stage) => {
    const { thing, path, id }: List = LISTS[name];
    const both = [await stage.thing(thing, 1), await stage.thing(thing, 2)];
    const query = queryOf({ [parameter]: both.map((one) => valueAt(one, member)) });
    const { items } = await stage.get(path, { query });
    same(both.map((made) => made[id]).toSorted(), items.map((row) => row[id]).toSorted());
  };

/** The count of a filter on a page of one. */
const countBeyondPage = (): Check => async (stage) => {
  const list = await listOf(stage, 'events');
  const filter = { $filter: "eventType eq 'invoice.created'" };
  const { ids } = await idsOf(stage, list, { ...filter, $top: 100 });
  const page = await idsOf(stage, list, { ...filter, $top: 1 });
  same([1, ids.length], [page.ids.length, page.count]);
};

/** Paths and filters take an id in capital letters alike. */
const idCase = (): Check => async (stage) => {
  const { invoiceId } = await stage.thing('invoice');
  const upper = invoiceId.toUpperCase();
  const { status } = await stage.ask('GET /v1/invoices/{id}', { values: { id: upper } });
  const { count } = await idsOf(stage, LISTS.invoices, { $filter: `invoiceId eq '${upper}'` });
  check((status === 200) === (count === 1), 'the same in both', { path: status, filter: count });
};

/** Each time that a list prints finds the rows that have it. */
const eachTimeFinds =
  (name: ListName): Check =>
  async (stage) => {
    const list = await listOf(stage, name);
    const { items } = await stage.get(list.path, { query: '?$top=8' });
    for (const { created } of items) {
      const wanted = items.filter((row) => row.created === created).map((row) => row[list.id]);
      const { ids } = await idsOf(stage, list, { $filter: `created eq ${created}` });
      const missing = wanted.filter((id) => !ids.includes(id));
      check(missing.length === 0, `created eq ${created} to find ${missing}`, ids);
    }
  };

// All lists: envelope, pages, order; filters of invoices and events.

const about = (name: ListName): readonly FactRow[] => [
  ...under(PUBLIC.lists, [
    [`The list of ${name} has its rows in items.`, listHas(name, 'items', array)],
    [`The list of ${name} has a whole number of rows in count.`, listHas(name, 'count', integer)],
    [
      `The list of ${name} says whether the count is unknown.`,
      listHas(name, 'isCountUnknown', boolean),
    ],
    [`A page of ${name} has as many rows as $top says, the count is that of all.`, pagesTop(name)],
    [`A page of ${name} leaves out as many rows as $skip says.`, pagesSkip(name)],
    [`Beyond their end ${name} are an empty page.`, pagesEnd(name)],
    [`Single pages of ${name} make the whole list.`, pagesCover(name)],
  ]),
  ...under('Endpoints', [
    [`A $top of ${name} that is no number is refused.`, badQuery(name, { $top: 'ten' })],
    [`A $skip of ${name} below zero is refused.`, badQuery(name, { $skip: -1 })],
  ]),
  [PUBLIC.lists, `A hundred ${name} fit on a page.`, goodQuery(name, { $top: 100 })],
  [
    PUBLIC.parameters,
    `A parameter with a dollar that ${name} do not know is refused.`,
    badQuery(name, { $colour: 'red' }),
  ],
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

const I = 'GET /v1/invoices';
const at = 'invoices';
const OFFSET = 2 * 3_600_000;
/** The same instant with an offset of two hours. */
const shifted = ({ created }: Thing): string =>
  `${new Date(Date.parse(created) + OFFSET).toISOString().slice(0, 19)}${/\.\d+/.exec(created) ?? ''}+02:00`;

export const invoiceFilters = section(
  'invoice filters',
  [
    [
      I,
      'Invoices are found by their id.',
      finds(
        at,
        (it: Thing) => `invoiceId eq '${it.invoiceId}'`,
        (row: Thing, it: Thing) => row.invoiceId === it.invoiceId,
      ),
    ],
    ...under(PUBLIC.lists, [
      [
        'Invoices are found by their correlation value.',
        finds(
          at,
          (it: Thing) => `correlationId eq '${it.correlationId}'`,
          (row: Thing, it: Thing) => row.correlationId === it.correlationId,
        ),
      ],
      [
        'Invoices are found by their state.',
        finds(at, "state eq 'CANCELLED'", (row: Thing) => row.state === 'CANCELLED'),
      ],
      [
        'Invoices are found by their currency.',
        finds(at, "currency eq 'USD'", (row: Thing) => row.amount.currency === 'USD'),
      ],
      [
        'An issuer who issued nothing has no invoices.',
        findsNothing(at, `issuerId eq '${crypto.randomUUID()}'`),
      ],
      [
        'A receiver who receives nothing has no invoices.',
        findsNothing(at, `receiverId eq '${crypto.randomUUID()}'`),
      ],
      [
        'Nobody has invoices for a payer that is not named.',
        findsNothing(at, `payerId eq '${crypto.randomUUID()}'`),
      ],
    ]),
    ...under('Changelog 2023-02-14', [
      [
        'gt leaves invoices after a time.',
        finds(
          at,
          (it: Thing) => `created gt ${it.created}`,
          (row: Thing, it: Thing) => row.created > it.created,
        ),
      ],
      [
        'ge leaves invoices from a time on.',
        finds(
          at,
          (it: Thing) => `created ge ${it.created}`,
          (row: Thing, it: Thing) => row.created >= it.created,
        ),
      ],
      [
        'lt leaves invoices before a time.',
        finds(
          at,
          (it: Thing) => `created lt ${it.created}`,
          (row: Thing, it: Thing) => row.created < it.created,
        ),
      ],
      [
        'le leaves invoices up to a time.',
        finds(
          at,
          (it: Thing) => `created le ${it.created}`,
          (row: Thing, it: Thing) => row.created <= it.created,
        ),
      ],
    ]),
    [PUBLIC.times, 'Times of invoices as printed are the times that eq finds.', eachTimeFinds(at)],
    ...under(PUBLIC.lists, [
      [
        'A time with Z is the same as one with an offset of zero.',
        finds(
          at,
          (it: Thing) => `created gt ${it.created.replace('+00:00', 'Z')}`,
          (row: Thing, it: Thing) => row.created > it.created,
        ),
      ],
      [
        'A time with another offset is compared as an instant.',
        finds(
          at,
          (it: Thing) => `created ge ${shifted(it)}`,
          (row: Thing, it: Thing) => row.created >= it.created,
        ),
      ],
      [
        'and leaves what both leave.',
        finds(
          at,
          "state eq 'UNPAID' and currency eq 'USD'",
          (row: Thing) => row.state === 'UNPAID' && row.amount.currency === 'USD',
        ),
      ],
      [
        'or leaves what one of both leaves.',
        finds(
          at,
          "state eq 'CANCELLED' or currency eq 'USD'",
          (row: Thing) => row.state === 'CANCELLED' || row.amount.currency === 'USD',
        ),
      ],
      [
        'and binds tighter than or.',
        finds(
          at,
          "currency eq 'USD' or state eq 'CANCELLED' and currency eq 'GBP'",
          (row: Thing) => row.amount.currency === 'USD',
        ),
      ],
      [
        'Parentheses change that.',
        finds(
          at,
          "(currency eq 'USD' or state eq 'CANCELLED') and currency eq 'EUR'",
          (row: Thing) => row.state === 'CANCELLED' && row.amount.currency === 'EUR',
        ),
      ],
      [
        'in leaves what a list of ids names.',
        finds(
          at,
          (it: Thing) => `invoiceId in ('${it.invoiceId}','${crypto.randomUUID()}')`,
          (row: Thing, it: Thing) => row.invoiceId === it.invoiceId,
        ),
      ],
      [
        'A quote inside of a text is written twice.',
        finds(
          at,
          "correlationId eq 'it''s mine'",
          (row: Thing) => row.correlationId === "it's mine",
        ),
      ],
      ['A state that no invoice has finds nothing.', findsNothing(at, "state eq 'EXPIRED'")],
      ['Invoices can be ordered by creation, the oldest first.', ordered(at, 'created asc', 1)],
      ['Invoices can be ordered by creation, the newest first.', ordered(at, 'created desc', -1)],
      ['An order without a direction is ascending.', ordered(at, 'created', 1)],
      [
        'Order and filter go together.',
        ordered(at, 'created desc', -1, { $filter: "state eq 'UNPAID'" }),
      ],
    ]),
    ['GET /v1/events', 'A filter that is no filter is refused.', badQuery(at, { $filter: 'tea' })],
    ...under(PUBLIC.lists, [
      [
        'A filter of a field that cannot be filtered is refused.',
        badQuery(at, { $filter: "description eq 'Tea'" }),
      ],
      [
        'A filter with another operator is refused.',
        badQuery(at, { $filter: "state like 'PAID'" }),
      ],
      ['A filter without an end is refused.', badQuery(at, { $filter: "state eq 'PAID' and" })],
      [
        'A filter with an open parenthesis is refused.',
        badQuery(at, { $filter: "(state eq 'PAID'" }),
      ],
      ['A filter with an open quote is refused.', badQuery(at, { $filter: "state eq 'PAID" })],
      ['Functions are not taken.', badQuery(at, { $filter: "contains(correlationId,'order')" })],
      [
        'Arithmetic is not taken.',
        badQuery(at, { $filter: 'created add 1 gt 2026-01-01T00:00:00Z' }),
      ],
      [
        'A time that is in no calendar is refused.',
        badQuery(at, { $filter: 'created gt 2026-02-30T00:00:00Z' }),
      ],
      [
        'A text where a time belongs is refused.',
        badQuery(at, { $filter: "created gt 'yesterday'" }),
      ],
      ['An order by another field is refused.', badQuery(at, { $orderby: 'amount' })],
      ['An order in another direction is refused.', badQuery(at, { $orderby: 'created sideways' })],
    ]),
    [
      PUBLIC.queryTexts,
      'Words of an order may be parted by a tab.',
      goodQuery(at, { $orderby: 'created\tasc' }),
    ],
    ...under(PUBLIC.parameters, [
      [
        'A bare filter is not taken for one with a dollar.',
        badQuery(at, { filter: "state eq 'PAID'" }),
      ],
      ['$Top is not $top.', badQuery(at, { $Top: 1 })],
      ['A bare top is not taken for one with a dollar.', badQuery(at, { top: 1 })],
    ]),
    [PUBLIC.lists, 'The dollar may be percent-encoded.', goodQuery(at, '?%24top=1')],
    [
      PUBLIC.queryTexts,
      'An id in capital letters is found in a path and in a filter, or in neither.',
      idCase(),
    ],
  ],
  { things: ['usdInvoice', 'quotedInvoice', 'cancelledInvoice', 'invoice', 'bareInvoice'] },
);

const E = 'GET /v1/events';
const on = 'events';
const DELIVERED = 'deliverySuccess eq false';

export const eventFilters = section(
  'event filters',
  [
    ...under(E, [
      [
        'Events are found by their type.',
        finds(
          on,
          "eventType eq 'invoice.updated'",
          (row: Thing) => row.eventType === 'invoice.updated',
        ),
      ],
      [
        'or leaves events of two types.',
        finds(
          on,
          "eventType eq 'invoice.updated' or eventType eq 'payment.created'",
          (row: Thing) => ['invoice.updated', 'payment.created'].includes(row.eventType),
        ),
      ],
      [
        'and leaves events of a type after a time.',
        finds(
          on,
          (it: Thing) => `eventType eq 'invoice.created' and created lt ${it.created}`,
          (row: Thing, it: Thing) =>
            row.eventType === 'invoice.created' && row.created < it.created,
        ),
      ],
      [
        'gt leaves events after a time.',
        finds(
          on,
          (it: Thing) => `created gt ${it.created}`,
          (row: Thing, it: Thing) => row.created > it.created,
        ),
      ],
      [
        'lt leaves events before a time.',
        finds(
          on,
          (it: Thing) => `created lt ${it.created}`,
          (row: Thing, it: Thing) => row.created < it.created,
        ),
      ],
    ]),
    [PUBLIC.times, 'Times of events as printed are the times that eq finds.', eachTimeFinds(on)],
    ...under(PUBLIC.lists, [
      [
        'ge leaves events from a time on.',
        finds(
          on,
          (it: Thing) => `created ge ${it.created}`,
          (row: Thing, it: Thing) => row.created >= it.created,
        ),
      ],
      [
        'le leaves events up to a time.',
        finds(
          on,
          (it: Thing) => `created le ${it.created}`,
          (row: Thing, it: Thing) => row.created <= it.created,
        ),
      ],
      [
        'Events are found by the success of their delivery.',
        findsAll(on, DELIVERED, (row: Thing) => row.deliverySuccess === false),
      ],
    ]),
    ...under(E, [
      [
        'A type that no event has finds nothing.',
        findsNothing(on, "eventType eq 'invoice.deleted'"),
      ],
      ['The count is that of all that fit, not of the page.', countBeyondPage()],
    ]),
    ...under(PUBLIC.lists, [
      ['Events can be ordered by creation, the oldest first.', ordered(on, 'created asc', 1)],
      ['Events can be ordered by creation, the newest first.', ordered(on, 'created desc', -1)],
    ]),
    ...under(E, [
      ['A filter of another field is refused.', badQuery(on, { $filter: "entityId eq 'x'" })],
      ['A filter that is no filter is refused.', badQuery(on, { $filter: 'tea' })],
      ['A filter of the inner data is refused.', badQuery(on, { $filter: "data/entityId eq 'x'" })],
      ['An order by another field is refused.', badQuery(on, { $orderby: 'eventType' })],
    ]),
  ],
  { things: ['cancelledInvoice', 'executed', 'invoice', 'paidInvoice'] },
);

export const otherFilters = section(
  'other filters',
  [
    ...under('Changelog 2024-02-05', [
      [
        'Bank methods for deposits are found.',
        finds('bank methods', { $supportedAction: 'DEPOSIT' }, (row: Thing) =>
          row.supportedActions.includes('DEPOSIT'),
        ),
      ],
      [
        'Bank methods for payouts are those that can be used for them.',
        findsAll('bank methods', { $supportedAction: 'WITHDRAWAL' }, (row: Thing) =>
          row.supportedActions.includes('WITHDRAWAL'),
        ),
      ],
    ]),
    ...under(PUBLIC.parameters, [
      [
        'Bank methods for something that does not exist are refused.',
        badQuery('bank methods', { $supportedAction: 'GAMBLING' }),
      ],
      [
        'A payment hash under a name in small letters is no filter.',
        badQuery('receives', { $paymenthash: 'ab'.repeat(32) }),
      ],
      [
        'A payment hash under a name in small letters is no filter of requests.',
        badQuery('receive requests', { $paymenthash: 'ab'.repeat(32) }),
      ],
    ]),
    ...under(PUBLIC.lists, [
      [
        'A payment hash that nothing has finds no receives.',
        findsNothing('receives', { $paymentHash: 'ab'.repeat(32) }),
      ],
      [
        'A payment hash that nothing has finds no requests.',
        findsNothing('receive requests', { $paymentHash: 'ab'.repeat(32) }),
      ],
      [
        'A filter that is there twice finds what either finds.',
        repeated('receive requests', '$paymentHash', 'bolt11.paymentHash'),
      ],
    ]),
    ...under(PUBLIC.parameters, [
      [
        'Bank methods take no OData filter.',
        badQuery('bank methods', { $filter: "state eq 'READY'" }),
      ],
      ['Payouts take no OData filter.', badQuery('payouts', { $filter: "state eq 'NEW'" })],
      ['Deposits take no OData filter.', badQuery('deposits', { $filter: "state eq 'NEW'" })],
      ['Originators take no order.', badQuery('originators', { $orderby: 'created' })],
    ]),
  ],
  { things: ['wire', 'sepa', 'ach'] },
);

/** The states that the description names, of what has a list. */
const STATES: readonly (readonly [ListName, readonly string[]])[] = [
  ['invoices', ['UNPAID', 'PENDING', 'PAID', 'CANCELLED', 'REVERSED']],
  ['bank methods', ['PENDING', 'READY', 'SUSPENDED', 'INVALID', 'INACTIVE']],
  ['originators', ['PENDING_REVIEW', 'APPROVED', 'REJECTED', 'INACTIVE']],
  ['payouts', ['NEW', 'INITIATED', 'COMPLETED', 'FAILED', 'REVERSED']],
  ['deposits', ['NEW', 'PENDING', 'COMPLETED', 'FAILED', 'REVERSED']],
  ['receives', ['PENDING', 'COMPLETED']],
];

/** Each row of a list is in one of these states. */
const areIn =
  (name: ListName, states: readonly string[]): Check =>
  async (stage) => {
    const { path } = await listOf(stage, name);
    const { items } = await stage.get(path);
    check(items.length > 0, 'a row', 'none');
    const others = items.map(({ state }) => state).filter((state) => !states.includes(state));
    check(others.length === 0, `states of ${states.join(', ')}`, [...new Set(others)].join(', '));
  };

export const listedStates = section(
  'listed states',
  STATES.map(([name, states]) => [
    PUBLIC.lists,
    `The list of ${name} shows states that the description names.`,
    areIn(name, states),
  ]),
);
