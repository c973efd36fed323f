import type { PaystateError } from '../errors/index.ts';
import { isolated } from '../watch.ts';
import { type Connection, internals, stateOf } from './connection.ts';
import type { AnyEndpoint } from './endpoint.ts';

type Listener = (id: string) => void;

function listenersOf(connection: Connection): Set<Listener> {
  return stateOf(connection, 'core.changes', () => new Set());
}

/** Tells those who follow something without a watch that it may have changed; ids are unique. */
export function tellListeners(connection: Connection, id: string): void {
  for (const listener of listenersOf(connection)) listener(id);
}

/** Hears what may have changed, until what it returns is called. */
export function listenToChanges(connection: Connection, listener: Listener): () => void {
  const listeners = listenersOf(connection).add(listener);
  return () => void listeners.delete(listener);
}

/** What the service answered to a call of this client. */
export interface CallAnswer {
  readonly endpoint: AnyEndpoint;
  /** Ids and other members of the address, by name. */
  readonly where: unknown;
  /** As it was read; `undefined` where there was no body, and for a refusal. */
  readonly value: unknown;
  /** Code and values of a refusal. */
  readonly refusal?: { readonly code: string; readonly values?: object | undefined } | undefined;
  /** When the request was sent, monotonic milliseconds. */
  readonly sentAt: number;
}

/** Answers are kept for longer than any copy of the service's data is behind, milliseconds. */
const KEEP_ANSWERS_MS = 60_000;
const MAX_ANSWERS = 1_000;

interface Answers {
  /** The latest, in the order in which they came; without pages of lists. */
  kept: CallAnswer[];
  readonly listeners: Set<(answer: CallAnswer) => void>;
}

function answersOf(connection: Connection): Answers {
  return stateOf(connection, 'core.answers', () => ({ kept: [], listeners: new Set() }));
}

/** Notes what a call was told, for watches that are there and for those that begin soon. */
export function noteAnswer(connection: Connection, answer: CallAnswer): void {
  const { clock, isQuiet } = connection[internals];
  const { endpoint, value } = answer;
  if (isQuiet || endpoint.idempotency === 'pure') return;
  const answers = answersOf(connection);
  if (!Array.isArray((value as { readonly items?: unknown } | undefined)?.items)) {
    const earliest = clock.monotonic() - KEEP_ANSWERS_MS;
    if ((answers.kept[0]?.sentAt ?? earliest) < earliest || answers.kept.length === MAX_ANSWERS)
      answers.kept = answers.kept.filter(({ sentAt }) => sentAt >= earliest).slice(1 - MAX_ANSWERS);
    answers.kept.push(answer);
  }
  for (const listener of answers.listeners) isolated(() => listener(answer));
}

/** What calls were told lately, the latest last. */
export function recentAnswers(connection: Connection): readonly CallAnswer[] {
  return answersOf(connection).kept;
}

/** Hears what calls are told, until what it returns is called. */
export function listenToAnswers(
  connection: Connection,
  listener: (answer: CallAnswer) => void,
): () => void {
  const listeners = answersOf(connection).listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** When the credential was accepted last, by the scope that was needed; monotonic. */
function scopesOf(connection: Connection): Map<string, number> {
  return stateOf(connection, 'core.worked', () => new Map());
}

/** Notes that the service accepted the credential for this scope. */
export function noteWorked(connection: Connection, scope: string): void {
  scopesOf(connection).set(scope, connection[internals].clock.monotonic());
}

/**
 * When the service accepted before what it refuses now: the credential for a 401, its scope for a
 * 403. `undefined` where it never did, or where the error is no such refusal.
 */
export function workedAt(connection: Connection, error: PaystateError): number | undefined {
  const { kind, neededScope, next, status } = error;
  const scopes = scopesOf(connection);
  if (status === 401 && kind === 'authentication' && next !== 'retry')
    return scopes.size > 0 ? Math.max(...scopes.values()) : undefined;
  return status === 403 && kind === 'refused' && neededScope ? scopes.get(neededScope) : undefined;
}
