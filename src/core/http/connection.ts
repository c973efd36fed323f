import type { Clock } from '../time/index.ts';
import type { Bucket } from './endpoint.ts';
import type { Dial } from '../platform/index.ts';

/** Which requests go first when the rate limit is short. */
export type Priority = 'critical' | 'high' | 'normal' | 'low';

/** Limit of one bucket of requests: `limit` in `window` ms, else refused for `block` ms. */
export interface RateLimit {
  readonly limit: number;
  readonly window: number;
  readonly block: number;
}

export type RateLimits = Readonly<Record<Bucket, RateLimit>>;

/** What this credential may do beyond reading single resources by id. */
export interface Capabilities {
  readonly list: boolean;
  readonly feed: boolean;
}

/** What an observer sees of a request: redacted and frozen. */
export interface RequestView {
  readonly method: string;
  /** The endpoint's path with `{names}` instead of values. */
  readonly path: string;
  readonly attempt: number;
  readonly priority: Priority;
  /** Why the request was made, in a few words. */
  readonly reason: string;
  /** Clock time of sending, milliseconds since 1970. */
  readonly sentAt: number;
}

export interface ResponseView extends RequestView {
  /** HTTP status; absent when no answer came. */
  readonly status?: number | undefined;
  /** The error's code, where there was one. */
  readonly code?: string | undefined;
  readonly duration: number;
}

export interface RetryView extends RequestView {
  /** Milliseconds until the next attempt. */
  readonly delay: number;
}

/** Listeners that can look and not touch. */
export interface Observers {
  readonly onRequest?: ((view: RequestView) => void) | undefined;
  readonly onResponse?: ((view: ResponseView) => void) | undefined;
  readonly onRetry?: ((view: RetryView) => void) | undefined;
}

/** Looks at an answer beside its schema; throws a `Misfit` to refuse it. */
export type DriftCheck = (path: string, schema: unknown, json: unknown) => void;

export interface Settings extends Observers {
  /** Longest time for one attempt, milliseconds. */
  readonly attemptTimeout: number;
  /** Longest time for a call with all its attempts, milliseconds. */
  readonly callTimeout: number;
  readonly maxAttempts: number;
  readonly rateLimits: RateLimits;
  /** Part of the limits that this process may use, 0 to 1. */
  readonly rateLimitShare: number;
  /** Longest answer that is read, bytes. */
  readonly maxResponseBytes: number;
  /** Looks at every answer that was read; see `reportDrift` and `refuseDrift`. */
  readonly drift?: DriftCheck | undefined;
  /** Other paths for single endpoints, by the path as published. */
  readonly paths: Readonly<Record<string, string>>;
  /** Equal reads under way at once make one request. */
  readonly dedupeReads: boolean;
}

/** One finished request, ready for the wire but for its credential. */
export interface WireRequest {
  readonly url: string;
  readonly method: string;
  readonly body?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly signal: AbortSignal;
  /** The credential before was refused: without another one nothing is sent. */
  readonly anew?: boolean;
  readonly note?: Note;
}

/** What the transport writes down while it sends one request. */
export interface Note {
  /** Still waiting for the credential. */
  unsent?: boolean;
  /** Cuts what was sent in confidence out of a text of JSON. */
  redact?: (json: string) => string;
  /** Says that the service refused the credential; absent where there is no other. */
  refuse?: () => void;
}

/** Everything a verb needs; it names no noun and holds its credential in a closure. */
export interface Connection {
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly uuid: () => string;
  readonly capabilities: Capabilities;
  readonly settings: Settings;
  readonly priority?: Priority | undefined;
  /** Sends one request with the credential; no retry, no redirect, no reading of the body. */
  readonly exchange: (request: WireRequest) => Promise<Response>;
  /** The way to the relay, where there is one. */
  readonly dial?: Dial | undefined;
  /** What lives as long as the client, by name; children share it. Numbers and data, no promises. */
  readonly slots: Map<string, unknown>;
}

/** Gets what the client keeps under `key`, making it on first use. */
export function stateOf<T>(connection: Connection, key: string, make: () => T): T {
  let kept = connection.slots.get(key) as T | undefined;
  if (kept === undefined) connection.slots.set(key, (kept = make()));
  return kept;
}

/** The same connection with requests of another priority. */
export function withPriority(connection: Connection, priority: Priority): Connection {
  return { ...connection, priority };
}
