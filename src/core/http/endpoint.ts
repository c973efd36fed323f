import type { Idempotency, ServiceCode } from '../errors/index.ts';

/** A group of requests that the service counts together, with its own rate limit. */
export type Bucket =
  | 'invoices'
  | 'invoice-quotes'
  | 'rates'
  | 'payment-quotes'
  | 'execute'
  | 'others';

/**
 * A request's priority. It determines which requests go first when the rate limit is nearly used
 * up.
 */
export type Priority = 'critical' | 'high' | 'normal' | 'low';

/** A schema's structure, including its fields, array items and optional values. */
export interface SchemaStructure {
  /** The value's type, or `nullish` for a wrapped value that can be absent or null. */
  readonly type: string;
  readonly entries?: Readonly<Record<string, SchemaStructure>>;
  readonly wrapped?: SchemaStructure;
  /** The value to assume if the field is absent. */
  readonly default?: unknown;
  readonly item?: SchemaStructure;
}

/** The parts of a schema that `core` uses. */
export interface Shape<T> {
  /** Returns the parsed value, or throws a `ValidationError`. */
  read(json: unknown): T;
  /** The schema's structure. Absent for schemas of other libraries. */
  readonly schema: SchemaStructure | undefined;
  /** Whether a response without a body is valid and results in `undefined`. */
  readonly mayBeEmpty?: boolean;
}

export type Asked = Readonly<Record<string, unknown>>;

/** Paths of fields in a response, each with the path of the draft field that determines it. */
export type Paths = Readonly<Record<string, string>>;

/**
 * Draft fields that the response repeats, such as `{ 'source.currency': 'sell' }`. Fields missing
 * on either side aren't compared.
 */
interface Agreement {
  /** Fields that must be identical, such as currencies and names chosen by the caller. */
  readonly exact?: Paths;
  /** Fields that are compared case-insensitively. */
  readonly ids?: Paths;
  /**
   * Texts that may be masked, truncated or transliterated. Only compared if the request has no
   * idempotency key.
   */
  readonly text?: Paths;
  /**
   * Amounts that are compared by value and may be rounded. Not compared if the fee is taken from
   * the amount.
   */
  readonly amount?: Paths;
}

/**
 * Names of response fields, by fee policy. If there are several, the one in the draft's currency is
 * used.
 */
export interface Assumption {
  readonly EXCLUSIVE: readonly string[];
  readonly INCLUSIVE: readonly string[];
}

/**
 * A description of an endpoint, shared by the client, retries, rate limits, errors, the sandbox and
 * the documentation.
 */
export interface Endpoint<Where, Draft, Answer> {
  /** HTTP method. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /**
   * The client method that sends the request, such as `invoices.create`, or the HTTP method and
   * path.
   */
  readonly operation: string;
  /**
   * The endpoint's path. Each `{name}` is replaced with the member of `Where` that has that name.
   */
  readonly path: string;
  /** The scope that the credential must have. */
  readonly scope: string;
  /** Status codes that mean success. */
  readonly statuses: readonly number[];
  /** Query parameters, as a map from the members of `Where` to the parameter names. */
  readonly query?: Readonly<Record<string, string>>;
  /** Request body shape. Absent if the request has no body. */
  readonly input?: Shape<Draft>;
  /** Response shape. Absent if a successful response has no body. */
  readonly output?: Shape<Answer>;
  /** The rate limit that counts the endpoint's requests. */
  readonly bucket: Bucket;
  /**
   * Priority of the endpoint's requests. Defaults to `high`. `critical` is for requests that move
   * money. The connection's priority overrides any other priority.
   */
  readonly priority?: Priority;
  /** The rule that makes repeating the request safe, or `none`. */
  readonly idempotency: Idempotency;
  /**
   * Request fields that the response repeats, with their names in the response. If one of them
   * differs, the response belongs to another request.
   */
  readonly echo?: Readonly<Record<string, string>>;
  /** For requests that create a resource, the draft's fields that the response repeats. */
  readonly agrees?: Agreement;
  /**
   * Response fields by fee policy, one of which should equal the draft's `amount`. The service
   * doesn't guarantee that, so a different amount is only reported as drift.
   */
  readonly assumes?: Assumption;
  /**
   * The error code for a resource that already exists, and the name of the error value with its id.
   */
  readonly original?: { readonly code: ServiceCode; readonly id: string };
  /**
   * Timeout for a single attempt, in milliseconds. It's set for slow endpoints whose outcome would
   * often be unknown with the default timeout.
   */
  readonly attemptTimeout?: number;
  /** Never present at runtime. Carries the types for generic code. */
  readonly '~types'?: (where: Where, draft: Draft) => Answer;
}

/** An endpoint with unspecified types, for code that doesn't depend on them. */
export type AnyEndpoint = Omit<Endpoint<never, never, unknown>, 'input' | '~types'> & {
  /** Request body shape. */
  readonly input?: Shape<unknown>;
};

type ReadFacts = 'method' | 'bucket' | 'idempotency' | 'statuses';

/**
 * Creates a read endpoint. Its requests can be repeated at any time, and count toward the `others`
 * bucket by default.
 */
export function readEndpoint<Where, Answer>(
  facts: Omit<Endpoint<Where, void, Answer>, ReadFacts> & { readonly bucket?: Bucket },
): Endpoint<Where, void, Answer> {
  return { method: 'GET', bucket: 'others', idempotency: 'safe', statuses: [200], ...facts };
}
