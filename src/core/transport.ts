import type { WireRequest } from './connection.ts';
import { LoginError } from './errors.ts';

/** Any `fetch` that takes a URL text. */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

/** Gets the bearer text; `refused` is the one that the service refused last. */
export interface Bearer {
  (refused?: string): Promise<string | undefined>;
  /** There may be another one after a refusal. */
  readonly renews: boolean;
}

/**
 * Makes the one function that sends: no retry, no redirect, no hook that could see the bearer or move a request.
 * `fetch` is looked up at each call and never called detached.
 */
export function transportOf(fetch: Fetch | undefined, bearer: Bearer): (request: WireRequest) => Promise<Response> {
  let refused: string | undefined; // a text and no promise: nothing here outlives a request
  return async ({ url, method, body, idempotencyKey, signal, anew, note = {} }) => {
    note.unsent = true;
    const token = await bearer(refused);
    if (anew && token === refused) throw new LoginError('there is no other token', { code: 'TOKEN_UNAVAILABLE', outcome: 'not-done' });
    signal.throwIfAborted(); // while the credential was got
    if (bearer.renews) note.refuse = () => { refused = token; };
    note.unsent = false;
    const headers: Record<string, string> = { accept: 'application/json' };
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
    const init: RequestInit = { method, headers, signal, redirect: 'manual' };
    if (body !== undefined) init.body = body;
    return fetch ? fetch(url, init) : globalThis.fetch(url, init);
  };
}
