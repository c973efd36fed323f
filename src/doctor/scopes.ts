import type { PaystateError } from '../core/errors/index.ts';
import type { AnyEndpoint } from '../core/http/index.ts';
import { isolated } from '../core/watch.ts';
import * as endpoints from '../endpoints.ts';
import { type FailedRead, isFromElsewhere, type Probe, type ReadEndpoint } from './connection.ts';

/**
 * The answer for a scope of the credential. `unknown`: every request that needs the scope changes
 * something, or the response did not show it.
 */
export type ScopeAnswer = 'yes' | 'no' | 'unknown';

/** Number of the scopes that were checked. */
export interface DoctorProgress {
  /** Scopes that were checked. */
  readonly done: number;
  /** All scopes of the service. */
  readonly total: number;
}

/** The purpose of a scope, and the read that shows if the credential has it. */
interface ScopeProbe {
  readonly scope: string;
  readonly operations: readonly string[];
  /** Absent where each request that needs the scope changes something or calls another server. */
  readonly read?: { readonly endpoint: ReadEndpoint; readonly where: object };
}

/** No resource has this id. */
export const NO_ID = '00000000-0000-4000-8000-000000000000';

/** This read makes the service call the server of a Lightning address. */
const CALLS_ANOTHER_SERVER = 'paymentQuotes.getLnurl';

/** Rows that are read of a list. The check of webhooks uses the same events. */
export const MAX_ROWS = 20;

/** One probe for each scope in the endpoint tables, by name. */
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
 * Returns every endpoint that only reads, except the one that calls another server. Lists come
 * before the reads that need an id of them.
 */
export function readEndpoints(): readonly ReadEndpoint[] {
  const all = Object.values(endpoints).flatMap(endpointsIn).filter(isRead);
  return [...all.filter((one) => !needsId(one)), ...all.filter(needsId)];
}

/** Tells whether the path of an endpoint has an id. */
export function needsId({ path }: AnyEndpoint): boolean {
  return path.includes('{');
}

function isRead(endpoint: AnyEndpoint): endpoint is ReadEndpoint {
  return endpoint.method === 'GET' && endpoint.operation !== CALLS_ANOTHER_SERVER;
}

/** The endpoints of a resource; the entry also has functions, state machines and lists. */
function endpointsIn(table: unknown): readonly AnyEndpoint[] {
  if (typeof table !== 'object' || table === null) return [];
  return Object.values(table as Readonly<Record<string, unknown>>).filter(
    (one): one is AnyEndpoint =>
      typeof one === 'object' && one !== null && 'scope' in one && 'operation' in one,
  );
}

/** The cheapest read of a scope: a list, else a resource that no account has. */
function findRead(all: readonly AnyEndpoint[]): Pick<ScopeProbe, 'read'> {
  const reads = all.filter(isRead);
  const endpoint = reads.find((one) => !needsId(one)) ?? reads[0];
  return endpoint ? { read: { endpoint, where: whereFor(endpoint, NO_ID) } } : {};
}

/** Returns the parameters of a read: its id, and the newest rows of a list. */
export function whereFor({ path, query = {} }: ReadEndpoint, id: string): object {
  const [, name] = /\{(\w+)\}/.exec(path) ?? [];
  return {
    ...(name && { [name]: id }),
    ...(query['top'] && { top: MAX_ROWS }),
    ...(query['orderBy'] && { orderBy: 'created desc' }),
    ...(query['includeTransactions'] && { includeTransactions: true }),
  };
}

/** The results of the reads. */
export interface ScopeReads {
  /** By scope; only the scopes that were checked before the end. */
  readonly answers: ReadonlyMap<string, ScopeAnswer>;
  /** The cause that ended the reads early: no response, a credential that was refused, a block. */
  readonly end?: FailedRead | undefined;
}

/** Reads for one scope after the other. */
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

/** True if the service itself has answered: yes or no. */
export function isAnswered(answers: ScopeReads['answers']): boolean {
  return [...answers.values()].some((answer) => answer !== 'unknown');
}

/**
 * The answer of a failed read about the scope; `undefined` where no further read can say more. Only
 * a credential with the scope is told that a resource does not exist.
 */
export function readAnswer(error: PaystateError, wasAnswered: boolean): ScopeAnswer | undefined {
  const { kind, status, code } = error;
  if (kind === 'refused') return status === 403 ? 'no' : code === 'NOT_FOUND' ? 'yes' : 'unknown';
  if (isFromElsewhere(error))
    return wasAnswered && (status === 404 || kind === 'response') ? 'unknown' : undefined;
  return kind === 'response' || kind === 'input' ? 'unknown' : undefined;
}
