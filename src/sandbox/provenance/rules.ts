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

/** The rules are the same in every sandbox: each pair of endpoint and code is looked up once. */
const found = new Map<string, readonly BehaviourId[]>();

/** What any response of a row with a code rests on; `ok` for a success. */
export const provenanceRules = (
  { method, path }: AnyEndpoint,
  code: string,
): readonly BehaviourId[] => {
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

/** Records what the response to a list rests on by what was asked, and what was not. */
export function recordQuery(
  { provenance }: { readonly provenance: ProvenanceRecorder },
  { path, query: names = {} }: AnyEndpoint,
  query: URLSearchParams,
): void {
  if (names['top'] === undefined) return;
  provenance.record(query.has('$top') ? 'lists.top' : 'lists.page');
  if (query.has('$orderby')) provenance.record('lists.orderby');
  else provenance.record(path === '/v1/events' ? 'events.order' : 'lists.order');
  const filter = query.get('$filter') ?? '';
  for (const [id, form] of FILTER_FORMS) if (form.test(filter)) provenance.record(id);
}

/** What a filter rests on, by its text. */
const FILTER_FORMS: readonly (readonly [BehaviourId, RegExp])[] = [
  ['filters.times', /\.\d{7}/],
  ['filters.quotes', /'/],
  ['filters.texts', /'/],
  ['filters.ids', /Id[ \t]+(eq|in)\b/],
  ['filters.in', /\bin[ \t]*\(/],
];
