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
 * Sends the request of an endpoint. Every request of the package to the service goes through here:
 * it is checked, waits for its place in the rate limit, and is repeated where that is safe.
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
  // nobody waits for the reads of watches and feeds, whose priority is `normal`
  return makeCall(priority === 'normal' ? result : countWait(clock, result, endpoint.operation));
}

/** Begins a call. It is no `async` function, which would cost each call three more microtasks. */
function deliver<Value>(
  connection: Connection,
  endpoint: AnyEndpoint,
  job: AnyJob<Value>,
  options: CallOptions,
): Promise<CallResult<Value>> {
  const { settings, priority = endpoint.priority } = connection[internals];
  try {
    // a key that nothing reads would promise that a command is executed once
    const isKeyed = endpoint.idempotency.startsWith('key');
    checkOptions<CallOptions>(options, isKeyed ? KEYED_OPTIONS : CALL_OPTIONS);
    const request = checkRequest(connection, endpoint, job);
    const { callTimeout, maxAttempts, rateLimits } = settings;
    const numbers = checkNumbers(options, {
      attemptTimeout: endpoint.attemptTimeout ?? settings.attemptTimeout,
      callTimeout,
      // watches and feeds (priority `normal`) repeat their requests themselves
      queueTimeout:
        settings.queueTimeout ??
        (priority === 'normal' ? callTimeout : 1.5 * rateLimits[endpoint.bucket].window),
      maxAttempts,
    });
    const { reason } = options;
    const begin = (signal: AbortSignal | undefined) =>
      new CallRun(connection, endpoint, job, { ...numbers, signal, reason }, request).run();
    // A read with a priority or a time limit needs a fresh answer, so it does not share a read that
    // was sent earlier.
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

/** A read under way, and the number of callers that wait for it. */
interface Flight {
  readonly settings: Settings;
  readonly result: Promise<CallResult<unknown>>;
  readonly abort: () => void;
  waiting: number;
}

const READS: Slot<Map<string, Flight>> = { name: 'core.reads', make: () => new Map() };

/**
 * Shares one read of `url` among all callers while it is under way. It is aborted when the last of
 * them gives up.
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

/** A schema of any library that implements Standard Schema, synchronously. */
export interface StandardSchema<T> {
  /** The interface that Standard Schema defines. */
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: unknown; readonly output: T } | undefined;
  };
}

/** Options of `request`: the request to send, and the reading of its response. */
export interface RequestOptions<T> extends CallOptions {
  /** Checks the response; without a schema the response is returned unchecked. */
  readonly schema?: StandardSchema<T> | undefined;
  /**
   * Values for the `{names}` of the path. The others become query parameters; an array repeats its
   * key.
   */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /** The body, which is sent as JSON. */
  readonly body?: unknown;
  /** A UUID that makes it safe to repeat a command after a lost response. */
  readonly idempotencyKey?: string | undefined;
}

interface Issue {
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * Sends a request for which this package has no operation, with the same credential, retries,
 * limits and errors. A GET is repeated, a command only with an idempotency key. Resolves to the
 * response, or to `undefined` where it has no body.
 *
 * @param method of HTTP
 * @param path as published, with `{names}`; never put values into it yourself
 * @throws InputError for a path that leads elsewhere, and the errors of the service
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
  // the promise of an asynchronous schema has neither member
  if (!result.issues && 'value' in result) return result.value!;
  throw new ValidationError(
    (result.issues ?? [{}]).map(({ path = [] }) => {
      const field =
        path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.') || 'body';
      return { field, code: 'INVALID_DATA_VALUE', advice: 'does not match the schema' };
    }),
  );
}
