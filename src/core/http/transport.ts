import { createFetch } from 'ofetch';
import { AuthenticationError } from '../errors/index.ts';
import { fetchBy, textIn } from './attempt.ts';
import type { Authorized, Fetch, FetchInit } from './connection.ts';
import { readBearer, type Credential, redactExcerpt, redact } from './credential.ts';

// Only `createConnection` imports this file and ofetch, so code that just receives webhooks doesn't
// load them.

/**
 * Creates the function that sends requests with ofetch. Its retries, redirects, hooks and body
 * parsing are disabled, so it can't send a request to another server or use the bearer token
 * outside a request. Credentials are kept in closures as strings and not as promises, because a
 * promise can't be shared between the requests of a Worker.
 */
export function makeTransport(
  fetch: Fetch | undefined,
  credential: Credential | undefined,
): (isRenewal: boolean) => Authorized | Promise<Authorized> {
  let refused: string | undefined;
  const { raw } = ofetchOver(fetch);
  const authorized = (token: string | undefined, reject?: () => void): Authorized => ({
    reject,
    redact: (json, body) => redact(json, token, body),
    excerpt: (text, body) => redactExcerpt(text, token, body),
    isSent: (thrown) => !(sendsOnce(fetch ?? globalThis.fetch) && hadNoConnection(thrown)),
    async send({ url, method, body, signal, idempotencyKey }) {
      const headers: [string, string][] = [['accept', 'application/json']];
      if (token !== undefined) headers.push(['authorization', `Bearer ${token}`]);
      if (body !== undefined) headers.push(['content-type', 'application/json']);
      if (idempotencyKey !== undefined) headers.push(['idempotency-key', idempotencyKey]);
      try {
        return await raw(url, { method, headers, signal, body });
      } catch (thrown) {
        // Rethrow the original error, because ofetch's `FetchError` contains the bearer token.
        throw (thrown as Error).cause;
      }
    },
  });
  if (typeof credential !== 'function') {
    const sender = authorized(credential);
    return () => sender;
  }
  return async (isRenewal) => {
    const token = await readBearer(credential, refused);
    if (!isRenewal || token !== refused) return authorized(token, () => void (refused = token));
    throw new AuthenticationError('the token source returned the rejected token again', {
      code: 'TOKEN_UNAVAILABLE',
      outcome: 'not-done',
    });
  };
}

function ofetchOver(fetch: Fetch | undefined) {
  let takesCache = true;
  return createFetch({
    defaults: { retry: 0, responseType: 'stream', ignoreResponseError: true, redirect: 'manual' },
    // A Map has all the methods that ofetch uses. `fetch` would have to copy real `Headers` again.
    Headers: Map<string, string>,
    async fetch(url, { method, headers, signal, redirect, body }) {
      const plain = { method, headers: Object.fromEntries(headers), signal, redirect };
      const init: FetchInit = body === undefined ? plain : { ...plain, body };
      if (!takesCache) return fetchBy(fetch, url, init);
      try {
        // A response from the cache of a browser, proxy or framework may be outdated.
        return await fetchBy(fetch, url, { ...init, cache: 'no-store' });
      } catch (thrown) {
        if (!refusesCache(thrown)) throw thrown;
        takesCache = false;
        return fetchBy(fetch, url, init);
      }
    },
  });
}

/**
 * Checks whether the runtime rejected the `cache` option before it sent the request. workerd does
 * that with compatibility dates before 2024-11-11.
 */
function refusesCache(thrown: unknown): boolean {
  const message = textIn(thrown, 'message') ?? '';
  return /'cache' field .*not implemented|unsupported cache mode/i.test(message);
}

/** A network error in Node. `errors` contains one entry per address that was tried. */
interface SystemError {
  readonly syscall?: string;
  readonly errors?: readonly SystemError[];
}

/**
 * Checks whether the request failed before a connection was made, with an error such as ENOTFOUND,
 * EAI_AGAIN or ECONNREFUSED. Only Node includes the failed system call in its errors.
 */
function hadNoConnection(thrown: unknown): boolean {
  const cause = (thrown as { readonly cause?: SystemError } | undefined)?.cause;
  const all = cause?.errors ?? [cause];
  return all.length > 0 && all.every((one) => /^(getaddrinfo|connect)$/.test(one?.syscall ?? ''));
}

/**
 * Checks whether a `fetch` sends a request at most once. Only Node's own `fetch` does, unless its
 * dispatcher retries. Deno, and Bun for some methods, send the request again after a broken
 * connection. If the second connection is refused, they only report that error, although the first
 * request may have been processed.
 */
function sendsOnce(fetch: unknown): boolean {
  const source = typeof fetch === 'function' ? Function.prototype.toString.call(fetch) : '';
  if (!source.includes('internal/deps/undici')) return false;
  return [1, 2].every((version) => {
    const key = Symbol.for(`undici.globalDispatcher.${version}`);
    const dispatcher = Reflect.get(globalThis, key) as { readonly dispatch: unknown } | undefined;
    if (!dispatcher) return true;
    const { constructor, dispatch } = Object.getPrototypeOf(dispatcher) as typeof dispatcher;
    return constructor.name === 'Agent' && dispatcher.dispatch === dispatch;
  });
}
