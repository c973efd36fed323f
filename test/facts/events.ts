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
  type Check,
  same,
  section,
  type Stage,
  type Thing,
  type Values,
  type Who,
  PUBLIC,
  under,
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
  (thing: ThingName, id: string, ...types: readonly string[]): Check =>
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
  (thing: ThingName, id: string, ...types: readonly string[]): Check =>
  async (stage) => {
    const made = await stage.make(thing);
    const events = (await eventsOf(stage, valueAt(made, id))).map(({ eventType }) => eventType);
    const places = types.map((type) => events.indexOf(type));
    const inOrder = places.every((place, at) => place >= 0 && place >= (places[at - 1] ?? 0));
    check(inOrder, types, events);
  };

/** An event of this type names state as what changed. */
const changesState =
  (thing: ThingName, id: string, type: string): Check =>
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
  (thing: ThingName): Check =>
  async (stage) => {
    await stage.make(thing);
    const count = async () => (await stage.get('/v1/events', { query: '?$top=1' })).count;
    const before = await count();
    await stage.make(thing);
    same(before, await count());
  };

/** An event is listed after this number of days, or not any more. */
const keptFor =
  (days: number, isThere: boolean): Check =>
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
  (thing: ThingName, type: string): Check =>
  async (stage) => {
    const { receiveId, receiveRequestId } = await stage.make(thing);
    const events = await eventsOf(stage, receiveRequestId);
    const event = events.find(({ eventType }) => eventType === type);
    same(receiveId, event?.data.receiveId);
  };

/** Events contain no values of the thing itself. */
const carriesNoValues = (): Check => async (stage) => {
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
  (callOf: (id: string) => string, body?: object): Check =>
  async (stage) => {
    const made = await stage.make('subscription');
    const { status, text } = await stage.ask(callOf(made.id), { body });
    check(status === 200, 200, text);
    check(!/a-secret-of-30/.test(text) && !/"secret"/.test(text), 'no secret', text);
    await remove(stage, made);
  };

const listOfSubscriptions = (): Check => async (stage) => {
  const made = await stage.make('subscription');
  const list = await stage.get<readonly Thing[]>(LIST);
  check(Array.isArray(list), 'a bare list', list);
  same(asRead(made), asRead(list.find(({ id }) => id === made.id) ?? list));
  await remove(stage, made);
};

/** A change of some members shows them, and leaves all others. */
const patches =
  (body: object, shown = body): Check =>
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
    ...under('Event', [
      ['An event has an id that is a UUID.', has('event', 'id', uuid)],
      ['An event says its type.', has('event', 'eventType', 'invoice.created')],
      ['The version is v1 or v2.', has('event', 'webhookVersion', one('v1', 'v2'))],
      ['An event names what it is about by a UUID.', has('event', 'data.entityId', uuid)],
      ['An event says when it was made.', has('event', 'created', time)],
      [
        'A listed event says by a boolean whether it was delivered.',
        has('event', 'deliverySuccess', boolean),
      ],
      [
        'An event of a change names the members that changed.',
        has('updatedEvent', 'data.changes', array),
      ],
      ['An event carries no new values.', carriesNoValues()],
    ]),
    ...under('States', [
      [
        'A new invoice makes invoice.created and nothing else.',
        emits('invoice', 'invoiceId', 'invoice.created'),
      ],
      [
        'A cancelled invoice makes invoice.updated after it.',
        emits('cancelledInvoice', 'invoiceId', 'invoice.created', UPDATED),
      ],
    ]),
    ...under('Events', [
      [
        'A paid invoice makes invoice.updated for each state.',
        emits('paidInvoice', 'invoiceId', 'invoice.created', UPDATED, UPDATED),
      ],
      [
        'A reversed invoice makes one more.',
        emits('reversedInvoice', 'invoiceId', 'invoice.created', UPDATED, UPDATED, UPDATED),
      ],
    ]),
    [
      PUBLIC.eventBodies,
      'invoice.updated says that the state changed.',
      changesState('cancelledInvoice', 'invoiceId', UPDATED),
    ],
    ...under('Events', [
      ['A new bank method makes its created event.', emitsAmong('ach', 'id', `${BANK}.created`)],
      [
        'A bank method that becomes READY makes its updated event.',
        emits('readyAch', 'id', `${BANK}.created`, `${BANK}.updated`),
      ],
      [
        'A bank method that is suspended makes one more.',
        emits('suspendedBank', 'id', `${BANK}.created`, `${BANK}.updated`, `${BANK}.updated`),
      ],
      [
        'A bank method that was removed changed its state.',
        emitsAmong('removedBank', 'id', `${BANK}.created`, `${BANK}.updated`),
      ],
      [
        'A new originator makes its created event.',
        emits('pendingOriginator', 'id', `${ORIG}.created`),
      ],
      [
        'An originator that is approved makes its updated event.',
        emits('approvedOriginator', 'id', `${ORIG}.created`, `${ORIG}.updated`),
      ],
      [
        'An originator that is rejected makes its updated event.',
        emits('rejectedOriginator', 'id', `${ORIG}.created`, `${ORIG}.updated`),
      ],
      ['A new payout makes its created event.', emits('payout', 'id', `${OUT}.created`)],
      [
        'A payout that is initiated makes its updated event.',
        emits('initiatedPayout', 'id', `${OUT}.created`, `${OUT}.updated`),
      ],
      [
        'A payout that is completed makes one more.',
        emits('donePayout', 'id', `${OUT}.created`, `${OUT}.updated`, `${OUT}.updated`),
      ],
      [
        'A payout that comes back makes one more.',
        emits(
          'reversedPayout',
          'id',
          `${OUT}.created`,
          `${OUT}.updated`,
          `${OUT}.updated`,
          `${OUT}.updated`,
        ),
      ],
      ['An exchange quote makes no event when it is made.', emits('exchange', 'id')],
      [
        'An exchange that is under way makes its updated event.',
        emits('pendingExchange', 'id', EXCHANGE),
      ],
      ['An exchange that is over makes one more.', emits('doneExchange', 'id', EXCHANGE, EXCHANGE)],
      [
        'An exchange that failed makes one more.',
        emits('failedExchange', 'id', EXCHANGE, EXCHANGE),
      ],
      [
        'A payment makes its created event.',
        emits('pendingPayment', 'paymentId', `${PAY}.created`),
      ],
      [
        'A payment that is completed makes its updated event.',
        emitsAmong('executed', 'paymentId', `${PAY}.created`, `${PAY}.updated`),
      ],
      [
        'A payment that failed makes its updated event.',
        emits('failedPayment', 'paymentId', `${PAY}.created`, `${PAY}.updated`),
      ],
    ]),
    [PUBLIC.deposits, 'A deposit makes no event when it is made.', emits('pendingDeposit', 'id')],
    ...under('Events', [
      [
        'A deposit that arrived makes its updated event.',
        emits('doneDeposit', 'id', 'deposit.updated'),
      ],
      [
        'A deposit that failed makes its updated event.',
        emits('failedDeposit', 'id', 'deposit.updated'),
      ],
      [
        'A deposit that was taken back makes one more.',
        emits('reversedDeposit', 'id', 'deposit.updated', 'deposit.updated'),
      ],
      [
        'A receive that is seen makes receive-pending, about the request.',
        emits('seenReceive', 'receiveRequestId', SEEN),
      ],
      [
        'A receive that is credited makes receive-completed after it.',
        emits('onchainReceive', 'receiveRequestId', SEEN, DONE),
      ],
      [
        'A Lightning receive makes receive-completed.',
        emitsAmong('lightningReceive', 'receiveRequestId', DONE),
      ],
    ]),
    ...under(PUBLIC.eventBodies, [
      ['receive-pending names the receive too.', namesReceive('seenReceive', SEEN)],
      ['receive-completed names the receive too.', namesReceive('lightningReceive', DONE)],
    ]),
    ...under('Events', [
      ['A receive request makes no event of its own.', addsNone('receiveRequest')],
      ['A payment quote makes no event.', addsNone('lightningQuote')],
      ['A subscription makes no event.', addsNone('subscription')],
    ]),
    ...under('Limits', [
      ['An event is there after 29 days.', keptFor(29, true)],
      ['An event is gone after 31 days.', keptFor(31, false)],
    ]),
    ...under(PUBLIC.eventReads, [
      [
        'An event can be read by its id.',
        gives('event', 'GET /v1/events/{id}', 200, 'eventType', 'invoice.created'),
      ],
      ['An event that does not exist is not found.', unknown('GET /v1/events/{id}')],
    ]),
  ],
  { pause: 8 * 86_400_000 },
);

const ONE = '/v1/subscriptions/{id}';
const LONG = 'x'.repeat(50);

export const subscriptions = section('subscriptions', [
  ...under(PUBLIC.subscriptions, [
    ['A subscription answers 201.', answers('subscription', 201)],
    ['It has an id that is a UUID.', has('subscription', 'id', uuid)],
    ['It says where webhooks go.', has('subscription', 'webhookUrl', 'https://shop.example/hooks')],
    ['It says the version of its webhooks.', has('subscription', 'webhookVersion', 'v1')],
    ['It says whether it is on.', has('subscription', 'enabled', false)],
    [
      'It says which types it is for.',
      has('subscription', 'eventTypes', exactly(['invoice.updated', 'payment.updated'])),
    ],
    ['It says when it was made.', has('subscription', 'created', time)],
    ['Its creation does not tell its secret.', has('subscription', 'secret', absent)],
    [
      'Reading does not tell its secret.',
      secretless((id: string) => `GET /v1/subscriptions/${id}`),
    ],
    ['Listing does not tell its secret.', secretless(() => 'GET /v1/subscriptions')],
    [
      'Changing does not tell its secret.',
      secretless((id: string) => `PATCH /v1/subscriptions/${id}`, { enabled: false }),
    ],
    ['The address is required.', needs('subscription', 'webhookUrl')],
    ['The version is required.', needs('subscription', 'webhookVersion')],
    ['The secret is required.', needs('subscription', 'secret')],
    ['Whether it is on is required.', needs('subscription', 'enabled')],
    ['The types are required.', needs('subscription', 'eventTypes')],
    ['A secret has at least 10 characters.', tooShort('subscription', 'secret', 'x'.repeat(9), 10)],
    ['A secret may have 10 characters.', takes('subscription', { secret: 'x'.repeat(10) })],
    ['A secret may have 50 characters.', takes('subscription', { secret: LONG })],
    ['A secret of 51 characters is too long.', tooLong('subscription', 'secret', 50)],
    [
      'The version can be v2.',
      takes('subscription', { webhookVersion: 'v2' }, 'webhookVersion', 'v2'),
    ],
    ['On or off is a boolean.', refuses('subscription', { enabled: 'yes' }, 400, 'INVALID_DATA')],
    ['Types are a list.', refuses('subscription', { eventTypes: UPDATED }, 400, 'INVALID_DATA')],
    ['An address that is none is refused.', refusesValue('subscription', 'webhookUrl', 'shop')],
    [
      'An address of another protocol is refused.',
      refusesValue('subscription', 'webhookUrl', 'ftp://shop.example/'),
    ],
    [
      'An address without encryption is refused.',
      refusesValue('subscription', 'webhookUrl', 'http://shop.example/'),
    ],
    ['A body that is a list is refused.', refusesBody('subscription', '[]')],
    [
      'A subscription that is read is the one that was made.',
      reads('subscription', `GET ${ONE}`, 'id', 'webhookUrl', 'eventTypes', 'created'),
    ],
    ['Subscriptions are a bare list.', asks('GET /v1/subscriptions', {}, 200)],
    ['The list has every subscription.', listOfSubscriptions()],
    ['A subscription that does not exist is not found.', unknown(`GET ${ONE}`)],
    [
      'A change of the address leaves the rest.',
      patches({ webhookUrl: 'https://shop.example/new' }),
    ],
    ['A change of the types leaves the rest.', patches({ eventTypes: ['payout.updated'] })],
    ['A change of the version leaves the rest.', patches({ webhookVersion: 'v2' })],
    ['Turning it on leaves the rest.', patches({ enabled: true })],
    ['A change of the secret leaves the rest.', patches({ secret: 'another secret' }, {})],
    [
      'A secret that is too short is refused in a change too.',
      asks(`PATCH ${ONE}`, { of: 'subscription', body: { secret: 'short' } }, 400, 'INVALID_DATA'),
    ],
    [
      'A subscription that does not exist is not changed: not found.',
      asks(
        `PATCH ${ONE}`,
        { values: { id: crypto.randomUUID() }, body: { enabled: true } },
        404,
        'NOT_FOUND',
      ),
    ],
    [
      'Removing a subscription answers 204 without a body.',
      gives('subscription', `DELETE ${ONE}`, 204, '', absent),
    ],
    ['A subscription that does not exist is not removed: not found.', unknown(`DELETE ${ONE}`)],
  ]),
]);
