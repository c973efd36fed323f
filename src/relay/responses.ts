import { serviceCodes, type ServiceCode } from '../core/errors/index.ts';

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
