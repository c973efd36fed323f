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

export type AttemptResult = Responded | NoResponse;

export interface Responded {
  readonly reason?: undefined;
  readonly isSent: true;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly sender: Authorized;
}

export interface NoResponse {
  readonly reason:
    | 'TOKEN_UNAVAILABLE'
    | 'TIMEOUT'
    | 'ABORTED'
    | 'OFFLINE'
    | 'UNREACHABLE'
    | 'RESPONSE_TOO_LARGE';
  readonly status: number | undefined;
  /** False if the request wasn't sent because there was no credential or no connection. */
  readonly isSent: boolean;
  /** The authentication error thrown by the token function, if any. */
  readonly login?: AuthenticationError | undefined;
  /** An error that a framework throws for control flow. The call rethrows it. */
  readonly steering?: Error | undefined;
  readonly cause?: ErrorCause | undefined;
  readonly sender?: undefined;
}

/**
 * Sends one request. The timeout includes reading the body, and applies even if the runtime ignores
 * the abort signal. Never throws, because runtimes report errors differently and their messages may
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
      // Network errors don't include a reason, so only `onLine` proves that the device is offline.
      end(globalThis.navigator?.onLine === false ? 'OFFLINE' : 'UNREACHABLE', thrown),
    );
  });

  async function exchange(): Promise<AttemptResult> {
    const ready = await authorize(isRenewal);
    ended.signal.throwIfAborted(); // the attempt may have timed out or been aborted in the meantime
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
 * Calls the caller's `fetch`, or the platform's. The platform's `fetch` is looked up on each call
 * and called as a method of `globalThis`.
 */
export function fetchBy(fetch: Fetch | undefined, url: string, init: FetchInit): Promise<Response> {
  // Only members of `FetchResponse` are used, because the response may come from another package.
  return (fetch ? fetch(url, init) : globalThis.fetch(url, init)) as Promise<Response>;
}

/**
 * Reads a body as text, or returns `undefined` if it's longer than `cap` bytes. Bodies without a
 * stream (React Native, node-fetch 2, many mocks) are read completely before they're measured.
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
  // Leave the latest chunk undecoded. Most bodies arrive in one chunk, and decoding it without
  // `stream` is twice as fast.
  let last: Uint8Array | undefined;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode(last);
    size += value.byteLength;
    if (size > cap) {
      reader.cancel().catch(() => {});
      return undefined;
    }
    if (last) text += decoder.decode(last, { stream: true });
    last = value;
  }
}

/**
 * Checks whether a thrown value is an error that a framework throws for control flow, which isn't a
 * failure. Next.js and React mark such errors with a `digest`.
 */
function isSteering(thrown: unknown): thrown is Error {
  return textIn(thrown, 'digest') !== undefined;
}

/** Returns a string property of a thrown value, even if reading the property throws. */
export function textIn(thrown: unknown, member: 'digest' | 'message'): string | undefined {
  try {
    const text = (thrown as Readonly<Record<string, unknown>> | undefined)?.[member];
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Describes the underlying error of a failed request, without URLs. `redact` is applied before
 * strings are shortened, so that shortening can't leave part of a secret.
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
    return undefined; // there was no error, or JSON can't represent it
  }
}
