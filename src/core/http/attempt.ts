import { createFetch } from 'ofetch';
import { AuthenticationError, type ErrorCause, isPaystateError } from '../errors/index.ts';
import { onAbort } from '../time.ts';
import { type Authorized, type Connection, internals, type WireRequest } from './connection.ts';
import { bearerOf, type Credential, excerptOf, redact } from './credential.ts';

/** The result of one attempt, before it is classified. */
export type AttemptResult = Responded | NoResponse;

/** A response of the service, or of a proxy in front of it. */
export interface Responded {
  readonly reason?: undefined;
  readonly isUnsent?: undefined;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The sender of the request, with its credential. */
  readonly sender: Authorized;
}

/** There was no response that could be read to its end. */
export interface NoResponse {
  readonly reason:
    | 'TOKEN_UNAVAILABLE'
    | 'TIMEOUT'
    | 'ABORTED'
    | 'OFFLINE'
    | 'UNREACHABLE'
    | 'RESPONSE_TOO_LARGE';
  readonly status: number | undefined;
  /** Nothing was sent: no credential could be had, or no connection was made. */
  readonly isUnsent: boolean;
  /** The error of the credential's source; anything else that it throws is not read. */
  readonly login?: AuthenticationError | undefined;
  /** The error that was thrown once there was a credential. */
  readonly cause?: ErrorCause | undefined;
  readonly sender?: undefined;
}

type Request = Omit<WireRequest, 'signal'>;

/**
 * Sends once. The time limit includes reading the body, and it ends the attempt at once even if the
 * work under way ignores the signal. It never throws: the messages of runtimes differ and may
 * contain the credential.
 */
export function attemptOnce(
  connection: Connection,
  request: Request,
  isRenewal: boolean,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<AttemptResult> {
  const { clock, settings, authorize } = connection[internals];
  const ended = new AbortController();
  let sender: Authorized | undefined;
  let status: number | undefined;

  return new Promise((resolve) => {
    const settle = (result: AttemptResult) => {
      cancel();
      unlisten();
      resolve(result);
    };
    const end = (why: NoResponse['reason'], thrown?: unknown) => {
      const reason = sender || why === 'ABORTED' ? why : 'TOKEN_UNAVAILABLE';
      const cause = sender && causeOf(thrown, (json) => sender!.redact(json, request.body));
      const isUnsent = !sender || (!status && why !== 'TIMEOUT' && sender.isUnsent(thrown));
      const login =
        isPaystateError(thrown) && thrown.kind === 'authentication' ? thrown : undefined;
      settle({ reason, status, isUnsent, login, cause });
      ended.abort(why);
    };
    const abort = () => end('ABORTED');
    const cancel = clock.after(timeout, () => end('TIMEOUT'));
    const unlisten = onAbort(signal, abort);
    if (signal?.aborted) return abort();
    exchange().then(settle, (thrown) => end(lossOf(), thrown));
  });

  async function exchange(): Promise<AttemptResult> {
    const ready = await authorize(isRenewal);
    ended.signal.throwIfAborted(); // the attempt may have ended while the credential was fetched
    sender = ready;
    const response = await sender.send({ ...request, signal: ended.signal });
    ({ status } = response);
    const body = readBody(response, settings.maxResponseBytes);
    const text = await clock.external(body);
    return text === undefined
      ? { reason: 'RESPONSE_TOO_LARGE', status, isUnsent: false }
      : { status, headers: response.headers, text, sender };
  }
}

/** Only `navigator.onLine` proves that the platform is offline; network failures do not say why. */
function lossOf(): NoResponse['reason'] {
  return globalThis.navigator?.onLine === false ? 'OFFLINE' : 'UNREACHABLE';
}

/**
 * Reads a body as text and counts its bytes as they arrive. Returns `undefined` when it is longer
 * than `cap` bytes, whatever the headers say.
 */
export async function readBody(
  message: Pick<Response, 'body'>,
  cap: number,
): Promise<string | undefined> {
  const reader = message.body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  // most bodies are one chunk, and decoding one without `stream` takes half the time
  let last: Uint8Array | undefined;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode(last);
    size += value.byteLength;
    if (size > cap) {
      reader.cancel().catch(() => {}); // the rest is not needed
      return undefined;
    }
    if (last) text += decoder.decode(last, { stream: true });
    last = value;
  }
}

/**
 * Returns what the runtime says of a failed request: its innermost reason, without addresses.
 * `redact` removes secrets before texts are shortened, so that no part of a secret remains.
 */
function causeOf(thrown: unknown, redact: (json: string) => string): ErrorCause | undefined {
  try {
    const { name = 'Error', message, code } = ((thrown as Error).cause ?? thrown) as ErrorCause;
    const said = JSON.parse(redact(JSON.stringify({ name, message, code }))) as ErrorCause;
    for (const [member, text] of Object.entries(said))
      Reflect.set(said, member, withoutUrls(text).slice(0, member === 'message' ? 120 : 40));
    return said;
  } catch {
    return undefined; // nothing was thrown, or a value that JSON cannot hold
  }
}

function withoutUrls(text: unknown): string {
  return `${text}`.replace(/\w+:\/\/[^\s)]*/g, '[url]');
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
  const { raw } = ofetchOver(fetch);
  const authorized = (token: string | undefined, reject?: () => void): Authorized => ({
    reject,
    redact: (json, body) => redact(json, token, body),
    excerpt: (text, body) => excerptOf(text, token, body),
    isUnsent: (thrown) => sendsOnce(fetch ?? globalThis.fetch) && hadNoConnection(thrown),
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
    throw new AuthenticationError('the token source returned the refused token again', {
      code: 'TOKEN_UNAVAILABLE',
      outcome: 'not-done',
    });
  };
}

function ofetchOver(fetch: Fetch | undefined) {
  return createFetch({
    defaults: { retry: 0, responseType: 'stream', ignoreResponseError: true, redirect: 'manual' },
    // a Map has all members that ofetch uses; `fetch` would copy real headers once more
    Headers: Map<string, string>,
    fetch(url, { method, headers, signal, redirect, body }) {
      const init: RequestInit = { method, headers: Object.fromEntries(headers), signal, redirect };
      if (body !== undefined) init.body = body;
      return fetch ? fetch(url, init) : globalThis.fetch(url, init);
    },
  });
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
