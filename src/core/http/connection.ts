import { badInput, type InputError } from '../errors/index.ts';
import type { Dial } from '../platform.ts';
import type { Clock } from '../time.ts';
import type { AnyEndpoint, Asked, Bucket, Priority, SchemaStructure } from './endpoint.ts';
import type { QueuePlace, RateLimitCounts, RateLimits } from './rate-limits.ts';

export type { Priority };

/** The Bitcoin network that a BOLT11 invoice or an address is for. */
export type Network = 'mainnet' | 'testnet' | 'signet' | 'regtest';

/** Permissions that a credential has beyond reading single resources by id. */
export interface Capabilities {
  /** Whether the credential may read lists. */
  readonly list: boolean;
  /** Whether the credential may read the event feed. */
  readonly feed: boolean;
}

/** A description of a request, for observers. It's frozen and contains no secrets. */
export interface RequestView {
  /**
   * The client method that sends the request, such as `invoices.create`, or the HTTP method and
   * path.
   */
  readonly operation: string;
  /** HTTP method. */
  readonly method: string;
  /** The endpoint's path, with placeholders such as `{invoiceId}` instead of values. */
  readonly path: string;
  /** Attempt number, starting at 1. */
  readonly attempt: number;
  /**
   * The request's priority. It determines which requests go first when the rate limit is nearly
   * used up.
   */
  readonly priority: Priority;
  /** A short description of why the request is sent. */
  readonly reason: string;
  /** When the request was sent, in milliseconds since 1970. */
  readonly sentAt: number;
}

/** A description of a response, for observers. It's frozen and contains no secrets. */
export interface ResponseView extends RequestView {
  /** HTTP status, or absent if there was no response. */
  readonly status?: number | undefined;
  /** Error code, if the attempt failed. */
  readonly code?: string | undefined;
  /** The service's id for the request, if the response has one. */
  readonly traceId?: string | undefined;
  /** Time from sending the request to receiving the whole body, in milliseconds. */
  readonly duration: number;
}

/** A description of an upcoming retry, for observers. It's frozen and contains no secrets. */
export interface RetryView extends RequestView {
  /** Milliseconds until the next attempt. */
  readonly delay: number;
}

/**
 * A description of a rate-limit wait or a rate-limit store failure, for observers. It's frozen and
 * contains no secrets.
 */
export interface WaitView extends RequestView, QueuePlace {
  /** The rate limit that counts the request. */
  readonly bucket: Bucket;
  /** Milliseconds until the request may be sent. It's 0 only if `cause` is `store`. */
  readonly delay: number;
}

/** Callbacks that observe a client's requests without changing them. */
export interface Observers {
  /** Called before each attempt is sent. */
  readonly onRequest?: ((view: RequestView) => void) | undefined;
  /** Called after each attempt, even if there was no response. */
  readonly onResponse?: ((view: ResponseView) => void) | undefined;
  /** Called before the wait for a retry. */
  readonly onRetry?: ((view: RetryView) => void) | undefined;
  /** Called before each wait for the rate limit. Here, `sentAt` is when the wait begins. */
  readonly onWait?: ((view: WaitView) => void) | undefined;
}

export interface DriftSubject {
  readonly asked: Asked;
  /** For requests that create a resource, the draft's fields that the response repeats. */
  readonly endpoint?: Pick<AnyEndpoint, 'agrees' | 'assumes'> | undefined;
  /** When the request was sent, in milliseconds on the client's monotonic clock. */
  readonly sentAt?: number | undefined;
  readonly receivedAt?: number | undefined;
}

/**
 * Compares a raw response with its schema and its request. Throws a `ValidationError` to reject the
 * response. `schema` is absent if the response is a refusal from the service.
 */
export type DriftCheck = (
  path: string,
  schema: SchemaStructure | undefined,
  json: unknown,
  subject?: DriftSubject,
) => void;

/** A client's options with defaults applied. Times are in milliseconds and sizes in bytes. */
export interface Settings extends Observers, Readonly<Numbers> {
  readonly rateLimits: RateLimits;
  /**
   * Whether all users of the rate limit are known, because `rateLimitShare` was set or a shared
   * store counts for all processes.
   */
  readonly isShareKnown: boolean;
  readonly rateLimitStore?: RateLimitStore | undefined;
  readonly drift?: DriftCheck | undefined;
  readonly paths: Readonly<Record<string, string>>;
  /** The network that payment codes must belong to. See `ClientOptions`. */
  readonly network?: Network | undefined;
  readonly dedupeReads: boolean;
}

export interface WireRequest {
  readonly url: string;
  readonly method: string;
  readonly body?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly signal: AbortSignal;
}

/** The second argument that is passed to `fetch`. */
export interface FetchInit {
  /** HTTP method in uppercase. */
  readonly method: string;
  /** Request headers, including the credential. */
  readonly headers: Record<string, string>;
  /** Request body as JSON. */
  readonly body?: string;
  /** Aborts when no caller is waiting for the response anymore. */
  readonly signal: AbortSignal;
  /** Always `manual`, because following a redirect could send the credential to another server. */
  readonly redirect: 'manual';
  /** Prevents caching of responses, if the platform supports this option. */
  readonly cache?: 'no-store';
}

/** The parts of a `fetch` response that this package uses. */
export interface FetchResponse {
  /** HTTP status code. */
  readonly status: number;
  /** Response headers. */
  readonly headers: Pick<Headers, 'get'>;
  /** Response body as a stream, if the platform supports streams. */
  readonly body?: unknown;
  /** Reads the whole body as text. */
  text(): Promise<string>;
}

/**
 * The type of any `fetch` function that takes a URL string. This includes the platform's `fetch`
 * and those of packages such as undici, which define their own request and response types.
 */
export type Fetch = (input: string, init: FetchInit) => Promise<FetchResponse>;

/**
 * Sends the request of one attempt with its credential. The credential can't be read from outside.
 */
export interface Authorized {
  send(request: WireRequest): Promise<Response>;
  /** Removes the credential, and a secret in the request's body, from a JSON string. */
  redact(json: string, body: string | undefined): string;
  /**
   * Returns the start of a response body that isn't from the service, as plain text that contains
   * no part of the request.
   */
  excerpt(text: string, body: string | undefined): string | undefined;
  /** Returns false if the error proves that the request wasn't sent. */
  isSent(thrown: unknown): boolean;
  /**
   * Reports that the service refused the credential. Absent if there's no way to get another
   * credential.
   */
  readonly reject?: (() => void) | undefined;
}

/** The parts of a connection that operations and watches use, independent of any resource. */
interface Internals {
  /** Returns the URL of the service or relay. Throws for a relative URL outside a page. */
  readonly baseUrl: () => string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly uuid: () => string;
  readonly capabilities: Capabilities;
  readonly settings: Settings;
  /** Priority of all requests on this connection. Defaults to each endpoint's own priority. */
  readonly priority?: Priority | undefined;
  /**
   * Gets the credential for one attempt, synchronously if it's a string. With `isRenewal`, rejects
   * if it would be the token that the service has refused.
   */
  readonly authorize: (isRenewal: boolean) => Authorized | Promise<Authorized>;
  /** Set if responses aren't passed to watches, because the caller processes them. */
  readonly isQuiet?: true;
  /** Called with the age of each response, in milliseconds. */
  readonly noteAge?: (age: number) => void;
  /**
   * The caller's `fetch`, or a placeholder object for the platform's. Clients with the same sender
   * use the same IP address, so they share rate limits.
   */
  readonly sender: object;
  /** Whether the credential is a token, which a new login can replace. */
  readonly canLogIn: boolean;
  /**
   * Returns the account's name, or a digest of its API key. Absent if the client has only a token.
   */
  readonly account: ((digest: (text: string) => string) => string) | undefined;
  readonly dial?: Dial | undefined;
  /**
   * State that a client shares with its derived clients, accessed through `slotState`. It contains
   * only data, not promises.
   */
  readonly state: Map<SlotName, unknown>;
}

/** Key of a connection's only member. No entry point exports it, so editors don't suggest it. */
export const internals: unique symbol = Symbol.for('paystate');

/**
 * A connection to the service, which operations, watches and flows take as their first argument.
 * Its only member is internal. The member is declared through a mapped type, because editors with
 * TypeScript 7 would suggest it otherwise.
 */
export interface Connection extends Readonly<Record<typeof internals, Internals>> {}

/**
 * Storage for request counts, shared by all clients that use the same store or the same underlying
 * storage. See `memoryRateLimitStore`, `durableObjectRateLimitStore` and `rateLimitStoreOf` in
 * `paystate/stores`.
 */
export interface RateLimitStore extends Readonly<Record<typeof internals, SharedLimiter>> {}

/**
 * The rate-limit store methods that a client calls. They never reject and always settle quickly.
 */
interface SharedLimiter {
  readonly isShared: boolean;
  /** Takes a slot in the rate limit. Stops waiting for the storage when the caller aborts. */
  take(
    connection: Connection,
    bucket: Bucket,
    priority: Priority,
    signal: AbortSignal | undefined,
  ): Promise<QueuePlace>;
  block(connection: Connection, bucket: Bucket, ms: number): Promise<void>;
  read(connection: Connection, bucket: Bucket): Promise<RateLimitCounts | undefined>;
}

type SlotName =
  | 'core.settings'
  | 'core.rate-limiter' // requests that were sent, and current blocks
  | 'core.retries'
  | 'core.sent' // commands with an unknown outcome
  | 'core.reads' // reads in progress, shared by identical reads
  | 'core.answers'
  | 'core.service-time'
  | 'core.worked' // when each scope was last accepted by the service
  | 'core.stats'
  | 'core.taps' // devtools and recorders that observe each attempt and decision
  | 'resources.learned' // limits of lists and the event feed, learned from responses
  | 'state.engine' // the engine for watches, once it's loaded
  | 'state.feed' // the poller for the event feed, once it's loaded
  | 'state.hub'
  | 'state.known' // known values of resources, with or without watches
  | 'state.clock' // a clock that detects when the machine was asleep
  | 'flows.checkouts'
  | 'flows.ticker' // exchange rates to compare payment codes with
  | 'flows.payments' // payments in progress, by journal
  | 'flows.plans'
  | 'flows.changes' // pending writes of journals, which share a request
  | 'flows.executed' // the quote that was executed
  | 'flows.lnurl' // limits of Lightning addresses
  | 'devtools';

export interface Slot<T> {
  readonly name: SlotName;
  readonly make: (connection: Connection) => T;
}

export function slotState<T>(connection: Connection, { name, make }: Slot<T>): T {
  const { state } = connection[internals];
  const kept = state.get(name) as T | undefined;
  if (kept !== undefined) return kept;
  const made = make(connection);
  state.set(name, made);
  return made;
}

const SETTINGS: Slot<Settings> = {
  name: 'core.settings',
  make: (connection) => connection[internals].settings,
};

export function findRoot(connection: Connection): Connection {
  const inner = connection[internals];
  const settings = slotState(connection, SETTINGS);
  return { [internals]: { ...inner, settings, priority: undefined } };
}

/** Returns a connection whose responses aren't passed to watches, for callers that process them. */
export function quietly(connection: Connection): Connection {
  return { [internals]: { ...connection[internals], isQuiet: true } };
}

/**
 * Returns a connection for a read, and the age of the read's oldest response in milliseconds. `age`
 * is updated with each response and is above 0 if one came from a cache.
 */
export function beginRead(connection: Connection): {
  readonly connection: Connection;
  readonly age: number;
} {
  const noteAge = (age: number) => {
    read.age = Math.max(read.age, age);
  };
  const read = { connection: withAge(connection, noteAge), age: 0 };
  return read;
}

export function withAge(connection: Connection, noteAge: (age: number) => void): Connection {
  return { [internals]: { ...connection[internals], noteAge } };
}

const KEPT = new Error('the request was not sent');

/**
 * Returns a connection that calls `gate` before it sends a request, and doesn't send it if `gate`
 * resolves to false. `settled` resolves when no decision is pending.
 */
export function guardRequests(
  connection: Connection,
  gate: () => Promise<boolean>,
): { readonly connection: Connection; settled(): Promise<void> } {
  const inner = connection[internals];
  const asked: Promise<boolean>[] = [];
  const authorize = async (isRenewal: boolean): Promise<Authorized> => {
    const ready = await inner.authorize(isRenewal);
    return {
      ...ready,
      isSent: (thrown) => thrown !== KEPT && ready.isSent(thrown),
      async send(request) {
        const answer = gate();
        asked.push(answer);
        if (!(await answer)) throw KEPT;
        request.signal.throwIfAborted();
        return ready.send(request);
      },
    };
  };
  return {
    connection: { [internals]: { ...inner, authorize } },
    settled: async () => void (await Promise.allSettled(asked)),
  };
}

export function withPriority(connection: Connection, priority: Priority): Connection {
  return { [internals]: { ...connection[internals], priority } };
}

const DEFAULTS = {
  attemptTimeout: 10_000,
  callTimeout: 60_000,
  queueTimeout: undefined as number | undefined, // 1.5 times the window of the rate limit
  maxAttempts: 3,
  rateLimitShare: 1,
  maxResponseBytes: 5_000_000,
};

/** Options that a derived client can change. `checkNumbers` validates the numbers. */
export const OVERRIDES = {
  attemptTimeout: 'number',
  callTimeout: 'number',
  queueTimeout: 'number',
  maxAttempts: 'number',
  drift: 'function',
  onRequest: 'function',
  onResponse: 'function',
  onRetry: 'function',
  onWait: 'function',
} as const;

export type Numbers = typeof DEFAULTS;
export type CallNumbers = Omit<Numbers, 'rateLimitShare' | 'maxResponseBytes'>;

/** Validates numeric options and fills in the defaults from `usual` or the standard defaults. */
export function checkNumbers<N extends Partial<Numbers> = Numbers>(
  given: { readonly [K in keyof N]?: N[K] | undefined },
  usual: N = DEFAULTS as Partial<Numbers> as N,
): N {
  const numbers: Record<string, unknown> = {};
  for (const name of Object.keys(DEFAULTS) as (keyof Numbers)[]) {
    const value: unknown = given[name] ?? usual[name];
    if (value === undefined) continue;
    if (typeof value !== 'number' || !(value > 0) || (name === 'rateLimitShare' && value > 1))
      throw badInput(name, `must be above 0${name === 'rateLimitShare' ? ' and at most 1' : ''}`);
    numbers[name] = value;
  }
  return numbers as N;
}

export type Unbound<Bound> = {
  readonly [Name in keyof Bound]: Bound[Name] extends (...rest: infer Rest) => infer Result
    ? (connection: Connection, ...rest: Rest) => Result
    : Unbound<Bound[Name]>;
};

/**
 * Adds the resources' operations to `client`, and binds them to `connection` on first use. Binding
 * all of them at once would take three quarters of the time of `createClient`. The bound resources
 * are plain objects, so tests can replace their members.
 */
export function bindTo<Client extends object, Bound extends object>(
  client: Client,
  connection: Connection,
  parts: Unbound<Bound>,
): Client & Bound {
  type Part = Readonly<Record<string, (connection: Connection, ...rest: never[]) => unknown>>;
  for (const [name, part] of Object.entries<Part>(parts as never)) {
    let bound: unknown;
    Object.defineProperty(client, name, {
      configurable: true,
      enumerable: true,
      get: () =>
        (bound ??= Object.fromEntries(
          Object.entries(part).map(([verb, operation]) => [
            verb,
            (...rest: never[]) => operation(connection, ...rest),
          ]),
        )),
      set(given) {
        bound = given;
      },
    });
  }
  // keeps Vue from wrapping it, like `finish` in watch.ts
  return Object.preventExtensions(client) as Client & Bound;
}

/** Returns the error for JavaScript callers that pass something other than a client. */
export function refuseClient(client: Connection | undefined): InputError | undefined {
  return client?.[internals]
    ? undefined
    : badInput('client', 'must be a client from createClient()');
}

export function checkClient(client: Connection | undefined): void {
  const refused = refuseClient(client);
  if (refused) throw refused;
}
