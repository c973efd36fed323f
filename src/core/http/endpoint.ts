import type { Idempotency, ServiceCode } from '../errors/index.ts';

/** Requests that the service counts together. Each bucket has its own rate limit. */
export type Bucket =
  | 'invoices'
  | 'invoice-quotes'
  | 'rates'
  | 'payment-quotes'
  | 'execute'
  | 'others';

/** Decides which request goes first when the rate limit is short. */
export type Priority = 'critical' | 'high' | 'normal' | 'low';

/** The public structure of a schema: its members, its items, and which may be absent. */
export interface SchemaStructure {
  /** The kind of value. `nullish` if it may be absent or null. */
  readonly type: string;
  readonly entries?: Readonly<Record<string, SchemaStructure>>;
  readonly wrapped?: SchemaStructure;
  /** The value that an absent member stands for. */
  readonly default?: unknown;
  readonly item?: SchemaStructure;
}

/** The parts of a schema that core needs. */
export interface Shape<T> {
  /** Returns the parsed value, or throws a `ValidationError`. */
  read(json: unknown): T;
  /** The schema itself. Absent for schemas of another library. */
  readonly schema: SchemaStructure | undefined;
  /** Reads a response without a body as `undefined` instead of failing. */
  readonly mayBeEmpty?: boolean;
}

export type Asked = Readonly<Record<string, unknown>>;

/** Paths in a response, with the paths in the draft that decide them. */
export type Paths = Readonly<Record<string, string>>;

/**
 * Members of a draft that its response repeats, such as `{ 'source.currency': 'sell' }`. Missing
 * members aren't compared. Texts and amounts that differ are drift.
 */
interface Agreement {
  /** Compared character by character: currencies, and names that the caller chose. */
  readonly exact?: Paths;
  /** Compared without case. */
  readonly ids?: Paths;
  /** May be masked, cut or transliterated. Decides only if the request has no key. */
  readonly text?: Paths;
  /** Compared by value, which may be rounded, unless the fee is taken from the amount. */
  readonly amount?: Paths;
}

/**
 * Names of members by fee policy. Of several, the one in the currency of the draft's amount counts.
 */
export interface Assumption {
  readonly EXCLUSIVE: readonly string[];
  readonly INCLUSIVE: readonly string[];
}

/** All facts of one endpoint. Client, retries, rate limits, errors, sandbox and docs read them. */
export interface Endpoint<Where, Draft, Answer> {
  /** HTTP method. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The client's member that sends it, such as `invoices.create`, or method and path. */
  readonly operation: string;
  /** The path. `{name}` is replaced by a member of `Where`. */
  readonly path: string;
  /** The permission that the credential needs. */
  readonly scope: string;
  /** Statuses of success. */
  readonly statuses: readonly number[];
  /** Query parameters: members of `Where`, with their names on the wire. */
  readonly query?: Readonly<Record<string, string>>;
  /** Shape of the request's body, absent without one. */
  readonly input?: Shape<Draft>;
  /** Shape of the response, absent if success has no body. */
  readonly output?: Shape<Answer>;
  /** The rate limit that counts it. */
  readonly bucket: Bucket;
  /**
   * Decides which request goes first when the rate limit is short. Defaults to `high`. A
   * connection's priority replaces it, except `critical`, which is for requests that move money.
   */
  readonly priority?: Priority;
  /** Why repeating the request is safe, or that it isn't. */
  readonly idempotency: Idempotency;
  /**
   * Members of the request that the response repeats, with their names there. Another value means
   * that the response belongs to another request.
   */
  readonly echo?: Readonly<Record<string, string>>;
  /** Members of a draft that the response to a creation repeats. */
  readonly agrees?: Agreement;
  /**
   * Members of the response by fee policy, one of which should equal the draft's `amount`. The
   * service doesn't promise it, so another amount is reported as drift.
   */
  readonly assumes?: Assumption;
  /** The error code for "this exists already", and the value in it that identifies the original. */
  readonly original?: { readonly code: ServiceCode; readonly id: string };
  /**
   * Time limit for one attempt in milliseconds, if the usual limit would cause unknown outcomes.
   */
  readonly attemptTimeout?: number;
  /** Never present. Carries the types for generic code. */
  readonly '~types'?: (where: Where, draft: Draft) => Answer;
}

/** An endpoint of any types, for code that needs only its facts. */
export type AnyEndpoint = Omit<Endpoint<never, never, unknown>, 'input' | '~types'> & {
  /** Shape of the request's body. */
  readonly input?: Shape<unknown>;
};

type ReadFacts = 'method' | 'bucket' | 'idempotency' | 'statuses';

/**
 * Creates the endpoint of a read, which may be repeated at any time and counts in the bucket
 * `others`.
 */
export function readEndpoint<Where, Answer>(
  facts: Omit<Endpoint<Where, void, Answer>, ReadFacts> & { readonly bucket?: Bucket },
): Endpoint<Where, void, Answer> {
  return { method: 'GET', bucket: 'others', idempotency: 'safe', statuses: [200], ...facts };
}
