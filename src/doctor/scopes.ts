import { isolated } from '../core/watch.ts';
import type { PaystateError } from '../core/errors/index.ts';
import type { AnyEndpoint, Endpoint } from '../core/http/index.ts';
import * as endpoints from '../endpoints.ts';
import { type FailedRead, isFromElsewhere, type Probe } from './connection.ts';
import { type Finding, findingOf } from './finding.ts';

/**
 * Whether the credential has a scope. `unknown`: every request that needs the scope changes
 * something, or the response did not show it.
 */
export type ScopeAnswer = 'yes' | 'no' | 'unknown';

/** How many of the scopes were checked. */
export interface DoctorProgress {
  /** Scopes that were checked. */
  readonly done: number;
  /** All scopes of the service. */
  readonly total: number;
}

/** What a scope is for, and the read that shows whether the credential has it. */
interface ScopeProbe {
  readonly scope: string;
  readonly operations: readonly string[];
  /** Absent where each request that needs the scope changes something or calls another server. */
  readonly read?: { readonly endpoint: AnyEndpoint; readonly where: object };
}

/** No resource has this id. */
const NO_ID = '00000000-0000-4000-8000-000000000000';

/** This read makes the service call the server of a Lightning address. */
const CALLS_ANOTHER_SERVER = 'paymentQuotes.getLnurl';

/** Events that are read; the check of webhooks uses the same ones. */
const MAX_EVENTS = 20;

/** One probe for each scope in the endpoint tables, by name. */
export function scopeProbes(): readonly ScopeProbe[] {
  const byScope = new Map<string, AnyEndpoint[]>();
  for (const endpoint of Object.values(endpoints).flatMap(endpointsIn))
    byScope.set(endpoint.scope, [...(byScope.get(endpoint.scope) ?? []), endpoint]);
  return [...byScope]
    .map(([scope, all]) => ({
      scope,
      operations: all.map(({ operation }) => operation),
      ...readOf(all),
    }))
    .sort((a, b) => (a.scope < b.scope ? -1 : 1));
}

/** The endpoints of a resource; the entry also has functions, state machines and lists. */
function endpointsIn(table: unknown): readonly AnyEndpoint[] {
  if (typeof table !== 'object' || table === null) return [];
  return Object.values(table as Readonly<Record<string, unknown>>).filter(
    (one): one is AnyEndpoint =>
      typeof one === 'object' && one !== null && 'scope' in one && 'operation' in one,
  );
}

/** The cheapest read of a scope: a list with one item, else a resource that no account has. */
function readOf(all: readonly AnyEndpoint[]): Pick<ScopeProbe, 'read'> {
  const reads = all.filter(
    ({ method, operation }) => method === 'GET' && operation !== CALLS_ANOTHER_SERVER,
  );
  const endpoint = reads.find(({ path }) => !path.includes('{')) ?? reads[0];
  if (!endpoint) return {};
  if (endpoint.operation === endpoints.events.list.operation)
    return { read: { endpoint, where: { orderBy: 'created desc', top: MAX_EVENTS } } };
  const ids = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, NO_ID]);
  const top = endpoint.query?.['top'] ? { top: 1 } : {};
  return { read: { endpoint, where: { ...Object.fromEntries(ids), ...top } } };
}

/** What the reads have shown. */
export interface ScopeReads {
  /** By scope; only the scopes that were checked before the end. */
  readonly answers: ReadonlyMap<string, ScopeAnswer>;
  /** What a read of this endpoint came to, where it succeeded. */
  valueOf<Value>(endpoint: Endpoint<never, void, Value>): Value | undefined;
  /** What ended the reads early: no response, a credential that was refused, a block. */
  readonly end?: FailedRead | undefined;
}

/** Reads for one scope after the other. */
export async function readScopes(
  probe: Probe,
  onProgress?: (progress: DoctorProgress) => void,
): Promise<ScopeReads> {
  const answers = new Map<string, ScopeAnswer>();
  const values = new Map<string, unknown>();
  const valueOf = <Value>({ operation }: Endpoint<never, void, Value>) =>
    values.get(operation) as Value | undefined;
  const probes = scopeProbes();
  for (const [done, { scope, read }] of probes.entries()) {
    isolated(() => onProgress?.({ done, total: probes.length }));
    if (!read) {
      answers.set(scope, 'unknown');
      continue;
    }
    const result = await probe.read(read.endpoint as Endpoint<never, void, unknown>, read.where);
    const { failed } = result;
    const answer = failed ? answerOf(failed.error, isAnswered(answers)) : 'yes';
    if (!answer) return { answers, valueOf, end: failed };
    answers.set(scope, answer);
    if (!failed) values.set(read.endpoint.operation, result.value);
  }
  isolated(() => onProgress?.({ done: probes.length, total: probes.length }));
  return { answers, valueOf };
}

/** Whether the service itself has answered: yes or no. */
export function isAnswered(answers: ScopeReads['answers']): boolean {
  return [...answers.values()].some((answer) => answer !== 'unknown');
}

/**
 * What a failed read says of the scope; `undefined` where no further read can say more. Only a
 * credential with the scope is told that a resource does not exist.
 */
function answerOf(error: PaystateError, wasAnswered: boolean): ScopeAnswer | undefined {
  const { kind, status, code } = error;
  if (kind === 'refused') return status === 403 ? 'no' : code === 'NOT_FOUND' ? 'yes' : 'unknown';
  if (isFromElsewhere(error))
    return wasAnswered && (status === 404 || kind === 'response') ? 'unknown' : undefined;
  return kind === 'response' || kind === 'input' ? 'unknown' : undefined;
}

/** The findings of the scopes that are needed; of all scopes where none is named. */
export function scopeFindings(
  answers: ScopeReads['answers'],
  needed: readonly string[],
): readonly Finding[] {
  const found = findingOf('scopes');
  const wanted = scopeProbes().filter(({ scope }) => needed.length === 0 || needed.includes(scope));
  const those = (answer: ScopeAnswer) =>
    wanted.filter(({ scope }) => answers.get(scope) === answer);
  const unknown = those('unknown').map(({ scope }) => scope);
  const missing = those('no').map(({ scope, operations }) =>
    found('problem', 'SCOPE_MISSING', `the key lacks ${scope}: ${operations.join(', ')}`),
  );
  const { length } = those('yes');
  const present = found('ok', 'SCOPES_OK', `the key has ${length} scopes that a read can show`);
  const unchecked = found(
    'unknown',
    'SCOPES_UNKNOWN',
    `${unknown.length} scopes cannot be checked without a change: ${unknown.join(', ')}`,
  );
  return [...missing, ...(length > 0 ? [present] : []), ...(unknown.length > 0 ? [unchecked] : [])];
}
