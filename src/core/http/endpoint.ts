import type { Idempotency, ServiceCode } from '../errors/index.ts';

/** Requests that the service counts together; published limits differ by bucket. */
export type Bucket =
  | 'invoices'
  | 'invoice-quotes'
  | 'rates'
  | 'payment-quotes'
  | 'execute'
  | 'others';

/** Which requests go first when the rate limit is short. */
export type Priority = 'critical' | 'high' | 'normal' | 'low';

/** The public structure of a schema: its members, its items, and what may be absent. */
export interface SchemaStructure {
  /** `nullish` where the value may be absent or null. */
  readonly type: string;
  /** The members of an object, by name. */
  readonly entries?: Readonly<Record<string, SchemaStructure>>;
  /** What is there, unless it is absent. */
  readonly wrapped?: SchemaStructure;
  /** Each item of an array. */
  readonly item?: SchemaStructure;
}

/** Core's whole view of a schema. */
export interface Shape<T> {
  /** Returns what `json` says, or throws a `ValidationError`. */
  read(json: unknown): T;
  /** The schema itself; absent where a schema of another library reads. */
  readonly schema: SchemaStructure | undefined;
  /** An answer without a body is `undefined`, and no failure. */
  readonly mayBeEmpty?: boolean;
}

/** What was asked for, by name. */
export type Asked = Readonly<Record<string, unknown>>;

/** Members of a response, with the members of the draft that decide them. */
export type Paths = Readonly<Record<string, string>>;

/**
 * What the response to a creation repeats of its draft: `{ 'source.currency': 'sell' }`. Another
 * value means that the response is about something else. A member that the draft or the response
 * leaves out is not compared.
 */
export interface Agreement {
  /** Compared character by character: currencies, and names that the caller has given. */
  readonly exact?: Paths;
  /** Compared without case and separators: ids, references, account numbers, URLs. */
  readonly text?: Paths;
  /** Compared by value, unless the fee is inside the amount: the rest is arithmetic then. */
  readonly amount?: Paths;
}

/** Members by fee policy; of several, the one in the currency of the draft's amount. */
export interface Assumption {
  readonly EXCLUSIVE: readonly string[];
  readonly INCLUSIVE: readonly string[];
}

/**
 * All facts of one endpoint, written once; read by client, retry, budget, errors, sandbox and docs.
 */
export interface Endpoint<Where, Draft, Answer> {
  /** Method of HTTP. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The member of the client that sends it, such as `invoices.create`; else method and path. */
  readonly operation: string;
  /** `{name}` stands for a member of `Where`. */
  readonly path: string;
  /** The permission that the credential needs. */
  readonly scope: string;
  /** Statuses of success. */
  readonly statuses: readonly number[];
  /** Members of `Where` that travel as query parameters, with their names on the wire. */
  readonly query?: Readonly<Record<string, string>>;
  /** Shape of what is sent; absent where nothing is. */
  readonly input?: Shape<Draft>;
  /** Absent where success has no body. */
  readonly output?: Shape<Answer>;
  /** Which rate limit counts it. */
  readonly bucket: Bucket;
  /**
   * Which requests go first when the rate limit is short; absent: `high`. A connection with a
   * priority of its own replaces it, but never `critical`, which is for what moves money.
   */
  readonly priority?: Priority;
  /** What makes repeating it safe. */
  readonly idempotency: Idempotency;
  /**
   * Members of what is asked that the answer repeats, with their names there: another value answers
   * another request.
   */
  readonly echo?: Readonly<Record<string, string>>;
  /** What the response to a creation repeats of its draft. */
  readonly agrees?: Agreement;
  /**
   * Members of the response, one of which is thought to be the draft's `amount`, by where the fee
   * goes. Nobody promises it: another amount is drift beside the value.
   */
  readonly assumes?: Assumption;
  /** The answer that says "you had this already", and what to ask for the original. */
  readonly original?: { readonly code: ServiceCode; readonly id: string; readonly by: string };
  /** Longest time for one attempt in milliseconds, where the usual limit would cause doubt. */
  readonly attemptTimeout?: number;
  /** Never present: carries the types for readers of rows. */
  readonly '~types'?: (where: Where, draft: Draft) => Answer;
}

/** A row of any types, for readers that only need the facts. */
export type AnyEndpoint = Omit<Endpoint<never, never, unknown>, 'input' | '~types'> & {
  /** Shape of what is sent. */
  readonly input?: Shape<unknown>;
};
