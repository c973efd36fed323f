import { createFetch } from 'ofetch';
import type { WireRequest } from './connection.ts';
import { bearerOf, type Credential } from './credential.ts';
import { AuthenticationError } from '../errors/index.ts';
import { redacted } from './redact.ts';

/** Any `fetch` that takes a URL text. */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

/**
 * Makes the one function that sends: no retry, no redirect, no hook that could see the bearer or move a request; the
 * body is left to be read. `fetch` is looked up at each call and never called detached.
 */
export function transportOf(
  fetch: Fetch | undefined,
  credential: Credential | undefined,
): (request: WireRequest) => Promise<Response> {
  let refused: string | undefined; // a text and no promise: nothing here outlives a request
  const { raw } = createFetch({
    defaults: { retry: 0, responseType: 'stream', ignoreResponseError: true, redirect: 'manual' },
    Headers: Map<string, string>, // has all that is asked of one; `fetch` would copy a real one once more
    fetch(url, { method, headers, signal, redirect, body }) {
      const init: RequestInit = { method, headers: Object.fromEntries(headers), signal, redirect };
      if (body !== undefined) init.body = body;
      return fetch ? fetch(url, init) : globalThis.fetch(url, init);
    },
  });
  return async ({ url, method, body, idempotencyKey, signal, anew, note = {} }) => {
    note.unsent = true;
    const renews = typeof credential === 'function';
    const token = renews ? await bearerOf(credential, refused) : credential; // nobody waits for a plain text
    if (anew && token === refused)
      throw new AuthenticationError('there is no other token', {
        code: 'TOKEN_UNAVAILABLE',
        outcome: 'not-done',
      });
    signal.throwIfAborted(); // while the credential was got
    if (renews)
      note.refuse = () => {
        refused = token;
      };
    note.unsent = false;
    note.redact = (json) => redacted(json, token, body);
    const headers: [string, string][] = [['accept', 'application/json']];
    if (token !== undefined) headers.push(['authorization', `Bearer ${token}`]);
    if (body !== undefined) headers.push(['content-type', 'application/json']);
    if (idempotencyKey !== undefined) headers.push(['idempotency-key', idempotencyKey]);
    try {
      return await raw(url, { method, headers, signal, body });
    } catch (thrown) {
      throw (thrown as Error).cause; // what `fetch` threw: a `FetchError` would bring the bearer along
    }
  };
}
