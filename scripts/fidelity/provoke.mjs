// What leads to each error code: the last answer carries it. Absent where nothing outside of the service leads to it.
import { fresh } from './fresh.mjs';

const CANCEL = 'PATCH /v1/invoices/{invoiceId}/cancel';
const EXECUTE = 'PATCH /v1/payment-quotes/{paymentQuoteId}/execute';
const EXCHANGE = 'PATCH /v1/currency-exchange-quotes/{id}/execute';
const BIG = { amount: '900000.00', currency: 'USD' };

const onThing = (thing, call) => async (stage) =>
  stage.ask(call, { values: await stage.make(thing) });
const twice = (name) => async (stage) => {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  await stage.json(name, { headers });
  return stage.request(name, { headers });
};
const changed = (name, set) => (stage) => stage.request(name, { set });
const during = (rule, ask) => async (stage) => {
  const end = await stage.world.fault(rule);
  try {
    return await ask(stage);
  } finally {
    await end();
  }
};
const doneTwice = (thing, call) => async (stage) => {
  const values = await stage.make(thing);
  await stage.ask(call, { values });
  return stage.ask(call, { values });
};
const tooLate = (thing, call, duration) => async (stage) => {
  const values = await stage.make(thing);
  await stage.world.advance(duration);
  return stage.ask(call, { values });
};
const asAccount = (account, ask) => async (stage) => {
  const key = await stage.keyOf({ account });
  return ask(stage, { authorization: `Bearer ${key}` });
};
const withBank = (name, thing) => async (stage) =>
  stage.request(name, { set: { paymentMethodId: (await stage.make(thing)).id } });
const many = (count, ask) => async (stage) => {
  for (let at = 0; at < count; at++) await ask(stage, at);
  return ask(stage, count);
};

export const provoke = {
  NOT_FOUND: (stage) => stage.ask('GET /v1/payments/{id}', { values: { id: crypto.randomUUID() } }),
  MAINTENANCE_MODE: during({ subject: 'service', state: 'MAINTENANCE' }, (stage) =>
    stage.ask('GET /v1/balances'),
  ),
  SERVICE_UNAVAILABLE: during({ subject: 'service', state: 'UNAVAILABLE' }, (stage) =>
    stage.ask('GET /v1/balances'),
  ),
  TOO_MANY_ATTEMPTS: many(6, changed('ach', { accountNumber: '0000' })),
  PROCESSING_CONFLICT: during(
    { subject: 'payment', state: 'PROCESSING_CONFLICT' },
    onThing('lightningQuote', EXECUTE),
  ),
  UNAUTHORIZED: (stage) => stage.ask('GET /v1/balances', { as: null }),
  FORBIDDEN: (stage) => stage.ask('GET /v1/balances', { as: { scopes: [] } }),
  INVALID_DATA: changed('invoice', { amount: undefined }),
  INVALID_DATA_QUERY: (stage) => stage.ask('GET /v1/invoices', { query: '?$filter=tea' }),
  UNPROCESSABLE_ENTITY: many(50, (stage) => stage.request('subscription')),
  ACCOUNT_NOT_READY: asAccount('late', (stage, headers) =>
    stage.ask('GET /v1/balances', { headers }),
  ),
  INVALID_STATE_FOR_INVOICE_PAID: onThing('paidInvoice', CANCEL),
  INVALID_STATE_FOR_INVOICE_REVERSED: onThing('reversedInvoice', CANCEL),
  INVALID_STATE_FOR_INVOICE_CANCELLED: onThing('cancelledInvoice', CANCEL),
  async INVALID_STATE_FOR_INVOICE_EXPIRED(stage) {
    const lnInvoice = await stage.world.bolt11({ sat: '10', expirySeconds: 5 });
    await stage.world.advance(10_000);
    return stage.request('lightning', { set: { lnInvoice } });
  },
  async INVALID_RECIPIENT(stage) {
    await stage.keyOf({ account: 'mute' });
    const body = { amount: { amount: '5.00', currency: 'EUR' } };
    return stage.ask('POST /v1/invoices/handle/mute', { body });
  },
  PROCESSING_PAYMENT: onThing('pendingInvoice', CANCEL),
  async DUPLICATE_INVOICE(stage) {
    const set = { correlationId: fresh('twice') };
    await stage.json('invoice', { set });
    return stage.request('invoice', { set });
  },
  async SELF_PAYMENT_NOT_ALLOWED(stage) {
    const { lnInvoice } = await stage.make('invoiceQuote');
    return stage.request('lightning', { set: { lnInvoice } });
  },
  USER_CURRENCY_UNAVAILABLE: asAccount('dollars', (stage, headers) =>
    stage.request('invoice', { headers }),
  ),
  LN_UNAVAILABLE: during({ subject: 'lightning', state: 'UNAVAILABLE' }, (stage) =>
    stage.request('lightning'),
  ),
  EXCHANGE_RATE_NOT_AVAILABLE: during({ subject: 'rates', state: 'UNAVAILABLE' }, (stage) =>
    stage.request('exchange'),
  ),
  BALANCE_TOO_LOW: changed('zeroLightning', { amount: BIG }),
  INVALID_AMOUNT: changed('invoice', { 'amount.amount': '0.00' }),
  AMOUNT_TOO_HIGH: changed('invoice', { 'amount.amount': '1000000.01' }),
  AMOUNT_TOO_LOW: changed('onchain', {
    sourceCurrency: 'BTC',
    amount: { amount: '0.00000001', currency: 'BTC' },
  }),
  UNSUPPORTED_PAYMENT_METHOD: withBank('deposit', 'readyWire'),
  INVALID_PAYMENT_METHOD: withBank('deposit', 'removedBank'),
  CURRENCY_UNSUPPORTED: changed('exchange', {
    sell: 'DOGE',
    amount: { amount: '5.00', currency: 'DOGE' },
  }),
  PLAID_LINKING_FAILED: changed('ach', { accountNumber: '0000' }),
  PAYMENT_METHOD_NOT_READY: withBank('deposit', 'pendingBank'),
  async PAYOUT_ORIGINATOR_NOT_APPROVED(stage) {
    const { id } = await stage.make('pendingOriginator');
    return stage.request('payout', { set: { originatorId: id } });
  },
  PAYOUT_ALREADY_INITIATED: onThing('initiatedPayout', 'PATCH /v1/payouts/{id}/initiate'),
  PAYMENT_PROCESSED: doneTwice('lightningQuote', EXECUTE),
  INVALID_LN_INVOICE: changed('lightning', { lnInvoice: 'tea' }),
  async LN_INVOICE_PROCESSED(stage) {
    const set = { lnInvoice: await stage.world.bolt11({ sat: '10' }) };
    await stage.ask(EXECUTE, { values: await stage.json('lightning', { set }) });
    return stage.request('lightning', { set });
  },
  INVALID_BITCOIN_ADDRESS: changed('tiers', { btcAddress: 'tea' }),
  async LN_ROUTE_NOT_FOUND(stage) {
    const lnInvoice = await stage.world.bolt11({ sat: '10', route: 'none' });
    return stage.request('lightning', { set: { lnInvoice } });
  },
  PAYMENT_QUOTE_EXPIRED: tooLate('lightningQuote', EXECUTE, 86_400_000),
  DUPLICATE_PAYMENT_QUOTE: twice('lightning'),
  TOO_MANY_TRANSACTIONS: during(
    { subject: 'payment', delay: 'never' },
    many(100, onThing('lightningQuote', EXECUTE)),
  ),
  DUPLICATE_CURRENCY_EXCHANGE_QUOTE: twice('exchange'),
  CURRENCY_EXCHANGE_QUOTE_PROCESSED: doneTwice('exchange', EXCHANGE),
  CURRENCY_EXCHANGE_QUOTE_EXPIRED: tooLate('exchange', EXCHANGE, 86_400_000),
  CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED: changed('exchange', { buy: 'USD' }),
  CURRENCY_EXCHANGE_AMOUNT_TOO_LOW: changed('exchange', {
    amount: { amount: '0.00000001', currency: 'BTC' },
  }),
  DEPOSIT_LIMIT_EXCEEDED: many(10, (stage) => stage.request('deposit')),
  DUPLICATE_DEPOSIT: twice('deposit'),
};
