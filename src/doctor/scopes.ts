import type { PaystateError } from '../core/errors/index.ts';
import type { AnyEndpoint } from '../core/http/index.ts';
import { isolated } from '../core/watch.ts';
import * as endpoints from '../endpoints.ts';
import { type FailedRead, isFromElsewhere, type Probe, type ReadEndpoint } from './connection.ts';

/**
 * Whether the credential has a scope. `unknown` means that only writes require the scope, or that
 * the response was inconclusive.
 */
export type ScopeAnswer = 'yes' | 'no' | 'unknown';

/** Progress of the scope checks. */
export interface DoctorProgress {
  /** Number of scopes checked so far. */
  readonly done: number;
  /** Total number of scopes. */
  readonly total: number;
}

interface ScopeProbe {
  readonly scope: string;
  readonly operations: readonly string[];
  /**
   * Read request that checks the scope. Absent if there's none, or if it would make the service
   * call another server.
   */
  readonly read?: { readonly endpoint: ReadEndpoint; readonly where: object };
}

/** Id that doesn't belong to any resource. */
export const NO_ID = '00000000-0000-4000-8000-000000000000';

/** Read request that makes the service call the server of a Lightning address. */
const CALLS_ANOTHER_SERVER = 'paymentQuotes.getLnurl';

/** Number of items to read from a list. The webhook check uses the same events. */
export const MAX_ROWS = 20;

export function scopeProbes(): readonly ScopeProbe[] {
  const byScope = new Map<string, AnyEndpoint[]>();
  for (const endpoint of Object.values(endpoints).flatMap(endpointsIn))
    byScope.set(endpoint.scope, [...(byScope.get(endpoint.scope) ?? []), endpoint]);
  return [...byScope]
    .map(([scope, all]) => ({
      scope,
      operations: all.map(({ operation }) => operation),
      ...findRead(all),
    }))
    .sort((a, b) => (a.scope < b.scope ? -1 : 1));
}

/**
 * Returns all endpoints that only read, except the one that calls another server. Lists come before
 * the endpoints that need their ids.
 */
export function readEndpoints(): readonly ReadEndpoint[] {
  const all = Object.values(endpoints).flatMap(endpointsIn).filter(isRead);
  return [...all.filter((one) => !needsId(one)), ...all.filter(needsId)];
}

export function needsId({ path }: AnyEndpoint): boolean {
  return path.includes('{');
}

function isRead(endpoint: AnyEndpoint): endpoint is ReadEndpoint {
  return endpoint.method === 'GET' && endpoint.operation !== CALLS_ANOTHER_SERVER;
}

/**
 * Returns the endpoints that a resource module exports. Such a module also exports functions and
 * state machines.
 */
function endpointsIn(table: unknown): readonly AnyEndpoint[] {
  if (typeof table !== 'object' || table === null) return [];
  return Object.values(table as Readonly<Record<string, unknown>>).filter(
    (one): one is AnyEndpoint =>
      typeof one === 'object' && one !== null && 'scope' in one && 'operation' in one,
  );
}

/** Returns the cheapest read for a scope: a list or else a resource that doesn't exist. */
function findRead(all: readonly AnyEndpoint[]): Pick<ScopeProbe, 'read'> {
  const reads = all.filter(isRead);
  const endpoint = reads.find((one) => !needsId(one)) ?? reads[0];
  return endpoint ? { read: { endpoint, where: whereFor(endpoint, NO_ID) } } : {};
}

/**
 * Returns the parameters of a read: an id or the query for the latest items of a list.
 */
export function whereFor({ path, query = {} }: ReadEndpoint, id: string): object {
  const [, name] = /\{(\w+)\}/.exec(path) ?? [];
  return {
    ...(name && { [name]: id }),
    ...(query['top'] && { top: MAX_ROWS }),
    ...(query['orderBy'] && { orderBy: 'created desc' }),
    ...(query['includeTransactions'] && { includeTransactions: true }),
  };
}

export interface ScopeReads {
  /** Results by scope. Scopes that weren't checked are absent. */
  readonly answers: ReadonlyMap<string, ScopeAnswer>;
  /**
   * Failure that ended the reads early, such as a rejected credential or an exceeded rate limit.
   */
  readonly end?: FailedRead | undefined;
}

export async function readScopes(
  probe: Probe,
  onProgress?: (progress: DoctorProgress) => void,
): Promise<ScopeReads> {
  const answers = new Map<string, ScopeAnswer>();
  const probes = scopeProbes();
  for (const [done, { scope, read }] of probes.entries()) {
    isolated(() => onProgress?.({ done, total: probes.length }));
    if (!read) {
      answers.set(scope, 'unknown');
      continue;
    }
    const { failed } = await probe.read(read.endpoint, read.where);
    const answer = failed ? readAnswer(failed.error, isAnswered(answers)) : 'yes';
    if (!answer) return { answers, end: failed };
    answers.set(scope, answer);
  }
  isolated(() => onProgress?.({ done: probes.length, total: probes.length }));
  return { answers };
}

export function isAnswered(answers: ScopeReads['answers']): boolean {
  return [...answers.values()].some((answer) => answer !== 'unknown');
}

/**
 * Returns what an error shows about a scope, or `undefined` if further reads are pointless. The
 * error `NOT_FOUND` shows that the credential has the scope.
 */
export function readAnswer(error: PaystateError, wasAnswered: boolean): ScopeAnswer | undefined {
  const { kind, status, code } = error;
  if (kind === 'refused') return status === 403 ? 'no' : code === 'NOT_FOUND' ? 'yes' : 'unknown';
  if (isFromElsewhere(error))
    return wasAnswered && (status === 404 || kind === 'response') ? 'unknown' : undefined;
  return kind === 'response' || kind === 'input' ? 'unknown' : undefined;
}
