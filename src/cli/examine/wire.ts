// Checks of what all endpoints have in common, and questions that the description leaves open.
import type { RequestName } from './things.ts';
import type { ThingName } from './things.ts';
import { asks, checkEnvelope, refusedKey, scoped } from './checks.ts';
import {
  type Answer,
  type AskOptions,
  type AskForAnswer,
  check,
  type Check,
  type FactRow,
  CannotTell,
  type Rate,
  READING,
  same,
  section,
  type Stage,
  type ValidationFinding,
  type Values,
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

/** The response that is reported for an open question. */
type Told = Pick<Answer, 'status' | 'text'> & { readonly error?: Answer['error'] };

/** The description leaves this open; the response is reported. */
const open =
  (question: string, look: (stage: Stage) => Promise<Told>): Check =>
  async (stage) => {
    const { status, error, text } = await look(stage);
    throw new CannotTell(
      `${question}; here: ${status} ${error?.code ?? (text ?? '').slice(0, 80)}`,
    );
  };

const withoutValues =
  (call: string): Check =>
  async (stage) => {
    const { error } = await stage.ask(call);
    check(error && error.values === undefined, 'no values', error?.values);
  };

// Requests whose responses the description leaves open.

const key = (): Readonly<Record<string, string>> => ({ 'idempotency-key': crypto.randomUUID() });

/** A key that another endpoint has seen. */
const sharedKey =
  (first: RequestName, second: RequestName): AskForAnswer =>
  async (stage) => {
    const headers = key();
    await stage.json(first, { headers });
    return stage.request(second, { headers });
  };

const refusedFirst = (): AskForAnswer => async (stage) => {
  const headers = key();
  await stage.request('lightning', { headers, set: { sourceCurrency: 'DOGE' } });
  return stage.request('lightning', { headers });
};

const unreadyPayout = (): AskForAnswer => async (stage) => {
  const { id } = await stage.make('pendingBank');
  return stage.request('payout', { set: { paymentMethodId: id } });
};

const smallBearer = (): AskForAnswer => async (stage) =>
  stage.ask('GET /v1/balances', {
    as: null,
    headers: { authorization: `bearer ${await stage.keyOf()}` },
  });

const told = (text: string): Told => ({ status: 200, text });

const crossRates = (): ((stage: Stage) => Promise<Told>) => async (stage) => {
  const rows = await stage.thing<readonly Rate[]>('ticker');
  const cross = rows.filter(
    ({ sourceCurrency, targetCurrency }) => ![sourceCurrency, targetCurrency].includes('BTC'),
  );
  return told(`${cross.length} of ${rows.length} rates`);
};

const eventWithout = (): ((stage: Stage) => Promise<Told>) => async (stage) =>
  told(`${(await stage.make('event')).deliverySuccess}`);

const pageSize = (): ((stage: Stage) => Promise<Told>) => async (stage) => {
  for (let at = 0; at < 101; at++) await stage.request('invoice');
  return told(`${(await stage.get('/v1/invoices')).items.length} of more than a hundred rows`);
};

// Facts that all endpoints share, and questions that the description leaves open.

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
    READING,
  ],
  [PUBLIC.errorValues, 'What is not found has no values.', withoutValues(NOWHERE), READING],
  ...under(PUBLIC.envelope, [
    [
      'A path that does not exist is refused with the envelope.',
      enveloped('GET /v1/nothing', {}, 404),
      READING,
    ],
    ['The top of the service is refused with the envelope.', enveloped('GET /v1', {}), READING],
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
    ['There is no version 2 yet.', enveloped('GET /v2/balances', {}, 404), READING],
    ['A path without a version does not exist.', enveloped('GET /balances', {}, 404), READING],
  ]),
  ...under(PUBLIC.messages, [
    ['A success is JSON and says so.', withHeader('invoice', 'content-type', /^application\/json/)],
    ['An answer says what time it is.', withHeader('invoice', 'date', /GMT$/)],
    ['A path may end with a slash.', works('GET /v1/balances/', {}), READING],
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
      READING,
    ],
    [
      'A caller may say that it takes anything.',
      works('GET /v1/balances', { headers: { accept: '*/*' } }),
      READING,
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

const ask =
  (call: string): AskForAnswer =>
  (stage) =>
    stage.ask(call);
const change =
  (name: RequestName, set: Values = {}): AskForAnswer =>
  (stage) =>
    stage.request(name, { set });
const EUR = 'EUR';

export const openQuestions = section(
  'open questions',
  [
    [
      PUBLIC.pageSizes,
      'A page has a size where none is asked for.',
      open('the size of a page is not published', pageSize()),
    ],
    ...under(PUBLIC.statuses, [
      [
        'A new receive request is 200 or 201.',
        open('which of the two is not published', change('receiveRequest')),
      ],
      [
        'A Lightning address that leads nowhere is 404 or 422.',
        open(
          'which of the two is not published',
          ask('GET /v1/payment-quotes/lightning/lnurl/nobody%40wallet.example'),
        ),
      ],
    ]),
    ...under(PUBLIC.keys, [
      [
        'A key of one endpoint is free for another.',
        open('the scope of keys is not published', sharedKey('lightning', 'lnurl')),
      ],
      [
        'A key of one endpoint is free for an endpoint of another resource.',
        open('the scope of keys is not published', sharedKey('lightning', 'exchange')),
      ],
      [
        'A key of a refused request is free again.',
        open('whether refusals use keys up is not published', refusedFirst()),
      ],
      [
        'A key that is no UUID is taken.',
        open('the form of keys is not enforced in public', (stage) =>
          stage.request('lightning', { headers: { 'idempotency-key': 'tea' } }),
        ),
      ],
    ]),
    ...under(PUBLIC.amounts, [
      [
        'An amount that is a JSON number.',
        open('whether numbers are taken is not known', change('invoice', { 'amount.amount': 5 })),
      ],
      [
        'An amount with an exponent.',
        open('which forms are taken is not known', change('invoice', { 'amount.amount': '1e2' })),
      ],
      [
        'An amount with a plus.',
        open('which forms are taken is not known', change('invoice', { 'amount.amount': '+5.00' })),
      ],
      [
        'An amount below zero.',
        open('which forms are taken is not known', change('invoice', { 'amount.amount': '-5.00' })),
      ],
      [
        'An amount with a zero before it.',
        open('which forms are taken is not known', change('invoice', { 'amount.amount': '05.00' })),
      ],
      [
        'An amount in euro with three digits.',
        open(
          'rounding or refusal is not known',
          change('invoice', { amount: { amount: '5.001', currency: EUR } }),
        ),
      ],
      [
        'An amount in bitcoin with nine digits.',
        open(
          'rounding or refusal is not known',
          change('invoice', { amount: { amount: '0.000000001', currency: 'BTC' } }),
        ),
      ],
    ]),
    ...under(PUBLIC.pageSizes, [
      [
        'A page of more than a hundred.',
        open('refusal or a shorter page is not known', ask('GET /v1/invoices?$top=101')),
      ],
      ['A page of nothing.', open('the least size is not known', ask('GET /v1/invoices?$top=0'))],
    ]),
    ...under(PUBLIC.unknownValues, [
      [
        'An event type that does not exist.',
        open(
          'whether it is refused is not known',
          change('subscription', { eventTypes: ['tea.served'] }),
        ),
      ],
      [
        'A version of webhooks that does not exist.',
        open(
          'whether it is refused is not known',
          change('subscription', { webhookVersion: 'v9' }),
        ),
      ],
    ]),
    ...under(PUBLIC.codeLives, [
      [
        'A Lightning invoice that ends after a year.',
        open(
          'the most seconds are not known',
          change('receiveRequest', { 'bolt11.expiryInSeconds': 31_536_000 }),
        ),
      ],
      [
        'A Lightning invoice that ends at once.',
        open(
          'the fewest seconds are not known',
          change('receiveRequest', { 'bolt11.expiryInSeconds': 0 }),
        ),
      ],
    ]),
    [
      PUBLIC.unreadyMethods,
      'A payout by a method that is not READY.',
      open('whether creation or initiation refuses is not known', unreadyPayout()),
    ],
    ...under('Invoice', [
      [
        'Whether a correlation value may be empty.',
        open('no least length is published', change('invoice', { correlationId: '' })),
      ],
      [
        'Whether a description may be empty.',
        open('no least length is published', change('invoice', { description: '' })),
      ],
    ]),
    [
      'Versioning',
      'A member that is not known.',
      open(
        'whether drafts may have more members is not published',
        change('invoice', { colour: 'red' }),
      ),
    ],
    [
      'Authentication',
      'The word bearer in small letters.',
      open('whether it is taken is not published', smallBearer()),
    ],
    [
      PUBLIC.rates,
      'Rates between two currencies that are not bitcoin.',
      open('which pairs are there is not published', crossRates()),
    ],
    [
      PUBLIC.undelivered,
      'An event without a subscription was not delivered.',
      open('true, false or nothing is not published', eventWithout()),
    ],
  ],
  { pause: 86_400_000 },
);

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
      READING,
    ],
    [
      'A command without a credential is unauthorized too.',
      asks('POST /v1/invoices', { as: null, body: {} }, 401, 'UNAUTHORIZED'),
    ],
  ]),
]);
