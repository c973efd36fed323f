// Checks of what all endpoints have in common, and questions that the description leaves open.
import type { RequestName } from './things.ts';
import type { ThingName } from './things.ts';
import { asks, checkEnvelope, refusedKey, scoped } from './checks.ts';
import {
  type Answer,
  type AskOptions,
  check,
  type Check,
  type FactRow,
  same,
  section,
  type ValidationFinding,
  PUBLIC,
  under,
} from './fact.ts';
import { queryOf } from './shapes.ts';

const REFUSED = { body: {} };

/** The request is refused with the error envelope, and with this status if one is given. */
const enveloped =
  (call: string, options: AskOptions = {}, status?: number): Check =>
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
  (test: (answer: Answer) => unknown, says: string): Check =>
  async (stage) => {
    const response = await stage.ask('POST /v1/invoices', REFUSED);
    check(test(response), says, response.text);
  };

/** A success whose answer has a header. */
const withHeader =
  (name: RequestName, header: string, pattern: RegExp): Check =>
  async (stage) => {
    const { headers, status } = await stage.request(name);
    check(pattern.test(headers.get(header) ?? ''), `${header} like ${pattern}`, [
      status,
      ...headers,
    ]);
  };

/** The answer to a creation says where the new thing is. */
const located =
  (name: RequestName, id: 'id' | 'invoiceId' | 'receiveRequestId'): Check =>
  async (stage) => {
    const { headers, json } = await stage.request(name);
    const location = headers.get('location');
    check(location?.endsWith(`/${json[id]}`), `location that ends with /${json[id]}`, location);
  };

/** A request with such headers succeeds. */
const works =
  (call: string, { of, ...asked }: AskOptions & { readonly of?: ThingName }, status = 200): Check =>
  async (stage) => {
    const values = of ? await stage.make(of) : undefined;
    const response = await stage.ask(call, { values, ...asked });
    same(status, response.status);
  };

const longLine =
  (bytes: number): Check =>
  async (stage) => {
    const query = queryOf({ $filter: `correlationId eq '${'x'.repeat(bytes)}'` });
    await enveloped('GET /v1/invoices', { query })(stage);
  };

const withoutValues =
  (call: string): Check =>
  async (stage) => {
    const { error } = await stage.ask(call);
    check(error && error.values === undefined, 'no values', error?.values);
  };

// Facts that all endpoints share.

const QUOTE = 'POST /v1/invoices/{invoiceId}/quote';
const EMPTY = { 'content-length': '0' };
const TEXT = { 'content-type': 'text/plain' };
const NOWHERE = 'GET /v1/payments/00000000-0000-4000-8000-000000000000';
const findings = ({ error }: Answer): readonly ValidationFinding[] =>
  Object.values(error!.validationErrors!).flat();

export const wire = section('wire', [
  ...under('Errors', [
    [
      'A refusal is JSON and says so.',
      refusal(
        ({ headers }) => /^application\/json/.test(headers.get('content-type') ?? ''),
        'JSON',
      ),
    ],
    ['A refusal has an object data.', refusal(({ json }) => typeof json.data === 'object', 'data')],
    [
      'A refusal has nothing beside data, traceId and debug.',
      refusal(
        ({ json }) =>
          Object.keys(json).every((name) => ['data', 'traceId', 'debug'].includes(name)),
        'no other members',
      ),
    ],
    [
      'A refusal has no debug information.',
      refusal(({ json }) => json.debug === undefined, 'no debug'),
    ],
    [
      'Findings are lists under the names of fields.',
      refusal(({ error }) => Object.values(error!.validationErrors!).every(Array.isArray), 'lists'),
    ],
    [
      'A finding has a code.',
      refusal(
        (answer: Answer) => findings(answer).every(({ code }) => /^INVALID_DATA/.test(code)),
        'codes',
      ),
    ],
    [
      'A finding has a message.',
      refusal(
        (answer: Answer) =>
          findings(answer).every(({ message }) => typeof message === 'string' && message !== ''),
        'messages',
      ),
    ],
  ]),
  [
    'Validation codes',
    'A finding names its field.',
    refusal(
      (answer: Answer) => findings(answer).every(({ values }) => typeof values?.field === 'string'),
      'fields',
    ),
  ],
  [
    'Errors',
    'What is refused for its query has no findings.',
    enveloped('GET /v1/invoices', { query: '?$filter=tea' }, 400),
  ],
  [PUBLIC.errorValues, 'What is not found has no values.', withoutValues(NOWHERE)],
  ...under(PUBLIC.envelope, [
    [
      'A path that does not exist is refused with the envelope.',
      enveloped('GET /v1/nothing', {}, 404),
    ],
    ['The top of the service is refused with the envelope.', enveloped('GET /v1', {})],
    [
      'A method that a path does not have is refused with the envelope.',
      enveloped('PUT /v1/invoices', { body: {} }),
    ],
    [
      'A body of another type is refused with the envelope.',
      enveloped('POST /v1/invoices', { body: 'amount=5', headers: TEXT }),
    ],
    ['A request line that is too long is refused with the envelope.', longLine(10_000)],
  ]),
  ...under('Versioning', [
    ['There is no version 2 yet.', enveloped('GET /v2/balances', {}, 404)],
    ['A path without a version does not exist.', enveloped('GET /balances', {}, 404)],
  ]),
  ...under(PUBLIC.messages, [
    ['A success is JSON and says so.', withHeader('invoice', 'content-type', /^application\/json/)],
    ['An answer says what time it is.', withHeader('invoice', 'date', /GMT$/)],
    ['A path may end with a slash.', works('GET /v1/balances/', {})],
    [
      'A POST without a body may say that it has none.',
      works(QUOTE, { of: 'invoice', headers: EMPTY }, 201),
    ],
  ]),
  [
    PUBLIC.invoices,
    'A quote takes an empty object.',
    works(QUOTE, { of: 'invoice', body: {} }, 201),
  ],
  ...under('Endpoints', [
    [
      'A caller may say that it takes JSON.',
      works('GET /v1/balances', { headers: { accept: 'application/json' } }),
    ],
    [
      'A caller may say that it takes anything.',
      works('GET /v1/balances', { headers: { accept: '*/*' } }),
    ],
  ]),
  [
    PUBLIC.messages,
    'The type of a body may name its letters.',
    works(
      'POST /v1/invoices',
      {
        body: '{"amount":{"amount":"1.00","currency":"EUR"}}',
        headers: { 'content-type': 'application/json; charset=utf-8' },
      },
      201,
    ),
  ],
  ...under(PUBLIC.locations, [
    ['A new invoice says where it is.', located('invoice', 'invoiceId')],
    ['A new bank method says where it is.', located('sepa', 'id')],
    ['A new originator says where it is.', located('originator', 'id')],
    ['A new payout says where it is.', located('payout', 'id')],
    ['A new receive request says where it is.', located('receiveRequest', 'receiveRequestId')],
    ['A new subscription says where it is.', located('subscription', 'id')],
  ]),
]);

// Credentials and scopes.

const SCOPES: readonly (readonly [documented: string, call: string, scope: string])[] = [
  ['S', 'POST /v1/payment-quotes/lightning', 'partner.payment-quote.lightning.create'],
  ['S', 'PATCH /v1/payment-quotes/{id}/execute', 'partner.payment-quote.execute'],
  ['S', 'PATCH /v1/invoices/{id}/cancel', 'partner.invoice.cancel'],
  ['', 'POST /v1/invoices', 'partner.invoice.create'],
  ['', 'POST /v1/invoices/handle/shop', 'partner.invoice.create-for-receiver'],
  ['', 'GET /v1/invoices', 'partner.invoice.read'],
  ['', 'GET /v1/invoices/{id}', 'partner.invoice.read'],
  ['', 'POST /v1/invoices/{id}/quote', 'partner.invoice.quote.generate'],
  ['', 'POST /v1/payment-quotes/lightning/lnurl', 'partner.payment-quote.lightning.create'],
  [
    '',
    'GET /v1/payment-quotes/lightning/lnurl/ada%40wallet.example',
    'partner.payment-quote.lightning.create',
  ],
  ['', 'POST /v1/payment-quotes/onchain', 'partner.payment-quote.onchain.create'],
  ['', 'POST /v1/payment-quotes/onchain/tiers', 'partner.payment-quote.onchain.create'],
  ['', 'GET /v1/payments/{id}', 'partner.payment.read'],
  ['', 'POST /v1/currency-exchange-quotes', 'partner.currency-exchange-quote.create'],
  ['', 'GET /v1/currency-exchange-quotes/{id}', 'partner.currency-exchange-quote.read'],
  [
    '',
    'PATCH /v1/currency-exchange-quotes/{id}/execute',
    'partner.currency-exchange-quote.execute',
  ],
  ['', 'POST /v1/payment-methods/bank', 'partner.payment-method.bank.create'],
  ['', 'GET /v1/payment-methods/bank', 'partner.payment-method.bank.read'],
  ['', 'GET /v1/payment-methods/bank/{id}', 'partner.payment-method.bank.read'],
  ['', 'POST /v1/payout-originators', 'partner.payout-originator.create'],
  ['', 'GET /v1/payout-originators', 'partner.payout-originator.read'],
  ['', 'GET /v1/payout-originators/{id}', 'partner.payout-originator.read'],
  ['', 'DELETE /v1/payout-originators/{id}', 'partner.payout-originator.delete'],
  ['', 'POST /v1/payouts', 'partner.payout.create'],
  ['', 'GET /v1/payouts', 'partner.payout.read'],
  ['', 'GET /v1/payouts/{id}', 'partner.payout.read'],
  ['', 'PATCH /v1/payouts/{id}/initiate', 'partner.payout.initiate'],
  ['', 'GET /v1/balances', 'partner.balances.read'],
  ['', 'POST /v1/deposits', 'partner.deposit.manage'],
  ['', 'GET /v1/deposits', 'partner.deposit.manage'],
  ['', 'GET /v1/deposits/{id}', 'partner.deposit.manage'],
  ['', 'POST /v1/deposits/fee', 'partner.deposit.manage'],
  ['', 'GET /v1/accounts/limits', 'partner.account.profile.read-own'],
  ['', 'GET /v1/accounts/{id}/profile', 'partner.account.profile.read'],
  ['', 'GET /v1/accounts/handle/shop/profile', 'partner.account.profile.read'],
  ['', 'GET /v1/rates/ticker', 'partner.rates.ticker'],
  ['', 'POST /v1/receive-request', 'partner.receive-request.create'],
  ['', 'GET /v1/receive-requests', 'partner.receive-request.read'],
  ['', 'GET /v1/receive-requests/{id}', 'partner.receive-request.read'],
  ['', 'GET /v1/receive-requests/{id}/receives', 'partner.receive-request.read'],
  ['', 'GET /v1/receive-requests/receives', 'partner.receive-request.read'],
  ['', 'GET /v1/events', 'partner.webhooks.manage'],
  ['', 'POST /v1/subscriptions', 'partner.webhooks.manage'],
  ['', 'GET /v1/subscriptions', 'partner.webhooks.manage'],
  ['', 'GET /v1/subscriptions/{id}', 'partner.webhooks.manage'],
  ['', 'PATCH /v1/subscriptions/{id}', 'partner.webhooks.manage'],
  ['', 'DELETE /v1/subscriptions/{id}', 'partner.webhooks.manage'],
];

const ALL = [...new Set(SCOPES.map(([, , scope]) => scope))];

export const scopes = section(
  'scopes',
  SCOPES.map(
    ([source, call, scope]): FactRow => [
      source ? 'Authentication and scopes' : PUBLIC.scopes,
      `${call} needs a credential, and of its scopes ${scope} alone.`,
      scoped(call, scope, ALL),
    ],
  ),
);

const BALANCES = 'GET /v1/balances';

export const authentication = section('authentication', [
  ...under('Authentication', [
    [
      'A key that the service never made is unauthorized.',
      refusedKey('Bearer nothing-that-exists'),
    ],
    ['A credential without the word Bearer is none.', refusedKey((key) => key)],
    ['A key sent as Basic is none.', refusedKey((key) => `Basic ${btoa(`${key}:`)}`)],
    ['Bearer with nothing behind it is no credential.', refusedKey('Bearer ')],
    ['A key with something behind it is another key.', refusedKey((key) => `Bearer ${key}0`)],
    ['A beginning of a key is no key.', refusedKey((key) => `Bearer ${key.slice(0, -1)}`)],
    [
      'A key in the query is no credential.',
      asks(`${BALANCES}?apiKey=x`, { as: null }, 401, 'UNAUTHORIZED'),
    ],
    [
      'A command without a credential is unauthorized too.',
      asks('POST /v1/invoices', { as: null, body: {} }, 401, 'UNAUTHORIZED'),
    ],
  ]),
]);
