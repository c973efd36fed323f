import {
  badField,
  InputError,
  isHarmless,
  type RefusedError,
  validationErrorOf,
  validationErrorsOf,
} from '../errors/index.ts';
import { type Connection, internals } from './connection.ts';
import { checkIdempotencyKey } from './credential.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { NameLifetime } from './once.ts';

/** How an operation went, beside its value. */
export interface CallResult<T> {
  /** What the operation resolves to. */
  readonly value: T;
  /** HTTP status of the response. */
  readonly status: number;
  /** Headers of the response. */
  readonly headers: Headers;
  /** How often the request was sent. */
  readonly attempts: number;
  /** Milliseconds that the call waited for the rate limit and between its attempts. */
  readonly waited: number;
}

/** A promise of the value that can also tell how it came. */
export interface Call<T> extends Promise<T> {
  /** Resolves to the value with status, headers and number of attempts. */
  withResponse(): Promise<CallResult<T>>;
}

/** Makes a `Call` of work that has begun. */
export function callOf<T>(result: Promise<CallResult<T>>): Call<T> {
  const value = result.then((one) => one.value);
  return Object.assign(value, {
    withResponse() {
      value.catch(() => {}); // the failure is reported by what is returned
      return result;
    },
  });
}

/** Options of every operation. */
export interface CallOptions {
  /**
   * Ends the call early: with your own reason while nothing can have changed, else with `ABORTED`
   * and `outcome: 'unknown'`.
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
  /** A few words for observers on why the request is made. */
  readonly reason?: string | undefined;
}

/** Options of commands that the service does once for a key. */
export interface KeyedOptions extends CallOptions {
  /**
   * A UUID that names this one request; made when absent. The same for all attempts of the call.
   */
  readonly idempotencyKey?: string | undefined;
}

/** What one call sends, beside its endpoint. */
export interface Job<Where, Draft, Value> {
  readonly where: Where;
  readonly draft?: Draft | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Names the thing that is created, for errors. */
  readonly correlationId?: string | undefined;
  /**
   * Turns "this exists already" into the original, in the time that `rest` leaves. Called after an
   * attempt of unknown outcome, of this call or an earlier one: `since` is when the first such
   * attempt was sent, in service time.
   */
  readonly resolve?: (refusal: RefusedError, rest: CallOptions, since?: number) => Promise<Value>;
  /** Whether a response can be about what was sent, for creations that give no name to compare. */
  fits?(value: Value): boolean;
  /** Resolves what exists also where no outcome is unknown. */
  readonly adopts?: boolean;
  /** Key or correlationId were made by this call: what was made under them is its own. */
  readonly isOwn?: boolean;
  /** How long the name may be sent for, where that is bounded. */
  readonly lifetime?: NameLifetime | undefined;
}

export type AnyJob<Value = unknown> = Job<unknown, unknown, Value>;

/** What every attempt of a call sends, and what a response is compared with. */
export interface CheckedRequest {
  readonly url: string;
  readonly method: AnyEndpoint['method'];
  readonly body: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** What was asked for, by name. */
  readonly asked: Readonly<Record<string, unknown>>;
  readonly fits: ((value: unknown) => boolean) | undefined;
}

/** Makes URL and body, checked before anything is sent. */
export function checkRequest(
  connection: Connection,
  endpoint: AnyEndpoint,
  job: AnyJob,
): CheckedRequest {
  const { baseUrl, settings } = connection[internals];
  const { method, operation, input } = endpoint;
  const { draft, correlationId, idempotencyKey } = job;
  const base = baseUrl();
  const where = job.where as Readonly<Record<string, unknown>>;
  try {
    return {
      url: addressOf(base, endpoint, where, settings.paths),
      method,
      body: JSON.stringify(input ? input.read(draft) : draft), // none for nothing
      idempotencyKey: idempotencyKey && checkIdempotencyKey(idempotencyKey),
      asked: { ...(draft as object | undefined), ...where },
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
 * What names the thing that is to happen once: its key, its correlationId, or the address of what
 * is to change.
 */
export function nameOf(
  { idempotency }: AnyEndpoint,
  { correlationId }: AnyJob,
  { idempotencyKey, url }: CheckedRequest,
): string | undefined {
  if (isHarmless(idempotency)) return undefined;
  const address = idempotency === 'same-request' ? url.toLowerCase() : undefined;
  return idempotencyKey ?? correlationId ?? address;
}

const LONGEST_SEGMENT = 2_048;
const LONGEST_QUERY = 65_536;

/**
 * What a segment must not be: empty, dots that climb in any encoding, or with what a server cuts.
 */
const UNFIT_SEGMENT = /^\.{0,2}$|[\0-\x1f\x7f]/;

/** Encodes a text for a URL; refuses what a URL would quietly change or cannot hold. */
function encode(
  field: string,
  value: unknown,
  longest: number = LONGEST_QUERY,
  unfit: RegExp = /^$/,
): string {
  try {
    if (typeof value === 'string' && value.length <= longest && !unfit.test(value))
      return encodeURIComponent(value);
  } catch {
    // a lone surrogate
  }
  throw badField(field, `must be 1 to ${longest} characters that fit a URL`);
}

type Where = Readonly<Record<string, unknown>>;

/** `?name=value` pairs; an array repeats its key, absent values are left out. */
function queryOf({ query = {} }: AnyEndpoint, where: Where): string {
  let text = '';
  for (const [member, name] of Object.entries(query))
    for (const value of [where[member]].flat())
      if (value !== undefined)
        text += `${text ? '&' : '?'}${encode(member, name).replace('%24', '$')}=${encode(member, String(value))}`;
  return text;
}

/** The full URL of an endpoint's request, checked not to lead elsewhere. */
function addressOf(
  baseUrl: string,
  endpoint: AnyEndpoint,
  where: Where,
  paths: Readonly<Record<string, string>>,
): string {
  const template = Object.hasOwn(paths, endpoint.path) ? paths[endpoint.path]! : endpoint.path;
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encode(name, where[name], LONGEST_SEGMENT, UNFIT_SEGMENT),
  );
  const url = baseUrl + path;
  // whatever would lead elsewhere, is another text to a URL: dots that climb, a backslash; plain
  // words are not looked at twice
  if (!/^(\/[\w-]+)+$/.test(path) && (!/^\/[^?#]*$/.test(path) || new URL(url).href !== url))
    throw badField('path', 'leads elsewhere; check paths');
  return url + queryOf(endpoint, where);
}
