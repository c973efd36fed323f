import type { Idempotency, ServiceCode } from '../errors/index.ts';

/** Requests that the service counts together; published limits differ by bucket. */
export type Bucket =
  | 'invoices'
  | 'invoice-quotes'
  | 'rates'
  | 'payment-quotes'
  | 'execute'
  | 'others';

/** Core's whole view of a schema. */
export interface Shape<T> {
  /** Returns what `json` says, or throws a `ValidationError`. */
  read(json: unknown): T;
  /** For those who know what it is made of. */
  readonly schema: unknown;
  /** A response without a body is `undefined`, and no failure. */
  readonly mayBeEmpty?: boolean;
}

/** All facts of one endpoint, written once; read by client, retry, rate limiter, errors, sandbox and docs. */
export interface Endpoint<Where, Draft, Value> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `{name}` stands for a member of `Where`. */
  readonly path: string;
  readonly scope: string;
  readonly statuses: readonly number[];
  /** Members of `Where` that travel as query parameters, with their names on the wire. */
  readonly query?: Readonly<Record<string, string>>;
  readonly input?: Shape<Draft>;
  /** Absent where success has no body. */
  readonly output?: Shape<Value>;
  readonly bucket: Bucket;
  readonly idempotency: Idempotency;
  /** Parameters that the response repeats, with their names there: a response with another value is not of this request. */
  readonly echo?: Readonly<Record<string, string>>;
  /** The code that says "this exists already", and how to read the original. */
  readonly original?: { readonly code: ServiceCode; readonly id: string; readonly by: string };
  /** Longest time for one attempt in milliseconds, where the usual limit would cause doubt. */
  readonly attemptTimeout?: number;
  /** Never present: carries the types for what reads endpoints. */
  readonly '~types'?: (where: Where, draft: Draft) => Value;
}

/** An endpoint of any types, where only the facts are needed. */
export type AnyEndpoint = Omit<Endpoint<never, never, unknown>, 'input' | '~types'> & {
  readonly input?: Shape<unknown>;
};
