import { type AuthenticationError, type ErrorCause, isPaystateError } from '../errors/index.ts';
import { onAbort } from '../time.ts';
import {
  type Authorized,
  type Connection,
  type Fetch,
  type FetchInit,
  internals,
  type WireRequest,
} from './connection.ts';

/** The result of one attempt, before it is classified. */
export type AttemptResult = Responded | NoResponse;

/** A response of the service, or of a proxy in front of it. */
export interface Responded {
  readonly reason?: undefined;
  readonly isSent: true;
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
  /** False where nothing was sent: no credential could be had, or no connection was made. */
  readonly isSent: boolean;
  /** The error of the credential's source; anything else that it throws is not read. */
  readonly login?: AuthenticationError | undefined;
  /** What a framework threw to steer its page, instead of a response: its caller gets it. */
  readonly steering?: Error | undefined;
  /** The error that was thrown once there was a credential. */
  readonly cause?: ErrorCause | undefined;
  readonly sender?: undefined;
}

/**
 * Sends once. The time limit includes reading the body, and it ends the attempt at once even if the
 * work under way ignores the signal. It never throws: the messages of runtimes differ and may
 * contain the credential.
 */
export function attemptOnce(
  connection: Connection,
  request: Omit<WireRequest, 'signal'>,
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
      const cause = sender && describeCause(thrown, (json) => sender!.redact(json, request.body));
      const isSent = !!sender && (!!status || why === 'TIMEOUT' || sender.isSent(thrown));
      const login =
        isPaystateError(thrown) && thrown.kind === 'authentication' ? thrown : undefined;
      const steering = isSteering(thrown) ? thrown : undefined;
      settle({ reason, status, isSent, login, steering, cause });
      ended.abort(why);
    };
    const abort = () => end('ABORTED');
    const cancel = clock.after(timeout, () => end('TIMEOUT'));
    const unlisten = onAbort(signal, abort);
    if (signal?.aborted) return abort();
    exchange().then(settle, (thrown) =>
      // only `onLine` proves that the platform is offline; network failures do not say why
      end(globalThis.navigator?.onLine === false ? 'OFFLINE' : 'UNREACHABLE', thrown),
    );
  });

  async function exchange(): Promise<AttemptResult> {
    const ready = await authorize(isRenewal);
    ended.signal.throwIfAborted(); // the attempt may have ended while the credential was fetched
    sender = ready;
    const response = await sender.send({ ...request, signal: ended.signal });
    ({ status } = response);
    const text = await clock.external(readBody(response, settings.maxResponseBytes));
    return text === undefined
      ? { reason: 'RESPONSE_TOO_LARGE', status, isSent: true }
      : { isSent: true, status, headers: response.headers, text, sender };
  }
}

/**
 * Calls the caller's `fetch`, or the platform's, which is read at each call and never called
 * detached.
 */
export function fetchBy(fetch: Fetch | undefined, url: string, init: FetchInit): Promise<Response> {
  // of a response that another package made, only what `FetchResponse` names is read
  return (fetch ? fetch(url, init) : globalThis.fetch(url, init)) as Promise<Response>;
}

/**
 * Reads a body as text and counts its bytes as they arrive. Returns `undefined` when it is longer
 * than `cap` bytes, whatever the headers say. Messages without a stream (React Native, node-fetch 2,
 * many mocks) are read whole and then measured.
 */
export async function readBody(
  message: Pick<Response, 'body' | 'text'>,
  cap: number,
): Promise<string | undefined> {
  const reader = message.body?.getReader?.();
  if (!reader) {
    const whole = await message.text();
    return new TextEncoder().encode(whole).length > cap ? undefined : whole;
  }
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
 * Tells whether a framework steers its page by an error: Next and React mark theirs with a
 * `digest`, and `fetch` or a token source may throw one. It is no failure of the request.
 */
function isSteering(thrown: unknown): thrown is Error {
  return textIn(thrown, 'digest') !== undefined;
}

/** Returns a text of what a stranger threw, whose members may throw themselves. */
export function textIn(thrown: unknown, member: 'digest' | 'message'): string | undefined {
  try {
    const text = (thrown as Readonly<Record<string, unknown>> | undefined)?.[member];
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns what the runtime says of a failed request: its innermost reason, without addresses.
 * `redact` removes secrets before texts are shortened, so that no part of a secret remains.
 */
function describeCause(thrown: unknown, redact: (json: string) => string): ErrorCause | undefined {
  try {
    const { name = 'Error', message, code } = ((thrown as Error).cause ?? thrown) as ErrorCause;
    const said = JSON.parse(redact(JSON.stringify({ name, message, code }))) as ErrorCause;
    for (const [member, text] of Object.entries(said))
      Reflect.set(
        said,
        member,
        `${text}`.replace(/\w+:\/\/[^\s)]*/g, '[url]').slice(0, member === 'message' ? 120 : 40),
      );
    return said;
  } catch {
    return undefined; // nothing was thrown, or a value that JSON cannot hold
  }
}
