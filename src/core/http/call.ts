import {
  badField,
  InputError,
  isHarmless,
  type Expected,
  type RefusedError,
  validationErrorOf,
  validationErrorsOf,
} from '../errors/index.ts';
import { type Connection, internals } from './connection.ts';
import { checkIdempotencyKey } from './credential.ts';
import type { AnyEndpoint, Asked } from './endpoint.ts';
import type { NameLifetime } from './once.ts';
import { getOrMake } from './rate-limiter.ts';

/** The value of an operation, and how it went. */
export interface CallResult<T> {
  /** The operation's own value. */
  readonly value: T;
  /** HTTP status of the response. */
  readonly status: number;
  /** Headers of the response. */
  readonly headers: Headers;
  /** Number of times that the request was sent. */
  readonly attempts: number;
  /** Milliseconds that the call waited for the rate limit and between its attempts. */
  readonly waited: number;
}

/** A promise of the value, with a method for the rest of the result. */
export interface Call<T> extends Promise<T> {
  /** Resolves to the value with status, headers, attempts and time waited. */
  withResponse(): Promise<CallResult<T>>;
}

/** Makes a `Call` from work that has begun. */
export function makeCall<T>(result: Promise<CallResult<T>>): Call<T> {
  const call = result.then((one) => one.value) as Promise<T> & { withResponse?: unknown };
  call.withResponse = () => {
    call.catch(() => {}); // the returned promise reports the failure
    return result;
  };
  return call as Call<T>;
}

/** Calls `make`. What it throws becomes the rejection of the call that is returned. */
export function callBy<T>(make: () => Call<T>): Call<T> {
  try {
    return make();
  } catch (thrown) {
    return makeCall<T>(Promise.reject(thrown as Error));
  }
}

/** Options of every operation. */
export interface CallOptions {
  /**
   * Ends the call early: with your own reason while nothing can have changed, otherwise with
   * `ABORTED` and `outcome: 'unknown'`.
   */
  readonly signal?: AbortSignal | undefined;
  /** Longest time for one attempt, milliseconds. */
  readonly attemptTimeout?: number | undefined;
  /** Longest time for all attempts, from when the first one may be sent, milliseconds. */
  readonly callTimeout?: number | undefined;
  /** Longest wait for a place in the rate limit, before the first attempt, milliseconds. */
  readonly queueTimeout?: number | undefined;
  /** Attempts of the call, where it may be repeated; those of the client when absent. */
  readonly maxAttempts?: number | undefined;
  /** A few words that tell observers why the request is made. */
  readonly reason?: string | undefined;
}

/** Options of commands that the service executes once for a key. */
export interface KeyedOptions extends CallOptions {
  /**
   * A UUID that names this one request, the same for all attempts of the call; made when absent.
   */
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

/** A command as one call sends it to its endpoint. */
export interface Job<Where, Draft, Value> {
  readonly where: Where;
  readonly draft?: Draft | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Names the thing that is created, for errors. */
  readonly correlationId?: string | undefined;
  /**
   * Reads the original where the service says that it exists already, in the time that `rest`
   * leaves. It is called after an attempt of unknown outcome, of this call or of an earlier one;
   * `since` is when the first such attempt was sent, in service time.
   */
  readonly resolve?: (refusal: RefusedError, rest: CallOptions, since?: number) => Promise<Value>;
  /**
   * Tells whether a response can belong to the request, for creations without a name to compare.
   */
  fits?(value: Value): boolean;
  /** The call reads what exists also where no outcome is unknown. */
  readonly adopts?: boolean;
  /**
   * This call made the key or correlationId itself, so that whatever exists under it is its own.
   */
  readonly isOwn?: boolean;
  /** The time for which the name may still be sent, where that is limited. */
  readonly lifetime?: NameLifetime | undefined;
}

export type AnyJob<Value = unknown> = Job<unknown, unknown, Value>;

/**
 * The request that every attempt of a call sends, and the values with which its response is
 * compared.
 */
export interface CheckedRequest {
  readonly url: string;
  readonly method: AnyEndpoint['method'];
  readonly body: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** The requested values, by name. */
  readonly asked: Asked;
  readonly fits: ((value: unknown) => boolean) | undefined;
}

/** Makes URL and body and checks both before anything is sent. */
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
      body: JSON.stringify(input ? input.read(draft) : draft), // `undefined` without a draft
      idempotencyKey: idempotencyKey && checkIdempotencyKey(idempotencyKey),
      asked: draft ? { ...(draft as object), ...where } : where,
      fits: job.fits,
    };
  } catch (thrown) {
    const { message, violations } = validationErrorOf(thrown);
    throw new InputError(`${operation}: ${message}; nothing was sent (INPUT_INVALID)`, {
      code: 'INPUT_INVALID',
      outcome: 'not-done',
      operation,
      next: 'fix-input',
      validationErrors: validationErrorsOf(violations),
      correlationId,
      idempotencyKey,
    });
  }
}

/**
 * Returns the name of what must happen once: the idempotency key, the correlationId, or the address
 * of what is changed.
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
 * Segments that are refused: empty ones, dots that lead upwards, and control characters, which
 * servers cut.
 */
const UNFIT_SEGMENT = /^\.{0,2}$|[\0-\x1f\x7f]/;

/** Encodes a text for a URL. It refuses texts that a URL cannot hold or would change silently. */
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
    // a lone surrogate
  }
  throw badField(field, `must be a text of 1 to ${longest} characters that a URL can hold`);
}

/** Writes `?name=value` pairs. An array repeats its key; absent values are left out. */
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

/** The paths of endpoints, cut at their `{names}`: texts and names in turns. */
const cutPaths: WeakMap<AnyEndpoint, readonly string[]> = /* @__PURE__ */ new WeakMap();

/** Returns the full URL of an endpoint's request and checks that it does not lead elsewhere. */
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
  // A path that leads elsewhere (dots that lead upwards, a backslash) changes when it is parsed as
  // a URL. Paths of plain words need no such check.
  if (!/^(\/[\w-]+)+$/.test(path) && (!/^\/[^?#]*$/.test(path) || new URL(url).href !== url))
    throw badField('path', 'must stay below the base address; check paths');
  return url + formatQuery(endpoint, where);
}
