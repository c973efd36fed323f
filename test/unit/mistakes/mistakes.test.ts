// Node only: it only uses the sandbox.
// Protects: what users of plain JavaScript get wrong is refused with a text that they can act on.
import { expect } from 'chai';
import { allowSecretInBrowser, createClient, isPaystateError } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';

const sandbox = createSandbox();
const { clientOptions } = sandbox;
const client = createClient(clientOptions);
// in a page a key is refused before anything else of it is read
const USUAL = { baseUrl: 'https://pay.example', apiKey: 'KEY', [allowSecretInBrowser]: true };
const AMOUNT = { amount: '12.50', currency: 'EUR' };
const ADDRESS =
  'baseUrl: must start with https:// (http:// only on localhost, a path only in a browser)';
const EUROS = "must be an object like { amount: '12.50', currency: 'EUR' }";
const KEY = 'apiKey: is required';
const SPACES = 'apiKey: must be visible ASCII without spaces or line breaks';
const ID = 'invoices.get: invoiceId must be a string of 1 to 2048 characters, valid in a URL';

const made = (options: object) => () => createClient(options as never);
const created = (draft: unknown, options?: object) => () =>
  client.invoices.create(draft as never, options as never);
const paying = (amount: object, more: object = {}) => created({ amount, ...more });
const got = (id: unknown) => () => client.invoices.get(id as never);

/** Each mistake, what a program does, and how the error's text begins. */
const MISTAKES: readonly (readonly [string, () => unknown, string])[] = [
  ['no options', made(undefined as never), 'baseUrl: is required'],
  ['no key', made({ baseUrl: USUAL.baseUrl }), KEY],
  ['a variable of the environment that is not set', made({ ...USUAL, apiKey: undefined }), KEY],
  ['a key with its line end', made({ ...USUAL, apiKey: 'KEY\n' }), SPACES],
  [
    'a key with its scheme',
    made({ ...USUAL, apiKey: 'Bearer KEY' }),
    'apiKey: must be just the key, without Bearer',
  ],
  ['an empty key', made({ ...USUAL, apiKey: '' }), KEY],
  ['a key and a token', made({ ...USUAL, token: 'T' }), 'token: must not be combined with apiKey'],
  [
    'a wrong key',
    () => createClient({ ...clientOptions, apiKey: 'WRONG' }).balances.list(),
    'balances.list: refused; fix credential (UNAUTHORIZED, 401',
  ],
  [
    'no https',
    made({ ...USUAL, baseUrl: 'http://pay.example' }),
    'baseUrl: must start with https://: the credential would be sent unencrypted',
  ],
  [
    'a version in the address',
    made({ ...USUAL, baseUrl: 'https://pay.example/api/v1/' }),
    'baseUrl: ends with /v1, which the SDK adds: use https://pay.example/api',
  ],
  [
    'a key in the address',
    made({ ...USUAL, baseUrl: 'https://KEY@pay.example' }),
    'baseUrl: must not contain a user, query or fragment: use https://pay.example, and set apiKey',
  ],
  [
    'a key among headers',
    made({ ...USUAL, headers: { authorization: 'Bearer KEY' } }),
    'headers: is an unknown field',
  ],
  ['an address without a scheme', made({ ...USUAL, baseUrl: 'pay.example' }), ADDRESS],
  [
    'baseURL',
    made({ baseURL: USUAL.baseUrl, apiKey: 'KEY' }),
    'baseURL: is an unknown field (did you mean baseUrl?)',
  ],
  [
    'url',
    made({ url: USUAL.baseUrl, apiKey: 'KEY' }),
    'url: is an unknown field (did you mean baseUrl?)',
  ],
  ['key', made({ ...USUAL, key: 'KEY' }), 'key: is an unknown field (did you mean apiKey?)'],
  ['a name of another SDK', made({ ...USUAL, secretKey: 'KEY' }), 'secretKey: is an unknown field'],
  [
    'timeout',
    made({ ...USUAL, timeout: 5 }),
    'timeout: is an unknown field (did you mean callTimeout?)',
  ],
  ['retries', made({ ...USUAL, retries: 5 }), 'retries: is an unknown field'],
  [
    'a timeout as a text',
    made({ ...USUAL, attemptTimeout: '10s' }),
    'attemptTimeout: must be a number, not a string',
  ],
  ['no attempts', made({ ...USUAL, maxAttempts: 0 }), 'maxAttempts: must be above 0'],
  [
    'a capability',
    made({ ...USUAL, capabilities: { lists: true } }),
    'capabilities.lists: is an unknown field (did you mean list?)',
  ],
  [
    'a bucket',
    made({ ...USUAL, rateLimits: { invoice: {} } }),
    'rateLimits.invoice: is an unknown field (did you mean invoices?)',
  ],
  [
    'timeout of a derived client',
    () => client.withOptions({ timeout: 5 } as never),
    'timeout: is an unknown field (did you mean callTimeout?)',
  ],
  [
    'another key for a derived client',
    () => client.withOptions({ apiKey: 'KEY' } as never),
    'apiKey: is an unknown field',
  ],
  ['no draft', created(undefined), 'invoices.create: amount is required'],
  ['an amount as a number', created({ amount: 12.5 }), `invoices.create: amount ${EUROS}`],
  [
    'an amount as a number, with its currency beside it',
    created({ amount: 12.5, currency: 'EUR' }),
    `invoices.create: amount ${EUROS}; currency is an unknown field`,
  ],
  [
    'a number inside the amount',
    paying({ ...AMOUNT, amount: 12.5 }),
    'invoices.create: amount.amount must be string',
  ],
  [
    'a comma',
    paying({ ...AMOUNT, amount: '12,50' }),
    'invoices.create: amount.amount must be a decimal string such as "12.50"',
  ],
  [
    'a sign of a currency',
    paying({ ...AMOUNT, amount: '€12.50' }),
    'invoices.create: amount.amount must be a decimal string such as "12.50"',
  ],
  [
    'an amount below zero',
    paying({ ...AMOUNT, amount: '-1' }),
    'invoices.create: amount.amount must be a decimal string such as "12.50"',
  ],
  ['no currency', paying({ amount: '1' }), 'invoices.create: amount.currency is required'],
  [
    'a currency in small letters',
    paying({ ...AMOUNT, currency: 'eur' }),
    'invoices.create: amount.currency must be "EUR"',
  ],
  ['a currency outside of the amount', created(AMOUNT), `invoices.create: amount ${EUROS}`],
  [
    'correlationID',
    paying(AMOUNT, { correlationID: 'a' }),
    'invoices.create: correlationID is an unknown field (did you mean correlationId?)',
  ],
  [
    'a long correlationId',
    paying(AMOUNT, { correlationId: 'x'.repeat(41) }),
    'invoices.create: correlationId must be at most 40 characters',
  ],
  [
    'a known member in extra',
    paying(AMOUNT, { extra: { CorrelationID: 'a' } }),
    'invoices.create: extra.CorrelationID must not use the reserved name correlationId',
  ],
  [
    'a member that changes what an object is',
    paying(AMOUNT, { extra: JSON.parse('{"__proto__":{}}') as object }),
    'invoices.create: extra.__proto__ must not use the reserved name __proto__',
  ],
  [
    'timeout of a call',
    created({ amount: AMOUNT }, { timeout: 5 }),
    'timeout: is an unknown field (did you mean callTimeout?)',
  ],
  [
    'a key that nothing reads',
    created({ amount: AMOUNT }, { idempotencyKey: 'a' }),
    'idempotencyKey: is an unknown field',
  ],
  [
    'toArray() without options',
    () => (client.invoices.list().toArray as () => unknown)(),
    'limit: is required, such as toArray({ limit: 100 })',
  ],
  [
    'a limit of a list',
    () => client.invoices.list({}, { limit: 5 } as never),
    'limit: is an unknown field',
  ],
  [
    'a page that is too large',
    () => client.invoices.list({}, { pageSize: 500 }),
    'pageSize: must be a whole number from 1 to 100',
  ],
  ['no id', got(undefined), ID],
  ['an object for its id', got({ invoiceId: 'a' }), ID],
  ['await forgotten', got(Promise.resolve({ invoiceId: 'a' })), ID],
];

describe('forty mistakes', () => {
  it('are at least forty', () => {
    expect(new Set(MISTAKES.map(([name]) => name)).size).to.be.at.least(40);
  });

  for (const [name, play, text] of MISTAKES)
    it(`${name}: ${text}`, async () => {
      const work = (async () => play())();
      const error = await sandbox.run(work).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(isPaystateError(error), String(error)).to.equal(true);
      expect((error as Error).message.slice(0, text.length)).to.equal(text);
      expect((error as { outcome?: string }).outcome).to.equal('not-done');
    });

  it('are none where a member has no value, or where the service has added one', async () => {
    const invoice = await sandbox.run(
      client.invoices.create(
        { amount: AMOUNT, note: undefined, extra: { tip: '1' } } as never,
        { timeout: undefined } as never,
      ),
    );
    expect(invoice.state).to.equal('UNPAID');
  });
});

describe('a duplicate whose id is missing', () => {
  it('is not asked for by the id "undefined"', async () => {
    const sent: string[] = [];
    const shop = createClient({
      ...USUAL,
      async fetch(input, init) {
        sent.push(`${init?.method} ${new URL(String(input)).pathname}`);
        const data = { status: 422, code: 'DUPLICATE_DEPOSIT', message: '', values: {} };
        return new Response(JSON.stringify({ traceId: 'a', data }), { status: 422 });
      },
    });
    const draft = { paymentMethodId: 'a', amount: '5.00' };
    const error = await shop.deposits.create(draft).catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: 'EXISTS_UNREAD', outcome: 'unknown' });
    expect(sent).to.deep.equal(['POST /v1/deposits']);
  });
});
