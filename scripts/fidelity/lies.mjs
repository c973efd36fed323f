// Distortions of what the sandbox says: each must be noticed by at least one fact of the sections that it is about.

const asJson = (response, change) => async (path, init) => {
  const text = await response.text();
  let body = text;
  try {
    const json = JSON.parse(text);
    body = JSON.stringify(change(json, path, init) ?? json);
  } catch {
    // what is not JSON stays
  }
  return new Response(response.status === 204 ? null : body, response);
};

/** Changes the JSON of answers to some requests. */
const json = (about, change) => (send) => async (path, init, address) => {
  const response = await send(path, init, address);
  return about(path, init, response) ? asJson(response, change)(path, init) : response;
};

/** Changes the status or headers of answers. */
const head = (about, change) => (send) => async (path, init, address) => {
  const response = await send(path, init, address);
  if (!about(path, init, response)) return response;
  const { status, headers } = response;
  const body = status === 204 ? null : await response.text();
  const given = { status, headers: new Headers(headers), body };
  change(given);
  return new Response(given.status === 204 ? null : given.body, given);
};

/** Changes requests before they are sent. */
const asked = (change) => (send) => (path, init, address) =>
  send(change(path, init), init, address);

const call = (method, pattern) => (path, init) => init.method === method && pattern.test(path);
const refused = (path, init, { status }) => status >= 400;
const dropped = (name) => (path) =>
  path.replace(new RegExp(`([?&])(%24|\\$)${name}=[^&]*`), '$1').replace(/[?&]$/, '');
const without = (name) => (body) => void delete body[name];
const invoiceMade = call('POST', /^\/v1\/invoices$/);
const invoiceRead = call('GET', /^\/v1\/invoices/);
const quoteMade = call('POST', /payment-quotes\/lightning$/);
const each = (body, change) => void (body.items ?? []).forEach(change);

const requestLies = [
  ['an invoice has no receiver', 'invoices', json(invoiceMade, without('receiverId'))],
  [
    'a new invoice is PENDING',
    'invoices',
    json(invoiceMade, (body) => void (body.state = 'PENDING')),
  ],
  [
    'creating an invoice answers 200',
    'invoices',
    head(invoiceMade, (given) => void (given.status &&= given.status === 201 ? 200 : given.status)),
  ],
  [
    'amounts are numbers',
    'invoices',
    json(
      invoiceMade,
      (body) => void (body.amount && (body.amount.amount = Number(body.amount.amount))),
    ),
  ],
  [
    'descriptions are cut',
    'invoices',
    json(invoiceMade, (body) => void (body.description = body.description?.slice(0, 100))),
  ],
  ['filters are ignored', 'invoice filters', asked(dropped('filter'))],
  ['the order is ignored', 'invoice filters', asked(dropped('orderby'))],
  ['$skip is ignored', 'pages', asked(dropped('skip'))],
  ['$top is ignored', 'pages', asked(dropped('top'))],
  [
    'the count is that of the page',
    'pages',
    json(call('GET', /\?/), (body) => void (body.items && (body.count = body.items.length))),
  ],
  [
    'times that are read have a seventh digit',
    'invoices',
    json(
      invoiceRead,
      (body) => void (body.created = body.created?.replace(/(\.\d+)?\+/, '.1234567+')),
    ),
  ],
  [
    'times have no offset',
    'invoices',
    json(invoiceMade, (body) => void (body.created = body.created?.slice(0, 19))),
  ],
  ['errors have no message', 'invoices', json(refused, ({ data }) => without('message')(data))],
  [
    'the status of errors is a text',
    'authentication',
    json(refused, ({ data }) => void (data.status = `${data.status}`)),
  ],
  [
    'who has no scope is unauthorized',
    'scopes',
    head(refused, (given) => void (given.status = given.status === 403 ? 401 : given.status)),
  ],
  [
    'findings have no code',
    'invoices',
    json(refused, ({ data }) =>
      Object.values(data.validationErrors ?? {})
        .flat()
        .forEach(without('code')),
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
    json(quoteMade, ({ data }) => void (data && delete data.values)),
  ],
  [
    'fees are told twice',
    'lightning quotes',
    json(quoteMade, (body) => void (body.totalFee && (body.totalFee.amount = '9.99'))),
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
      body.forEach?.((row) => void (row.available = row.current)),
    ),
  ],
  [
    'subscriptions tell their secret',
    'subscriptions',
    json(
      call('GET', /subscriptions/),
      (body) => void [body].flat().forEach((one) => void (one.secret = 'x')),
    ),
  ],
  [
    'events name another invoice',
    'events',
    json(call('GET', /events/), (body) => each(body, (row) => void (row.data.entityId = row.id))),
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
];

/** Each request of the first bucket counts twice now and then. */
function limitsLower() {
  return (send) => {
    let count = 0;
    return (path, init, address) => {
      if (++count % 89 === 0) void send(path, init, address);
      return send(path, init, address);
    };
  };
}

const body = (change) => (got) => {
  const parsed = JSON.parse(got.body);
  change(parsed);
  return { ...got, body: JSON.stringify(parsed) };
};
const headers = (change) => (got) => {
  const given = { ...got.headers };
  change(given);
  return { ...got, headers: given };
};
const SIGNATURE = 'x-webhook-signature';
let attempts = 0;

const deliveryLies = [
  [
    'signatures are in small letters',
    headers((given) => void (given[SIGNATURE] = given[SIGNATURE].toLowerCase())),
  ],
  [
    'signatures have a prefix',
    headers((given) => void (given[SIGNATURE] = `sha256=${given[SIGNATURE]}`)),
  ],
  [
    'signatures are of something else',
    headers(
      (given) =>
        void (given[SIGNATURE] = given[SIGNATURE].replace(/./, (one) => (one === 'A' ? 'B' : 'A'))),
    ),
  ],
  ['bytes are not those that were signed', (got) => ({ ...got, body: `${got.body} ` })],
  ['webhooks have no type', headers((given) => void delete given['content-type'])],
  ['webhooks tell their success', body((event) => void (event.deliverySuccess = true))],
  ['webhooks carry values', body((event) => void (event.data.state = 'UNPAID'))],
  ['webhooks are of version 1 always', body((event) => void (event.webhookVersion = 'v1'))],
  ['webhooks come twice', (got) => [got, got]],
  [
    'retries have a header more',
    headers(
      (given) =>
        void ((given['x-retry'] = `${++attempts}`), attempts % 2 && delete given['x-retry']),
    ),
  ],
  ['retries have another id', body((event) => void (event.id = crypto.randomUUID()))],
];

export const lies = [
  ...requestLies.map(([name, section, wrap, other]) => ({
    name,
    sections: [section, other],
    wrap,
  })),
  ...deliveryLies.map(([name, changeDelivery]) => ({
    name,
    sections: ['deliveries', 'retries'],
    changeDelivery,
  })),
];

const answer =
  (status, text, type = 'application/json') =>
  () =>
  async () =>
    new Response(text, { status, headers: { 'content-type': type } });
const LIMITED = { code: 'RATE_LIMIT_EXCEEDED', status: 429, message: 'Rate limit exceeded' };
const ERROR = { code: 'INTERNAL_SERVER_ERROR', status: 500, message: 'Unexpected problem' };

/** Under each of these every fact must be false once: one that never is proves nothing. */
export const blankets = [
  { name: 'everything fails', wrap: answer(500, JSON.stringify({ data: ERROR })) },
  { name: 'everything is an empty success', wrap: answer(200, '{}') },
  { name: 'everything is an empty list', wrap: answer(200, '[]') },
  { name: 'everything is a page', wrap: answer(200, '<html></html>', 'text/html') },
  { name: 'everything is blocked', wrap: answer(429, JSON.stringify({ data: LIMITED })) },
  { name: 'webhooks get lost', changeDelivery: () => [] },
  { name: 'webhooks come twice', changeDelivery: (got) => [got, got] },
];
