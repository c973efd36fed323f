import { type ServiceCode, serviceCodes } from '../core/errors/index.ts';

/**
 * A refusal on its way to a page or from an object: a code, and for how long asking again is
 * useless (ms).
 */
export interface RelayRefusal {
  readonly status: number;
  readonly code: string;
  readonly wait?: number | undefined;
}

/**
 * How long a page waits where a spent rate limit has no known end: its own guess would be an hour.
 */
const DEFAULT_WAIT = 10_000;

/** A refusal by one of the service's codes, with the status that belongs to it. */
export function refusalBy(code: ServiceCode, wait?: number): RelayRefusal {
  return { status: serviceCodes[code], code, wait };
}

/**
 * What a page is given for an error behind the relay. What is wrong with the relay's own key is the
 * shop's problem: the page gets "not now", and its watch goes on.
 */
export function forPages({ status, code, wait }: RelayRefusal): RelayRefusal {
  if (status === 429) return { status, code, wait: wait ?? DEFAULT_WAIT };
  const isOfThePage = status === 404 || status === 409 || status === 422 || status === 425;
  return isOfThePage ? { status, code, wait } : refusalBy('SERVICE_UNAVAILABLE', wait);
}

/** A refusal in the service's own envelope, so that a page's client reads it like any other. */
export function refusalResponse({ status, code, wait }: RelayRefusal): Response {
  const after = wait === undefined ? {} : { 'retry-after': String(Math.ceil(wait / 1_000)) };
  return jsonResponse({ data: { status, code } }, status, after);
}

export function jsonResponse(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/**
 * Whether a page of the shop may have sent this. Browsers name the origin on everything but plain
 * reads of their own site, which they mark as such. This stops browsers that visit other sites;
 * scripts can say what they like.
 */
export function isFromShop(request: Request, origin: string): boolean {
  const named = request.headers.get('origin');
  if (named !== null) return named === origin;
  const isRead = request.method === 'GET' && request.headers.get('upgrade') === null;
  return isRead && request.headers.get('sec-fetch-site') === 'same-origin';
}

/** A response with the headers that let pages of the shop, and of no other site, read it. */
export function forShop(response: Response, origin: string, now: number): Response {
  const headers = new Headers(response.headers);
  headers.set('access-control-allow-origin', origin);
  headers.set('access-control-expose-headers', 'retry-after, date');
  headers.set('vary', 'Origin');
  headers.set('cache-control', 'no-store');
  headers.set('date', new Date(now).toUTCString());
  return new Response(response.body, { status: response.status, headers });
}

/** The response to a browser's preflight request. */
export function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-max-age': '600',
    },
  });
}

/** Where the platform says which address a request came from. */
const ADDRESS_HEADER = 'cf-connecting-ip';

/**
 * Who asks, as far as an address says: the platform's word for it. Of an IPv6 address the first 64
 * bits (RFC 6177 2), for whoever has one of that network has all of them. Nothing where the platform
 * does not say.
 */
export function visitorOf(headers: Headers): string | undefined {
  const address = headers.get(ADDRESS_HEADER)?.trim();
  return address ? networkOf(address) : undefined;
}

/** An address of IPv4, or the first 64 bits of one of IPv6. */
export function networkOf(address: string): string {
  const plain = /^(::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[2];
  if (plain || !address.includes(':')) return plain ?? address;
  const [head = '', tail = ''] = address.toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const groups = address.includes('::') ? [...before, ...zeros, ...after] : before;
  const network = groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}
