// Arguments that each exported function takes. What is right is said by the name of a parameter, by
// its type, or for one function alone.
import { createClient } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { memoryInboxStore, memoryStore, type Store } from 'paystate/stores';
import {
  createRecorder,
  makeEvent,
  makeInvoice,
  makeOnchainTier,
  makePayment,
} from 'paystate/testing';
import * as React from 'react';
import { createApp, effectScope } from 'vue';
import type { Parameter, Signature } from './signatures.ts';

/** A service and a journal that count what reaches them. */
export interface World {
  readonly sandbox: ReturnType<typeof createSandbox>;
  readonly client: ReturnType<typeof createClient>;
  readonly journal: Store;
  requests(): number;
  rows(): number;
}

export function openWorld(): World {
  const sandbox = createSandbox({ signed: false });
  const { clientOptions } = sandbox;
  let requests = 0;
  let rows = 0;
  const client = createClient({
    ...clientOptions,
    fetch: (...given) => {
      requests++;
      return clientOptions.fetch(...given);
    },
  });
  const journal = new Proxy(memoryStore(), {
    get(store, name) {
      const member: unknown = Reflect.get(store, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        rows++;
        return Reflect.apply(member, store, given);
      };
    },
  });
  return { sandbox, client, journal, requests: () => requests, rows: () => rows };
}

const ID = '0b9e6a52-7c1d-4f0e-9a57-3d2f1c8b4e11';
const SECRET = 'a-secret-of-thirty-two-characters';
const EUR = { amount: '10.00', currency: 'EUR' };
const BTC = { amount: '0.001', currency: 'BTC' };
const ADDRESS = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const respond = async (): Promise<Response> => new Response();
const stub = { fetch: respond };
const storage = { sql: { exec: () => ({ toArray: () => [] }) }, transactionSync: () => [] };
const objectState = { id: { name: 'one' }, storage, blockConcurrencyWhile: async () => {} };
const driver = { dialect: 'sqlite', durable: true, batch: async () => [] };
const rooms = { idFromName: (name: string) => name, get: () => stub };
const move = ({ journal }: World): object => ({ intent: 'one', journal, amount: EUR });
const bolt11 = {
  network: 'mainnet',
  timestamp: 1_767_603_600,
  paymentHash: '01'.repeat(32),
  paymentSecret: '02'.repeat(32),
  description: 'tea',
};
const settings = { tokenSecret: SECRET, origin: 'https://shop.example' };
const account = ({ client }: World): object => ({
  client,
  secrets: SECRET,
  on: {},
});

type Value = (world: World) => unknown;

/** By `function.parameter`, by the parameter's name, or by its type. */
const VALUES: Readonly<Record<string, Value>> = {
  client: ({ client }) => client,
  connection: ({ client }) => client,
  journal: ({ journal }) => journal,
  handle: () => 'shop',
  path: () => '/tmp/paystate-arguments.sqlite',
  secret: () => SECRET,
  secrets: () => SECRET,
  amount: () => EUR,
  watch: ({ client }) => client.invoices.watch(ID),
  'toObservable.source': ({ client }) => client.invoices.watch(ID),
  clock: ({ sandbox }) => sandbox.clock,
  ClientOptions: ({ sandbox }) => sandbox.clientOptions,
  Options: ({ sandbox }) => sandbox.clientOptions,
  InvoiceDraft: () => ({ amount: EUR }),
  'ensure.draft': () => ({ amount: EUR, correlationId: 'order-1' }),
  BankPaymentMethodDraft: () => ({
    transferType: 'SEPA',
    accountNumber: 'DE89370400440532013000',
    beneficiaries: [{ name: 'A', type: 'INDIVIDUAL' }],
  }),
  CurrencyExchangeQuoteDraft: () => ({ sell: 'BTC', buy: 'EUR', amount: EUR }),
  DepositDraft: () => ({ paymentMethodId: ID, amount: '10.00' }),
  LightningQuoteDraft: ({ sandbox }) => ({
    lnInvoice: sandbox.payer.createBolt11({ sat: '2100' }),
    sourceCurrency: 'EUR',
  }),
  LnurlQuoteDraft: () => ({
    lnAddressOrUrl: 'shop@shop.example',
    sourceCurrency: 'EUR',
    amount: EUR,
  }),
  OnchainQuoteDraft: () => ({
    btcAddress: ADDRESS,
    sourceCurrency: 'EUR',
    amount: EUR,
    onchainTierId: 'tier_fast',
  }),
  OnchainTiersDraft: () => ({ btcAddress: ADDRESS, amount: EUR }),
  PayoutOriginatorDraft: () => ({
    type: 'COMPANY',
    name: 'Shop',
    address: { country: 'DE', city: 'Berlin', postCode: '10115', line1: 'Weg 1' },
  }),
  PayoutDraft: () => ({ paymentMethodId: ID, amount: '10.00' }),
  ReceiveRequestDraft: () => ({ onchain: {}, bolt11: {} }),
  SubscriptionDraft: () => ({
    webhookUrl: 'https://shop.example/hooks',
    webhookVersion: 'v1',
    secret: SECRET,
    enabled: true,
    eventTypes: ['invoice.updated'],
  }),
  SubscriptionChange: () => ({ enabled: false }),
  lnAddressOrUrl: () => 'shop@shop.example',
  orderId: () => 'order-1',
  logger: () => console,
  thrown: () => new Error('one'),
  code: () => 'NOT_FOUND',
  catalogue: () =>
    Object.assign(Object.create(null), { OTHER: 'It failed.', OUTCOME_UNKNOWN: 'Nobody knows.' }),
  build: () => (fields: { state: { eq(text: string): unknown } }) => fields.state.eq('PAID'),
  'whereEvent.build': () => (fields: { eventType: { eq(text: string): unknown } }) =>
    fields.eventType.eq('invoice.created'),
  'completedAtOf.payment': () => makePayment(),
  'networkFeeOf.payment': () => makePayment(),
  'paymentStateOf.payment': () => makePayment(),
  tiers: () => [makeOnchainTier()],
  'chooseTier.amount': () => BTC,
  OnchainTierChoice: () => ({ maxFee: BTC }),
  'invalidate.resource': () => 'invoice',
  'provide.resource': () => 'invoice',
  value: () => makeInvoice(),
  'provide.options': ({ sandbox }) => ({ asOf: sandbox.clock.now() }),
  'request.method': () => 'GET',
  'request.path': () => '/v1/balances',
  id: () => ID,
  CheckoutOptions: () => ({ invoiceId: ID }),
  'useCheckout.options': () => ({ invoiceId: ID }),
  LateCheckoutOptions: () => ({ invoiceId: ID }),
  'adoptJournal.options': () => ({ account: 'one' }),
  'applyPlan.made': ({ sandbox }) => ({ rows: [], clock: sandbox.clock }),
  'applyPlan.options': ({ journal }) => ({ journal }),
  'resume.options': ({ journal }) => ({ journal }),
  'countdown.options': ({ sandbox }) => ({ expiresAt: sandbox.clock.now() + 1_000 }),
  DepositFlowOptions: (world) => ({
    ...move(world),
    amount: '10.00',
    bankPaymentMethodId: ID,
    maxFee: 'any',
  }),
  ExchangeOptions: (world) => ({
    ...move(world),
    sell: 'EUR',
    buy: 'BTC',
    minReceived: BTC,
  }),
  PayOutOptions: (world) => ({
    ...move(world),
    amount: '10.00',
    bankPaymentMethodId: ID,
    maxFee: 'any',
  }),
  PaymentOptions: ({ sandbox, journal }) => ({
    to: sandbox.payer.createBolt11({ sat: '2100' }),
    sourceCurrency: 'EUR',
    maxFee: 'any',
    maxTotal: 'any',
    journal,
  }),
  RefundOptions: (world) => ({
    ...move(world),
    invoiceId: ID,
    sourceCurrency: 'EUR',
    maxFee: 'any',
    maxTotal: 'any',
    to: 'payer@wallet.example',
  }),
  GuardsOptions: ({ journal }) => ({ journal, maxPerDay: EUR, maxPerRun: EUR }),
  PlanOptions: ({ journal }) => ({
    journal,
    maxTotal: EUR,
    sourceCurrency: 'EUR',
    maxFee: 'any',
  }),
  rows: () => [{ intent: 'one', to: 'payer@wallet.example', amount: EUR }],
  'parseRows.text': () => 'intent,to,amount,currency\none,payer@wallet.example,1.00,EUR\n',
  ParseRowsOptions: () => ({ format: 'csv' }),
  'countdown.quote': () => ({ expiresAt: 1_000 }),
  report: () => ({ hash: 'ab', rows: [], sums: [] }),
  event: () => makeEvent(),
  delivery: () => new Request('https://shop.example/hooks', { method: 'POST', body: '{}' }),
  'createInbox.options': ({ client }) => ({
    client,
    secrets: SECRET,
    store: memoryInboxStore(),
    on: {},
  }),
  baseUrl: () => 'https://payments.example',
  ctx: () => objectState,
  'SandboxObject.options': () => objectState,
  AccountObjectOptions: (world) => ({ ...account(world), rooms }),
  InvoiceRoomOptions: () => ({ ...settings, account: stub }),
  RelayOptions: () => ({ ...settings, account: stub, rooms }),
  HostedRelayOptions: (world) => ({ ...settings, driver, account: () => account(world) }),
  response: () => new Response(),
  respond: () => respond,
  deno: () => ({ upgradeWebSocket: () => ({}) }),
  request: () => new Request('https://shop.example/pay'),
  proxies: () => 1,
  Sockets: () => class {},
  PayRequest: () => ({
    callback: 'https://wallet.example/pay',
    minSendableMsat: '1000',
    maxSendableMsat: '9000',
    metadata: '[["text/plain","tea"]]',
    description: 'tea',
    commentAllowed: 0,
  }),
  choice: () => ({ amountMsat: '2000' }),
  open: () => () => memoryStore(),
  'checkInboxStore.open': () => () => memoryInboxStore(),
  body: () => '{}',
  time: ({ sandbox }) => sandbox,
  MarbleOptions: () => ({ frame: 10 }),
  chai: () => ({ Assertion: { addMethod: () => {}, overwriteMethod: () => {} } }),
  'makeErrorResponse.code': () => 'NOT_FOUND',
  items: () => [],
  json: () => JSON.stringify(recording),
  recording: () => recording,
  'torture.handle': () => respond,
  TortureOptions: ({ sandbox }) => ({ secret: SECRET, clock: sandbox.clock }),
  LoginOptions: ({ sandbox }) => ({
    authUrl: 'https://login.example',
    clientId: 'shop',
    redirectUri: 'https://shop.example/back',
    scopes: ['payments.read'],
    clock: sandbox.clock,
    store: memoryStore({ mayForget: true }),
  }),
  database: () => ({ prepare: () => ({ all: () => [] }), exec: () => {}, batch: async () => [] }),
  storage: () => storage,
  stub: () => stub,
  name: () => 'shop',
  pool: () => ({ connect: async () => {}, on: () => {} }),
  counter: () => ({ take: () => {}, block: () => {}, read: () => {} }),
  driver: () => driver,
  dialect: () => 'sqlite',
  message: () => 'one',
  facts: () => ({ code: 'NOT_FOUND', outcome: 'not-done', next: 'stop' }),
  outcome: () => 'unknown',
  'rejectDrift.path': () => 'invoices',
  listener: () => () => {},
  a: () => EUR,
  b: () => EUR,
  'Money<Currency>': () => EUR,
  'Money<C>': () => EUR,
  'Money<From | To>': () => EUR,
  'Money<"BTC">': () => BTC,
  'convertMoney.value': () => EUR,
  rate: () => ({ amount: '2', sourceCurrency: 'EUR', targetCurrency: 'USD' }),
  ConversionOptions: ({ sandbox }) => ({ asOf: sandbox.clock.now() }),
  FormatOptions: () => ({ locale: 'en' }),
  msat: () => '1000',
  sat: () => '1',
  'moneyIn.from': () => ({ currency: 'EUR', current: '1.00' }),
  'moneyIn.figure': () => 'current',
  'money.amount': () => '1.00',
  currency: () => 'EUR',
  factor: () => '2',
  text: ({ sandbox }) => sandbox.payer.createBolt11({ sat: '2100' }),
  'decodeAddress.text': () => ADDRESS,
  'parseBitcoinUri.text': () => `bitcoin:${ADDRESS}`,
  'decodeLnurl.text': () =>
    'lnurl1dp68gurn8ghj7um9wfmxjcm99e3k7mf0v9cxj0m385ekvcenxc6r2c35xvukxefcv5mkvv34x5ekzd3ev56nyd3hxqurzepexejxxepnxscrvwfnv9nxzcn9xq6xyefhvgcxxcmyxymnserxfq5fns',
  'parseLightningAddress.text': () => 'shop@shop.example',
  fallback: () => ({ version: 17, program: '01'.repeat(20), type: 'p2pkh' }),
  network: () => 'mainnet',
  uri: () => ({ address: ADDRESS }),
  invoice: () => ID,
  'watchReceives.request': () => ID,
  'isBolt11Expired.invoice': () => ({ expiresAt: 1 }),
  now: () => 1,
  url: () => 'https://wallet.example/pay',
  preimage: () => '01'.repeat(32),
  paymentHash: () => '01'.repeat(32),
  metadata: () => '[]',
  Bolt11Draft: () => bolt11,
  privateKey: () => '01'.repeat(32),
  operation: () => 'safe',
  phase: () => 'sent',
  props: ({ client }) => ({ client }),
  create:
    ({ client }) =>
    () =>
      client.invoices.watch(ID),
  deps: () => [],
};
const recording = await createRecorder().recording();

/** @throws for a parameter that has to be given and has no line above */
export function valueFor({ name: of }: Signature, parameter: Parameter, world: World): unknown {
  const { name, type, isOptional } = parameter;
  const own = VALUES[`${of}.${name}`];
  if (own) return own(world);
  if (isOptional && name !== 'client') return undefined;
  const isId = /(?<!order)Id$|^(payment|payout|deposit|quote|method|originator)$/.test(name);
  const value = isId ? () => ID : (VALUES[type.replace(/<.*Tx.*>$/, '')] ?? VALUES[name]);
  if (value) return value(world);
  if (Object.keys(parameter.wrong).length === 0) return undefined;
  throw new Error(`no value for ${of}.${name}: ${type}`);
}

const hooks = {
  useContext: (context: { readonly _currentValue: unknown }) => context._currentValue,
  useMemo: (make: () => unknown) => make(),
  useEffect: () => {},
  useSyncExternalStore: (_: unknown, read: () => unknown) => read(),
};

/** Calls where hooks may be called. */
export function within<T>(specifier: string, call: () => T): T {
  if (specifier === 'paystate/vue') {
    const app = createApp({});
    return app.runWithContext(() => effectScope().run(call) as T);
  }
  if (specifier !== 'paystate/react') return call();
  const inner = (React as unknown as Record<string, { H: unknown }>)[
    '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE'
  ]!;
  inner.H = hooks;
  try {
    return call();
  } finally {
    inner.H = null;
  }
}
