// A row of the journal, and what a caller was told, as a line each: phase, round, tries with how each ended, what was read, why it
// ended, and earlier quotes.
import type { MoneyResult } from 'paystate/flows';

interface Try {
  readonly n: number;
  readonly end: string;
  readonly code?: string;
}

/** What is told of a row of the journal; ids, amounts and times are left out. */
export interface Row {
  readonly phase: string;
  readonly round: number;
  readonly renewals: number;
  readonly quoteLosses: number;
  readonly sent: number;
  readonly executed: boolean;
  readonly contradictions: number;
  readonly tries: readonly Try[];
  readonly past: readonly Partial<Row>[];
  readonly quote?: object;
  readonly movementId?: string;
  readonly movement?: { readonly state: string };
  readonly proof?: string;
  readonly pendingSince?: number;
  readonly why?: Readonly<Record<string, unknown>>;
  readonly evidence?: { readonly candidates: readonly string[] };
  readonly verdict?: { readonly is: string };
}

const joined = (parts: readonly unknown[], by: string) => parts.filter(Boolean).join(by);

/** `1-3 doubt TIMEOUT, 4 accepted` */
function triesOf(tries: readonly Try[] = []): string {
  const groups: { first: number; last: number; said: string }[] = [];
  for (const { n, end, code } of tries) {
    const said = joined([end, code], ' ');
    const group = groups.at(-1);
    if (group?.said === said) group.last = n;
    else groups.push({ first: n, last: n, said });
  }
  const numbers = (first: number, last: number) => (first === last ? first : `${first}-${last}`);
  return groups.map(({ first, last, said }) => `${numbers(first, last)} ${said}`).join(', ');
}

const whyOf = ({ why }: Partial<Row>) =>
  why && joined([why['code'], why['kind'], why['next'], why['status'], why['guard']], ' ');

const pastOf = (one: Partial<Row>) =>
  `past: ${joined([one.quote ? 'quote' : 'no quote', triesOf(one.tries), one.why?.['code'], one.movementId && 'id'], ', ')}`;

export function lineOf(row: Row): string {
  const { renewals, quoteLosses, contradictions } = row;
  const parts = [
    `${row.phase} round ${row.round}`,
    renewals && `${renewals} renewed`,
    quoteLosses && `${quoteLosses} lost`,
    contradictions && `${contradictions} contradictions`,
    row.quote ? 'quote' : 'no quote',
    `${row.sent} sent`,
    triesOf(row.tries),
    row.executed && 'executed',
    row.movementId && `id ${row.movement?.state ?? 'not read'}`,
    row.proof && `proof ${row.proof}`,
    row.pendingSince && 'was pending',
    row.why && `why ${whyOf(row)}`,
    row.evidence && `${row.evidence.candidates.length} candidates`,
    row.verdict && `a person says ${row.verdict.is}`,
    ...row.past.map(pastOf),
  ];
  return joined(parts, '; ');
}

export function toldOf(result: MoneyResult): string {
  const error = 'error' in result ? result.error : undefined;
  const facts = error && [error.kind, error.code, error.outcome, error.next, error.status];
  const guard = 'guard' in result ? result.guard : undefined;
  return joined([result.phase, ...(facts ?? []), guard], ' ');
}
