// What a request is about, and what happens to it: facts for the network and the judge, shared by both.

const ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** Commands after which money has moved, or an invoice can be paid; all others are harmless. */
const MONEY = {
  'PATCH /v1/payment-quotes/{id}/execute': 'payment',
  'PATCH /v1/currency-exchange-quotes/{id}/execute': 'exchange',
  'PATCH /v1/payouts/{id}/initiate': 'payout',
  'POST /v1/deposits': 'deposit',
  'POST /v1/invoices': 'invoice',
};

/** A request as the network sees it; `thing` names what must be done once: an id, a key, a correlationId. */
export const requestOf = (input, init = {}) => {
  const { pathname, search } = new URL(input);
  const method = init.method ?? 'GET';
  const [id] = pathname.match(ID) ?? [];
  const kind = `${method} ${pathname.replace(ID, '{id}')}`;
  const body = init.body;
  const headers = { ...init.headers };
  const resource = MONEY[kind];
  const thing =
    { deposit: () => headers['idempotency-key'], invoice: () => JSON.parse(body).correlationId }[
      resource
    ]?.() ??
    (resource && id);
  return { method, path: pathname + search, kind, id, resource, thing, body, headers };
};

/** The id of what an answer is about. */
export const idIn = (json) =>
  json?.paymentId ?? json?.invoiceId ?? json?.paymentQuoteId ?? json?.id;

export const jsonOf = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const PAGE = '<!doctype html><title>Wi-Fi</title><h1>Welcome</h1>';
const html = (status) => ({ status, text: PAGE, type: 'text/html; charset=utf-8' });

/** The envelope of the service. */
export const refusal = (status, code, values) => ({
  status,
  text: JSON.stringify({
    traceId: 'adversary',
    data: { status, code, message: code, ...(values && { values }) },
  }),
});

/** Answers of a portal or a proxy instead of the service's. */
export const PORTALS = {
  page: html(200),
  'page-206': html(206),
  'error-member': { status: 200, text: '{"error":"nope"}' },
  'empty-200': { status: 200, text: '' },
  'empty-204': { status: 204, text: '' },
};

export const GATEWAYS = [html(502), html(503), html(504)];
export const GATEWAY_CODES = [
  refusal(502, 'BAD_GATEWAY'),
  refusal(503, 'SERVICE_UNAVAILABLE'),
  refusal(504, 'GATEWAY_TIMEOUT'),
];
export const NOT_FOUND_PAGE = html(404);
export const REDIRECTS = [302, 307].map((status) => ({
  status,
  text: '',
  location: 'https://portal.example/',
}));

/** What the service may say of a try that it has not done. */
const ALWAYS = [
  [429, 'RATE_LIMIT_EXCEEDED'],
  [429, 'TOO_MANY_ATTEMPTS'],
  [425, 'ACCOUNT_NOT_READY'],
  [401, 'UNAUTHORIZED'],
  [403, 'FORBIDDEN'],
];
const OF_RESOURCE = {
  payment: [
    [422, 'BALANCE_TOO_LOW'],
    [422, 'BALANCE_TOO_LOW'],
    [422, 'LN_ROUTE_NOT_FOUND'],
    [404, 'NOT_FOUND'],
    [422, 'INVALID_STATE_FOR_INVOICE_PAID'],
    [422, 'INVALID_STATE_FOR_INVOICE_EXPIRED'],
  ],
  exchange: [
    [422, 'BALANCE_TOO_LOW'],
    [422, 'BALANCE_TOO_LOW'],
    [404, 'NOT_FOUND'],
  ],
  payout: [
    [422, 'BALANCE_TOO_LOW'],
    [422, 'BALANCE_TOO_LOW'],
    [422, 'PAYMENT_METHOD_NOT_READY'],
    [404, 'NOT_FOUND'],
  ],
  deposit: [
    [422, 'DEPOSIT_LIMIT_EXCEEDED'],
    [422, 'PAYMENT_METHOD_NOT_READY'],
  ],
  invoice: [[422, 'USER_CURRENCY_UNAVAILABLE']],
};

export const refusalsOf = (resource) =>
  [...ALWAYS, ...(OF_RESOURCE[resource] ?? [])].map(([status, code]) => refusal(status, code));

/** What says that it is under way. */
export const underWay = (resource) =>
  resource === 'payment' ? refusal(422, 'PROCESSING_PAYMENT') : refusal(409, 'PROCESSING_CONFLICT');
