// Distortions of what the sandbox says. Each must be noticed by at least one fact of the sections
// that it is about, and under the blankets at the end every fact must be false once: one that never
// is proves nothing.
import type { Between, Delivery, Send } from '../../../src/cli/examine/fact.ts';

/** JSON of a response, whose members a lie changes. */
interface Loose {
  [member: string]: Loose & string;
}

/** A lie, and the sections that must notice it. */
export interface Lie extends Between {
  readonly name: string;
  readonly sections: readonly string[];
}

type Wrap = (send: Send) => Send;

/** Says whether a lie is about this response. */
type About = (path: string, init: RequestInit, response: Response) => boolean;

/** A response that can be changed. */
interface Given {
  status: number;
  readonly headers: Headers;
  body: string;
}

const bodyFor = (status: number, text: string): string | null => (status === 204 ? null : text);

/** Changes the JSON of responses. What is not JSON stays. */
const json =
  (about: About, change: (body: Loose) => unknown): Wrap =>
  (send) =>
  async (path, init, address) => {
    const response = await send(path, init, address);
    if (!about(path, init, response)) return response;
    const text = await response.text();
    return new Response(bodyFor(response.status, changeText(text, change)), response);
  };

function changeText(text: string, change: (body: Loose) => unknown): string {
  try {
    const body = JSON.parse(text);
    return JSON.stringify(change(body) ?? body);
  } catch {
    return text;
  }
}

/** Changes the status or headers of responses. */
const head =
  (about: About, change: (given: Given) => unknown): Wrap =>
  (send) =>
  async (path, init, address) => {
    const response = await send(path, init, address);
    if (!about(path, init, response)) return response;
    const { status, headers } = response;
    const given: Given = { status, headers: new Headers(headers), body: await response.text() };
    change(given);
    return new Response(bodyFor(given.status, given.body), given);
  };

/** Changes requests before they are sent. */
const asked =
  (change: (path: string) => string): Wrap =>
  (send) =>
  (path, init, address) =>
    send(change(path), init, address);

const call =
  (method: string, pattern: RegExp): About =>
  (path, init) =>
    init.method === method && pattern.test(path);
const refused: About = (_path, _init, { status }) => status >= 400;
const dropped =
  (name: string) =>
  (path: string): string =>
    path.replace(new RegExp(`([?&])(%24|\\$)${name}=[^&]*`), '$1').replace(/[?&]$/, '');
const without =
  (name: string) =>
  (body: Loose): void =>
    void delete body[name];
const invoiceMade = call('POST', /^\/v1\/invoices$/);
const invoiceRead = call('GET', /^\/v1\/invoices/);
const quoteMade = call('POST', /payment-quotes\/lightning$/);
const each = (list: unknown, change: (row: Loose) => unknown): void =>
  void (Array.isArray(list) ? list : []).forEach(change);
const set = (body: unknown, values: object): void => {
  if (typeof body === 'object' && body !== null) Object.assign(body, values);
};

type LieRow = readonly [name: string, section: string, wrap: Wrap, other?: string];

const requestLies: readonly LieRow[] = [
  ['an invoice has no receiver', 'invoices', json(invoiceMade, without('receiverId'))],
  [
    'a new invoice is PENDING',
    'invoices',
    json(invoiceMade, (body) => set(body, { state: 'PENDING' })),
  ],
  [
    'creating an invoice answers 200',
    'invoices',
    head(invoiceMade, (given) => void (given.status &&= given.status === 201 ? 200 : given.status)),
  ],
  [
    'amounts are numbers',
    'invoices',
    json(invoiceMade, (body) =>
      set(body['amount'], { amount: Number(body['amount']?.['amount']) }),
    ),
  ],
  [
    'descriptions are cut',
    'invoices',
    json(invoiceMade, (body) => set(body, { description: body['description']?.slice(0, 100) })),
  ],
  ['filters are ignored', 'invoice filters', asked(dropped('filter'))],
  ['the order is ignored', 'invoice filters', asked(dropped('orderby'))],
  ['$skip is ignored', 'pages', asked(dropped('skip'))],
  ['$top is ignored', 'pages', asked(dropped('top'))],
  [
    'the count is that of the page',
    'pages',
    json(
      call('GET', /\?/),
      (body) => void (body['items'] && set(body, { count: body['items'].length })),
    ),
  ],
  [
    'times that are read have a seventh digit',
    'invoices',
    json(invoiceRead, (body) =>
      set(body, { created: body['created']?.replace(/(\.\d+)?\+/, '.1234567+') }),
    ),
  ],
  [
    'times have no offset',
    'invoices',
    json(invoiceMade, (body) => set(body, { created: body['created']?.slice(0, 19) })),
  ],
  [
    'errors have no message',
    'invoices',
    json(refused, (body) => without('message')(body['data']!)),
  ],
  [
    'the status of errors is a text',
    'authentication',
    json(refused, (body) => set(body['data'], { status: `${body['data']?.['status']}` })),
  ],
  [
    'who has no scope is unauthorized',
    'scopes',
    head(refused, (given) => void (given.status = given.status === 403 ? 401 : given.status)),
  ],
  [
    'findings have no code',
    'invoices',
    json(refused, (body) =>
      each(Object.values(body['data']?.['validationErrors'] ?? {}).flat(), without('code')),
    ),
  ],
  [
    'what is not found is gone',
    'invoices',
    head(refused, (given) => void (given.status = given.status === 404 ? 410 : given.status)),
  ],
  [
    'a used key answers as if it were new',
    'lightning quotes',
    head(
      quoteMade,
      (given) => void (given.status = /DUPLICATE/.test(given.body) ? 200 : given.status),
    ),
  ],
  [
    'a used key does not name the first',
    'lightning quotes',
    json(quoteMade, (body) => set(body['data'], { values: undefined })),
  ],
  [
    'fees are told twice',
    'lightning quotes',
    json(quoteMade, (body) => set(body['totalFee'], { amount: '9.99' })),
  ],
  [
    'on-chain payments answer 200',
    'payments',
    head(
      call('PATCH', /execute$/),
      (given) => void (given.status = given.status === 202 ? 200 : given.status),
    ),
  ],
  [
    'an execution of an exchange has a body',
    'exchanges',
    head(call('PATCH', /exchange-quotes\/.*execute$/), (given) => void (given.body ||= '{}')),
  ],
  [
    'removing answers 200',
    'banks',
    head(call('DELETE', /./), (given) =>
      Object.assign(given, given.status === 204 ? { status: 200, body: '{}' } : {}),
    ),
  ],
  ['rates are a page', 'rates', json(call('GET', /ticker/), (body) => ({ items: body }))],
  [
    'what is pending is free',
    'balances',
    json(call('GET', /balances/), (body) =>
      each(body, (row) => set(row, { available: row['current'] })),
    ),
  ],
  [
    'subscriptions tell their secret',
    'subscriptions',
    json(call('GET', /subscriptions/), (body) =>
      each([body].flat(), (one) => set(one, { secret: 'x' })),
    ),
  ],
  [
    'events name another invoice',
    'events',
    json(call('GET', /events/), (body) =>
      each(body['items'], (row) => set(row['data'], { entityId: row['id'] })),
    ),
  ],
  [
    'blocks do not say when they end',
    'test rate limits',
    head(refused, ({ headers }) => headers.delete('retry-after')),
    'rate limits',
  ],
  ['limits are one too low', 'test rate limits', limitsLower()],
  ['tokens do not say when they end', 'oauth', json(call('POST', /token$/), without('expires_in'))],
  [
    'users come back with another state',
    'oauth',
    head(call('GET', /authorize/), ({ headers }) =>
      headers.set('location', (headers.get('location') ?? '').replace('state-1', 'state-2')),
    ),
  ],
  [
    'profiles have no default',
    'profiles',
    json(call('GET', /profile/), (body) => each(body['currencies'], without('isDefaultCurrency'))),
  ],
  [
    'limits of deposits are one number',
    'account limits',
    json(call('GET', /limits/), (body) => set(body, { deposit: 10 })),
  ],
  [
    'payouts are sent when they are made',
    'payouts',
    json(call('POST', /payouts$/), (body) => set(body, { state: 'INITIATED' })),
  ],
  ['deposits have no total', 'deposits', json(call('POST', /deposits$/), without('totalAmount'))],
  ['Lightning addresses have no tag', 'lnurl', json(call('GET', /lnurl/), without('tag'))],
  [
    'tiers are in dollars',
    'onchain',
    json(call('POST', /tiers$/), (body) =>
      each(body, (tier) => set(tier['estimatedFee'], { currency: 'USD' })),
    ),
  ],
  [
    'receives from inside are LIGHTNING',
    'parties',
    json(call('GET', /receives/), (body) =>
      each(body['items'], (row) => set(row, { type: 'LIGHTNING' })),
    ),
  ],
  [
    'addresses of requests are of the main network',
    'receive requests',
    json(call('POST', /receive-request$/), (body) =>
      set(body['onchain'], { address: `bc1${body['onchain']?.['address']?.slice(3)}` }),
    ),
  ],
  ['the same is done twice', 'at once', doneTwice()],
];

/** Every refusal of a second try is a success. */
function doneTwice(): Wrap {
  return head(refused, (given) => void (given.status = 200));
}

/** Each request of the first bucket counts twice now and then. */
function limitsLower(): Wrap {
  return (send) => {
    let count = 0;
    return (path, init, address) => {
      if (++count % 89 === 0) void send(path, init, address);
      return send(path, init, address);
    };
  };
}

/** Changes the body of a webhook. */
const body =
  (change: (event: Loose) => unknown) =>
  (got: Delivery): Delivery => {
    const parsed = JSON.parse(got.body);
    change(parsed);
    return { ...got, body: JSON.stringify(parsed) };
  };

/** Changes the headers of a webhook. */
const headers =
  (change: (given: Record<string, string>) => unknown) =>
  (got: Delivery): Delivery => {
    const given = { ...got.headers } as Record<string, string>;
    change(given);
    return { ...got, headers: given };
  };
const SIGNATURE = 'x-webhook-signature';
let attempts = 0;

type ChangeDelivery = NonNullable<Between['changeDelivery']>;

const deliveryLies: readonly (readonly [name: string, change: ChangeDelivery])[] = [
  [
    'signatures are in small letters',
    headers((given) => void (given[SIGNATURE] = given[SIGNATURE]!.toLowerCase())),
  ],
  [
    'signatures have a prefix',
    headers((given) => void (given[SIGNATURE] = `sha256=${given[SIGNATURE]}`)),
  ],
  [
    'signatures are of something else',
    headers(
      (given) =>
        void (given[SIGNATURE] = given[SIGNATURE]!.replace(/./, (one) =>
          one === 'A' ? 'B' : 'A',
        )),
    ),
  ],
  ['bytes are not those that were signed', (got) => ({ ...got, body: `${got.body} ` })],
  ['webhooks have no type', headers((given) => delete given['content-type'])],
  ['webhooks tell their success', body((event) => set(event, { deliverySuccess: true }))],
  ['webhooks carry values', body((event) => set(event['data'], { state: 'UNPAID' }))],
  ['webhooks are of version 1 always', body((event) => set(event, { webhookVersion: 'v1' }))],
  ['webhooks come twice', (got) => [got, got]],
  [
    'retries have a header more',
    headers(
      (given) =>
        void ((given['x-retry'] = `${++attempts}`), attempts % 2 && delete given['x-retry']),
    ),
  ],
  ['retries have another id', body((event) => set(event, { id: crypto.randomUUID() }))],
];

export const lies: readonly Lie[] = [
  ...requestLies.map(([name, section, wrap, other]) => ({
    name,
    sections: [section, ...(other ? [other] : [])],
    wrap,
  })),
  ...deliveryLies.map(([name, changeDelivery]) => ({
    name,
    sections: ['deliveries', 'retries'],
    changeDelivery,
  })),
];

const answer =
  (status: number, text: string, type = 'application/json'): Wrap =>
  () =>
  async () =>
    new Response(text, { status, headers: { 'content-type': type } });
const LIMITED = { code: 'RATE_LIMIT_EXCEEDED', status: 429, message: 'Rate limit exceeded' };
const ERROR = { code: 'INTERNAL_SERVER_ERROR', status: 500, message: 'Unexpected problem' };

/** Distortions of everything. */
export const blankets: readonly Between[] = [
  { wrap: answer(500, JSON.stringify({ data: ERROR })) },
  { wrap: answer(200, '{}') },
  { wrap: answer(200, '[]') },
  { wrap: answer(200, '<html></html>', 'text/html') },
  { wrap: answer(429, JSON.stringify({ data: LIMITED })) },
  { changeDelivery: () => [] },
  { changeDelivery: (got) => [got, got] },
];
