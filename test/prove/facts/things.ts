import type { Amount, Changed, Stage, Thing } from './fact.ts';
import type { FaultDraft } from './worlds.ts';
import type { ListedRows } from './fact.ts';
import { withValue } from './shapes.ts';

let made = 0;

/** A text that no request had before. */
export const fresh = (word: string): string => `${word}-${++made}`;

// One valid request for each endpoint that takes a body, and for the others where checks repeat
// them.

const ADDRESS = { country: 'DE', city: 'Berlin', postCode: '10115', line1: 'Musterweg 1' };
const OWNER = {
  type: 'INDIVIDUAL',
  name: 'Ada Sample',
  dateOfBirth: '1988-05-17',
  address: ADDRESS,
};
const FIRM = {
  type: 'COMPANY',
  name: 'Sample GmbH',
  email: 'post@sample.invalid',
  address: ADDRESS,
};

const BANKS = {
  ACH: { accountNumber: '000123456789', routingNumber: '110000000', accountType: 'CHECKING' },
  US_DOMESTIC_WIRE: { accountNumber: '000123456789', routingNumber: '110000000' },
  SEPA: { accountNumber: 'DE89370400440532013000', routingNumber: 'COBADEFFXXX' },
  FPS: { accountNumber: '31926819', routingNumber: '601613' },
  BSB: { accountNumber: '123456789', routingNumber: '062000' },
};
const bank = (transferType: keyof typeof BANKS, beneficiary: object = OWNER): KnownRequest => ({
  call: 'POST /v1/payment-methods/bank',
  body: () => ({
    transferType,
    ...BANKS[transferType],
    bankName: 'Beispielbank',
    bankAddress: ADDRESS,
    beneficiaries: [beneficiary],
  }),
});

const euros = (amount: string): Amount => ({ amount, currency: 'EUR' });
const dollars = (amount: string): Amount => ({ amount, currency: 'USD' });
const key = (): Readonly<Record<string, string>> => ({ 'idempotency-key': crypto.randomUUID() });
const methodOf = async (stage: Stage, name = 'readySepa'): Promise<string> =>
  (await stage.thing(name)).id;

/** A valid request: method and path, and how the rest is made. */
interface KnownRequest {
  readonly call: string;
  readonly body?: (stage: Stage) => object | Promise<object>;
  readonly values?: (stage: Stage) => object | Promise<object>;
  readonly headers?: () => Readonly<Record<string, string>>;
}

const requests = {
  invoice: {
    call: 'POST /v1/invoices',
    body: () => ({ correlationId: fresh('order'), description: 'Tea', amount: euros('12.50') }),
  },
  invoiceFor: {
    call: 'POST /v1/invoices/handle/friend',
    body: () => ({
      correlationId: fresh('order'),
      description: 'Tea',
      amount: { amount: '12.50', currency: 'GBP' },
    }),
  },
  invoiceQuote: {
    call: 'POST /v1/invoices/{invoiceId}/quote',
    values: (stage) => stage.make('invoice'),
  },
  hashedQuote: {
    call: 'POST /v1/invoices/{invoiceId}/quote',
    values: (stage) => stage.make('invoice'),
    body: () => ({ descriptionHash: 'ab'.repeat(32) }),
  },
  lightning: {
    call: 'POST /v1/payment-quotes/lightning',
    headers: key,
    body: async ({ world }) => ({
      lnInvoice: await world.bolt11({ sat: '2100', description: 'Coffee' }),
      sourceCurrency: 'EUR',
    }),
  },
  zeroLightning: {
    call: 'POST /v1/payment-quotes/lightning',
    headers: key,
    body: async ({ world }) => ({
      lnInvoice: await world.bolt11({}),
      sourceCurrency: 'USD',
      amount: { ...dollars('12.00'), feePolicy: 'EXCLUSIVE' },
      beneficiary: {
        type: 'INDIVIDUAL',
        destinationType: 'SELF_CUSTODY_WALLET',
        individualFirstName: 'Ada',
        individualLastName: 'Sample',
      },
    }),
  },
  exchangeWallet: {
    call: 'POST /v1/payment-quotes/lightning',
    headers: key,
    body: async ({ world }) => ({
      lnInvoice: await world.bolt11({ sat: '2100' }),
      sourceCurrency: 'BTC',
      beneficiary: {
        type: 'BUSINESS',
        businessName: 'Sample GmbH',
        destinationType: 'EXCHANGE_OR_PLATFORM',
        vaspId: 'vasp-1',
        isOwnDestination: false,
      },
    }),
  },
  lnurl: {
    call: 'POST /v1/payment-quotes/lightning/lnurl',
    headers: key,
    body: () => ({
      lnAddressOrUrl: 'ada@wallet.example',
      sourceCurrency: 'USD',
      amount: dollars('5.00'),
      description: 'thank you',
    }),
  },
  lnurlDetails: {
    call: 'GET /v1/payment-quotes/lightning/lnurl/{name}',
    values: () => ({ name: 'ada@wallet.example' }),
  },
  onchain: {
    call: 'POST /v1/payment-quotes/onchain',
    headers: key,
    body: async (stage) => ({
      btcAddress: await stage.world.address(),
      sourceCurrency: 'USD',
      description: 'Supplier 12',
      amount: { ...dollars('200.00'), feePolicy: 'EXCLUSIVE' },
      onchainTierId: (await stage.thing<readonly Thing[]>('tiers'))[0]!.id,
    }),
  },
  tiers: {
    call: 'POST /v1/payment-quotes/onchain/tiers',
    body: async ({ world }) => ({ btcAddress: await world.address(), amount: dollars('200.00') }),
  },
  execute: {
    call: 'PATCH /v1/payment-quotes/{paymentQuoteId}/execute',
    values: (stage) => stage.make('lightningQuote'),
  },
  exchange: {
    call: 'POST /v1/currency-exchange-quotes',
    headers: key,
    body: () => ({
      sell: 'USD',
      buy: 'BTC',
      amount: { ...dollars('100.00'), feePolicy: 'INCLUSIVE' },
    }),
  },
  ach: bank('ACH'),
  wire: bank('US_DOMESTIC_WIRE'),
  sepa: bank('SEPA', FIRM),
  fps: bank('FPS'),
  bsb: bank('BSB'),
  originator: { call: 'POST /v1/payout-originators', body: () => FIRM },
  person: { call: 'POST /v1/payout-originators', body: () => OWNER },
  payout: {
    call: 'POST /v1/payouts',
    body: async (stage) => ({
      paymentMethodId: await methodOf(stage),
      amount: '50.00',
      reference: 'INV 88',
      feePolicy: 'EXCLUSIVE',
    }),
  },
  payoutFor: {
    call: 'POST /v1/payouts',
    body: async (stage) => ({
      paymentMethodId: await methodOf(stage),
      originatorId: (await stage.thing('approvedOriginator')).id,
      amount: '50.00',
    }),
  },
  deposit: {
    call: 'POST /v1/deposits',
    headers: key,
    body: async (stage) => ({
      paymentMethodId: await methodOf(stage),
      amount: '50.00',
      feePolicy: 'EXCLUSIVE',
    }),
  },
  achDeposit: {
    call: 'POST /v1/deposits',
    headers: key,
    body: async (stage) => ({
      paymentMethodId: await methodOf(stage, 'readyAch'),
      amount: '50.00',
    }),
  },
  fee: {
    call: 'POST /v1/deposits/fee',
    body: async (stage) => ({ paymentMethodId: await methodOf(stage), amount: '50.00' }),
  },
  achFee: {
    call: 'POST /v1/deposits/fee',
    body: async (stage) => ({
      paymentMethodId: await methodOf(stage, 'readyAch'),
      amount: '50.00',
    }),
  },
  receiveRequest: {
    call: 'POST /v1/receive-request',
    body: () => ({
      targetCurrency: 'USD',
      bolt11: { amount: dollars('10.00'), description: 'Support our choir', expiryInSeconds: 600 },
      onchain: { amount: dollars('10.00') },
    }),
  },
  pluralRequest: { call: 'POST /v1/receive-requests', body: () => ({ bolt11: {} }) },
  hashedOnly: {
    call: 'POST /v1/receive-request',
    body: () => ({ bolt11: { descriptionHash: 'ab'.repeat(32) } }),
  },
  openRequest: { call: 'POST /v1/receive-request', body: () => ({ bolt11: {}, onchain: {} }) },
  subscription: {
    call: 'POST /v1/subscriptions',
    body: () => ({
      webhookUrl: 'https://shop.example/hooks',
      webhookVersion: 'v1',
      secret: 'a-secret-of-30-characters-long',
      enabled: false,
      eventTypes: ['invoice.updated', 'payment.updated'],
    }),
  },
} satisfies Record<string, KnownRequest>;

export type RequestName = keyof typeof requests;

/** The known request of a name. */
export function requestOf(name: string): KnownRequest {
  const known: Readonly<Record<string, KnownRequest>> = requests;
  const found = known[name];
  if (!found) throw new Error(`no request is called ${name}`);
  return found;
}

// Makes things in the states that facts speak of: by requests, and by what only payer, banks
// and time can do.

const DAY = 86_400_000;
/** Makes a thing. */
type Maker = (stage: Stage) => Promise<Thing>;

const created =
  (name: RequestName, more?: Changed): Maker =>
  (stage) =>
    stage.json(name, more);

/** A thing of which something is done; read again afterwards. */
const after =
  (before: string, act: (stage: Stage, thing: Thing) => unknown, path: string): Maker =>
  async (stage) => {
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

const moved = (before: string, subject: string, state: string, path: string): Maker =>
  after(
    before,
    ({ world }, { id, paymentId }) => world.move(subject, id ?? paymentId, state),
    path,
  );
const waited = (before: string, duration: number, path: string): Maker =>
  after(before, ({ world }) => world.advance(duration), path);

/** Makes something while a rule holds for what happens next. */
const ruled =
  (rule: FaultDraft, make: Maker): Maker =>
  async (stage) => {
    const end = await stage.world.fault(rule);
    try {
      return await make(stage);
    } finally {
      await end();
    }
  };
const NEVER = { delay: 'never' } as const;

const executed =
  (quote: string): Maker =>
  async (stage) => {
    const { paymentQuoteId } = await stage.make(quote);
    const { json } = await stage.ask('PATCH /v1/payment-quotes/{paymentQuoteId}/execute', {
      values: { paymentQuoteId },
    });
    return json;
  };

const patched =
  (before: string, path: string): Maker =>
  async (stage) => {
    const thing = await stage.make(before);
    const { json } = await stage.ask(`PATCH ${path}`, { values: thing });
    return json ?? thing;
  };

const received =
  (request: string, pay: (stage: Stage, made: Thing) => unknown): Maker =>
  async (stage) => {
    const made = await stage.make(request);
    await pay(stage, made);
    return (await stage.get(RECEIVES, { values: made })).items[0]!;
  };

const bitcoinOf = (body: object, amount: string): object =>
  withValue(body, 'amount', { amount, currency: 'BTC' });

const makers = {
  invoice: created('invoice'),
  bareInvoice: created('invoice', { set: { correlationId: undefined, description: undefined } }),
  usdInvoice: created('invoice', { set: { amount: { amount: '3.00', currency: 'USD' } } }),
  quotedInvoice: created('invoice', { set: { correlationId: "it's mine" } }),
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
  balance: async (stage) =>
    (await stage.get<ListedRows>('/v1/balances')).find(({ currency }) => currency === 'USD')!,
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
    return items.find(({ data }) => data.entityId === invoiceId)!;
  },
  updatedEvent: async (stage) => {
    const { invoiceId } = await stage.make('cancelledInvoice');
    const { items } = await stage.get('/v1/events', { query: '?$top=100' });
    return items.find(
      ({ data, eventType }) => data.entityId === invoiceId && eventType === 'invoice.updated',
    )!;
  },
} satisfies Record<string, Maker>;

export type ThingName = keyof typeof makers;

/** Makes a thing of a name. */
export function makerOf(name: string): Maker {
  const known: Readonly<Record<string, Maker>> = makers;
  const found = known[name];
  if (!found) throw new Error(`no thing is called ${name}`);
  return found;
}
