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
  /** Ids and other URL parameters, by name. */
  readonly where: unknown;
  /** The parsed value, or `undefined` for a refusal or an empty body. */
  readonly value: unknown;
  readonly refusal?: { readonly code: string; readonly values?: object | undefined } | undefined;
  /** When the request was sent, in monotonic milliseconds. */
  readonly sentAt: number;
}

/** Longer than the service's replicas may lag. */
const KEEP_ANSWERS_MS = 60_000;
const MAX_ANSWERS = 1_000;

type ForgetListener = (isLoggedOut: boolean) => void;
type ChangeListener = (id: string) => void;

interface Answers {
  /** Recent responses, oldest first, except pages of lists. */
  readonly kept: CallAnswer[];
  readonly listeners: Set<(answer: CallAnswer) => void>;
  /** Listeners that drop the account's cached values on `forget`. */
  readonly droppers: Set<ForgetListener>;
  /** Listeners for changes to resources nobody watches. */
  readonly hinted: Set<ChangeListener>;
}

const ANSWERS: Slot<Answers> = {
  name: 'core.answers',
  make: () => ({ kept: [], listeners: new Set(), droppers: new Set(), hinted: new Set() }),
};

/** Passes a response to open watches, and keeps it for watches that start soon. */
export function noteAnswer(connection: Connection, given: CallAnswer): void {
  const { clock, isQuiet } = connection[internals];
  const { endpoint, value } = given;
  if (isQuiet || endpoint.idempotency === 'pure') return;
  const answers = slotState(connection, ANSWERS);
  const { kept, listeners } = answers;
  const isPage = Array.isArray((value as { readonly items?: unknown } | undefined)?.items);
  if (isPage && listeners.size === 0) return;
  const answer = { ...given, value: copyPlain(value) }; // the caller may modify its own copy
  if (!isPage) {
    const earliest = clock.monotonic() - KEEP_ANSWERS_MS;
    while ((kept[0]?.sentAt ?? earliest) < earliest) kept.shift();
    if (kept.length === MAX_ANSWERS) kept.splice(0, MAX_ANSWERS / 10);
    kept.push(answer);
  }
  for (const listener of listeners) isolated(() => listener(answer));
}

/** Copies plain data, unless it's nested too deeply. In that case watches read it again. */
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

/** Drops the account's cached data. With `isLoggedOut`, nothing can be read again. */
export function dropKnown(connection: Connection, isLoggedOut: boolean): void {
  const answers = slotState(connection, ANSWERS);
  answers.kept.length = 0;
  for (const listener of answers.droppers) listener(isLoggedOut);
}

/**
 * Drops what the client has cached for its account: values of unwatched resources, values from
 * `provide`, and recent responses. Open watches continue and read again. If nothing is being
 * watched, nothing is sent. Call it when the user logs out. The client calls it on its own when the
 * login server ends the login, or when refused credentials have ended a watch.
 *
 * @example
 * forget(client);
 */
export function forget(connection: Connection): void {
  checkClient(connection);
  dropKnown(connection, false);
}

/** When the service last accepted the credential for each scope, in monotonic milliseconds. */
const WORKED: Slot<Map<string, number>> = { name: 'core.worked', make: () => new Map() };

export function noteWorked(connection: Connection, scope: string, now: number): void {
  slotState(connection, WORKED).set(scope, now);
}

/** Returns when the service last accepted the refused credential (401) or scope (403), if ever. */
export function workedAt(connection: Connection, error: PaystateError): number | undefined {
  const { kind, neededScope, next, status } = error;
  const scopes = slotState(connection, WORKED);
  if (status === 401 && kind === 'authentication' && next !== 'retry')
    return scopes.size > 0 ? Math.max(...scopes.values()) : undefined;
  return status === 403 && kind === 'refused' && neededScope ? scopes.get(neededScope) : undefined;
}

/** Requests sent and time waited so far by a client and its children. */
export interface ClientStats {
  /** Requests by priority, including retries. Watches and feeds use `normal`, lists use `low`. */
  readonly requests: Readonly<Record<Priority, number>>;
  /** How many of the requests were retries. */
  readonly retries: number;
  /** How long calls have waited for the rate limit and between attempts, in milliseconds. */
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
 * Returns how many requests and retries a client and its children have sent, and how long their
 * calls have waited. The result is a copy, so you can compare two of them. Nothing is sent.
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
