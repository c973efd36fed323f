// Distortions of what the sandbox says: each must be noticed by at least one fact of the sections that it is about.
import { deliveryLies } from './lies-of-deliveries.mjs';

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
  [
    'profiles have no default',
    'profiles',
    json(
      call('GET', /profile/),
      (body) => void body.currencies?.forEach(without('isDefaultCurrency')),
    ),
  ],
  [
    'limits of deposits are one number',
    'account limits',
    json(call('GET', /limits/), (body) => void (body.deposit = 10)),
  ],
  [
    'payouts are sent when they are made',
    'payouts',
    json(call('POST', /payouts$/), (body) => void (body.state = 'INITIATED')),
  ],
  ['deposits have no total', 'deposits', json(call('POST', /deposits$/), without('totalAmount'))],
  ['Lightning addresses have no tag', 'lnurl', json(call('GET', /lnurl/), without('tag'))],
  [
    'tiers are in dollars',
    'onchain',
    json(
      call('POST', /tiers$/),
      (body) => void body.forEach?.((tier) => void (tier.estimatedFee.currency = 'USD')),
    ),
  ],
  [
    'receives from inside are LIGHTNING',
    'parties',
    json(call('GET', /receives/), (body) => each(body, (row) => void (row.type = 'LIGHTNING'))),
  ],
  [
    'addresses of requests are of the main network',
    'receive requests',
    json(
      call('POST', /receive-request$/),
      (body) =>
        void (body.onchain && (body.onchain.address = `bc1${body.onchain.address.slice(3)}`)),
    ),
  ],
  ['the same is done twice', 'at once', doneTwice()],
];

/** Every refusal of a second try is a success. */
function doneTwice() {
  return head(refused, (given) => void (given.status = 200));
}

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
