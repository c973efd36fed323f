import type { WireRequest } from './connection.ts';

/** Any `fetch` that takes a URL text. */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

/**
 * Makes the one function that sends: no retry, no redirect, no hook that could see the bearer or move a request.
 * `fetch` is looked up at each call and never called detached.
 */
export function transportOf(fetch: Fetch | undefined, bearer: () => Promise<string | undefined>): (request: WireRequest) => Promise<Response> {
  return async ({ url, method, body, idempotencyKey, signal }) => {
    const token = await bearer();
    const headers = {
      accept: 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    };
    const init: RequestInit = { method, headers, signal, redirect: 'manual', ...(body !== undefined && { body }) };
    return fetch ? fetch(url, init) : globalThis.fetch(url, init);
  };
}
