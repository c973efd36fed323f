// Checks of what all endpoints have in common, and questions that the description leaves open.
import type { RequestName } from './things.ts';
import type { ThingName } from './things.ts';
import { asks, checkEnvelope, refusedKey, scoped } from './checks.ts';
import {
  type Answer,
  type AskOptions,
  check,
  type Fact,
  same,
  section,
  type ValidationFinding,
} from './fact.ts';

const REFUSED = { body: {} };

/** The request is refused with the error envelope, and with this status if one is given. */
const enveloped =
  (call: string, options: AskOptions = {}, status?: number): Fact =>
  async (stage) => {
    const response = await stage.ask(call, options);
    const { text } = response;
    check(response.status >= 400, 'a refusal', `${response.status} ${text}`);
    if (status) same(status, response.status);
    check(response.error !== undefined, 'an envelope', `${response.status} ${text || 'no body'}`);
    checkEnvelope(response);
  };

/** Something of the answer to an invoice without an amount. */
const refusal =
  (test: (answer: Answer) => unknown, says: string): Fact =>
  async (stage) => {
    const response = await stage.ask('POST /v1/invoices', REFUSED);
    check(test(response), says, response.text);
  };

/** A success whose answer has a header. */
const withHeader =
  (name: RequestName, header: string, pattern: RegExp): Fact =>
  async (stage) => {
    const { headers, status } = await stage.request(name);
    check(pattern.test(headers.get(header) ?? ''), `${header} like ${pattern}`, [
      status,
      ...headers,
    ]);
  };

/** A request with such headers succeeds. */
const works =
  (call: string, { of, ...asked }: AskOptions & { readonly of?: ThingName }, status = 200): Fact =>
  async (stage) => {
    const values = of ? await stage.make(of) : undefined;
    const response = await stage.ask(call, { values, ...asked });
    same(status, response.status);
  };

// Facts that all endpoints share.

const QUOTE = 'POST /v1/invoices/{invoiceId}/quote';
const EMPTY = { 'content-length': '0' };
const TEXT = { 'content-type': 'text/plain' };
const findings = ({ error }: Answer): readonly ValidationFinding[] =>
  Object.values(error!.validationErrors!).flat();

export const wire = section('wire', [
  refusal(({ headers }) => /^application\/json/.test(headers.get('content-type') ?? ''), 'JSON'),
  refusal(({ json }) => typeof json.data === 'object', 'data'),
  refusal(
    ({ json }) => Object.keys(json).every((name) => ['data', 'traceId', 'debug'].includes(name)),
    'no other members',
  ),
  refusal(({ json }) => json.debug === undefined, 'no debug'),
  refusal(({ error }) => Object.values(error!.validationErrors!).every(Array.isArray), 'lists'),
  refusal(
    (answer: Answer) => findings(answer).every(({ code }) => /^INVALID_DATA/.test(code)),
    'codes',
  ),
  refusal(
    (answer: Answer) =>
      findings(answer).every(({ message }) => typeof message === 'string' && message !== ''),
    'messages',
  ),
  refusal(
    (answer: Answer) => findings(answer).every(({ values }) => typeof values?.field === 'string'),
    'fields',
  ),
  enveloped('GET /v1/invoices', { query: '?$filter=tea' }, 400),
  enveloped('GET /v1/nothing', {}, 404),
  enveloped('GET /v1', {}),
  enveloped('PUT /v1/invoices', { body: {} }),
  enveloped('POST /v1/invoices', { body: 'amount=5', headers: TEXT }, 400),
  enveloped('GET /v2/balances', {}, 404),
  enveloped('GET /balances', {}, 404),
  withHeader('invoice', 'content-type', /^application\/json/),
  withHeader('invoice', 'date', /GMT$/),
  withHeader('invoice', 'location', /^https?:\/\/[^/]+\/v1\/invoices\/[\da-f-]{36}$/),
  withHeader('invoiceQuote', 'location', /^https?:\/\/[^/]+\/v1\/quotes\/[\da-f-]{36}$/),
  works('GET /v1/balances/', {}),
  works(QUOTE, { of: 'invoice', headers: EMPTY }, 201),
  works(QUOTE, { of: 'invoice', body: {} }, 201),
  works('GET /v1/balances', { headers: { accept: 'application/json' } }),
  works('GET /v1/balances', { headers: { accept: '*/*' } }),
  works(
    'POST /v1/invoices',
    {
      body: '{"amount":{"amount":"1.00","currency":"EUR"}}',
      headers: { 'content-type': 'application/json; charset=utf-8' },
    },
    201,
  ),
]);

// Credentials and scopes.

const SCOPES: readonly (readonly [call: string, scope: string])[] = [
  ['POST /v1/payment-quotes/lightning', 'partner.payment-quote.lightning.create'],
  ['PATCH /v1/payment-quotes/{id}/execute', 'partner.payment-quote.execute'],
  ['PATCH /v1/invoices/{id}/cancel', 'partner.invoice.cancel'],
  ['POST /v1/invoices', 'partner.invoice.create'],
  ['POST /v1/invoices/handle/shop', 'partner.invoice.create-for-receiver'],
  ['GET /v1/invoices', 'partner.invoice.read'],
  ['GET /v1/invoices/{id}', 'partner.invoice.read'],
  ['POST /v1/invoices/{id}/quote', 'partner.invoice.quote.generate'],
  ['POST /v1/payment-quotes/lightning/lnurl', 'partner.payment-quote.lightning.create'],
  [
    'GET /v1/payment-quotes/lightning/lnurl/ada%40wallet.example',
    'partner.payment-quote.lightning.create',
  ],
  ['POST /v1/payment-quotes/onchain', 'partner.payment-quote.onchain.create'],
  ['POST /v1/payment-quotes/onchain/tiers', 'partner.payment-quote.onchain.create'],
  ['GET /v1/payments/{id}', 'partner.payment.read'],
  ['POST /v1/currency-exchange-quotes', 'partner.currency-exchange-quote.create'],
  ['GET /v1/currency-exchange-quotes/{id}', 'partner.currency-exchange-quote.read'],
  ['PATCH /v1/currency-exchange-quotes/{id}/execute', 'partner.currency-exchange-quote.execute'],
  ['POST /v1/payment-methods/bank', 'partner.payment-method.bank.create'],
  ['GET /v1/payment-methods/bank', 'partner.payment-method.bank.read'],
  ['GET /v1/payment-methods/bank/{id}', 'partner.payment-method.bank.read'],
  ['POST /v1/payout-originators', 'partner.payout-originator.create'],
  ['GET /v1/payout-originators', 'partner.payout-originator.read'],
  ['GET /v1/payout-originators/{id}', 'partner.payout-originator.read'],
  ['DELETE /v1/payout-originators/{id}', 'partner.payout-originator.delete'],
  ['POST /v1/payouts', 'partner.payout.create'],
  ['GET /v1/payouts', 'partner.payout.read'],
  ['GET /v1/payouts/{id}', 'partner.payout.read'],
  ['PATCH /v1/payouts/{id}/initiate', 'partner.payout.initiate'],
  ['GET /v1/balances', 'partner.balances.read'],
  ['POST /v1/deposits', 'partner.deposit.manage'],
  ['GET /v1/deposits', 'partner.deposit.manage'],
  ['GET /v1/deposits/{id}', 'partner.deposit.manage'],
  ['POST /v1/deposits/fee', 'partner.deposit.manage'],
  ['GET /v1/accounts/limits', 'partner.account.profile.read-own'],
  ['GET /v1/accounts/{id}/profile', 'partner.account.profile.read'],
  ['GET /v1/accounts/handle/shop/profile', 'partner.account.profile.read'],
  ['GET /v1/rates/ticker', 'partner.rates.ticker'],
  ['POST /v1/receive-request', 'partner.receive-request.create'],
  ['GET /v1/receive-requests', 'partner.receive-request.read'],
  ['GET /v1/receive-requests/{id}', 'partner.receive-request.read'],
  ['GET /v1/receive-requests/{id}/receives', 'partner.receive-request.read'],
  ['GET /v1/receive-requests/receives', 'partner.receive-request.read'],
  ['GET /v1/events', 'partner.webhooks.manage'],
  ['POST /v1/subscriptions', 'partner.webhooks.manage'],
  ['GET /v1/subscriptions', 'partner.webhooks.manage'],
  ['GET /v1/subscriptions/{id}', 'partner.webhooks.manage'],
  ['PATCH /v1/subscriptions/{id}', 'partner.webhooks.manage'],
  ['DELETE /v1/subscriptions/{id}', 'partner.webhooks.manage'],
];

const ALL = [...new Set(SCOPES.map(([, scope]) => scope))];

export const scopes = section(
  'scopes',
  SCOPES.map(([call, scope]): Fact => scoped(call, scope, ALL)),
);

const BALANCES = 'GET /v1/balances';

export const authentication = section('authentication', [
  refusedKey('Bearer nothing-that-exists'),
  refusedKey((key) => key),
  refusedKey((key) => `Basic ${btoa(`${key}:`)}`),
  refusedKey('Bearer '),
  refusedKey((key) => `Bearer ${key}0`),
  refusedKey((key) => `Bearer ${key.slice(0, -1)}`),
  asks(`${BALANCES}?apiKey=x`, { as: null }, 401, 'UNAUTHORIZED'),
  asks('POST /v1/invoices', { as: null, body: {} }, 401, 'UNAUTHORIZED'),
]);
