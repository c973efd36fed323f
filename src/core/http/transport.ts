import { createFetch } from 'ofetch';
import { AuthenticationError } from '../errors/index.ts';
import { hadNoConnection, sendsOnce } from './attempt.ts';
import type { Authorized } from './connection.ts';
import { bearerOf, type Credential, excerptOf, redact } from './credential.ts';

/** Any `fetch` that takes a URL text. */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

/**
 * Makes what sends: no retry, no redirect, no hook that could see the bearer or move a request; the
 * body is left to be read. `fetch` is looked up at each call and never called detached. The
 * credential stays in closures, and the text that the service refused last: a text and no promise,
 * so that nothing here outlives a request.
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
        // what `fetch` threw: a `FetchError` would bring the bearer along
        throw (thrown as Error).cause;
      }
    },
  });
  if (typeof credential !== 'function') return () => authorized(credential);
  return async (isRenewal) => {
    const token = await bearerOf(credential, refused);
    if (!isRenewal || token !== refused) return authorized(token, () => void (refused = token));
    throw new AuthenticationError('there is no other token', {
      code: 'TOKEN_UNAVAILABLE',
      outcome: 'not-done',
    });
  };
}

function rawOf(fetch: Fetch | undefined) {
  return createFetch({
    defaults: { retry: 0, responseType: 'stream', ignoreResponseError: true, redirect: 'manual' },
    // has all that is asked of one; `fetch` would copy a real one once more
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
  const headers: [string, string | undefined][] = [
    ['accept', 'application/json'],
    ['authorization', token && `Bearer ${token}`],
    ['content-type', body && 'application/json'],
    ['idempotency-key', idempotencyKey],
  ];
  return headers.filter((header): header is [string, string] => header[1] !== undefined);
}
