// Checks of events: which come, in which order, and what they say.
import type { ThingName } from './things.ts';
import {
  answers,
  asks,
  gives,
  has,
  needs,
  reads,
  refuses,
  refusesBody,
  refusesValue,
  takes,
  tooLong,
  tooShort,
  unknown,
} from './checks.ts';
import {
  type Answer,
  check,
  type Fact,
  same,
  section,
  type Stage,
  type Thing,
  type Values,
  type Who,
} from './fact.ts';
import {
  absent,
  array,
  asRead,
  boolean,
  exactly,
  one,
  queryOf,
  time,
  uuid,
  valueAt,
} from './shapes.ts';

/** All events about one thing, the oldest first. */
export async function eventsOf(stage: Stage, id: string, as?: Who): Promise<readonly Thing[]> {
  const found: Thing[] = [];
  for (;;) {
    const query = queryOf({ $orderby: 'created asc', $top: 100, $skip: found.length });
    const { items, count } = await stage.get('/v1/events', { query, ...(as && { as }) });
    found.push(...items);
    if (found.length >= count || items.length === 0) break;
  }
  return found.filter(({ data }) => data.entityId === id);
}

/** The types of the events that a thing in this state has had. */
const emits =
  (thing: ThingName, id: string, ...types: readonly string[]): Fact =>
  async (stage) => {
    const made = await stage.make(thing);
    const events = await eventsOf(stage, valueAt(made, id));
    same(
      types,
      events.map(({ eventType }) => eventType),
    );
  };

/** At least these, in this order. */
const emitsAmong =
  (thing: ThingName, id: string, ...types: readonly string[]): Fact =>
  async (stage) => {
    const made = await stage.make(thing);
    const events = (await eventsOf(stage, valueAt(made, id))).map(({ eventType }) => eventType);
    const places = types.map((type) => events.indexOf(type));
    const inOrder = places.every((place, at) => place >= 0 && place >= (places[at - 1] ?? 0));
    check(inOrder, types, events);
  };

/** An event of this type names state as what changed. */
const changesState =
  (thing: ThingName, id: string, type: string): Fact =>
  async (stage) => {
    const made = await stage.make(thing);
    const event = (await eventsOf(stage, valueAt(made, id))).find(
      ({ eventType }) => eventType === type,
    );
    check(event, type, 'none');
    same(['state'], event.data.changes);
  };

/** A request adds no event. */
const addsNone =
  (thing: ThingName): Fact =>
  async (stage) => {
    await stage.make(thing);
    const count = async () => (await stage.get('/v1/events', { query: '?$top=1' })).count;
    const before = await count();
    await stage.make(thing);
    same(before, await count());
  };

/** An event is listed after this number of days, or not any more. */
const keptFor =
  (days: number, isThere: boolean): Fact =>
  async (stage) => {
    const { invoiceId } = await stage.make('invoice');
    await stage.world.advance(days * 86_400_000);
    check(
      (await eventsOf(stage, invoiceId)).length > 0 === isThere,
      `${isThere} after ${days} days`,
      !isThere,
    );
  };

/** The event of a receive names the receive too. */
const namesReceive =
  (thing: ThingName, type: string): Fact =>
  async (stage) => {
    const { receiveId, receiveRequestId } = await stage.make(thing);
    const events = await eventsOf(stage, receiveRequestId);
    const event = events.find(({ eventType }) => eventType === type);
    same(receiveId, event?.data.receiveId);
  };

/** Events contain no values of the thing itself. */
const carriesNoValues = (): Fact => async (stage) => {
  const { data } = await stage.make('updatedEvent');
  const other = Object.keys(data).filter((name) => !['entityId', 'changes'].includes(name));
  same([], other);
};

// Checks of subscriptions.

const LIST = '/v1/subscriptions';

/** Room for others: an account has at most fifty. */
const remove = (stage: Stage, { id }: Thing): Promise<Answer> =>
  stage.ask('DELETE /v1/subscriptions/{id}', { values: { id } });

/** An answer does not hold the secret. */
const secretless =
  (callOf: (id: string) => string, body?: object): Fact =>
  async (stage) => {
    const made = await stage.make('subscription');
    const { status, text } = await stage.ask(callOf(made.id), { body });
    check(status === 200, 200, text);
    check(!/a-secret-of-30/.test(text) && !/"secret"/.test(text), 'no secret', text);
    await remove(stage, made);
  };

const listOfSubscriptions = (): Fact => async (stage) => {
  const made = await stage.make('subscription');
  const list = await stage.get<readonly Thing[]>(LIST);
  check(Array.isArray(list), 'a bare list', list);
  same(asRead(made), asRead(list.find(({ id }) => id === made.id) ?? list));
  await remove(stage, made);
};

/** A change of some members shows them, and leaves all others. */
const patches =
  (body: object, shown = body): Fact =>
  async (stage) => {
    const made = await stage.make('subscription');
    const { status, json, text } = await stage.ask('PATCH /v1/subscriptions/{id}', {
      values: made,
      body,
    });
    check(status === 200, 200, text);
    const wanted = { ...made, ...shown };
    const sorted = (json: unknown) =>
      Object.entries(asRead(json) as Values).toSorted(([a], [b]) => (a < b ? -1 : 1));
    same(sorted(wanted), sorted(json));
    const again = await stage.get('/v1/subscriptions/{id}', { values: made });
    same(sorted(wanted), sorted(again));
    await remove(stage, made);
  };

// Events: members, which come when; subscriptions.

const UPDATED = 'invoice.updated';
const [PAY, BANK, OUT, ORIG] = ['payment', 'payment-method.bank', 'payout', 'payout-originator'];
const EXCHANGE = 'currency-exchange-quote.updated';
const [SEEN, DONE] = ['receive-request.receive-pending', 'receive-request.receive-completed'];

export const events = section(
  'events',
  [
    has('event', 'id', uuid),
    has('event', 'eventType', 'invoice.created'),
    has('event', 'webhookVersion', one('v1', 'v2')),
    has('event', 'data.entityId', uuid),
    has('event', 'created', time),
    has('event', 'deliverySuccess', boolean),
    has('updatedEvent', 'data.changes', array),
    carriesNoValues(),
    emits('invoice', 'invoiceId', 'invoice.created'),
    emits('cancelledInvoice', 'invoiceId', 'invoice.created', UPDATED),
    emits('paidInvoice', 'invoiceId', 'invoice.created', UPDATED, UPDATED),
    emits('reversedInvoice', 'invoiceId', 'invoice.created', UPDATED, UPDATED, UPDATED),
    changesState('cancelledInvoice', 'invoiceId', UPDATED),
    emitsAmong('ach', 'id', `${BANK}.created`),
    emits('readyAch', 'id', `${BANK}.created`, `${BANK}.updated`),
    emits('suspendedBank', 'id', `${BANK}.created`, `${BANK}.updated`, `${BANK}.updated`),
    emitsAmong('removedBank', 'id', `${BANK}.created`, `${BANK}.updated`),
    emits('pendingOriginator', 'id', `${ORIG}.created`),
    emits('approvedOriginator', 'id', `${ORIG}.created`, `${ORIG}.updated`),
    emits('rejectedOriginator', 'id', `${ORIG}.created`, `${ORIG}.updated`),
    emits('payout', 'id', `${OUT}.created`),
    emits('initiatedPayout', 'id', `${OUT}.created`, `${OUT}.updated`),
    emits('donePayout', 'id', `${OUT}.created`, `${OUT}.updated`, `${OUT}.updated`),
    emits(
      'reversedPayout',
      'id',
      `${OUT}.created`,
      `${OUT}.updated`,
      `${OUT}.updated`,
      `${OUT}.updated`,
    ),
    emits('exchange', 'id'),
    emits('pendingExchange', 'id', EXCHANGE),
    emits('doneExchange', 'id', EXCHANGE, EXCHANGE),
    emits('failedExchange', 'id', EXCHANGE, EXCHANGE),
    emits('pendingPayment', 'paymentId', `${PAY}.created`),
    emitsAmong('executed', 'paymentId', `${PAY}.created`, `${PAY}.updated`),
    emits('failedPayment', 'paymentId', `${PAY}.created`, `${PAY}.updated`),
    emits('pendingDeposit', 'id'),
    emits('doneDeposit', 'id', 'deposit.updated'),
    emits('failedDeposit', 'id', 'deposit.updated'),
    emits('reversedDeposit', 'id', 'deposit.updated', 'deposit.updated'),
    emits('seenReceive', 'receiveRequestId', SEEN),
    emits('onchainReceive', 'receiveRequestId', SEEN, DONE),
    emitsAmong('lightningReceive', 'receiveRequestId', DONE),
    namesReceive('seenReceive', SEEN),
    namesReceive('lightningReceive', DONE),
    addsNone('receiveRequest'),
    addsNone('lightningQuote'),
    addsNone('subscription'),
    keptFor(29, true),
    keptFor(31, false),
    gives('event', 'GET /v1/events/{id}', 200, 'eventType', 'invoice.created'),
    unknown('GET /v1/events/{id}'),
  ],
  { pause: 8 * 86_400_000 },
);

const ONE = '/v1/subscriptions/{id}';
const LONG = 'x'.repeat(50);

export const subscriptions = section('subscriptions', [
  answers('subscription', 201),
  has('subscription', 'id', uuid),
  has('subscription', 'webhookUrl', 'https://shop.example/hooks'),
  has('subscription', 'webhookVersion', 'v1'),
  has('subscription', 'enabled', false),
  has('subscription', 'eventTypes', exactly(['invoice.updated', 'payment.updated'])),
  has('subscription', 'created', time),
  has('subscription', 'secret', absent),
  secretless((id: string) => `GET /v1/subscriptions/${id}`),
  secretless(() => 'GET /v1/subscriptions'),
  secretless((id: string) => `PATCH /v1/subscriptions/${id}`, { enabled: false }),
  needs('subscription', 'webhookUrl'),
  needs('subscription', 'webhookVersion'),
  needs('subscription', 'secret'),
  needs('subscription', 'enabled'),
  needs('subscription', 'eventTypes'),
  tooShort('subscription', 'secret', 'x'.repeat(9), 10),
  takes('subscription', { secret: 'x'.repeat(10) }),
  takes('subscription', { secret: LONG }),
  tooLong('subscription', 'secret', 50),
  takes('subscription', { webhookVersion: 'v2' }, 'webhookVersion', 'v2'),
  refuses('subscription', { enabled: 'yes' }, 400, 'INVALID_DATA'),
  refuses('subscription', { eventTypes: UPDATED }, 400, 'INVALID_DATA'),
  refusesValue('subscription', 'webhookUrl', 'shop'),
  refusesValue('subscription', 'webhookUrl', 'ftp://shop.example/'),
  refusesValue('subscription', 'webhookUrl', 'http://shop.example/'),
  refusesBody('subscription', '[]'),
  reads('subscription', `GET ${ONE}`, 'id', 'webhookUrl', 'eventTypes', 'created'),
  asks('GET /v1/subscriptions', {}, 200),
  listOfSubscriptions(),
  unknown(`GET ${ONE}`),
  patches({ webhookUrl: 'https://shop.example/new' }),
  patches({ eventTypes: ['payout.updated'] }),
  patches({ webhookVersion: 'v2' }),
  patches({ enabled: true }),
  patches({ secret: 'another secret' }, {}),
  asks(`PATCH ${ONE}`, { of: 'subscription', body: { secret: 'short' } }, 400, 'INVALID_DATA'),
  asks(
    `PATCH ${ONE}`,
    { values: { id: crypto.randomUUID() }, body: { enabled: true } },
    404,
    'NOT_FOUND',
  ),
  gives('subscription', `DELETE ${ONE}`, 204, '', absent),
  unknown(`DELETE ${ONE}`),
]);
