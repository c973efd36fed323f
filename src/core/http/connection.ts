import { badInput, type InputError } from '../errors/index.ts';
import type { Dial } from '../platform.ts';
import type { Clock } from '../time.ts';
import type { AnyEndpoint, Asked, Bucket, Priority, SchemaStructure } from './endpoint.ts';
import type { QueuePlace, RateLimitCounts, RateLimits } from './rate-limits.ts';

export type { Priority };

/** The Bitcoin networks that a BOLT11 text or address can be of. */
export type Network = 'mainnet' | 'testnet' | 'signet' | 'regtest';

/** The rights of this credential beyond reading single resources by id. */
export interface Capabilities {
  /** It may read lists. */
  readonly list: boolean;
  /** It may read the event feed. */
  readonly feed: boolean;
}

/** A request as an observer sees it: redacted and frozen. */
export interface RequestView {
  /** The member of the client that sends it, such as `invoices.create`; else method and path. */
  readonly operation: string;
  /** Method of HTTP. */
  readonly method: string;
  /** The endpoint's path with `{names}` instead of values. */
  readonly path: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** The rank of a request when the rate limit is short. */
  readonly priority: Priority;
  /** Why the request was made, in a few words. */
  readonly reason: string;
  /** Clock time of sending, milliseconds since 1970. */
  readonly sentAt: number;
}

/** A response as an observer sees it: redacted and frozen. */
export interface ResponseView extends RequestView {
  /** HTTP status; absent when no response came. */
  readonly status?: number | undefined;
  /** The error's code, where there was one. */
  readonly code?: string | undefined;
  /** The service's id of the request, where the response names one. */
  readonly traceId?: string | undefined;
  /** Milliseconds from sending to the end of the body. */
  readonly duration: number;
}

/** A repetition, before it is sent, as an observer sees it: redacted and frozen. */
export interface RetryView extends RequestView {
  /** Milliseconds until the next attempt. */
  readonly delay: number;
}

/**
 * A wait for a place in the rate limit, or a failed store, as an observer sees it: redacted and
 * frozen.
 */
export interface WaitView extends RequestView, QueuePlace {
  /** The rate limit that counts the request. */
  readonly bucket: Bucket;
  /** Milliseconds until there may be a place; 0 only with the cause `store`. */
  readonly delay: number;
}

/** Functions that see what a client sends and cannot change it. */
export interface Observers {
  /** Called before each attempt is sent. */
  readonly onRequest?: ((view: RequestView) => void) | undefined;
  /** Called after each attempt, also when no response came. */
  readonly onResponse?: ((view: ResponseView) => void) | undefined;
  /** Called before the wait for the next attempt. */
  readonly onRetry?: ((view: RetryView) => void) | undefined;
  /** Called before each wait for a place in the rate limit; `sentAt` is when the wait begins. */
  readonly onWait?: ((view: WaitView) => void) | undefined;
}

/** The request as the check for drift knows it. */
export interface DriftSubject {
  /** The requested values, by name. */
  readonly asked: Asked;
  /** For a creation: which members of its response repeat the draft. */
  readonly endpoint?: Pick<AnyEndpoint, 'agrees' | 'assumes'> | undefined;
  /** When the request was sent, on the client's monotonic clock, milliseconds. */
  readonly sentAt?: number | undefined;
  /** When the response was there, on the same clock. */
  readonly receivedAt?: number | undefined;
}

/**
 * Compares a response, as it came, with its schema and its request; throws a `ValidationError` to
 * refuse it. Without a schema, the response is a refusal of the service.
 */
export type DriftCheck = (
  path: string,
  schema: SchemaStructure | undefined,
  json: unknown,
  subject?: DriftSubject,
) => void;

/** The options of a client with their defaults. Times in milliseconds, sizes in bytes. */
export interface Settings extends Observers, Readonly<Numbers> {
  /** The limit of each bucket. */
  readonly rateLimits: RateLimits;
  /**
   * The share was given, or a store counts for all processes: no process that is not known of uses
   * the same limit.
   */
  readonly isShareKnown: boolean;
  /** Counts the requests of all who use it. */
  readonly rateLimitStore?: RateLimitStore | undefined;
  /** Checks every response that was read; see `reportDrift` and `rejectDrift`. */
  readonly drift?: DriftCheck | undefined;
  /** Other paths for single endpoints, by the path as published. */
  readonly paths: Readonly<Record<string, string>>;
  /** The network that payment codes must belong to; see `ClientOptions`. */
  readonly network?: Network | undefined;
  /** Equal reads under way at once make one request. */
  readonly dedupeReads: boolean;
}

/** The request of one attempt, complete except for its credential. */
export interface WireRequest {
  readonly url: string;
  readonly method: string;
  readonly body?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly signal: AbortSignal;
}

/** The second argument of `fetch`. */
export interface FetchInit {
  /** The method, in upper case. */
  readonly method: string;
  /** The headers, with the credential. */
  readonly headers: Record<string, string>;
  /** The body, JSON. */
  readonly body?: string;
  /** Aborts when nobody waits for the response any more. */
  readonly signal: AbortSignal;
  /** Redirects are never followed: they would carry the credential elsewhere. */
  readonly redirect: 'manual';
  /** Keeps the answers of reads out of caches, where the platform takes it. */
  readonly cache?: 'no-store';
}

/** The response of `fetch`, as far as this package needs it. */
export interface FetchResponse {
  /** The status code. */
  readonly status: number;
  /** The headers. */
  readonly headers: Pick<Headers, 'get'>;
  /** The body as a stream, where the platform has streams. */
  readonly body?: unknown;
  /** Reads the whole body. */
  text(): Promise<string>;
}

/**
 * Any `fetch` that takes a URL as text: the platform's, or that of a package such as undici, whose
 * requests and responses have types of their own.
 */
export type Fetch = (input: string, init: FetchInit) => Promise<FetchResponse>;

/** Sends one attempt with its credential, which no property shows. */
export interface Authorized {
  /** Sends without retry or redirect and does not read the body. */
  send(request: WireRequest): Promise<Response>;
  /** Removes the credential, and a secret of the request's body, from a text of JSON. */
  redact(json: string, body: string | undefined): string;
  /**
   * Returns the beginning of a foreign body as plain text, without anything that the request
   * carried.
   */
  excerpt(text: string, body: string | undefined): string | undefined;
  /** False where a thrown value proves that nothing of the request was sent. */
  isSent(thrown: unknown): boolean;
  /** Notes that the service refused the credential; absent where there can be no other. */
  readonly reject?: (() => void) | undefined;
}

/**
 * The parts of a connection that operations and watches need. It knows no resource and keeps its
 * credential in a closure.
 */
interface Internals {
  /** Returns the address of the service or relay; throws for a path outside of a page. */
  readonly baseUrl: () => string;
  /** Time and timers. */
  readonly clock: Clock;
  /** Numbers from 0 up to 1. */
  readonly random: () => number;
  /** Makes ids. */
  readonly uuid: () => string;
  /** The rights of the credential. */
  readonly capabilities: Capabilities;
  /** The options with their defaults. */
  readonly settings: Settings;
  /** The priority of its requests; that of the endpoint when absent. */
  readonly priority?: Priority | undefined;
  /**
   * Gets the credential for one attempt, synchronously where it is a plain text. With `isRenewal`
   * it must not return the refused one.
   */
  readonly authorize: (isRenewal: boolean) => Authorized | Promise<Authorized>;
  /** Answers to its calls are not announced to watches: the caller processes them itself. */
  readonly isQuiet?: true;
  /** Told how old each answer is, milliseconds, where the caller wants to know. */
  readonly noteAge?: (age: number) => void;
  /**
   * The caller's `fetch`, or a value for the platform's: clients that share it send from one
   * address.
   */
  readonly sender: object;
  /** The credential is a token, which a login can replace. */
  readonly canLogIn: boolean;
  /**
   * Returns the name of the account, a digest where only its key is known; absent with a token
   * alone.
   */
  readonly account: ((digest: (text: string) => string) => string) | undefined;
  /** The means to open a socket to the relay, where that is possible. */
  readonly dial?: Dial | undefined;
  /**
   * State that lives as long as the client; its children share it. It holds numbers and data, and
   * no promises. Only `stateOf` reads it.
   */
  readonly state: Map<SlotName, unknown>;
}

/**
 * The only member of a connection. No entry exports the symbol, so that editors do not offer it.
 */
export const internals: unique symbol = Symbol.for('paystate');

/**
 * A connection to the service: the first argument of operations, watches and flows. Its one member
 * comes from a mapped type, because TypeScript 7 offers the symbol of a member that is written out.
 */
export interface Connection extends Readonly<Record<typeof internals, Internals>> {}

/**
 * Counts requests together with all clients that use the same store, or a store on the same
 * storage: see `memoryRateLimitStore`, `durableObjectRateLimitStore` and `rateLimitStoreOf` of
 * `paystate/stores`.
 */
export interface RateLimitStore extends Readonly<Record<typeof internals, SharedLimiter>> {}

/** The part of a store that a client needs. No method rejects, and none takes long. */
interface SharedLimiter {
  /** Other processes count in it too. */
  readonly isShared: boolean;
  /** Stops waiting when the caller gives up. */
  take(
    connection: Connection,
    bucket: Bucket,
    priority: Priority,
    signal: AbortSignal | undefined,
  ): Promise<QueuePlace>;
  /** Notes that the service refuses the bucket for `ms`. */
  block(connection: Connection, bucket: Bucket, ms: number): Promise<void>;
  read(connection: Connection, bucket: Bucket): Promise<RateLimitCounts | undefined>;
}

/** Everything that lives as long as a client, by name. */
type SlotName =
  | 'core.settings' // the options that the client was made with
  | 'core.rate-limiter' // what was sent, and blocks
  | 'core.retries' // what may be spent on repetitions
  | 'core.sent' // commands of unknown outcome
  | 'core.reads' // reads under way that equal ones share
  | 'core.answers' // what the service answered recently
  | 'core.service-time' // the latest time that the service has said
  | 'core.worked' // when each scope was last accepted
  | 'core.stats' // requests, retries and waits so far
  | 'core.taps' // devtools and recorders that see each attempt and each decision
  | 'resources.learned' // what refusals have taught about lists
  | 'state.engine' // what watches, once it is loaded
  | 'state.feed' // what polls the event feed, once it is loaded
  | 'state.hub' // the watches under way
  | 'state.known' // what is known of resources, watched or not
  | 'state.clock' // a clock that notices sleep
  | 'flows.checkouts' // checkouts under way
  | 'flows.ticker' // exchange rates that codes are compared with
  | 'flows.payments' // runs under way, by journal
  | 'flows.plans'
  | 'flows.changes' // writes to a journal that share a request
  | 'flows.executed' // a quote that was executed
  | 'flows.lnurl' // what Lightning addresses take
  | 'devtools';

/** One value that a client and its children share: its type, its name, and how it is made. */
export interface Slot<T> {
  readonly name: SlotName;
  readonly make: (connection: Connection) => T;
}

/** Returns the client's value of a slot; makes it on first use. */
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

/** Returns the same connection with the options that its client was made with. */
export function findRoot(connection: Connection): Connection {
  const inner = connection[internals];
  const settings = slotState(connection, SETTINGS);
  return { [internals]: { ...inner, settings, priority: undefined } };
}

/**
 * Returns the same connection for callers that process answers themselves: watches are not told of
 * them.
 */
export function quietly(connection: Connection): Connection {
  return { [internals]: { ...connection[internals], isQuiet: true } };
}

/**
 * Begins a read. `age` becomes that of the oldest of its answers, milliseconds: a cache may have
 * kept it since a request that somebody sent earlier.
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

/** Returns the same connection, with a function that is told how old each answer is. */
export function withAge(connection: Connection, noteAge: (age: number) => void): Connection {
  return { [internals]: { ...connection[internals], noteAge } };
}

/** The gate of a connection has kept a request from being sent. */
const KEPT = new Error('the request was not sent');

/**
 * Returns the same connection with a gate: when a request has its place and its credential, `gate`
 * decides whether it is sent. `settled` resolves when no gate is being asked any more.
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

/** Returns the same connection with another priority of its requests. */
export function withPriority(connection: Connection, priority: Priority): Connection {
  return { [internals]: { ...connection[internals], priority } };
}

const DEFAULTS = {
  attemptTimeout: 10_000,
  callTimeout: 60_000,
  queueTimeout: undefined as number | undefined, // by the window of the request's rate limit
  maxAttempts: 3,
  rateLimitShare: 1,
  maxResponseBytes: 5_000_000,
};

/** The options that a derived client may change. `numbersOf` checks the numbers. */
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

/** The numeric options of a client, and those of a call. */
export type Numbers = typeof DEFAULTS;
export type CallNumbers = Omit<Numbers, 'rateLimitShare' | 'maxResponseBytes'>;

/**
 * Validates numeric options and fills in defaults, those of a new client unless `usual` is given.
 */
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

/** The functions of `Bound` with a connection as their first argument. */
export type Unbound<Bound> = {
  readonly [Name in keyof Bound]: Bound[Name] extends (...rest: infer Rest) => infer Result
    ? (connection: Connection, ...rest: Rest) => Result
    : Unbound<Bound[Name]>;
};

/**
 * Adds each part to `client`, with its functions bound to `connection`. A part is bound when it is
 * first used: to bind all of them takes three quarters of the time of `createClient`. Parts are
 * plain objects then, so that tests can replace their members.
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
  return Object.preventExtensions(client) as Client & Bound; // see `finish` of watches
}

/**
 * Returns the error for an argument that is no client, as plain JavaScript may pass; `undefined`
 * for a client.
 */
export function refuseClient(client: Connection | undefined): InputError | undefined {
  return client?.[internals] ? undefined : badInput('client', 'must be a client of createClient()');
}

/** Throws where an argument is no client. */
export function checkClient(client: Connection | undefined): void {
  const refused = refuseClient(client);
  if (refused) throw refused;
}
