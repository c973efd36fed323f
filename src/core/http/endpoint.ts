import type { Idempotency, ServiceCode } from '../errors/index.ts';

/** Requests that the service counts together; published limits differ by bucket. */
export type Bucket =
  | 'invoices'
  | 'invoice-quotes'
  | 'rates'
  | 'payment-quotes'
  | 'execute'
  | 'others';

/** The rank of a request when the rate limit is short. */
export type Priority = 'critical' | 'high' | 'normal' | 'low';

/** The public structure of a schema: its members, its items, and what may be absent. */
export interface SchemaStructure {
  /** `nullish` where the value may be absent or null. */
  readonly type: string;
  /** The members of an object, by name. */
  readonly entries?: Readonly<Record<string, SchemaStructure>>;
  /** The structure of the value, where it is not absent. */
  readonly wrapped?: SchemaStructure;
  /** The value that absence means, where it means one. */
  readonly default?: unknown;
  /** Each item of an array. */
  readonly item?: SchemaStructure;
}

/** All that core knows of a schema. */
export interface Shape<T> {
  /** Returns what `json` says, or throws a `ValidationError`. */
  read(json: unknown): T;
  /** The schema itself; absent where a schema of another library reads. */
  readonly schema: SchemaStructure | undefined;
  /** A response without a body is read as `undefined` and is no failure. */
  readonly mayBeEmpty?: boolean;
}

/** The requested values, by name. */
export type Asked = Readonly<Record<string, unknown>>;

/** Members of a response, with the members of the draft that decide them. */
export type Paths = Readonly<Record<string, string>>;

/**
 * The members of a draft that the response to a creation repeats: `{ 'source.currency': 'sell' }`.
 * A member that the draft or the response leaves out is not compared. Texts and amounts that differ
 * are drift.
 */
interface Agreement {
  /** Compared character by character: currencies, and names that the caller has given. */
  readonly exact?: Paths;
  /** Compared without case. */
  readonly ids?: Paths;
  /** May be masked, cut or spelled in fewer letters. Decides only where the request has no key. */
  readonly text?: Paths;
  /**
   * Compared by value, which may be rounded, unless the fee is inside the amount: the rest is
   * arithmetic then.
   */
  readonly amount?: Paths;
}

/**
 * Names of members by fee policy. Of several, the one in the currency of the draft's amount counts.
 */
export interface Assumption {
  readonly EXCLUSIVE: readonly string[];
  readonly INCLUSIVE: readonly string[];
}

/**
 * All facts of one endpoint, written once. Client, retries, rate limits, errors, sandbox and docs
 * read them.
 */
export interface Endpoint<Where, Draft, Answer> {
  /** Method of HTTP. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The member of the client that sends it, such as `invoices.create`; else method and path. */
  readonly operation: string;
  /** The path; `{name}` is replaced by a member of `Where`. */
  readonly path: string;
  /** The permission that the credential needs. */
  readonly scope: string;
  /** Statuses of success. */
  readonly statuses: readonly number[];
  /** Members of `Where` that travel as query parameters, with their names on the wire. */
  readonly query?: Readonly<Record<string, string>>;
  /** Shape of what is sent; absent where nothing is. */
  readonly input?: Shape<Draft>;
  /** Shape of the response; absent where success has no body. */
  readonly output?: Shape<Answer>;
  /** The rate limit that counts it. */
  readonly bucket: Bucket;
  /**
   * The rank of a request when the rate limit is short; `high` when absent. The priority of a
   * connection replaces it, except `critical`, which is for what moves money.
   */
  readonly priority?: Priority;
  /** Says why repeating the request is safe, or that it is not. */
  readonly idempotency: Idempotency;
  /**
   * Members of the request that the response repeats, with their names there. Another value means
   * that the response belongs to another request.
   */
  readonly echo?: Readonly<Record<string, string>>;
  /** The members of a draft that the response to a creation repeats. */
  readonly agrees?: Agreement;
  /**
   * Members of the response, one of which is probably the draft's `amount`, by fee policy. The
   * service does not promise it: another amount is reported as drift.
   */
  readonly assumes?: Assumption;
  /** The code that says "this exists already", and its value that names the original. */
  readonly original?: { readonly code: ServiceCode; readonly id: string };
  /**
   * Longest time for one attempt, milliseconds, where the usual limit would cause unknown outcomes.
   */
  readonly attemptTimeout?: number;
  /** Never present: carries the types for readers of rows. */
  readonly '~types'?: (where: Where, draft: Draft) => Answer;
}

/** An endpoint of any types, for readers that only need the facts. */
export type AnyEndpoint = Omit<Endpoint<never, never, unknown>, 'input' | '~types'> & {
  /** Shape of what is sent. */
  readonly input?: Shape<unknown>;
};

/** The facts that are the same for every read. */
type ReadFacts = 'method' | 'bucket' | 'idempotency' | 'statuses';

/** Makes the endpoint of a read. It may be repeated at any time, and counts among the others. */
export function readEndpoint<Where, Answer>(
  facts: Omit<Endpoint<Where, void, Answer>, ReadFacts> & { readonly bucket?: Bucket },
): Endpoint<Where, void, Answer> {
  return { method: 'GET', bucket: 'others', idempotency: 'safe', statuses: [200], ...facts };
}
