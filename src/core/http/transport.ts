import { createFetch } from 'ofetch';
import { AuthenticationError } from '../errors/index.ts';
import { fetchBy, textIn } from './attempt.ts';
import type { Authorized, Fetch, FetchInit } from './connection.ts';
import { readBearer, type Credential, redactExcerpt, redact } from './credential.ts';

// Only clients that are made here load this file, and ofetch with it: in Node, webhooks do without.

/**
 * Makes the function that sends with ofetch. Retries, redirects, hooks and the reading of the body
 * are switched off: ofetch must not see the bearer outside of a request or send a request
 * elsewhere. The credential stays in closures, as does the one that the service refused last; both
 * are texts and no promises, so that nothing outlives a request.
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
    const token = await readBearer(credential, refused);
    if (!isRenewal || token !== refused) return authorized(token, () => void (refused = token));
    throw new AuthenticationError('the token source returned the refused token again', {
      code: 'TOKEN_UNAVAILABLE',
      outcome: 'not-done',
    });
  };
}

function ofetchOver(fetch: Fetch | undefined) {
  let takesCache = true;
  return createFetch({
    defaults: { retry: 0, responseType: 'stream', ignoreResponseError: true, redirect: 'manual' },
    // a Map has all members that ofetch uses; `fetch` would copy real headers once more
    Headers: Map<string, string>,
    async fetch(url, { method, headers, signal, redirect, body }) {
      const plain = { method, headers: Object.fromEntries(headers), signal, redirect };
      const init: FetchInit = body === undefined ? plain : { ...plain, body };
      if (!takesCache) return fetchBy(fetch, url, init);
      try {
        // what a browser, a proxy or a framework kept of an earlier request says nothing about now
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
 * Tells whether a runtime refused the member `cache` before it sent anything, as workerd does with
 * compatibility dates before 2024-11-11.
 */
function refusesCache(thrown: unknown): boolean {
  const message = textIn(thrown, 'message') ?? '';
  return /'cache' field .*not implemented|unsupported cache mode/i.test(message);
}

/**
 * An error of Node's network layer: the system call that failed, and one error for each address
 * that it tried.
 */
interface SystemError {
  readonly syscall?: string;
  readonly errors?: readonly SystemError[];
}

/**
 * Tells whether no connection was made: the host has no address, or none of its addresses accepts
 * one (ENOTFOUND, EAI_AGAIN, ECONNREFUSED). Only Node names the system call that failed.
 */
function hadNoConnection(thrown: unknown): boolean {
  const cause = (thrown as { readonly cause?: SystemError } | undefined)?.cause;
  const all = cause?.errors ?? [cause];
  return all.length > 0 && all.every((one) => /^(getaddrinfo|connect)$/.test(one?.syscall ?? ''));
}

/**
 * Tells whether a `fetch` sends a request at most once. Only Node's own does, without a dispatcher
 * that retries. Deno, and Bun for some methods, send a request again after its connection broke. If
 * the second connection is refused, they report that, although the first request may have been
 * done.
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
