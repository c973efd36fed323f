// The world in which the examples of the doc comments run: one of each thing that they speak of, in
// a sandbox of its own.
import {
  type Balance,
  type BankPaymentMethod,
  type Client,
  createClient,
  type Deposit,
  type DepositFee,
  type CurrencyExchangeQuote,
  type Invoice,
  type InvoiceQuote,
  type PayoutOriginator,
  type Payment,
  type PaymentQuote,
  type Payout,
  type ReceiveRequest,
  type Subscription,
  type Money,
} from 'paystate';
import type { CheckoutView } from 'paystate/flows';
import type { ServerSocket } from 'paystate/host';
import { type Bolt11, decodeBolt11, type PayRequest } from 'paystate/lightning';
import { createLogin, type Login } from 'paystate/oauth';
import type { ObjectNamespace, ObjectStub, DurableObjectContext } from 'paystate/relay';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import type { D1Database, PgPool, SqlDriver, SqliteDatabase } from 'paystate/stores';
import { makeDelivery, makeEvent } from 'paystate/testing';
import { databases, openSqlite } from '../runners/stores/sqlite.ts';

export type DurableObjectState = DurableObjectContext;

/** The environment of a Worker. */
export interface Env {
  readonly WEBHOOK_SECRET: string;
  readonly TOKEN_SECRET: string;
  readonly SERVICE: string;
  readonly API_KEY: string;
  readonly ORIGIN: string;
  readonly ROOMS: ObjectNamespace;
  readonly LIMITS: ObjectNamespace;
  readonly DB: D1Database;
}

const SECRET = 'a secret of the shop';
const OLD_SECRET = 'an older secret';
const HOOK = {
  webhookUrl: 'https://shop.example/hooks/first',
  webhookVersion: 'v1',
  secret: SECRET,
  enabled: true,
  eventTypes: ['invoice.updated'],
};

export interface World {
  readonly sandbox: Sandbox;
  readonly driver: SqlDriver;
  readonly pool: PgPool;
  readonly client: Client;
  readonly options: Sandbox['clientOptions'];
  readonly clock: Sandbox['clock'];
  readonly invoice: Invoice;
  readonly invoiceId: string;
  readonly invoiceQuote: InvoiceQuote;
  readonly lnInvoice: string;
  readonly decoded: Bolt11;
  readonly quote: PaymentQuote;
  readonly payment: Payment;
  readonly exchangeQuote: CurrencyExchangeQuote;
  readonly method: BankPaymentMethod;
  readonly bankMethod: BankPaymentMethod;
  readonly originator: PayoutOriginator;
  readonly payout: Payout;
  readonly deposit: Deposit;
  readonly estimate: DepositFee;
  readonly balance: Balance;
  readonly receiveRequest: ReceiveRequest;
  readonly subscriptionId: Subscription['id'];
  readonly eventId: string;
  readonly ticker: Awaited<ReturnType<Client['rates']['list']>>[number];
  readonly draft: { readonly amount: string };
  readonly message: { readonly asOf: number };
  readonly view: Extract<CheckoutView, { phase: 'awaiting' }>;
  readonly address: string;
  readonly payRequest: PayRequest;
  readonly response: Response;
  readonly answer: { readonly pr: string };
  readonly paymentHash: string;
  readonly paymentSecret: string;
  readonly key: string;
  readonly shopNode: string;
  readonly price: Money;
  readonly request: Request;
  readonly body: string;
  readonly secret: string;
  readonly secrets: readonly string[];
  readonly newSecret: string;
  readonly oldSecret: string;
  readonly input: { readonly value: string };
  readonly url: URL;
  readonly login: Login;
  readonly loginUrl: string;
  // These are the platform's: examples with them are compiled only.
  readonly element: { textContent: string; replaceChildren(...nodes: Node[]): void };
  readonly ctx: DurableObjectContext & { waitUntil(promise: Promise<unknown>): void };
  readonly env: Env;
  readonly account: ObjectStub;
  accountOf(env: Env): ObjectStub;
  ship(what: unknown, key: string): Promise<void>;
  openDatabase(name: string): SqliteDatabase;
  readonly serverSocket: ServerSocket;
  readonly orders: ReadonlyMap<string, Invoice>;
}

const ACCOUNTS = [
  {
    handle: 'shop',
    defaultCurrency: 'USD',
    balances: { BTC: '1', USD: '5000.00', EUR: '5000.00' },
  },
  { handle: 'friend', defaultCurrency: 'EUR' },
];

/** Makes all that the bank's side of the examples needs; time goes on for it. */
async function bankOf({ run, advance }: Sandbox, client: Client) {
  const made = await run(
    client.bankPaymentMethods.create({
      transferType: 'SEPA',
      accountNumber: 'AT000000000000000000',
      routingNumber: 'EXAMATWWXXX',
      beneficiaries: [{ type: 'INDIVIDUAL', name: 'Edith Example' }],
    }),
  );
  const originator = await run(
    client.payoutOriginators.create({
      type: 'INDIVIDUAL',
      name: 'Edith Example',
      address: { country: 'GB', city: 'York', postCode: 'YO1 7HH', line1: '3 Stonegate' },
    }),
  );
  await advance(6_000);
  const method = await run(client.bankPaymentMethods.get(made.id));
  const estimate = await run(
    client.deposits.estimateFee({ paymentMethodId: method.id, amount: '50.00' }),
  );
  const deposit = await run(
    client.deposits.create({ paymentMethodId: method.id, amount: '50.00' }),
  );
  const payout = await run(client.payouts.create({ paymentMethodId: method.id, amount: '25.00' }));
  return { method, bankMethod: method, originator, estimate, deposit, payout };
}

/** Makes quotes, and the destinations that they pay. */
async function quotesOf({ run, payer }: Sandbox, client: Client) {
  const invoice = await run(
    client.invoices.create({ amount: { amount: '12.50', currency: 'EUR' } }),
  );
  const invoiceQuote = await run(client.invoices.quote(invoice.invoiceId));
  const paid = await run(
    client.paymentQuotes.createLightning({ lnInvoice: payer.createBolt11({ sat: '500' }) }),
  );
  const payment = await run(client.paymentQuotes.execute(paid.paymentQuoteId));
  const quote = await run(
    client.paymentQuotes.createLightning({ lnInvoice: payer.createBolt11({ sat: '700' }) }),
  );
  const exchangeQuote = await run(
    client.currencyExchangeQuotes.create({
      sell: 'USD',
      buy: 'EUR',
      amount: { amount: '10.00', currency: 'USD' },
    }),
  );
  const receiveRequest = await run(
    client.receiveRequests.create({ bolt11: { amount: { amount: '5.00', currency: 'USD' } } }),
  );
  return { invoice, invoiceQuote, payment, quote, exchangeQuote, receiveRequest };
}

const METADATA = '[["text/plain","Pay Ada"]]';
const PAY_REQUEST = {
  tag: 'payRequest',
  callback: 'https://wallet.example/pay',
  minSendable: 1_000,
  maxSendable: 50_000_000,
  metadata: METADATA,
};
const TEXTS = {
  paymentHash: 'ab'.repeat(32),
  paymentSecret: 'cd'.repeat(32),
  key: '11'.repeat(32),
  shopNode: '',
  address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  body: JSON.stringify(makeEvent()),
  secret: SECRET,
  newSecret: SECRET,
  oldSecret: OLD_SECRET,
  secrets: [SECRET, OLD_SECRET],
  input: { value: 'ada@wallet.example' },
  draft: { amount: '7.00' },
};

/** A world of its own, so that no example sees what another one did. */
export async function openWorld(): Promise<World> {
  const sandbox = createSandbox({ accounts: ACCOUNTS });
  const client = createClient(sandbox.clientOptions);
  const { run, clock } = sandbox;
  const bank = await bankOf(sandbox, client);
  const quotes = await quotesOf(sandbox, client);
  const [balance] = await run(client.balances.list());
  const { id: subscriptionId } = await run(client.subscriptions.create(HOOK));
  const [event] = await run(client.events.list().toArray({ limit: 1 }));
  const login = createLogin(sandbox.oauth.loginOptions);
  const { url: loginUrl } = await run(login.begin());
  const { lnInvoice } = quotes.invoiceQuote;
  const readable = {
    callback: PAY_REQUEST.callback,
    minSendableMsat: '1000',
    maxSendableMsat: '50000000',
    metadata: METADATA,
    description: 'Pay Ada',
    commentAllowed: 0,
  };
  const known = {
    ...TEXTS,
    ...bank,
    ...quotes,
    sandbox,
    client,
    clock,
    options: sandbox.clientOptions,
    invoiceId: quotes.invoice.invoiceId,
    lnInvoice,
    decoded: decodeBolt11(lnInvoice),
    balance,
    ticker: { amount: '65430.00', sourceCurrency: 'BTC', targetCurrency: 'USD' },
    subscriptionId,
    eventId: event!.id,
    message: { asOf: clock.now() },
    view: { quote: { expiresAt: clock.now() + 3_000 } },
    payRequest: readable,
    response: Response.json(PAY_REQUEST),
    answer: { pr: lnInvoice },
    request: await makeDelivery(makeEvent(), OLD_SECRET),
    login,
    loginUrl,
    url: new URL('https://shop.example/elsewhere'),
    ship: async () => {},
    openDatabase: await databases(),
    serverSocket: { readyState: 1, send() {}, close() {}, addEventListener() {} },
    orders: new Map(),
    driver: await openSqlite('.cache/examples.db'),
    pool: { on() {}, connect: () => new Promise(() => {}), end: async () => {} },
  };
  return known as unknown as World;
}

/** Names that an example may use without making them. */
export const NAMES: ReadonlySet<string> = new Set([
  'sandbox',
  'client',
  'options',
  'clock',
  'invoice',
  'invoiceId',
  'invoiceQuote',
  'lnInvoice',
  'decoded',
  'quote',
  'payment',
  'exchangeQuote',
  'method',
  'bankMethod',
  'originator',
  'payout',
  'deposit',
  'estimate',
  'balance',
  'receiveRequest',
  'subscriptionId',
  'eventId',
  'ticker',
  'draft',
  'message',
  'view',
  'address',
  'payRequest',
  'response',
  'answer',
  'paymentHash',
  'paymentSecret',
  'key',
  'shopNode',
  'price',
  'request',
  'body',
  'secret',
  'secrets',
  'newSecret',
  'oldSecret',
  'input',
  'url',
  'login',
  'loginUrl',
  'element',
  'ctx',
  'env',
  'account',
  'accountOf',
  'ship',
  'orders',
  'openDatabase',
  'serverSocket',
  'driver',
  'pool',
]);
