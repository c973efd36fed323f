import { createFetch } from 'ofetch';
import { AuthenticationError } from '../errors/index.ts';
import { hadNoConnection, sendsOnce } from './attempt.ts';
import type { Authorized } from './connection.ts';
import { bearerOf, type Credential, excerptOf, redact } from './credential.ts';

/** Any `fetch` that takes a URL as text. */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

/**
 * Makes the function that sends with ofetch. Retries, redirects, hooks and the reading of the body
 * are switched off: ofetch must not see the bearer outside of a request or send a request
 * elsewhere. `fetch` is read at each call and never called detached. The credential stays in
 * closures, as does the one that the service refused last; both are texts and no promises, so that
 * nothing outlives a request.
 */
export function transportOf(
  fetch: Fetch | undefined,
  credential: Credential | undefined,
): (isRenewal: boolean) => Authorized | Promise<Authorized> {
  let refused: string | undefined;
  const raw = rawOf(fetch);
  const authorized = (token: string | undefined, reject?: () => void): Authorized => ({
    reject,
    redact: (json, body) => redact(json, token, body),
    excerpt: (text, body) => excerptOf(text, token, body),
    provesUnsent: (thrown) => sendsOnce(fetch ?? globalThis.fetch) && hadNoConnection(thrown),
    async send({ url, method, body, signal, idempotencyKey }) {
      const headers = headersOf(token, body, idempotencyKey);
      try {
        return await raw(url, { method, headers, signal, body });
      } catch (thrown) {
        // rethrow what `fetch` threw: a `FetchError` would contain the bearer
        throw (thrown as Error).cause;
      }
    },
  });
  if (typeof credential !== 'function') {
    const sender = authorized(credential);
    return () => sender;
  }
  return async (isRenewal) => {
    const token = await bearerOf(credential, refused);
    if (!isRenewal || token !== refused) return authorized(token, () => void (refused = token));
    throw new AuthenticationError('the source of the token returned the refused one again', {
      code: 'TOKEN_UNAVAILABLE',
      outcome: 'not-done',
    });
  };
}

function rawOf(fetch: Fetch | undefined) {
  return createFetch({
    defaults: { retry: 0, responseType: 'stream', ignoreResponseError: true, redirect: 'manual' },
    // a Map has all members that ofetch uses; `fetch` would copy real headers once more
    Headers: Map<string, string>,
    fetch(url, { method, headers, signal, redirect, body }) {
      const init: RequestInit = { method, headers: Object.fromEntries(headers), signal, redirect };
      if (body !== undefined) init.body = body;
      return fetch ? fetch(url, init) : globalThis.fetch(url, init);
    },
  }).raw;
}

function headersOf(
  token: string | undefined,
  body: string | undefined,
  idempotencyKey: string | undefined,
): [string, string][] {
  const headers: [string, string][] = [['accept', 'application/json']];
  if (token !== undefined) headers.push(['authorization', `Bearer ${token}`]);
  if (body !== undefined) headers.push(['content-type', 'application/json']);
  if (idempotencyKey !== undefined) headers.push(['idempotency-key', idempotencyKey]);
  return headers;
}
