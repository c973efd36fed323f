import { readBody } from './body.ts';
import { causeOf } from './cause.ts';
import { onAbort } from '../time/index.ts';
import { type Authorized, type Connection, internals, type WireRequest } from './connection.ts';
import { isPaystateError, type AuthenticationError, type ErrorCause } from '../errors/index.ts';

/** What came of sending once, before it is classified. */
export type AttemptResult = Responded | NoResponse;

/** A response, of the service or of something before it. */
export interface Responded {
  readonly reason?: undefined;
  readonly isUnsent?: undefined;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** What sent the request. */
  readonly sender: Authorized;
}

/** No response that could be read to its end. */
export interface NoResponse {
  readonly reason:
    | 'TOKEN_UNAVAILABLE'
    | 'TIMEOUT'
    | 'ABORTED'
    | 'OFFLINE'
    | 'UNREACHABLE'
    | 'RESPONSE_TOO_LARGE';
  readonly status: number | undefined;
  /** Nothing was sent: there was no credential to send it with, or no connection was made. */
  readonly isUnsent: boolean;
  /** What the source of the credential says about that; nothing else that it throws is read. */
  readonly login?: AuthenticationError | undefined;
  /** What was thrown once there was a credential. */
  readonly cause?: ErrorCause | undefined;
  readonly sender?: undefined;
}

type Request = Omit<WireRequest, 'signal'>;

/**
 * Sends once under a time limit that stays armed while the body is read. The end counts at once,
 * even if what is under way does not listen. Never throws: the runtimes' own messages differ and
 * may hold the credential.
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
      const isUnsent = !sender || (!status && why !== 'TIMEOUT' && sender.provesUnsent(thrown));
      settle({ reason, status, isUnsent, login: loginErrorIn(thrown), cause });
      ended.abort(why);
    };
    const abort = () => end('ABORTED');
    const cancel = clock.after(timeout, () => end('TIMEOUT'));
    const unlisten = onAbort(signal, abort);
    if (signal?.aborted) return abort();
    exchange().then(settle, (thrown) => end(lossOf(), thrown));
  });

  async function exchange(): Promise<AttemptResult> {
    const authorized = authorize(isRenewal);
    // a plain text costs no turn
    const ready = authorized instanceof Promise ? await authorized : authorized;
    ended.signal.throwIfAborted(); // while the credential was got
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

/** Only a platform that says so is offline: no other failure of the network shows why it is one. */
function lossOf(): NoResponse['reason'] {
  return globalThis.navigator?.onLine === false ? 'OFFLINE' : 'UNREACHABLE';
}

function loginErrorIn(thrown: unknown): AuthenticationError | undefined {
  return isPaystateError(thrown) && thrown.kind === 'authentication' ? thrown : undefined;
}
