import { LIST_QUERY } from '../../core/lists/index.ts';
import type { AnyRow } from '../../core/http/index.ts';
import { known } from './behaviours.ts';
import type { Reliance } from './recorder.ts';

interface Rule {
  readonly id: string;
  readonly method: string;
  readonly path: RegExp;
  readonly code: RegExp;
}

const RULES: readonly Rule[] = [...known.values()].flatMap(({ id, on = [] }) =>
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

/** What any answer of a row with a code rests on; `ok` for a success. */
export type Grounds = (row: AnyRow, code: string) => readonly string[];

/** Looks each pair of row and code up once. */
export function createGrounds(): Grounds {
  const found = new Map<AnyRow, Map<string, readonly string[]>>();
  return (row, code) => {
    let byCode = found.get(row);
    if (!byCode) found.set(row, (byCode = new Map()));
    let ids = byCode.get(code);
    if (!ids)
      byCode.set(
        code,
        (ids = RULES.filter(
          (rule) =>
            (rule.method === '*' || rule.method === row.method) &&
            rule.path.test(row.path) &&
            rule.code.test(code),
        ).map(({ id }) => id)),
      );
    return ids;
  };
}

/** What the answer to a list rests on by what was asked, and what was not. */
export function noteQuery(
  { reliance }: { readonly reliance: Reliance },
  row: AnyRow,
  query: URLSearchParams,
): void {
  if (row.query?.['top'] !== undefined && !query.has('$top')) reliance.note('lists.pages');
  if (row.query !== LIST_QUERY) return;
  if (!query.has('$orderby'))
    reliance.note(row.path === '/v1/events' ? 'events.order' : 'lists.order');
  const filter = query.get('$filter') ?? '';
  if (/\bcreated\b/.test(filter)) reliance.note('filters.times');
  if (/'/.test(filter)) reliance.note('filters.texts');
  if (/\bin\s*\(/.test(filter)) reliance.note('filters.in');
}
