import type { Idempotency, ServiceCode } from '../errors/index.ts';

/** Requests that the service counts together. Each bucket has its own rate limit. */
export type Bucket =
  | 'invoices'
  | 'invoice-quotes'
  | 'rates'
  | 'payment-quotes'
  | 'execute'
  | 'others';

/** Decides which request goes first when the rate limit is tight. */
export type Priority = 'critical' | 'high' | 'normal' | 'low';

/** The public structure of a schema: its fields, its items, and which may be absent. */
export interface SchemaStructure {
  /** Kind of value. `nullish` if it may be absent or null. */
  readonly type: string;
  readonly entries?: Readonly<Record<string, SchemaStructure>>;
  readonly wrapped?: SchemaStructure;
  /** The value an absent field stands for. */
  readonly default?: unknown;
  readonly item?: SchemaStructure;
}

/** The parts of a schema that core needs. */
export interface Shape<T> {
  /** Returns the parsed value, or throws a `ValidationError`. */
  read(json: unknown): T;
  /** The schema itself. Absent for schemas from another library. */
  readonly schema: SchemaStructure | undefined;
  /** Reads a response without a body as `undefined` instead of failing. */
  readonly mayBeEmpty?: boolean;
}

export type Asked = Readonly<Record<string, unknown>>;

/** Paths in a response, with the paths in the draft that determine them. */
export type Paths = Readonly<Record<string, string>>;

/**
 * Fields of a draft that its response repeats, such as `{ 'source.currency': 'sell' }`. Missing
 * fields aren't compared. Texts and amounts that differ are drift.
 */
interface Agreement {
  /** Compared character by character. Currencies, and names chosen by the caller. */
  readonly exact?: Paths;
  /** Compared case-insensitively. */
  readonly ids?: Paths;
  /** May be masked, truncated or transliterated. Only decisive if the request has no key. */
  readonly text?: Paths;
  /** Compared by value, which may be rounded, unless the fee is taken from the amount. */
  readonly amount?: Paths;
}

/** Names of fields, by fee policy. If there are several, the one in the draft's currency counts. */
export interface Assumption {
  readonly EXCLUSIVE: readonly string[];
  readonly INCLUSIVE: readonly string[];
}

/**
 * Everything about one endpoint. Used by the client, retries, rate limits, errors, sandbox and
 * docs.
 */
export interface Endpoint<Where, Draft, Answer> {
  /** HTTP method. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The client method that sends it, such as `invoices.create`, or the HTTP method and path. */
  readonly operation: string;
  /** Path, with each `{name}` replaced by a member of `Where`. */
  readonly path: string;
  /** The scope the credential needs. */
  readonly scope: string;
  /** Status codes that mean success. */
  readonly statuses: readonly number[];
  /** Query parameters, as members of `Where` with their names on the wire. */
  readonly query?: Readonly<Record<string, string>>;
  /** Shape of the request's body. Absent without one. */
  readonly input?: Shape<Draft>;
  /** Shape of the response. Absent if a successful response has no body. */
  readonly output?: Shape<Answer>;
  /** The rate limit that counts it. */
  readonly bucket: Bucket;
  /**
   * Decides which request goes first when the rate limit is tight. Defaults to `high`. A
   * connection's priority overrides it, except for `critical`, which is for requests that move
   * money.
   */
  readonly priority?: Priority;
  /** Why it's safe to repeat the request, or that it isn't. */
  readonly idempotency: Idempotency;
  /**
   * Fields of the request that the response repeats, with their names there. If one differs, the
   * response belongs to another request.
   */
  readonly echo?: Readonly<Record<string, string>>;
  /** Fields of a draft that the response to a creation repeats. */
  readonly agrees?: Agreement;
  /**
   * Fields of the response by fee policy, one of which should equal the draft's `amount`. The
   * service doesn't guarantee this, so a different amount is reported as drift.
   */
  readonly assumes?: Assumption;
  /** The error code for "this already exists", and the value in it that identifies the original. */
  readonly original?: { readonly code: ServiceCode; readonly id: string };
  /**
   * Timeout for a single attempt in milliseconds, if the usual one would cause unknown outcomes.
   */
  readonly attemptTimeout?: number;
  /** Never present. Carries the types for generic code. */
  readonly '~types'?: (where: Where, draft: Draft) => Answer;
}

/** An endpoint of any types, for code that only needs its facts. */
export type AnyEndpoint = Omit<Endpoint<never, never, unknown>, 'input' | '~types'> & {
  /** Shape of the request's body. */
  readonly input?: Shape<unknown>;
};

type ReadFacts = 'method' | 'bucket' | 'idempotency' | 'statuses';

/**
 * Creates the endpoint of a read. It may be repeated at any time and counts in the bucket `others`.
 */
export function readEndpoint<Where, Answer>(
  facts: Omit<Endpoint<Where, void, Answer>, ReadFacts> & { readonly bucket?: Bucket },
): Endpoint<Where, void, Answer> {
  return { method: 'GET', bucket: 'others', idempotency: 'safe', statuses: [200], ...facts };
}
