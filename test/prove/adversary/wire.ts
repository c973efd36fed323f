// Facts about requests and responses that the network and the judge share.
import type { Money } from 'paystate/money';

const ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** Resources whose commands move money, or make an invoice that can be paid. */
export type MoneyResource = 'payment' | 'exchange' | 'payout' | 'deposit' | 'invoice';

/** Commands after which money has moved, or an invoice can be paid; all others are harmless. */
const MONEY: Readonly<Record<string, MoneyResource>> = {
  'PATCH /v1/payment-quotes/{id}/execute': 'payment',
  'PATCH /v1/currency-exchange-quotes/{id}/execute': 'exchange',
  'PATCH /v1/payouts/{id}/initiate': 'payout',
  'POST /v1/deposits': 'deposit',
  'POST /v1/invoices': 'invoice',
};

/** A request as the network sees it. */
export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Method and path, ids replaced. */
  readonly kind: string;
  readonly id: string | undefined;
  readonly resource: MoneyResource | undefined;
  /** Names what must be done once: an id, a key or a correlationId. */
  readonly thing: string | undefined;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** A response as the network hands it on. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly type?: string | undefined;
  readonly date?: string | null | undefined;
  readonly location?: string | undefined;
  /** The connection ends in the middle of the body. */
  readonly isCut?: boolean | undefined;
}

/** Members of a response body that are compared, whatever it is about. */
export interface ServiceJson {
  readonly paymentId?: string;
  readonly invoiceId?: string;
  readonly paymentQuoteId?: string;
  readonly id?: string;
  readonly state?: string;
  readonly amount?: Money;
  readonly data?: {
    readonly code?: string;
    readonly values?: { readonly paymentId?: string };
  };
}

type FetchInput = string | URL | Request;

function thingOf(
  resource: MoneyResource | undefined,
  id: string | undefined,
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
): string | undefined {
  if (resource === 'deposit') return headers['idempotency-key'];
  if (resource === 'invoice')
    return (JSON.parse(body ?? '{}') as { correlationId?: string }).correlationId;
  return resource && id;
}

/** Reads what a client hands to its `fetch`. */
export function requestOf(input: FetchInput, init: RequestInit = {}): WireRequest {
  const { pathname, search } = new URL(input instanceof Request ? input.url : input);
  const method = init.method ?? 'GET';
  const [id] = pathname.match(ID) ?? [];
  const kind = `${method} ${pathname.replace(ID, '{id}')}`;
  const body = typeof init.body === 'string' ? init.body : undefined;
  const headers = { ...(init.headers as Readonly<Record<string, string>> | undefined) };
  const resource = MONEY[kind];
  const thing = thingOf(resource, id, headers, body);
  return { method, path: pathname + search, kind, id, resource, thing, body, headers };
}

/** The id of what a body is about. */
export const idIn = (json: ServiceJson | undefined): string | undefined =>
  json?.paymentId ?? json?.invoiceId ?? json?.paymentQuoteId ?? json?.id;

/** A result of a call: a resource, or an invoice with other facts. */
type Named = ServiceJson & { readonly invoice?: ServiceJson };

/** The id of what a call resolved to. */
export function nameOf(value: unknown): string | undefined {
  const named = value as Named | null | undefined;
  return named?.paymentId ?? named?.invoice?.invoiceId ?? named?.invoiceId ?? named?.id;
}

export function jsonOf(text: string): ServiceJson | undefined {
  try {
    return JSON.parse(text) as ServiceJson;
  } catch {
    return undefined;
  }
}

const PAGE = '<!doctype html><title>Wi-Fi</title><h1>Welcome</h1>';
const html = (status: number): Answer => ({ status, text: PAGE, type: 'text/html; charset=utf-8' });

/** The envelope of the service. */
const refusal = (status: number, code: string): Answer => ({
  status,
  text: JSON.stringify({ traceId: 'adversary', data: { status, code, message: code } }),
});

/** Responses of a portal or a proxy instead of the service's. */
export const PORTALS: Readonly<Record<string, Answer>> = {
  page: html(200),
  'page-206': html(206),
  'error-member': { status: 200, text: '{"error":"nope"}' },
  'empty-200': { status: 200, text: '' },
  'empty-204': { status: 204, text: '' },
};

export const GATEWAYS: readonly Answer[] = [html(502), html(503), html(504)];
export const GATEWAY_CODES: readonly Answer[] = [
  refusal(502, 'BAD_GATEWAY'),
  refusal(503, 'SERVICE_UNAVAILABLE'),
  refusal(504, 'GATEWAY_TIMEOUT'),
];
export const NOT_FOUND_PAGE: Answer = html(404);
export const REDIRECTS: readonly Answer[] = [302, 307].map((status) => ({
  status,
  text: '',
  location: 'https://portal.example/',
}));

type Refusal = readonly [status: number, code: string];

/** Refusals that any request may meet. */
const ALWAYS: readonly Refusal[] = [
  [429, 'RATE_LIMIT_EXCEEDED'],
  [429, 'TOO_MANY_ATTEMPTS'],
  [425, 'ACCOUNT_NOT_READY'],
  [401, 'UNAUTHORIZED'],
  [403, 'FORBIDDEN'],
];
const OF_RESOURCE: Readonly<Record<MoneyResource, readonly Refusal[]>> = {
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

/** Refusals of a try that the service has not done. */
export const refusalsOf = (resource: MoneyResource | undefined): readonly Answer[] =>
  [...ALWAYS, ...(resource ? OF_RESOURCE[resource] : [])].map(([status, code]) =>
    refusal(status, code),
  );

/** Says that it is under way. */
export const underWay = (resource: MoneyResource): Answer =>
  resource === 'payment' ? refusal(422, 'PROCESSING_PAYMENT') : refusal(409, 'PROCESSING_CONFLICT');
