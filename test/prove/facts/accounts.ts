// Checks of balances, limits and profiles.
import type { ThingName } from './things.ts';
import { asks, checkRefusal, has, unknown } from './checks.ts';
import { eventsOf } from './events.ts';
import {
  type Answer,
  check,
  type Fact,
  type ListedRows,
  same,
  section,
  type Stage,
  type Thing,
  type Values,
  type Who,
} from './fact.ts';
import { balanceOf, digits, unitsOf } from './money.ts';
import {
  array,
  boolean,
  currency,
  decimal,
  nullish,
  queryOf,
  type ValueForm,
  text,
  uuid,
  valueAt,
} from './shapes.ts';

/** A member of each row of a list. */
const eachRow =
  (thing: ThingName, path: string, shape: ValueForm): Fact =>
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
  (rule: keyof typeof RULES): Fact =>
  async (stage) => {
    for (const thing of ['initiatedPayout', 'pendingDeposit']) await stage.thing(thing);
    const rows = await stage.get<ListedRows>('/v1/balances');
    const holds: Rule = RULES[rule];
    const wrong = rows.filter((row) => !holds(row, rows));
    check(wrong.length === 0, `${rule} to hold`, wrong);
  };

/** A deposit is counted in the first cycle. */
const usedGrows = (): Fact => async (stage) => {
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
  (handle: string, path: string, value: unknown): Fact =>
  async (stage) => {
    await stage.keyOf({ account: handle });
    same(value, valueAt(await profile(stage, handle), path));
  };

const ownId = (): Fact => async (stage) =>
  same((await stage.thing('invoice')).issuerId, (await stage.thing('profile')).id);

const sameById = (): Fact => async (stage) => {
  const found = await stage.thing('profile');
  same(found, await stage.get('/v1/accounts/{id}/profile', { values: found }));
};

const currencyRow =
  (path: string, shape: ValueForm): Fact =>
  async (stage) => {
    const { currencies } = await stage.thing('profile');
    const wrong = currencies.filter((row) => !shape.test(valueAt(row, path)));
    check(currencies.length > 0 && wrong.length === 0, `${path} to be ${shape.name}`, wrong);
  };

const oneDefault = (): Fact => async (stage) => {
  const { currencies } = await stage.thing('profile');
  same(1, currencies.filter(({ isDefaultCurrency }) => isDefaultCurrency).length);
};

export const balances = section('balances', [
  usedGrows(),
  has('balances', '', array),
  eachRow('balances', 'currency', currency),
  balanceHolds('unique'),
  eachRow('balances', 'current', decimal),
  eachRow('balances', 'pending', decimal),
  eachRow('balances', 'reserved', decimal),
  eachRow('balances', 'available', decimal),
  eachRow('balances', 'outgoing', decimal),
  eachRow('balances', 'total', decimal),
  digits('balance', 'available', 2),
  balanceHolds('available'),
  balanceHolds('total'),
]);

export const profiles = section('profiles', [
  has('profile', 'id', uuid),
  ownId(),
  has('profile', 'handle', 'shop'),
  has('profile', 'canReceive', boolean),
  has('profile', 'avatarUrl', nullish(text)),
  has('profile', 'description', nullish(text)),
  has('profile', 'currencies', array),
  currencyRow('currency', currency),
  currencyRow('isDefaultCurrency', boolean),
  currencyRow('isAvailable', boolean),
  currencyRow('isInvoiceable', boolean),
  oneDefault(),
  sameById(),
  unknown('GET /v1/accounts/{id}/profile'),
  asks('GET /v1/accounts/handle/nobody-here/profile', {}, 404, 'NOT_FOUND'),
]);

export const otherAccounts = section('other accounts', [
  profileOf('friend', 'handle', 'friend'),
  asks('GET /v1/accounts/handle/hidden/profile', {}, 404, 'NOT_FOUND'),
  profileOf('mute', 'canReceive', false),
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
  (look: (receive: Thing, friend: Thing) => unknown): Fact =>
  async (stage) => {
    const made = await stage.make('receiveRequest');
    await paysLightning(stage, made.bolt11.invoice);
    const { items } = await stage.get(RECEIVES, { values: made });
    const friend = await stage.get('/v1/accounts/handle/friend/profile');
    look(items[0]!, friend);
  };

const insideInvoice =
  (path: string, value: unknown): Fact =>
  async (stage) => {
    const invoice = await stage.make('invoice');
    const { json } = await stage.ask(`POST ${INVOICE}/quote`, { values: invoice });
    await paysLightning(stage, json.lnInvoice);
    same(value, valueAt(await stage.get(INVOICE, { values: invoice }), path));
  };

/** Between accounts nothing is lost: what one spends the other gets. */
const nothingLost = (): Fact => async (stage) => {
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
  (call: string, status: number, path: string, value: unknown): Fact =>
  async (stage) => {
    const made = await stage.make('invoiceFor');
    const response = await stage.ask(call, { values: made, as: FRIEND });
    check(response.status === status, status, `${response.status} ${response.text}`);
    if (path) same(value, valueAt(response.json, path));
  };

const receiverHears = (): Fact => async (stage) => {
  const { invoiceId } = await stage.make('invoiceFor');
  const types = async (as?: Who) =>
    (await eventsOf(stage, invoiceId, as)).map(({ eventType }) => eventType);
  same([['invoice.created'], ['invoice.created']], [await types(), await types(FRIEND)]);
};

/** Another account gets 403 or 404 for a thing of this one. */
const hidden =
  (thing: ThingName, call: string): Fact =>
  async (stage) => {
    const made = await stage.make(thing);
    const { status } = await stage.ask(call, { values: made, as: FRIEND });
    check([403, 404].includes(status), '403 or 404', status);
  };

const listedApart =
  (path: string, id: string, thing: ThingName): Fact =>
  async (stage) => {
    const made = await stage.make(thing);
    const { items } = await stage.get(path, { query: queryOf({ $top: 100 }), as: FRIEND });
    check(
      !items.some((item) => valueAt(item, id) === valueAt(made, id)),
      `not ${valueAt(made, id)}`,
      items,
    );
  };

const asTraveller = (stage: Stage, set: Values): Promise<Answer> =>
  stage.request('lightning', { as: { account: 'traveller' }, set });

/** An account whose payments must name the kind of their destination. */
const travelRule =
  (set: Values, status: number): Fact =>
  async (stage) => {
    const response = await asTraveller(stage, set);
    if (status === 400) return checkRefusal(response, 400, 'INVALID_DATA');
    check(response.status === status, status, `${response.status} ${response.text}`);
  };

const rewards = (): Fact => async (stage) => {
  const as = { account: 'rewarded' };
  const { json: quote } = await stage.request('lightning', { as });
  const { json: payment } = await stage.ask(EXECUTE, { values: quote, as });
  const { reward } = payment;
  check(unitsOf(reward.amount) >= 0n && reward.currency === 'EUR', 'a reward in euro', payment);
};

/** Creating an invoice for this handle is refused. */
const noInvoiceFor =
  (handle: string, body: object, status: number, code: string): Fact =>
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
const sameNameForOthers = (): Fact => async (stage) => {
  const { correlationId } = await stage.make('invoiceFor');
  const again = await stage.request('invoiceFor', { set: { correlationId } });
  checkRefusal(again, 409, 'DUPLICATE_INVOICE', { correlationId });
};

/** Balances are those of the currencies that the account has. */
const hasBalancesOf =
  (account: string, ...currencies: readonly string[]): Fact =>
  async (stage) => {
    const rows = await stage.get<ListedRows>('/v1/balances', { as: { account } });
    same(
      currencies,
      rows.map(({ currency }) => currency),
    );
  };

// Facts about several accounts, and about revoked keys and payments by hand.

const TEN = { amount: { amount: '10.00', currency: 'EUR' } };
const KIND = 'beneficiary.destinationType';

export const parties = section(
  'parties',
  [
    insideReceive(({ type }) => same('P2P', type)),
    insideReceive(({ p2p }, friend) => same(friend.id, p2p?.payerAccountId)),
    insideReceive(({ lightning }) => same(true, (lightning ?? null) === null)),
    insideReceive(({ state }) => same('COMPLETED', state)),
    insideReceive(({ amountCredited }) => same('USD', amountCredited?.currency)),
    insideInvoice('state', 'PAID'),
    nothingLost(),
    receiverMay(`PATCH ${INVOICE}/cancel`, 200, 'state', 'CANCELLED'),
    receiverMay(`GET ${INVOICE}`, 200, 'state', 'UNPAID'),
    receiverHears(),
    noInvoiceFor('nobody-here', TEN, 404, 'NOT_FOUND'),
    noInvoiceFor('hidden', TEN, 404, 'NOT_FOUND'),
    noInvoiceFor('dollars', TEN, 422, 'USER_CURRENCY_UNAVAILABLE'),
    sameNameForOthers(),
    hasBalancesOf('dollars', 'USD'),
    hidden('invoice', `GET ${INVOICE}`),
    hidden('invoice', `PATCH ${INVOICE}/cancel`),
    hidden('executed', 'GET /v1/payments/{paymentId}'),
    hidden('lightningQuote', 'PATCH /v1/payment-quotes/{paymentQuoteId}/execute'),
    hidden('exchange', 'GET /v1/currency-exchange-quotes/{id}'),
    hidden('sepa', 'GET /v1/payment-methods/bank/{id}'),
    hidden('sepa', 'DELETE /v1/payment-methods/bank/{id}'),
    hidden('originator', 'GET /v1/payout-originators/{id}'),
    hidden('payout', 'GET /v1/payouts/{id}'),
    hidden('payout', 'PATCH /v1/payouts/{id}/initiate'),
    hidden('achDeposit', 'GET /v1/deposits/{id}'),
    hidden('receiveRequest', 'GET /v1/receive-requests/{receiveRequestId}'),
    hidden('subscription', 'GET /v1/subscriptions/{id}'),
    listedApart('/v1/invoices', 'invoiceId', 'invoice'),
    listedApart('/v1/events', 'id', 'event'),
    listedApart('/v1/payouts', 'id', 'payout'),
    listedApart('/v1/receive-requests', 'receiveRequestId', 'receiveRequest'),
    travelRule({}, 400),
    travelRule({ [KIND]: 'SELF_CUSTODY_WALLET' }, 200),
    travelRule({ [KIND]: 'EXCHANGE_OR_PLATFORM' }, 400),
    rewards(),
  ],
  { pause: 86_400_000 },
);
