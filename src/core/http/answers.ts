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

/** The service's answer to a call of this client. */
export interface CallAnswer {
  readonly endpoint: AnyEndpoint;
  /** Ids and other members of the address, by name. */
  readonly where: unknown;
  /** The value that was read; `undefined` for a response without a body and for a refusal. */
  readonly value: unknown;
  /** Code and values of a refusal. */
  readonly refusal?: { readonly code: string; readonly values?: object | undefined } | undefined;
  /** When the request was sent, monotonic milliseconds. */
  readonly sentAt: number;
}

/** Answers are kept longer than the service's copies of its data lag behind. */
const KEEP_ANSWERS_MS = 60_000;
const MAX_ANSWERS = 1_000;

type ForgetListener = (isLoggedOut: boolean) => void;
type ChangeListener = (id: string) => void;

interface Answers {
  /** The latest answers in order of time, without pages of lists. */
  readonly kept: CallAnswer[];
  readonly listeners: Set<(answer: CallAnswer) => void>;
  /** Listeners that keep values of the account, and drop them when the client forgets. */
  readonly droppers: Set<ForgetListener>;
  /** Listeners without a watch. */
  readonly hinted: Set<ChangeListener>;
}

const ANSWERS: Slot<Answers> = {
  name: 'core.answers',
  make: () => ({ kept: [], listeners: new Set(), droppers: new Set(), hinted: new Set() }),
};

/** Notes the answer to a call, for watches that exist and for those that begin soon. */
export function noteAnswer(connection: Connection, given: CallAnswer): void {
  const { clock, isQuiet } = connection[internals];
  const { endpoint, value } = given;
  if (isQuiet || endpoint.idempotency === 'pure') return;
  const answers = slotState(connection, ANSWERS);
  const { kept, listeners } = answers;
  const isPage = Array.isArray((value as { readonly items?: unknown } | undefined)?.items);
  if (isPage && listeners.size === 0) return;
  const answer = { ...given, value: copyPlain(value) }; // the caller may change its own
  if (!isPage) {
    const earliest = clock.monotonic() - KEEP_ANSWERS_MS;
    while ((kept[0]?.sentAt ?? earliest) < earliest) kept.shift();
    if (kept.length === MAX_ANSWERS) kept.splice(0, MAX_ANSWERS / 10);
    kept.push(answer);
  }
  for (const listener of listeners) isolated(() => listener(answer));
}

/** Copies plain data. Returns `undefined` where it is too deep, and watches then read it anew. */
function copyPlain(value: unknown): unknown {
  try {
    return value && (JSON.parse(JSON.stringify(value)) as unknown);
  } catch {
    return undefined;
  }
}

/** Tells listeners without a watch that the resource with this id may have changed. */
export function tellListeners(connection: Connection, id: string): void {
  for (const listener of slotState(connection, ANSWERS).hinted) listener(id);
}

/** Calls `listener` with each id that may have changed; returns a function that ends it. */
export function listenToChanges(connection: Connection, listener: ChangeListener): () => void {
  const { hinted } = slotState(connection, ANSWERS);
  hinted.add(listener);
  return () => void hinted.delete(listener);
}

/** Returns the recent answers, the latest last. */
export function recentAnswers(connection: Connection): readonly CallAnswer[] {
  return slotState(connection, ANSWERS).kept;
}

/** Calls `listener` with each answer; returns a function that ends it. */
export function listenToAnswers(
  connection: Connection,
  listener: (answer: CallAnswer) => void,
): () => void {
  const listeners = slotState(connection, ANSWERS).listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Calls `listener` when what is known of the account has to be dropped. */
export function listenToForget(connection: Connection, listener: ForgetListener): void {
  slotState(connection, ANSWERS).droppers.add(listener);
}

/**
 * Drops what is known of the account. `isLoggedOut`: the login server says that the login has
 * ended, so that nothing can be read in its place.
 */
export function dropKnown(connection: Connection, isLoggedOut: boolean): void {
  const answers = slotState(connection, ANSWERS);
  answers.kept.length = 0;
  for (const listener of answers.droppers) listener(isLoggedOut);
}

/**
 * Drops what the client keeps of its account: values of resources that are no longer watched, those
 * of `provide`, and answers to recent calls. Watches that are open go on and read again. Call it
 * when the user logs out. It happens by itself when the login server says that the login has ended,
 * and when refusals of the credential have ended a watch. Nothing is sent without a watch.
 *
 * @example
 * forget(client);
 */
export function forget(connection: Connection): void {
  checkClient(connection);
  dropKnown(connection, false);
}

/** When the service last accepted the credential, by the scope that was needed; monotonic. */
const WORKED: Slot<Map<string, number>> = { name: 'core.worked', make: () => new Map() };

/** Notes that the service accepted the credential for this scope at `now`, monotonic. */
export function noteWorked(connection: Connection, scope: string, now: number): void {
  slotState(connection, WORKED).set(scope, now);
}

/**
 * When the service last accepted what it refuses now: the credential for a 401, its scope for a
 * 403. `undefined` where it never did, and for other errors.
 */
export function workedAt(connection: Connection, error: PaystateError): number | undefined {
  const { kind, neededScope, next, status } = error;
  const scopes = slotState(connection, WORKED);
  if (status === 401 && kind === 'authentication' && next !== 'retry')
    return scopes.size > 0 ? Math.max(...scopes.values()) : undefined;
  return status === 403 && kind === 'refused' && neededScope ? scopes.get(neededScope) : undefined;
}

/**
 * Counts of the requests that a client and its children have sent so far, and the time that their
 * calls have waited.
 */
export interface ClientStats {
  /**
   * Requests that were sent, attempts after the first included, by priority: `normal` are those of
   * watches and feeds, `low` those of lists.
   */
  readonly requests: Readonly<Record<Priority, number>>;
  /** Requests that repeat an earlier one of the same call. */
  readonly retries: number;
  /** Milliseconds that calls have waited for the rate limit and between their attempts. */
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

/** Adds a request that was sent. */
export function countRequest(connection: Connection, priority: Priority, attempt: number): void {
  const counts = slotState(connection, STATS);
  counts.requests[priority]++;
  if (attempt > 1) counts.retries++;
}

/** Adds milliseconds that a call has waited. */
export function countWait(connection: Connection, ms: number): void {
  slotState(connection, STATS).waited += ms;
}

/**
 * Counts what a client and its children have cost so far: requests by priority, retries and
 * milliseconds of waiting. Returns a copy; compare two of them for what happened in between.
 * Nothing is sent.
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
