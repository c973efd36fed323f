// Checks of balances, limits and profiles.
import type { ThingName } from './things.ts';
import { asks, checkRefusal, has, unknown } from './checks.ts';
import { eventsOf } from './events.ts';
import {
  type Answer,
  check,
  type Check,
  type FactRow,
  type ListedRows,
  same,
  section,
  type Stage,
  type Thing,
  type Values,
  type Who,
  PUBLIC,
  under,
} from './fact.ts';
import { balanceOf, digits, unitsOf } from './money.ts';
import {
  array,
  boolean,
  currency,
  decimal,
  integer,
  money,
  nullish,
  object,
  queryOf,
  type ValueForm,
  text,
  uuid,
  valueAt,
} from './shapes.ts';

/** A member of each row of a list. */
const eachRow =
  (thing: ThingName, path: string, shape: ValueForm): Check =>
  async (stage) => {
    const rows = await stage.thing<ListedRows>(thing);
    const wrong = rows.filter((row) => !shape.test(valueAt(row, path)));
    check(rows.length > 0 && wrong.length === 0, `${path} to be ${shape.name} in each`, wrong);
  };

type Rule = (row: ListedRows[number], rows: ListedRows) => boolean;

const RULES = {
  unique: (_, rows) => new Set(rows.map(({ currency }) => currency)).size === rows.length,
  available: ({ available, current, pending, reserved }) =>
    unitsOf(available) === unitsOf(current) - unitsOf(pending) - unitsOf(reserved),
  total: ({ total, available, outgoing }) =>
    unitsOf(total) === unitsOf(available) + unitsOf(outgoing),
} satisfies Record<string, Rule>;

/** A rule that holds for each balance, while a payout and a deposit are under way. */
const balanceHolds =
  (rule: keyof typeof RULES): Check =>
  async (stage) => {
    for (const thing of ['initiatedPayout', 'pendingDeposit']) await stage.thing(thing);
    const rows = await stage.get<ListedRows>('/v1/balances');
    const holds: Rule = RULES[rule];
    const wrong = rows.filter((row) => !holds(row, rows));
    check(wrong.length === 0, `${rule} to hold`, wrong);
  };

/** A deposit is counted in the first cycle. */
const usedGrows = (): Check => async (stage) => {
  const used = async () =>
    (await stage.get('/v1/accounts/limits')).deposit?.count?.cycles?.[0]?.used;
  await stage.make('deposit'); // its bank method takes time
  const before = await used();
  await stage.make('deposit');
  same((before ?? 0) + 1, await used());
};

const profile = (stage: Stage, handle: string): Promise<Thing> =>
  stage.get('/v1/accounts/handle/{handle}/profile', { values: { handle } });

const profileOf =
  (handle: string, path: string, value: unknown): Check =>
  async (stage) => {
    await stage.keyOf({ account: handle });
    same(value, valueAt(await profile(stage, handle), path));
  };

const ownId = (): Check => async (stage) =>
  same((await stage.thing('invoice')).issuerId, (await stage.thing('profile')).id);

const sameById = (): Check => async (stage) => {
  const found = await stage.thing('profile');
  same(found, await stage.get('/v1/accounts/{id}/profile', { values: found }));
};

const currencyRow =
  (path: string, shape: ValueForm): Check =>
  async (stage) => {
    const { currencies } = await stage.thing('profile');
    const wrong = currencies.filter((row) => !shape.test(valueAt(row, path)));
    check(currencies.length > 0 && wrong.length === 0, `${path} to be ${shape.name}`, wrong);
  };

const oneDefault = (): Check => async (stage) => {
  const { currencies } = await stage.thing('profile');
  same(1, currencies.filter(({ isDefaultCurrency }) => isDefaultCurrency).length);
};

/** An account that can make invoices in one currency. */
const onlyInvoiceable =
  (handle: string, currency: string): Check =>
  async (stage) => {
    await stage.keyOf({ account: handle });
    const { currencies } = await profile(stage, handle);
    const can = currencies.filter(({ isInvoiceable }) => isInvoiceable);
    same(
      [currency],
      can.map((row) => row.currency),
    );
  };

// Balances, account limits, account profiles.

const LIMITS = 'GET /v1/accounts/limits';
const BY_ID = 'GET /v1/accounts/{id}/profile';
const BY_HANDLE = 'GET /v1/accounts/handle/{handle}/profile';
const optionalMoney = nullish(money);

export const balances = section('balances', [
  ...under(PUBLIC.movements, [
    ['Balances are a bare list.', has('balances', '', array)],
    ['Each names a currency.', eachRow('balances', 'currency', currency)],
    ['No currency is there twice.', balanceHolds('unique')],
  ]),
  ...under('Balance', [
    [
      'Each says what is there: current, a bare decimal text.',
      eachRow('balances', 'current', decimal),
    ],
    ['Each says what is not settled yet: pending.', eachRow('balances', 'pending', decimal)],
    ['Each says what is set aside: reserved.', eachRow('balances', 'reserved', decimal)],
  ]),
  [
    PUBLIC.movements,
    'Each says what is free: available.',
    eachRow('balances', 'available', decimal),
  ],
  ...under('Balance', [
    ['Each has the deprecated outgoing.', eachRow('balances', 'outgoing', decimal)],
    ['Each has the deprecated total.', eachRow('balances', 'total', decimal)],
  ]),
  [
    PUBLIC.digits,
    'Figures of dollars have two digits behind the point.',
    digits('balance', 'available', 2),
  ],
  ...under(PUBLIC.movements, [
    ['What is free is what is there less what is pending and reserved.', balanceHolds('available')],
    ['The total is what is free and what is going out.', balanceHolds('total')],
  ]),
]);

const kind = (name: string, says: string): readonly FactRow[] =>
  under(PUBLIC.limits, [
    [`Limits of ${says} are an object, null or nothing.`, has('limits', name, nullish(object))],
    [
      `The amount of ${says} that is left is money, where it is limited.`,
      has('limits', `${name}.amount.effective`, optionalMoney),
    ],
    [
      `The bound of a single one of ${says} is money, where there is one.`,
      has('limits', `${name}.amount.single`, optionalMoney),
    ],
  ]);

export const limits = section('account limits', [
  ...kind('deposit', 'deposits'),
  ...kind('achDeposit', 'deposits by ACH'),
  ...kind('send', 'payments'),
  ...kind('withdrawal', 'payouts'),
  ...kind('instant', 'pending money'),
  [LIMITS, 'Account limits are an object.', has('limits', '', object)],
  ...under(PUBLIC.limits, [
    [
      'How many deposits are left is a whole number, where that is limited.',
      has('limits', 'deposit.count.effective', nullish(integer)),
    ],
    [
      'A cycle has a number of days.',
      has('limits', 'deposit.count.cycles.0.days', nullish(integer)),
    ],
    [
      'A cycle says how many there may be.',
      has('limits', 'deposit.count.cycles.0.limit', nullish(integer)),
    ],
    [
      'A cycle says how many there were.',
      has('limits', 'deposit.count.cycles.0.used', nullish(integer)),
    ],
    [
      'A cycle of amounts says its bound as money.',
      has('limits', 'deposit.amount.cycles.0.limit', optionalMoney),
    ],
    [
      'A cycle of amounts says what was used as money.',
      has('limits', 'deposit.amount.cycles.0.used', optionalMoney),
    ],
    ['A deposit counts as used.', usedGrows()],
  ]),
]);

export const profiles = section('profiles', [
  ...under('Account profile', [
    ['A profile has the id of the account.', has('profile', 'id', uuid)],
    ['The id is that of the issuer of invoices.', ownId()],
  ]),
  ...under(PUBLIC.profiles, [
    ['A profile has the handle.', has('profile', 'handle', 'shop')],
    ['A profile says whether the account can be paid.', has('profile', 'canReceive', boolean)],
    ['A picture, if any, is an address.', has('profile', 'avatarUrl', nullish(text))],
    ['A description, if any, is a text.', has('profile', 'description', nullish(text))],
    ['A profile lists currencies.', has('profile', 'currencies', array)],
    ['Each of them is one of the six.', currencyRow('currency', currency)],
    ['Each says whether it is the default.', currencyRow('isDefaultCurrency', boolean)],
    ['Each says whether the account has it.', currencyRow('isAvailable', boolean)],
  ]),
  [
    'Account profile',
    'Each says whether an invoice can be made in it.',
    currencyRow('isInvoiceable', boolean),
  ],
  [PUBLIC.profiles, 'One of them is the default.', oneDefault()],
  ...under(BY_ID, [
    ['A profile is found by the id of the account too, and is the same.', sameById()],
    ['An id that nothing has is not found.', unknown('GET /v1/accounts/{id}/profile')],
  ]),
  [
    BY_HANDLE,
    'A handle that nobody has is not found.',
    asks('GET /v1/accounts/handle/nobody-here/profile', {}, 404, 'NOT_FOUND'),
  ],
]);

export const otherAccounts = section('other accounts', [
  ...under(PUBLIC.profiles, [
    [
      'The profile of another account is found by its handle.',
      profileOf('friend', 'handle', 'friend'),
    ],
    [
      'A private profile is not found by others.',
      asks('GET /v1/accounts/handle/hidden/profile', {}, 404, 'NOT_FOUND'),
    ],
    ['A profile says that an account cannot be paid.', profileOf('mute', 'canReceive', false)],
  ]),
  [
    'Account profile',
    'A currency that an account does not have is not invoiceable.',
    onlyInvoiceable('dollars', 'USD'),
  ],
]);

// Checks of what several accounts have to do with each other.

const FRIEND = { account: 'friend' };
const EXECUTE = 'PATCH /v1/payment-quotes/{paymentQuoteId}/execute';
const INVOICE = '/v1/invoices/{invoiceId}';
const RECEIVES = '/v1/receive-requests/{receiveRequestId}/receives';

/** One account pays a Lightning invoice of another. */
async function paysLightning(stage: Stage, lnInvoice: string): Promise<Thing> {
  const as = FRIEND;
  const body = { lnInvoice, sourceCurrency: 'BTC' };
  const quote = await stage.ask('POST /v1/payment-quotes/lightning', { body, as });
  check(quote.status === 200, 'a quote', `${quote.status} ${quote.text}`);
  const paid = await stage.ask(EXECUTE, { values: quote.json, as });
  check(paid.status < 300, 'a payment', `${paid.status} ${paid.text}`);
  await stage.world.advance(10_000);
  return paid.json;
}

/** The receive of a request that another account has paid. */
const insideReceive =
  (look: (receive: Thing, friend: Thing) => unknown): Check =>
  async (stage) => {
    const made = await stage.make('receiveRequest');
    await paysLightning(stage, made.bolt11.invoice);
    const { items } = await stage.get(RECEIVES, { values: made });
    const friend = await stage.get('/v1/accounts/handle/friend/profile');
    look(items[0]!, friend);
  };

const insideInvoice =
  (path: string, value: unknown): Check =>
  async (stage) => {
    const invoice = await stage.make('invoice');
    const { json } = await stage.ask(`POST ${INVOICE}/quote`, { values: invoice });
    await paysLightning(stage, json.lnInvoice);
    same(value, valueAt(await stage.get(INVOICE, { values: invoice }), path));
  };

/** Between accounts nothing is lost: what one spends the other gets. */
const nothingLost = (): Check => async (stage) => {
  const { json: made } = await stage.ask('POST /v1/receive-request', {
    body: { bolt11: { amount: { amount: '0.00010000', currency: 'BTC' } }, targetCurrency: 'BTC' },
  });
  const before = await balanceOf(stage, 'BTC');
  const payment = await paysLightning(stage, made.bolt11.invoice);
  const after = await balanceOf(stage, 'BTC');
  same(`${unitsOf(payment.amount.amount)}`, `${after - before}`);
};

/** An invoice for another account: what that account may do with it. */
const receiverMay =
  (call: string, status: number, path: string, value: unknown): Check =>
  async (stage) => {
    const made = await stage.make('invoiceFor');
    const response = await stage.ask(call, { values: made, as: FRIEND });
    check(response.status === status, status, `${response.status} ${response.text}`);
    if (path) same(value, valueAt(response.json, path));
  };

const receiverHears = (): Check => async (stage) => {
  const { invoiceId } = await stage.make('invoiceFor');
  const types = async (as?: Who) =>
    (await eventsOf(stage, invoiceId, as)).map(({ eventType }) => eventType);
  same([['invoice.created'], ['invoice.created']], [await types(), await types(FRIEND)]);
};

/** Another account gets 403 or 404 for a thing of this one. */
const hidden =
  (thing: ThingName, call: string): Check =>
  async (stage) => {
    const made = await stage.make(thing);
    const { status } = await stage.ask(call, { values: made, as: FRIEND });
    check([403, 404].includes(status), '403 or 404', status);
  };

const listedApart =
  (path: string, id: string, thing: ThingName): Check =>
  async (stage) => {
    const made = await stage.make(thing);
    const { items } = await stage.get(path, { query: queryOf({ $top: 100 }), as: FRIEND });
    check(
      !items.some((item) => valueAt(item, id) === valueAt(made, id)),
      `not ${valueAt(made, id)}`,
      items,
    );
  };

/** A quote for a Lightning address of the box leaves no invoice with its receiver. */
const leavesNothing = (): Check => async (stage) => {
  const count = async () => (await stage.get('/v1/invoices', { as: FRIEND })).count;
  const before = await count();
  const { status, text } = await stage.request('lnurl', {
    set: { lnAddressOrUrl: 'friend@sandbox.invalid', description: undefined },
  });
  check(status === 200, 'a quote', `${status} ${text}`);
  same(before, await count());
};

const asTraveller = (stage: Stage, set: Values): Promise<Answer> =>
  stage.request('lightning', { as: { account: 'traveller' }, set });

/** An account whose payments must name the kind of their destination. */
const travelRule =
  (set: Values, status: number): Check =>
  async (stage) => {
    const response = await asTraveller(stage, set);
    if (status === 400) return checkRefusal(response, 400, 'INVALID_DATA');
    check(response.status === status, status, `${response.status} ${response.text}`);
  };

const rewards = (): Check => async (stage) => {
  const as = { account: 'rewarded' };
  const { json: quote } = await stage.request('lightning', { as });
  const { json: payment } = await stage.ask(EXECUTE, { values: quote, as });
  const { reward } = payment;
  check(unitsOf(reward.amount) >= 0n && reward.currency === 'EUR', 'a reward in euro', payment);
};

/** A key that was taken back. */
const revoked = (): Check => async (stage) => {
  const key = await stage.keyOf({ scopes: ['partner.balances.read'] });
  const ask = () =>
    stage.ask('GET /v1/balances', { as: null, headers: { authorization: `Bearer ${key}` } });
  const before = await ask();
  await stage.world.revoke(key);
  const after = await ask();
  same(200, before.status);
  checkRefusal(after, 401, 'UNAUTHORIZED');
};

/** An invoice that the world outside has moved to PAID was paid. */
const movedIsPaid = (): Check => async (stage) => {
  const invoice = await stage.make('invoice');
  const before = await balanceOf(stage, 'EUR');
  await stage.world.move('invoice', invoice.invoiceId, 'PENDING').catch(() => {});
  await stage.world.move('invoice', invoice.invoiceId, 'PAID');
  const query = '?includeTransactions=true';
  const { state, transactions } = await stage.get(INVOICE, { values: invoice, query });
  const change = (await balanceOf(stage, 'EUR')) - before;
  same(['PAID', 1, true], [state, transactions?.length, change > 0n]);
};

/** Creating an invoice for this handle is refused. */
const noInvoiceFor =
  (handle: string, body: object, status: number, code: string): Check =>
  async (stage) => {
    await stage.keyOf({ account: 'friend' });
    const values = { handle };
    checkRefusal(
      await stage.ask('POST /v1/invoices/handle/{handle}', { values, body }),
      status,
      code,
    );
  };

/** A correlation value is used by invoices for others too. */
const sameNameForOthers = (): Check => async (stage) => {
  const { correlationId } = await stage.make('invoiceFor');
  const again = await stage.request('invoiceFor', { set: { correlationId } });
  checkRefusal(again, 409, 'DUPLICATE_INVOICE', { correlationId });
};

/** Balances are those of the currencies that the account has. */
const hasBalancesOf =
  (account: string, ...currencies: readonly string[]): Check =>
  async (stage) => {
    const rows = await stage.get<ListedRows>('/v1/balances', { as: { account } });
    same(
      currencies,
      rows.map(({ currency }) => currency),
    );
  };

const spendsOwnDefault = (): Check => async (stage) => {
  const set = { sourceCurrency: undefined };
  const { json, text } = await stage.request('lightning', { as: FRIEND, set });
  check(json?.totalAmount?.currency === 'GBP', 'pounds', text);
};

// Facts about several accounts, and about revoked keys and payments by hand.

const FOR = PUBLIC.invoices;
const TEN = { amount: { amount: '10.00', currency: 'EUR' } };
const KIND = 'beneficiary.destinationType';

export const parties = section(
  'parties',
  [
    ...under(PUBLIC.receives, [
      [
        'A receive from another account is P2P, whatever was asked for.',
        insideReceive(({ type }) => same('P2P', type)),
      ],
      [
        'A P2P receive names the account that paid.',
        insideReceive(({ p2p }, friend) => same(friend.id, p2p?.payerAccountId)),
      ],
    ]),
    [
      PUBLIC.peerReceives,
      'A P2P receive has no Lightning part.',
      insideReceive(({ lightning }) => same(true, (lightning ?? null) === null)),
    ],
    ...under(PUBLIC.receives, [
      ['A P2P receive is COMPLETED.', insideReceive(({ state }) => same('COMPLETED', state))],
      [
        'A P2P receive credits the target currency.',
        insideReceive(({ amountCredited }) => same('USD', amountCredited?.currency)),
      ],
    ]),
    [
      PUBLIC.invoices,
      'An invoice that another account paid is PAID.',
      insideInvoice('state', 'PAID'),
    ],
    [PUBLIC.movements, 'Between accounts nothing is lost.', nothingLost()],
    [
      'Changelog 2022-03-23',
      'The receiver of an invoice may cancel it.',
      receiverMay(`PATCH ${INVOICE}/cancel`, 200, 'state', 'CANCELLED'),
    ],
    [
      PUBLIC.invoices,
      'The receiver of an invoice reads it.',
      receiverMay(`GET ${INVOICE}`, 200, 'state', 'UNPAID'),
    ],
    ['Events', 'Issuer and receiver both have the events of an invoice.', receiverHears()],
    ...under(FOR, [
      [
        'A handle that nobody has gets no invoice: not found.',
        noInvoiceFor('nobody-here', TEN, 404, 'NOT_FOUND'),
      ],
      [
        'A private handle gets no invoice: not found.',
        noInvoiceFor('hidden', TEN, 404, 'NOT_FOUND'),
      ],
      [
        'A handle gets no invoice in a currency that it does not have.',
        noInvoiceFor('dollars', TEN, 422, 'USER_CURRENCY_UNAVAILABLE'),
      ],
      ['A used correlation value is used for other handles too.', sameNameForOthers()],
    ]),
    [
      PUBLIC.movements,
      'An account has balances of its currencies and of no others.',
      hasBalancesOf('dollars', 'USD'),
    ],
    [
      'POST /v1/payment-quotes/lightning',
      'The default that is spent is that of the account.',
      spendsOwnDefault(),
    ],
    [
      'Authentication',
      'An invoice of an account is not there for another.',
      hidden('invoice', `GET ${INVOICE}`),
    ],
    [
      'PATCH /v1/invoices/{id}/cancel',
      'Somebody else may not cancel an invoice.',
      hidden('invoice', `PATCH ${INVOICE}/cancel`),
    ],
    ...under('Authentication', [
      [
        'A payment of an account is not there for another.',
        hidden('executed', 'GET /v1/payments/{paymentId}'),
      ],
      [
        'A payment quote of an account is not executed by another.',
        hidden('lightningQuote', 'PATCH /v1/payment-quotes/{paymentQuoteId}/execute'),
      ],
      [
        'An exchange of an account is not there for another.',
        hidden('exchange', 'GET /v1/currency-exchange-quotes/{id}'),
      ],
      [
        'A bank method of an account is not there for another.',
        hidden('sepa', 'GET /v1/payment-methods/bank/{id}'),
      ],
      [
        'A bank method of an account is not removed by another.',
        hidden('sepa', 'DELETE /v1/payment-methods/bank/{id}'),
      ],
      [
        'An originator of an account is not there for another.',
        hidden('originator', 'GET /v1/payout-originators/{id}'),
      ],
      [
        'A payout of an account is not there for another.',
        hidden('payout', 'GET /v1/payouts/{id}'),
      ],
      [
        'A payout of an account is not initiated by another.',
        hidden('payout', 'PATCH /v1/payouts/{id}/initiate'),
      ],
      [
        'A deposit of an account is not there for another.',
        hidden('achDeposit', 'GET /v1/deposits/{id}'),
      ],
      [
        'A receive request of an account is not there for another.',
        hidden('receiveRequest', 'GET /v1/receive-requests/{receiveRequestId}'),
      ],
      [
        'A subscription of an account is not there for another.',
        hidden('subscription', 'GET /v1/subscriptions/{id}'),
      ],
      [
        'Invoices of an account are in no list of another.',
        listedApart('/v1/invoices', 'invoiceId', 'invoice'),
      ],
    ]),
    [
      'GET /v1/events',
      'Events of an account are in no list of another.',
      listedApart('/v1/events', 'id', 'event'),
    ],
    ...under('Authentication', [
      [
        'Payouts of an account are in no list of another.',
        listedApart('/v1/payouts', 'id', 'payout'),
      ],
      [
        'Receive requests of an account are in no list of another.',
        listedApart('/v1/receive-requests', 'receiveRequestId', 'receiveRequest'),
      ],
    ]),
    [
      PUBLIC.peerQuotes,
      'A quote for an address of the service leaves nothing with its receiver.',
      leavesNothing(),
    ],
    [
      PUBLIC.paidOutside,
      'An invoice that the world outside made PAID has its transaction and its money.',
      movedIsPaid(),
    ],
    ['Authentication', 'A key that was revoked is unauthorized.', revoked()],
    ...under('POST /v1/payment-quotes/lightning', [
      ['Under the travel rule the kind of destination is required.', travelRule({}, 400)],
      [
        'Under the travel rule a kind of destination is enough.',
        travelRule({ [KIND]: 'SELF_CUSTODY_WALLET' }, 200),
      ],
      [
        'Under the travel rule an exchange still needs its name.',
        travelRule({ [KIND]: 'EXCHANGE_OR_PLATFORM' }, 400),
      ],
    ]),
    ['Payment quote', 'A reward is money in the currency of the sender.', rewards()],
  ],
  { pause: 86_400_000 },
);
