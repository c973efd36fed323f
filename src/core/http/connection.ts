import { badInput, type InputError } from '../errors/index.ts';
import type { Dial } from '../platform.ts';
import type { Clock } from '../time.ts';
import type { AnyEndpoint, Asked, Bucket, Priority, SchemaStructure } from './endpoint.ts';
import type { QueuePlace, RateLimitCounts, RateLimits } from './rate-limits.ts';

export type { Priority };

/** The Bitcoin network of a BOLT11 invoice or an address. */
export type Network = 'mainnet' | 'testnet' | 'signet' | 'regtest';

/** What a credential can do besides reading single resources by id. */
export interface Capabilities {
  /** Whether it may read lists. */
  readonly list: boolean;
  /** Whether it may read the event feed. */
  readonly feed: boolean;
}

/** A request as passed to observers, redacted and frozen. */
export interface RequestView {
  /** The client method that sends it, such as `invoices.create`, or the HTTP method and path. */
  readonly operation: string;
  /** HTTP method. */
  readonly method: string;
  /** Path of the endpoint, with `{names}` instead of values. */
  readonly path: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Decides which request goes first when the rate limit is tight. */
  readonly priority: Priority;
  /** Why the request is made, in a few words. */
  readonly reason: string;
  /** When it was sent, in milliseconds since 1970. */
  readonly sentAt: number;
}

/** A response as passed to observers, redacted and frozen. */
export interface ResponseView extends RequestView {
  /** HTTP status. Absent without a response. */
  readonly status?: number | undefined;
  /** Error code, if the attempt failed. */
  readonly code?: string | undefined;
  /** The service's id for the request, if the response has one. */
  readonly traceId?: string | undefined;
  /** Milliseconds from sending the request to the end of the body. */
  readonly duration: number;
}

/** A retry as passed to observers before it's sent, redacted and frozen. */
export interface RetryView extends RequestView {
  /** Milliseconds until the next attempt. */
  readonly delay: number;
}

/**
 * A wait for the rate limit, or a failure of its store, as passed to observers. Redacted and
 * frozen.
 */
export interface WaitView extends RequestView, QueuePlace {
  /** The rate limit that counts the request. */
  readonly bucket: Bucket;
  /** Milliseconds until the request may be sent. Only 0 with the cause `store`. */
  readonly delay: number;
}

/** Callbacks that observe a client's requests without changing them. */
export interface Observers {
  /** Called before each attempt is sent. */
  readonly onRequest?: ((view: RequestView) => void) | undefined;
  /** Called after each attempt, even without a response. */
  readonly onResponse?: ((view: ResponseView) => void) | undefined;
  /** Called before waiting for the next attempt. */
  readonly onRetry?: ((view: RetryView) => void) | undefined;
  /** Called before each wait for the rate limit. `sentAt` is when the wait begins. */
  readonly onWait?: ((view: WaitView) => void) | undefined;
}

export interface DriftSubject {
  readonly asked: Asked;
  /** For a creation, the draft's fields that its response repeats. */
  readonly endpoint?: Pick<AnyEndpoint, 'agrees' | 'assumes'> | undefined;
  /** When the request was sent, in the client's monotonic milliseconds. */
  readonly sentAt?: number | undefined;
  readonly receivedAt?: number | undefined;
}

/**
 * Compares a raw response with its schema and its request. Throws a `ValidationError` to reject it.
 * Without a schema, the response is a refusal from the service.
 */
export type DriftCheck = (
  path: string,
  schema: SchemaStructure | undefined,
  json: unknown,
  subject?: DriftSubject,
) => void;

/** A client's options with defaults applied. Times are in milliseconds, sizes in bytes. */
export interface Settings extends Observers, Readonly<Numbers> {
  readonly rateLimits: RateLimits;
  /**
   * The share was set, or a store counts for all processes, so no unknown process uses the limit.
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

/** The second argument of `fetch`. */
export interface FetchInit {
  /** HTTP method, in upper case. */
  readonly method: string;
  /** Headers, including the credential. */
  readonly headers: Record<string, string>;
  /** JSON body. */
  readonly body?: string;
  /** Aborts once no caller is waiting for the response. */
  readonly signal: AbortSignal;
  /** Redirects are never followed, because they would send the credential elsewhere. */
  readonly redirect: 'manual';
  /** Keeps responses out of caches, if the platform supports the option. */
  readonly cache?: 'no-store';
}

/** The parts of a response this package needs. */
export interface FetchResponse {
  /** The status code. */
  readonly status: number;
  /** The headers. */
  readonly headers: Pick<Headers, 'get'>;
  /** The body as a stream, if the platform supports streams. */
  readonly body?: unknown;
  /** Reads the whole body as text. */
  text(): Promise<string>;
}

/**
 * Any `fetch` that takes a URL string, whether the platform's or one from a package such as undici,
 * which has its own request and response types.
 */
export type Fetch = (input: string, init: FetchInit) => Promise<FetchResponse>;

/** Sends one attempt with its credential, which can't be read from outside. */
export interface Authorized {
  send(request: WireRequest): Promise<Response>;
  /** Removes the credential, and a secret in the request's body, from a JSON string. */
  redact(json: string, body: string | undefined): string;
  /** Returns the start of a foreign body as plain text, without parts of the request. */
  excerpt(text: string, body: string | undefined): string | undefined;
  /** Returns false if the thrown value proves that nothing was sent. */
  isSent(thrown: unknown): boolean;
  /** Reports a refused credential. Absent if there can't be another one. */
  readonly reject?: (() => void) | undefined;
}

/** The parts of a connection that operations and watches need, independent of resources. */
interface Internals {
  /** Returns the URL of the service or relay. Throws for a relative URL outside a page. */
  readonly baseUrl: () => string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly uuid: () => string;
  readonly capabilities: Capabilities;
  readonly settings: Settings;
  /** Priority of its requests. Defaults to the endpoint's. */
  readonly priority?: Priority | undefined;
  /**
   * Gets the credential for one attempt, synchronously if it's a string. With `isRenewal` it must
   * not return the refused one.
   */
  readonly authorize: (isRenewal: boolean) => Authorized | Promise<Authorized>;
  /** Responses aren't passed to watches, because the caller processes them itself. */
  readonly isQuiet?: true;
  /** Called with the age of each response, in milliseconds. */
  readonly noteAge?: (age: number) => void;
  /**
   * The caller's `fetch`, or a placeholder for the platform's. Clients that share it send from the
   * same IP address.
   */
  readonly sender: object;
  /** The credential is a token that a new login can replace. */
  readonly canLogIn: boolean;
  /** Returns the account's name, or a digest of its key. Absent if there's only a token. */
  readonly account: ((digest: (text: string) => string) => string) | undefined;
  readonly dial?: Dial | undefined;
  /**
   * State shared by a client and its children. Lives as long as the client. Contains data but no
   * promises. Only `slotState` reads it.
   */
  readonly state: Map<SlotName, unknown>;
}

/** The only member of a connection. No entry point exports it, so editors don't suggest it. */
export const internals: unique symbol = Symbol.for('paystate');

/**
 * A connection to the service, the first argument of operations, watches and flows. Its only member
 * comes from a mapped type, because TypeScript 7 suggests symbol members that are written out.
 */
export interface Connection extends Readonly<Record<typeof internals, Internals>> {}

/**
 * Counts requests together with all clients that use the same store, or a store on the same
 * storage. See `memoryRateLimitStore`, `durableObjectRateLimitStore` and `rateLimitStoreOf` in
 * `paystate/stores`.
 */
export interface RateLimitStore extends Readonly<Record<typeof internals, SharedLimiter>> {}

/** The parts of a store a client needs. No method rejects or takes long. */
interface SharedLimiter {
  readonly isShared: boolean;
  /** Takes a slot in the rate limit. Stops waiting when the caller aborts. */
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
  | 'core.rate-limiter' // requests that were sent, and blocks
  | 'core.retries'
  | 'core.sent' // commands of unknown outcome
  | 'core.reads' // reads in progress that equal reads share
  | 'core.answers'
  | 'core.service-time'
  | 'core.worked' // when each scope was last accepted
  | 'core.stats'
  | 'core.taps' // devtools and recorders, which see each attempt and decision
  | 'resources.learned' // learned limits of lists and feed
  | 'state.engine' // the engine of watches, once it's loaded
  | 'state.feed' // the poller of the event feed, once it's loaded
  | 'state.hub'
  | 'state.known' // known values of resources, watched or not
  | 'state.clock' // a clock that notices sleep
  | 'flows.checkouts'
  | 'flows.ticker' // exchange rates to compare codes with
  | 'flows.payments' // runs in progress, by journal
  | 'flows.plans'
  | 'flows.changes' // journal writes that share a request
  | 'flows.executed' // a quote that was executed
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

/**
 * Returns a connection for callers that process responses themselves, so watches don't get them.
 */
export function quietly(connection: Connection): Connection {
  return { [internals]: { ...connection[internals], isQuiet: true } };
}

/**
 * Starts a read. `age` becomes the age of its oldest response in milliseconds, as responses may
 * come from a cache.
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
 * Returns a connection with a gate, which makes the final decision whether a request is sent.
 * `settled` resolves when no gate is pending.
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
  queueTimeout: undefined as number | undefined, // 1.5 windows of the rate limit
  maxAttempts: 3,
  rateLimitShare: 1,
  maxResponseBytes: 5_000_000,
};

/** Options a derived client may change. The numbers are checked by `checkNumbers`. */
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

/** Validates numeric options and fills in defaults, from `usual` or from those of a new client. */
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
 * Adds each part to `client`, and binds it to `connection` on first use. Binding everything upfront
 * would take three quarters of `createClient`'s time. Parts are plain objects, so tests can replace
 * their members.
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
  return Object.preventExtensions(client) as Client & Bound; // see `finish` in watch.ts
}

/** Returns an error for plain JavaScript callers that pass something other than a client. */
export function refuseClient(client: Connection | undefined): InputError | undefined {
  return client?.[internals]
    ? undefined
    : badInput('client', 'must be a client from createClient()');
}

export function checkClient(client: Connection | undefined): void {
  const refused = refuseClient(client);
  if (refused) throw refused;
}
