// Checks of what several accounts have to do with each other.
import { checkRefusal } from './checks.mjs';
import { balanceOf, unitsOf } from './checks-money.mjs';
import { eventsOf } from './checks-events.mjs';
import { queryOf, valueAt } from './json.mjs';
import { check, same } from './verdict.mjs';

const FRIEND = { account: 'friend' };
const EXECUTE = 'PATCH /v1/payment-quotes/{paymentQuoteId}/execute';
const INVOICE = '/v1/invoices/{invoiceId}';
const RECEIVES = '/v1/receive-requests/{receiveRequestId}/receives';

/** One account pays a Lightning invoice of another. */
async function paysLightning(stage, lnInvoice, as = FRIEND) {
  const body = { lnInvoice, sourceCurrency: 'BTC' };
  const quote = await stage.ask('POST /v1/payment-quotes/lightning', { body, as });
  check(quote.status === 200, 'a quote', `${quote.status} ${quote.text}`);
  const paid = await stage.ask(EXECUTE, { values: quote.json, as });
  check(paid.status < 300, 'a payment', `${paid.status} ${paid.text}`);
  await stage.world.advance(10_000);
  return { quote: quote.json, payment: paid.json };
}

/** The receive of a request that another account has paid. */
export const insideReceive = (look) => async (stage) => {
  const made = await stage.make('receiveRequest');
  await paysLightning(stage, made.bolt11.invoice);
  const { items } = await stage.get(RECEIVES, { values: made });
  const friend = await stage.get('/v1/accounts/handle/friend/profile');
  look(items[0], { friend, made });
};

export const insideInvoice = (path, value) => async (stage) => {
  const invoice = await stage.make('invoice');
  const { json } = await stage.ask(`POST ${INVOICE}/quote`, { values: invoice });
  await paysLightning(stage, json.lnInvoice);
  same(value, valueAt(await stage.get(INVOICE, { values: invoice }), path));
};

/** Between accounts nothing is lost: what one spends the other gets. */
export const nothingLost = () => async (stage) => {
  const { json: made } = await stage.ask('POST /v1/receive-request', {
    body: { bolt11: { amount: { amount: '0.00010000', currency: 'BTC' } }, targetCurrency: 'BTC' },
  });
  const before = await balanceOf(stage, 'BTC');
  const { payment } = await paysLightning(stage, made.bolt11.invoice);
  const after = await balanceOf(stage, 'BTC');
  same(`${unitsOf(payment.amount.amount)}`, `${after - before}`);
};

/** An invoice for another account: what that account may do with it. */
export const receiverMay = (call, status, path, value) => async (stage) => {
  const made = await stage.make('invoiceFor');
  const response = await stage.ask(call, { values: made, as: FRIEND });
  check(response.status === status, status, `${response.status} ${response.text}`);
  if (path) same(value, valueAt(response.json, path));
};

export const receiverHears = () => async (stage) => {
  const { invoiceId } = await stage.make('invoiceFor');
  const asFriend = { ...stage, get: (path, more) => stage.get(path, { ...more, as: FRIEND }) };
  const types = async (who) => (await eventsOf(who, invoiceId)).map(({ eventType }) => eventType);
  same([['invoice.created'], ['invoice.created']], [await types(stage), await types(asFriend)]);
};

/** What belongs to one account is not there for another. */
export const hidden = (thing, call) => async (stage) => {
  const made = await stage.make(thing);
  const { status } = await stage.ask(call, { values: made, as: FRIEND });
  check([403, 404].includes(status), '403 or 404', status);
};

export const listedApart = (path, id, thing) => async (stage) => {
  const made = await stage.make(thing);
  const { items } = await stage.get(path, { query: queryOf({ $top: 100 }), as: FRIEND });
  check(!items.some((item) => item[id] === made[id]), `not ${made[id]}`, items);
};

/** A quote for a Lightning address of the box leaves no invoice with its receiver. */
export const leavesNothing = () => async (stage) => {
  const count = async () => (await stage.get('/v1/invoices', { as: FRIEND })).count;
  const before = await count();
  const { status, text } = await stage.request('lnurl', {
    set: { lnAddressOrUrl: 'friend@sandbox.invalid', description: undefined },
  });
  check(status === 200, 'a quote', `${status} ${text}`);
  same(before, await count());
};

const asTraveller = (stage, set) =>
  stage.request('lightning', { as: { account: 'traveller' }, set });

/** An account whose payments must name the kind of their destination. */
export const travelRule = (set, status) => async (stage) => {
  const response = await asTraveller(stage, set);
  if (status === 400) return checkRefusal(response, 400, 'INVALID_DATA');
  check(response.status === status, status, `${response.status} ${response.text}`);
};

export const rewards = () => async (stage) => {
  const as = { account: 'rewarded' };
  const { json: quote } = await stage.request('lightning', { as });
  const { json: payment } = await stage.ask(EXECUTE, { values: quote, as });
  const { amount, currency } = payment.reward ?? {};
  check(unitsOf(amount) >= 0n && currency === 'EUR', 'a reward in euro', payment);
};

/** A key that was taken back. */
export const revoked = () => async (stage) => {
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
export const movedIsPaid = () => async (stage) => {
  const invoice = await stage.make('invoice');
  const before = await balanceOf(stage, 'EUR');
  await stage.world.move('invoice', invoice.invoiceId, 'PENDING').catch(() => {});
  await stage.world.move('invoice', invoice.invoiceId, 'PAID');
  const query = '?includeTransactions=true';
  const { state, transactions } = await stage.get(INVOICE, { values: invoice, query });
  const change = (await balanceOf(stage, 'EUR')) - before;
  same(['PAID', 1, true], [state, transactions?.length, change > 0n]);
};

/** An invoice for somebody to whom none can be made. */
export const noInvoiceFor = (handle, body, status, code) => async (stage) => {
  await stage.keyOf({ account: 'friend' });
  const values = { handle };
  checkRefusal(
    await stage.ask('POST /v1/invoices/handle/{handle}', { values, body }),
    status,
    code,
  );
};

/** A correlation value is used by invoices for others too. */
export const sameNameForOthers = () => async (stage) => {
  const { correlationId } = await stage.make('invoiceFor');
  const again = await stage.request('invoiceFor', { set: { correlationId } });
  checkRefusal(again, 409, 'DUPLICATE_INVOICE', { correlationId });
};

/** Balances are those of the currencies that the account has. */
export const hasBalancesOf =
  (account, ...currencies) =>
  async (stage) => {
    const rows = await stage.get('/v1/balances', { as: { account } });
    same(
      currencies,
      rows.map(({ currency }) => currency),
    );
  };

export const spendsOwnDefault = () => async (stage) => {
  const set = { sourceCurrency: undefined };
  const { json, text } = await stage.request('lightning', { as: FRIEND, set });
  check(json?.totalAmount?.currency === 'GBP', 'pounds', text);
};
