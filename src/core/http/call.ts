import {
  badField,
  InputError,
  isHarmless,
  type Expected,
  type RefusedError,
  toValidationError,
  toValidationErrors,
} from '../errors/index.ts';
import { type Connection, internals } from './connection.ts';
import { checkIdempotencyKey } from './credential.ts';
import type { AnyEndpoint, Asked } from './endpoint.ts';
import type { NameLifetime } from './once.ts';
import { getOrMake } from './rate-limiter.ts';

/** An operation's value, with details about its response. */
export interface CallResult<T> {
  /** The operation's value. */
  readonly value: T;
  /** HTTP status of the response. */
  readonly status: number;
  /** Response headers. */
  readonly headers: Headers;
  /** Number of times the request was sent. */
  readonly attempts: number;
  /** Time that the call spent waiting for the rate limit and between attempts, in milliseconds. */
  readonly waited: number;
}

/** A promise for an operation's value. `withResponse` also gives you details about the response. */
export interface Call<T> extends Promise<T> {
  /**
   * Resolves to the value together with the response's status and headers, the number of attempts
   * and the waiting time.
   */
  withResponse(): Promise<CallResult<T>>;
}

export function makeCall<T>(result: Promise<CallResult<T>>): Call<T> {
  const call = result.then((one) => one.value) as Promise<T> & { withResponse?: unknown };
  call.withResponse = () => {
    call.catch(() => {}); // the returned promise already reports the failure
    return result;
  };
  return call as Call<T>;
}

/** Calls `make`. If `make` throws, returns a call that rejects with its error. */
export function callBy<T>(make: () => Call<T>): Call<T> {
  try {
    return make();
  } catch (thrown) {
    return makeCall<T>(Promise.reject(thrown as Error));
  }
}

/** Options for every operation. */
export interface CallOptions {
  /**
   * Cancels the call. It rejects with the signal's reason if the request can't have had an effect.
   * Otherwise, it rejects with the code `ABORTED` and `outcome: 'unknown'`.
   */
  readonly signal?: AbortSignal | undefined;
  /** Timeout for a single attempt, in milliseconds. */
  readonly attemptTimeout?: number | undefined;
  /**
   * Timeout for all attempts together, in milliseconds. It starts when the rate limit allows the
   * first attempt.
   */
  readonly callTimeout?: number | undefined;
  /** Maximum wait for the rate limit before the first attempt, in milliseconds. */
  readonly queueTimeout?: number | undefined;
  /** Maximum number of attempts if the call is safe to retry. Defaults to the client's setting. */
  readonly maxAttempts?: number | undefined;
  /** A short description of why the request is sent, for observers. */
  readonly reason?: string | undefined;
}

/** Options for commands with an idempotency key, which the service executes only once per key. */
export interface KeyedOptions extends CallOptions {
  /** A UUID that identifies the command, sent with all attempts. Generated if absent. */
  readonly idempotencyKey?: string | undefined;
}

export const CALL_OPTIONS: Expected<CallOptions> = {
  signal: 'signal',
  attemptTimeout: 'number',
  callTimeout: 'number',
  queueTimeout: 'number',
  maxAttempts: 'number',
  reason: 'string',
};

export const KEYED_OPTIONS: Expected<KeyedOptions> = /* @__PURE__ */ Object.assign(
  { idempotencyKey: 'string' } as const,
  CALL_OPTIONS,
);

export interface Job<Where, Draft, Value> {
  readonly where: Where;
  readonly draft?: Draft | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly correlationId?: string | undefined;
  /**
   * Reads the existing resource after the service has refused a duplicate, using the remaining time
   * in `rest`. Only called after an attempt by this call or an earlier one has an unknown outcome.
   * `since` is when the first such attempt was sent, according to the service's clock.
   */
  readonly resolve?: (refusal: RefusedError, rest: CallOptions, since?: number) => Promise<Value>;
  fits?(value: Value): boolean;
  /** Resolves to an existing resource even if no earlier attempt had an unknown outcome. */
  readonly adopts?: boolean;
  /**
   * Set if this call generated the key or correlationId. In that case, any resource with that key
   * was created by this call.
   */
  readonly isOwn?: boolean;
  /** Limits how long the idempotency key or correlationId may be used. */
  readonly lifetime?: NameLifetime | undefined;
}

export type AnyJob<Value = unknown> = Job<unknown, unknown, Value>;

/**
 * The validated request that every attempt of a call sends, and the values to compare the response
 * with.
 */
export interface CheckedRequest {
  readonly url: string;
  readonly method: AnyEndpoint['method'];
  readonly body: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly asked: Asked;
  readonly fits: ((value: unknown) => boolean) | undefined;
}

export function checkRequest(
  connection: Connection,
  endpoint: AnyEndpoint,
  job: AnyJob,
): CheckedRequest {
  const { baseUrl, settings } = connection[internals];
  const { method, operation, input } = endpoint;
  const { draft, correlationId, idempotencyKey } = job;
  const base = baseUrl();
  const where = job.where as Asked;
  try {
    return {
      url: formatAddress(base, endpoint, where, settings.paths),
      method,
      body: JSON.stringify(input ? input.read(draft) : draft), // `undefined` if there's no draft
      idempotencyKey: idempotencyKey && checkIdempotencyKey(idempotencyKey),
      asked: draft ? { ...(draft as object), ...where } : where,
      fits: job.fits,
    };
  } catch (thrown) {
    const { message, violations } = toValidationError(thrown);
    throw new InputError(`${operation}: ${message}; nothing was sent (INPUT_INVALID)`, {
      code: 'INPUT_INVALID',
      outcome: 'not-done',
      operation,
      next: 'fix-input',
      validationErrors: toValidationErrors(violations),
      correlationId,
      idempotencyKey,
    });
  }
}

/**
 * Returns the name that identifies a command. It's the idempotency key, the correlationId or the
 * URL.
 */
export function nameRequest(
  { idempotency }: AnyEndpoint,
  { correlationId }: AnyJob,
  { idempotencyKey, url }: CheckedRequest,
): string | undefined {
  if (isHarmless(idempotency)) return undefined;
  const address = idempotency === 'same-request' ? url.toLowerCase() : undefined;
  return idempotencyKey ?? correlationId ?? address;
}

const MAX_SEGMENT_LENGTH = 2_048;
const MAX_QUERY_LENGTH = 65_536;

/**
 * Path segments that are rejected. Empty segments, `.` and `..` would change the path, and some
 * servers cut a path off at control characters.
 */
const UNFIT_SEGMENT = /^\.{0,2}$|[\0-\x1f\x7f]/;

/** Encodes a string for use in a URL. Rejects strings that a URL can't represent exactly. */
function encode(
  field: string,
  value: unknown,
  longest: number = MAX_QUERY_LENGTH,
  unfit: RegExp = /^$/,
): string {
  try {
    if (typeof value === 'string' && value.length <= longest && !unfit.test(value))
      return encodeURIComponent(value);
  } catch {
    // the string contains a lone surrogate
  }
  throw badField(field, `must be a string of 1 to ${longest} characters, valid in a URL`);
}

/** Formats the query string. Repeats the key for each item of an array, and omits absent values. */
function formatQuery({ query = {} }: AnyEndpoint, where: Asked): string {
  let text = '';
  for (const [member, name] of Object.entries(query)) {
    const given = where[member];
    if (given === undefined) continue;
    for (const value of [given].flat())
      if (value !== undefined)
        text += `${text ? '&' : '?'}${encode(member, name).replace('%24', '$')}=${encode(member, String(value))}`;
  }
  return text;
}

/** Cache of endpoint paths, split into alternating literals and parameter names. */
const cutPaths: WeakMap<AnyEndpoint, readonly string[]> = /* @__PURE__ */ new WeakMap();

/** Builds the full URL of a request. Parameter values can't change the path or the host. */
function formatAddress(
  baseUrl: string,
  endpoint: AnyEndpoint,
  where: Asked,
  paths: Readonly<Record<string, string>>,
): string {
  const template = Object.hasOwn(paths, endpoint.path) ? paths[endpoint.path]! : endpoint.path;
  const cut = () => template.split(/\{(\w+)\}/);
  const parts = template === endpoint.path ? getOrMake(cutPaths, endpoint, cut) : cut();
  const path = parts
    .map((text, at) =>
      at % 2 ? encode(text, where[text], MAX_SEGMENT_LENGTH, UNFIT_SEGMENT) : text,
    )
    .join('');
  const url = baseUrl + path;
  // A path with `..` or a backslash changes when it's parsed as a URL. Skip this check for paths
  // made of plain words.
  if (!/^(\/[\w-]+)+$/.test(path) && (!/^\/[^?#]*$/.test(path) || new URL(url).href !== url))
    throw badField('path', 'must stay under baseUrl; check paths');
  return url + formatQuery(endpoint, where);
}
