import * as endpoints from '../../endpoints.ts';
import type { AnyEndpoint } from '../../endpoints.ts';
import { isPaystateError, type PaystateError } from '../../core/errors/index.ts';
import { type Connection, request } from '../../core/http/index.ts';
import { isObject, isText } from '../account-checks.ts';
import type { Progress } from '../terminal.ts';

/** Whether the credential has a scope. */
export type Answer = 'yes' | 'no' | 'unknown';

/** What a scope is for, and how it can be found out without changing anything. */
interface ScopeProbe {
  readonly scope: string;
  readonly operations: readonly string[];
  /** Absent where every request that needs it changes something, or asks another server. */
  readonly read?: { readonly path: string; readonly params: Readonly<Record<string, unknown>> };
}

/** No resource has it. */
const NOBODY = '00000000-0000-4000-8000-000000000000';

/** It makes the service ask the server of a Lightning address. */
const ASKS_OTHERS = 'paymentQuotes.getLnurl';

const isEndpoint = (row: unknown): row is AnyEndpoint =>
  isObject(row) && isText(row['scope']) && isText(row['method']);

/** One for each scope of the endpoint table. */
export const scopeProbes: readonly ScopeProbe[] = [...rowsByScope()]
  .map(([scope, rows]) => ({
    scope,
    operations: rows.map(({ operation }) => operation),
    ...readOf(rows),
  }))
  .sort((a, b) => (a.scope < b.scope ? -1 : 1));

function rowsByScope(): ReadonlyMap<string, readonly AnyEndpoint[]> {
  const byScope = new Map<string, readonly AnyEndpoint[]>();
  for (const rows of Object.values(endpoints))
    for (const row of Object.values(rows as object).filter(isEndpoint))
      byScope.set(row.scope, [...(byScope.get(row.scope) ?? []), row]);
  return byScope;
}

/** The cheapest read: a list of one, else a resource that no account has. */
function readOf(rows: readonly AnyEndpoint[]): Pick<ScopeProbe, 'read'> {
  const reads = rows.filter(
    ({ method, operation }) => method === 'GET' && operation !== ASKS_OTHERS,
  );
  const row = reads.find(({ path }) => !path.includes('{')) ?? reads[0];
  if (!row) return {};
  const ids = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, NOBODY]);
  const top = row.query?.['top'];
  return {
    read: { path: row.path, params: { ...Object.fromEntries(ids), ...(top && { [top]: 1 }) } },
  };
}

/** What was found out, and what ended it where something did. */
interface ScopeReport {
  readonly answers: ReadonlyMap<string, Answer>;
  /** Nothing can be found out after it: no response, no such key, a block. */
  readonly end?: PaystateError;
}

/** Reads for one scope after another. */
export async function probeScopes(
  connection: Connection,
  progress: Progress,
): Promise<ScopeReport> {
  const answers = new Map<string, Answer>();
  for (const [at, { scope, read }] of scopeProbes.entries()) {
    progress.show(at, scopeProbes.length);
    const answer = read ? await probe(connection, read) : 'unknown';
    if (typeof answer !== 'string') return { answers, end: answer };
    answers.set(scope, answer);
  }
  return { answers };
}

/** That the resource is not there is said to those only who may look. */
async function probe(
  connection: Connection,
  { path, params }: NonNullable<ScopeProbe['read']>,
): Promise<Answer | PaystateError> {
  try {
    await request(connection, 'GET', path, { params });
    return 'yes';
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    if (thrown.status === 401) return thrown;
    if (thrown.status === 403 && thrown.kind === 'refused') return 'no';
    if (thrown.kind === 'refused') return thrown.code === 'NOT_FOUND' ? 'yes' : 'unknown';
    return thrown.kind === 'response' ? 'unknown' : thrown;
  }
}
