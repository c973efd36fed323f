import type { PaystateError } from '../errors/index.ts';
import { isolated } from '../watch.ts';
import {
  checkClient,
  type Connection,
  internals,
  type Priority,
  type Slot,
  slotState,
} from './connection.ts';
import type { AnyEndpoint } from './endpoint.ts';

export interface CallAnswer {
  readonly endpoint: AnyEndpoint;
  /** Ids and other URL parameters of the request, by name. */
  readonly where: unknown;
  /** The parsed response body, or `undefined` for a refusal or an empty body. */
  readonly value: unknown;
  readonly refusal?: { readonly code: string; readonly values?: object | undefined } | undefined;
  /** When the request was sent, in milliseconds on the monotonic clock. */
  readonly sentAt: number;
}

/** How long responses are kept. This is longer than the service's replicas can lag behind. */
const KEEP_ANSWERS_MS = 60_000;
const MAX_ANSWERS = 1_000;

type ForgetListener = (isLoggedOut: boolean) => void;
type ChangeListener = (id: string) => void;

interface Answers {
  /** Recent responses from oldest to newest. List pages aren't included. */
  readonly kept: CallAnswer[];
  readonly listeners: Set<(answer: CallAnswer) => void>;
  /** Listeners that discard the account's cached values when `forget` is called. */
  readonly droppers: Set<ForgetListener>;
  /** Listeners for changes to resources that have no watch. */
  readonly hinted: Set<ChangeListener>;
}

const ANSWERS: Slot<Answers> = {
  name: 'core.answers',
  make: () => ({ kept: [], listeners: new Set(), droppers: new Set(), hinted: new Set() }),
};

/**
 * Passes a response to open watches, and keeps it for watches that start within the next minute.
 */
export function noteAnswer(connection: Connection, given: CallAnswer): void {
  const { clock, isQuiet } = connection[internals];
  const { endpoint, value } = given;
  if (isQuiet || endpoint.idempotency === 'pure') return;
  const answers = slotState(connection, ANSWERS);
  const { kept, listeners } = answers;
  const isPage = Array.isArray((value as { readonly items?: unknown } | undefined)?.items);
  if (isPage && listeners.size === 0) return;
  // the caller may modify the object it receives
  const answer = { ...given, value: copyPlain(value) };
  if (!isPage) {
    const earliest = clock.monotonic() - KEEP_ANSWERS_MS;
    while ((kept[0]?.sentAt ?? earliest) < earliest) kept.shift();
    if (kept.length === MAX_ANSWERS) kept.splice(0, MAX_ANSWERS / 10);
    kept.push(answer);
  }
  for (const listener of listeners) isolated(() => listener(answer));
}

/**
 * Copies plain data. Returns `undefined` for deeply nested data, which makes watches read it again.
 */
function copyPlain(value: unknown): unknown {
  try {
    return value && (JSON.parse(JSON.stringify(value)) as unknown);
  } catch {
    return undefined;
  }
}

export function tellListeners(connection: Connection, id: string): void {
  for (const listener of slotState(connection, ANSWERS).hinted) listener(id);
}

export function listenToChanges(connection: Connection, listener: ChangeListener): () => void {
  const { hinted } = slotState(connection, ANSWERS);
  hinted.add(listener);
  return () => void hinted.delete(listener);
}

export function recentAnswers(connection: Connection): readonly CallAnswer[] {
  return slotState(connection, ANSWERS).kept;
}

export function listenToAnswers(
  connection: Connection,
  listener: (answer: CallAnswer) => void,
): () => void {
  const listeners = slotState(connection, ANSWERS).listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function listenToForget(connection: Connection, listener: ForgetListener): void {
  slotState(connection, ANSWERS).droppers.add(listener);
}

/**
 * Discards the account's cached data. With `isLoggedOut`, watches don't read it again, because
 * there is no valid login.
 */
export function dropKnown(connection: Connection, isLoggedOut: boolean): void {
  const answers = slotState(connection, ANSWERS);
  answers.kept.length = 0;
  for (const listener of answers.droppers) listener(isLoggedOut);
}

/**
 * Clears the client's cached data for its account. This includes recent responses, values from
 * `provide` and values of resources that are no longer watched. Open watches continue and read
 * again. If there are none, no request is sent. Call it when the user logs out. The client calls it
 * automatically when the login server ends the login, or when a watch ends because the credentials
 * were refused.
 *
 * @example
 * forget(client);
 */
export function forget(connection: Connection): void {
  checkClient(connection);
  dropKnown(connection, false);
}

/**
 * When the service last accepted the credential, by scope, in milliseconds on the monotonic clock.
 */
const WORKED: Slot<Map<string, number>> = { name: 'core.worked', make: () => new Map() };

export function noteWorked(connection: Connection, scope: string, now: number): void {
  slotState(connection, WORKED).set(scope, now);
}

/**
 * For a refused credential (401) or scope (403), returns when the service last accepted it, or
 * `undefined` if it never did.
 */
export function workedAt(connection: Connection, error: PaystateError): number | undefined {
  const { kind, neededScope, next, status } = error;
  const scopes = slotState(connection, WORKED);
  if (status === 401 && kind === 'authentication' && next !== 'retry')
    return scopes.size > 0 ? Math.max(...scopes.values()) : undefined;
  return status === 403 && kind === 'refused' && neededScope ? scopes.get(neededScope) : undefined;
}

/** Statistics for a client and its derived clients, counted since the client was created. */
export interface ClientStats {
  /**
   * Number of requests by priority, including retries. Watches and the event feed use `normal`,
   * lists use `low`.
   */
  readonly requests: Readonly<Record<Priority, number>>;
  /** How many of the requests were retries. */
  readonly retries: number;
  /** Total time that calls have waited for the rate limit and between attempts, in milliseconds. */
  readonly waited: number;
}

interface Counts {
  readonly requests: Record<Priority, number>;
  retries: number;
  waited: number;
}

const STATS: Slot<Counts> = {
  name: 'core.stats',
  make: () => ({ requests: { critical: 0, high: 0, normal: 0, low: 0 }, retries: 0, waited: 0 }),
};

export function countRequest(connection: Connection, priority: Priority, attempt: number): void {
  const counts = slotState(connection, STATS);
  counts.requests[priority]++;
  if (attempt > 1) counts.retries++;
}

export function countWait(connection: Connection, ms: number): void {
  slotState(connection, STATS).waited += ms;
}

/**
 * Returns how many requests and retries a client has sent, and how long its calls have waited.
 * Includes clients derived from it with `withOptions`. The result is a snapshot, so you can compare
 * it with a later one. Sends no request.
 *
 * @example
 * const { requests, retries, waited } = clientStats(client);
 * console.log(requests.high, requests.normal, retries, waited);
 */
export function clientStats(connection: Connection): ClientStats {
  checkClient(connection);
  const { requests, retries, waited } = slotState(connection, STATS);
  return { requests: { ...requests }, retries, waited };
}
