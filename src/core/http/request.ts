import { ValidationError } from '../errors/index.ts';
import type { Call, CallOptions } from './call.ts';
import type { Connection } from './connection.ts';
import { type AnyEndpoint, type Endpoint } from './endpoint.ts';
import { send } from './send.ts';

/** A schema of any library that implements Standard Schema, synchronously. */
export interface StandardSchema<T> {
  /** What the library says of the schema, as Standard Schema defines it. */
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: unknown; readonly output: T } | undefined;
  };
}

/** What `request` sends and how it reads the response. */
export interface RequestOptions<T> extends CallOptions {
  /** Reads the response; without it the response is given as it came. */
  readonly schema?: StandardSchema<T> | undefined;
  /**
   * Values for the `{names}` of the path; the rest become query parameters, an array repeats its
   * key.
   */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /** What is sent, as JSON. */
  readonly body?: unknown;
  /** A UUID: allows to repeat a command after a lost response. */
  readonly idempotencyKey?: string | undefined;
}

interface Issue {
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * Sends a request that this package has no operation for, with the same credential, retries, limits
 * and errors. A GET is repeated, a command only under an idempotency key. Resolves to the response,
 * or `undefined` where it has no body.
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
  const { schema, params: where = {}, body, idempotencyKey, ...call } = options;
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
  if (!result.issues && 'value' in result) return result.value!; // a promise has neither
  throw new ValidationError(
    (result.issues ?? [{}]).map(({ path = [] }) => {
      const field =
        path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.') || 'body';
      return { field, code: 'INVALID_DATA_VALUE', advice: 'is not what the schema says' };
    }),
  );
}
