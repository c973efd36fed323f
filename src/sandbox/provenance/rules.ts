import { LIST_QUERY } from '../../core/lists/index.ts';
import type { AnyEndpoint } from '../../core/http/index.ts';
import { type BehaviourId, knownBehaviours } from './behaviours.ts';
import type { ProvenanceRecorder } from './recorder.ts';

interface Rule {
  readonly id: BehaviourId;
  readonly method: string;
  readonly path: RegExp;
  readonly code: RegExp;
}

const RULES: readonly Rule[] = [...knownBehaviours.values()].flatMap(({ id, on = [] }) =>
  on.map((rule) => {
    const [method = '', path = '', code = ''] = rule.split(' ');
    return {
      id,
      method,
      path: patternOf(path),
      code: code === 'refused' ? /^(?!ok$)/ : patternOf(code),
    };
  }),
);

function patternOf(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.{}]/g, '\\$&').replaceAll('*', '.*')}$`);
}

/** What any response of a row with a code rests on; `ok` for a success. */
export type ProvenanceRules = (row: AnyEndpoint, code: string) => readonly BehaviourId[];

/** Looks each pair of endpoint and code up once. */
export function createProvenanceRules(): ProvenanceRules {
  const found = new Map<string, readonly BehaviourId[]>();
  return ({ method, path }, code) => {
    const key = `${method} ${path} ${code}`;
    const ids =
      found.get(key) ??
      RULES.filter(
        (rule) =>
          (rule.method === '*' || rule.method === method) &&
          rule.path.test(path) &&
          rule.code.test(code),
      ).map(({ id }) => id);
    found.set(key, ids);
    return ids;
  };
}

/** Records what the response to a list rests on by what was asked, and what was not. */
export function recordQuery(
  { provenance }: { readonly provenance: ProvenanceRecorder },
  row: AnyEndpoint,
  query: URLSearchParams,
): void {
  if (row.query?.['top'] !== undefined && !query.has('$top')) provenance.record('lists.pages');
  if (row.query !== LIST_QUERY) return;
  if (!query.has('$orderby'))
    provenance.record(row.path === '/v1/events' ? 'events.order' : 'lists.order');
  const filter = query.get('$filter') ?? '';
  if (/\bcreated\b/.test(filter)) provenance.record('filters.times');
  if (/'/.test(filter)) provenance.record('filters.texts');
  if (/\bin\s*\(/.test(filter)) provenance.record('filters.in');
}
