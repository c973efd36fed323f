// How things come into the states that facts speak of: by requests, and by what only payer, banks and time can do.
import { withValue } from './json.mjs';

const DAY = 86_400_000;
const created = (name, more) => (stage) => stage.json(name, more);

/** A thing of which something is done; read again afterwards. */
const after = (before, act, path) => async (stage) => {
  const thing = await stage.make(before);
  await act(stage, thing);
  return stage.get(path, { values: thing });
};
const INVOICE = '/v1/invoices/{invoiceId}';
const PAYMENT = '/v1/payments/{paymentId}';
const EXCHANGE = '/v1/currency-exchange-quotes/{id}';
const BANK = '/v1/payment-methods/bank/{id}';
const ORIGINATOR = '/v1/payout-originators/{id}';
const PAYOUT = '/v1/payouts/{id}';
const DEPOSIT = '/v1/deposits/{id}';
const RECEIVES = '/v1/receive-requests/{receiveRequestId}/receives';

const moved = (before, subject, state, path) =>
  after(
    before,
    ({ world }, { id, paymentId }) => world.move(subject, id ?? paymentId, state),
    path,
  );
const waited = (before, duration, path) =>
  after(before, ({ world }) => world.advance(duration), path);

/** Makes something while a rule holds for what happens next. */
const ruled = (rule, make) => async (stage) => {
  const end = await stage.world.fault(rule);
  try {
    return await make(stage);
  } finally {
    await end();
  }
};
const NEVER = { delay: 'never' };

const executed = (quote) => async (stage) => {
  const { paymentQuoteId } = await stage.make(quote);
  const { json } = await stage.ask('PATCH /v1/payment-quotes/{paymentQuoteId}/execute', {
    values: { paymentQuoteId },
  });
  return json;
};

const patched = (before, path) => async (stage) => {
  const thing = await stage.make(before);
  const { json } = await stage.ask(`PATCH ${path}`, { values: thing });
  return json ?? thing;
};

const received = (request, pay) => async (stage) => {
  const made = await stage.make(request);
  await pay(stage, made);
  return (await stage.get(RECEIVES, { values: made })).items[0];
};

const bitcoinOf = (body, amount) => withValue(body, 'amount', { amount, currency: 'BTC' });

export const makers = {
  invoice: created('invoice'),
  bareInvoice: created('invoice', { set: { correlationId: undefined, description: undefined } }),
  usdInvoice: created('invoice', { set: { amount: { amount: '3.00', currency: 'USD' } } }),
  quotedInvoice: created('invoice', { set: { correlationId: "it's mine" } }),
  readInvoice: async (stage) => stage.get(INVOICE, { values: await stage.make('invoice') }),
  invoiceFor: created('invoiceFor'),
  cancelledInvoice: patched('invoice', `${INVOICE}/cancel`),
  pendingInvoice: after(
    'invoice',
    ({ world }, { invoiceId }) => world.startPay(invoiceId, { pendingFor: 30 * DAY }),
    INVOICE,
  ),
  failedInvoice: after(
    'invoice',
    async ({ world }, { invoiceId }) => {
      await world.startPay(invoiceId, { pendingFor: 1_000, fails: true });
      await world.advance(2_000);
    },
    INVOICE,
  ),
  paidInvoice: after('invoice', ({ world }, { invoiceId }) => world.pay(invoiceId), INVOICE),
  reversedInvoice: async (stage) => {
    const { invoiceId } = await stage.make('paidInvoice');
    await stage.world.move('invoice', invoiceId, 'REVERSED');
    return stage.get(INVOICE, { values: { invoiceId } });
  },
  invoiceWithTransactions: async (stage) =>
    stage.get(INVOICE, {
      values: await stage.make('paidInvoice'),
      query: '?includeTransactions=true',
    }),
  invoiceQuote: created('invoiceQuote'),
  hashedQuote: created('hashedQuote'),
  bitcoinInvoiceQuote: async (stage) => {
    const body = bitcoinOf({ description: 'Tea' }, '0.00010000');
    const { json } = await stage.ask('POST /v1/invoices', { body });
    return (await stage.ask(`POST ${INVOICE}/quote`, { values: json })).json;
  },
  lightningQuote: created('lightning'),
  bitcoinQuote: created('lightning', { set: { sourceCurrency: 'BTC' } }),
  zeroQuote: created('zeroLightning'),
  inclusiveQuote: created('zeroLightning', { set: { 'amount.feePolicy': 'INCLUSIVE' } }),
  lnurlQuote: created('lnurl'),
  onchainQuote: created('onchain'),
  tiers: created('tiers'),
  lnurlDetails: created('lnurlDetails'),
  executed: executed('lightningQuote'),
  payment: async (stage) => stage.get(PAYMENT, { values: await executed('lightningQuote')(stage) }),
  bitcoinPayment: executed('bitcoinQuote'),
  pendingPayment: ruled({ subject: 'payment', ...NEVER }, executed('lightningQuote')),
  failedPayment: moved('pendingPayment', 'payment', 'FAILED', PAYMENT),
  onchainPayment: executed('onchainQuote'),
  doneOnchainPayment: waited('onchainPayment', 2 * DAY, PAYMENT),
  exchange: created('exchange'),
  pendingExchange: ruled({ subject: 'currencyExchangeQuote', ...NEVER }, async (stage) => {
    const quote = await stage.make('exchange');
    await stage.ask(`PATCH ${EXCHANGE}/execute`, { values: quote });
    return stage.get(EXCHANGE, { values: quote });
  }),
  doneExchange: moved('pendingExchange', 'currencyExchangeQuote', 'COMPLETED', EXCHANGE),
  failedExchange: moved('pendingExchange', 'currencyExchangeQuote', 'FAILED', EXCHANGE),
  ach: created('ach'),
  wire: created('wire'),
  sepa: created('sepa'),
  fps: created('fps'),
  bsb: created('bsb'),
  pendingBank: ruled({ subject: 'bankPaymentMethod', ...NEVER }, created('sepa')),
  readyAch: waited('ach', 60_000, BANK),
  readyWire: waited('wire', 60_000, BANK),
  readySepa: waited('sepa', 60_000, BANK),
  readyFps: waited('fps', 60_000, BANK),
  readyBsb: waited('bsb', 60_000, BANK),
  suspendedBank: moved('readySepa', 'bankPaymentMethod', 'SUSPENDED', BANK),
  invalidBank: moved('pendingBank', 'bankPaymentMethod', 'INVALID', BANK),
  removedBank: after(
    'readySepa',
    (stage, bank) => stage.ask(`DELETE ${BANK}`, { values: bank }),
    BANK,
  ),
  originator: created('originator'),
  person: created('person'),
  pendingOriginator: ruled({ subject: 'payoutOriginator', ...NEVER }, created('originator')),
  approvedOriginator: moved('pendingOriginator', 'payoutOriginator', 'APPROVED', ORIGINATOR),
  rejectedOriginator: moved('pendingOriginator', 'payoutOriginator', 'REJECTED', ORIGINATOR),
  removedOriginator: after(
    'approvedOriginator',
    (stage, originator) => stage.ask(`DELETE ${ORIGINATOR}`, { values: originator }),
    ORIGINATOR,
  ),
  payout: created('payout'),
  payoutFor: created('payoutFor'),
  initiatedPayout: ruled({ subject: 'payout', ...NEVER }, patched('payout', `${PAYOUT}/initiate`)),
  donePayout: moved('initiatedPayout', 'payout', 'COMPLETED', PAYOUT),
  failedPayout: moved('initiatedPayout', 'payout', 'FAILED', PAYOUT),
  reversedPayout: moved('donePayout', 'payout', 'REVERSED', PAYOUT),
  deposit: created('deposit'),
  achDeposit: created('achDeposit'),
  pendingDeposit: ruled({ subject: 'deposit', ...NEVER }, created('achDeposit')),
  doneDeposit: moved('pendingDeposit', 'deposit', 'COMPLETED', DEPOSIT),
  failedDeposit: moved('pendingDeposit', 'deposit', 'FAILED', DEPOSIT),
  reversedDeposit: moved('doneDeposit', 'deposit', 'REVERSED', DEPOSIT),
  fee: created('fee'),
  achFee: created('achFee'),
  balances: (stage) => stage.get('/v1/balances'),
  balance: async (stage) => (await stage.get('/v1/balances')).find((row) => row.currency === 'USD'),
  limits: (stage) => stage.get('/v1/accounts/limits'),
  profile: (stage) => stage.get('/v1/accounts/handle/shop/profile'),
  ticker: (stage) => stage.get('/v1/rates/ticker'),
  receiveRequest: created('receiveRequest'),
  openRequest: created('openRequest'),
  bolt11Request: created('receiveRequest', { set: { onchain: undefined } }),
  onchainRequest: created('receiveRequest', { set: { bolt11: undefined } }),
  hashedRequest: created('receiveRequest', {
    set: { 'bolt11.description': undefined, 'bolt11.descriptionHash': 'ab'.repeat(32) },
  }),
  lightningReceive: received('receiveRequest', ({ world }, { bolt11 }) =>
    world.pay(bolt11.invoice),
  ),
  seenReceive: received('openRequest', ({ world }, { onchain }) =>
    world.startPay(onchain.address, { amount: '0.00100000', pendingFor: 30 * DAY }),
  ),
  onchainReceive: received('openRequest', async ({ world }, { onchain }) => {
    await world.startPay(onchain.address, { amount: '0.00100000', pendingFor: 1_000 });
    await world.advance(2_000);
  }),
  subscription: created('subscription'),
  event: async (stage) => {
    const { invoiceId } = await stage.make('invoice');
    const { items } = await stage.get('/v1/events', { query: '?$top=100' });
    return items.find(({ data }) => data.entityId === invoiceId);
  },
  updatedEvent: async (stage) => {
    const { invoiceId } = await stage.make('cancelledInvoice');
    const { items } = await stage.get('/v1/events', { query: '?$top=100' });
    return items.find(
      ({ data, eventType }) => data.entityId === invoiceId && eventType === 'invoice.updated',
    );
  },
};
