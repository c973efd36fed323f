import {
  checkArgument,
  checkMethods,
  checkOptions,
  type Expected,
  ValidationError,
} from '../errors/index.ts';
import { countWait, onAbort } from '../time.ts';
import { CallRun } from './call-run.ts';
import {
  type AnyJob,
  type Call,
  CALL_OPTIONS,
  callBy,
  makeCall,
  type CallOptions,
  type CallResult,
  checkRequest,
  type Job,
  KEYED_OPTIONS,
} from './call.ts';
import {
  type Connection,
  internals,
  checkNumbers,
  refuseClient,
  type Settings,
  type Slot,
  slotState,
} from './connection.ts';
import type { AnyEndpoint, Endpoint } from './endpoint.ts';

/**
 * Sends a request to an endpoint. All requests from this package to the service go through this
 * function. It validates the request, waits for the rate limit, and retries if that's safe.
 */
export function send<Where, Draft, Value>(
  connection: Connection,
  endpoint: Endpoint<Where, Draft, Value>,
  job: Job<Where, Draft, Value>,
  options: CallOptions = {},
): Call<Value> {
  const refused = refuseClient(connection);
  if (refused) return makeCall(Promise.reject(refused));
  const { clock, priority } = connection[internals];
  const result = deliver(connection, endpoint, job as AnyJob<Value>, options);
  // Nobody is waiting for the requests of watches and feeds, which have `normal` priority.
  return makeCall(priority === 'normal' ? result : countWait(clock, result, endpoint.operation));
}

/** Starts a call. Not `async`, because that would add three microtasks to each call. */
function deliver<Value>(
  connection: Connection,
  endpoint: AnyEndpoint,
  job: AnyJob<Value>,
  options: CallOptions,
): Promise<CallResult<Value>> {
  const { settings, priority = endpoint.priority } = connection[internals];
  try {
    // Reject an idempotency key if the endpoint doesn't use one, because the caller would rely on
    // it.
    const isKeyed = endpoint.idempotency.startsWith('key');
    checkOptions<CallOptions>(options, isKeyed ? KEYED_OPTIONS : CALL_OPTIONS);
    const request = checkRequest(connection, endpoint, job);
    const { callTimeout, maxAttempts, rateLimits } = settings;
    const numbers = checkNumbers(options, {
      attemptTimeout: endpoint.attemptTimeout ?? settings.attemptTimeout,
      callTimeout,
      // watches and feeds (`normal` priority) do their own retries
      queueTimeout:
        settings.queueTimeout ??
        (priority === 'normal' ? callTimeout : 1.5 * rateLimits[endpoint.bucket].window),
      maxAttempts,
    });
    const { reason } = options;
    const begin = (signal: AbortSignal | undefined) =>
      new CallRun(connection, endpoint, job, { ...numbers, signal, reason }, request).run();
    // A read with a priority or a timeout needs a fresh response, so it doesn't share an earlier
    // read.
    const isShared =
      settings.dedupeReads &&
      endpoint.method === 'GET' &&
      !priority &&
      !(
        options.maxAttempts ??
        options.attemptTimeout ??
        options.callTimeout ??
        options.queueTimeout
      );
    return isShared
      ? singleFlight(connection, request.url, options.signal, begin)
      : begin(options.signal);
  } catch (thrown) {
    return Promise.reject(thrown as Error);
  }
}

interface Flight {
  readonly settings: Settings;
  readonly result: Promise<CallResult<unknown>>;
  readonly abort: () => void;
  waiting: number;
}

const READS: Slot<Map<string, Flight>> = { name: 'core.reads', make: () => new Map() };

/**
 * Shares one read of `url` among all callers while it's in progress. The read is aborted when the
 * last caller aborts.
 */
async function singleFlight<T>(
  connection: Connection,
  url: string,
  signal: AbortSignal | undefined,
  begin: (signal: AbortSignal) => Promise<CallResult<T>>,
): Promise<CallResult<T>> {
  const { settings } = connection[internals];
  const flights = slotState(connection, READS);
  const end = () => void (flights.get(url) === flight && flights.delete(url));
  let flight = flights.get(url)!;
  if (flight?.settings !== settings) {
    const ended = new AbortController();
    const result = begin(ended.signal).finally(end);
    flight = { settings, result, abort: () => ended.abort(), waiting: 0 };
    flights.set(url, flight);
  }
  flight.waiting++;
  let give = () => {};
  const given = new Promise<never>((_, reject) => void (give = () => reject(signal!.reason)));
  const unlisten = onAbort(signal, give);
  if (signal?.aborted) give();
  try {
    return (await Promise.race([given, flight.result])) as CallResult<T>;
  } finally {
    unlisten();
    if (--flight.waiting === 0) {
      end();
      flight.abort();
    }
  }
}

/** A synchronous schema from any library that implements Standard Schema. */
export interface StandardSchema<T> {
  /** The interface defined by Standard Schema. */
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: unknown; readonly output: T } | undefined;
  };
}

/** Options for `request`. */
export interface RequestOptions<T> extends CallOptions {
  /** Schema that validates the response. Without a schema, the response isn't validated. */
  readonly schema?: StandardSchema<T> | undefined;
  /**
   * Values for the `{names}` in the path. All other values become query parameters, with the key
   * repeated for each item of an array.
   */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /** Request body, which is sent as JSON. */
  readonly body?: unknown;
  /** A UUID that makes it safe to repeat the command after a lost response. */
  readonly idempotencyKey?: string | undefined;
}

interface Issue {
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * Sends a request that this package has no operation for, with the client's credential, retries,
 * rate limits and errors. GET requests can be retried. Other requests are only retried if they have
 * an idempotency key. Resolves to the response body, or to `undefined` if there's none.
 *
 * @param method HTTP method
 * @param path published path, with placeholders such as `{id}`. Pass the values in `params`
 * @throws InputError if an argument is invalid, or if the path would lead to another server. Also
 * rejects with the service's errors
 *
 * @example
 * const options = { params: { id: 'a-new-one' } };
 * const found = await request(client, 'GET', '/v1/invoices/{id}', options).catch(() => undefined);
 */
export function request<T = unknown>(
  connection: Connection,
  method: AnyEndpoint['method'],
  path: string,
  options: RequestOptions<T> = {},
): Call<T> {
  return callBy(() => {
    checkArgument('method', method ?? null, METHODS);
    checkArgument('path', path, 'string!');
    checkOptions(options, REQUEST_OPTIONS);
    return begin(connection, method, path, options);
  });
}

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'] as const;
const REQUEST_OPTIONS: Expected<RequestOptions<unknown>> = /* @__PURE__ */ Object.assign(
  { schema: 'any', params: 'object', body: 'any' } as const,
  KEYED_OPTIONS,
);

function begin<T>(
  connection: Connection,
  method: AnyEndpoint['method'],
  path: string,
  { schema, params: where = {}, body, idempotencyKey, ...call }: RequestOptions<T>,
): Call<T> {
  if (schema !== undefined) checkMethods('schema', Object(schema)['~standard'], 'validate');
  const query = Object.fromEntries(
    Object.keys(where)
      .filter((name) => !path.includes(`{${name}}`))
      .map((name) => [name, name]),
  );
  const endpoint: Endpoint<object, unknown, T> = {
    method,
    operation: `${method} ${path}`,
    path,
    query,
    scope: '',
    statuses: [],
    bucket: 'others',
    idempotency:
      method === 'GET' ? 'safe' : idempotencyKey === undefined ? 'none' : 'key-then-read',
    output: { schema: undefined, mayBeEmpty: !schema, read: (json) => read(json, schema) },
  };
  return send(connection, endpoint, { where, draft: body, idempotencyKey }, call);
}

function read<T>(json: unknown, schema: StandardSchema<T> | undefined): T {
  if (!schema) return json as T;
  const result = schema['~standard'].validate(json) as {
    readonly value?: T;
    readonly issues?: readonly Issue[] | undefined;
  };
  // An asynchronous schema returns a promise, which has neither of these properties.
  if (!result.issues && 'value' in result) return result.value!;
  throw new ValidationError(
    (result.issues ?? [{}]).map(({ path = [] }) => {
      const field =
        path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.') || 'body';
      return { field, code: 'INVALID_DATA_VALUE', advice: 'does not match the schema' };
    }),
  );
}
