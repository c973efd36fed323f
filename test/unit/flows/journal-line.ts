// A row of the journal, and what a caller was told, as a line each. Ids, amounts and times are left out: each fact in its order, a
// request with its answer, and how often the same came again.
import type { MoneyResult } from 'paystate/flows';

/** What is read of a fact; each kind has some of these. */
interface RowFact {
  readonly is: string;
  readonly by: string;
  readonly at: number;
  readonly round: number;
  readonly n?: number;
  readonly send?: number;
  readonly how?: string;
  readonly id?: string;
  readonly code?: string;
  readonly state?: string;
  readonly proof?: string;
  readonly as?: string;
  readonly says?: string;
  readonly isSure?: boolean;
  readonly isPassing?: boolean;
  readonly isFree?: boolean;
  readonly isUnread?: boolean;
  readonly candidates?: readonly string[];
  readonly why?: Readonly<Record<string, unknown>>;
}

/** A row of the journal, as far as tests read it. */
export interface Row {
  readonly format: number;
  readonly by: string;
  readonly facts: readonly RowFact[];
}

const joined = (parts: readonly unknown[], by: string) => parts.filter(Boolean).join(by);

const whyOf = ({ why }: RowFact) =>
  why && joined([why['code'], why['kind'], why['next'], why['status'], why['guard']], ' ');

/** A fact without the number of the request for terms that it belongs to. */
function saidOf(fact: RowFact): string {
  const { is, how, code, id, state, proof, as, says, candidates } = fact;
  const { isSure, isPassing, isFree, isUnread } = fact;
  if (is === 'answered') return joined([how, code, id && 'with id'], ' ');
  if (is === 'moved') return joined([is, state, isSure && 'sure', proof && `proof ${proof}`], ' ');
  if (is === 'found') return joined([is, candidates!.length, isUnread && 'unread'], ' ');
  if (is === 'refused')
    return joined([is, isPassing && 'for now', isFree && 'free', whyOf(fact)], ' ');
  return joined([is, as ?? says, whyOf(fact)], ' ');
}

/** The rounds of a row; `2:` leads what belongs to the second request for terms. */
export function linesOf({ facts }: Row): readonly string[] {
  const rounds: { said: string; count: number }[][] = [];
  const answers = new Map(
    facts.filter(({ is }) => is === 'answered').map((fact) => [fact.send, fact]),
  );
  for (const fact of facts) {
    const answer = fact.is === 'sent' ? answers.get(fact.send) : undefined;
    if (fact.is === 'answered') continue;
    const told = answer ? `sent, ${saidOf(answer)}` : saidOf(fact);
    const said = fact.n === undefined ? told : `${fact.n}: ${told}`;
    const round = (rounds[fact.round - 1] ??= []);
    const last = round.at(-1);
    if (last?.said === said) last.count++;
    else round.push({ said, count: 1 });
  }
  return rounds.map((round) =>
    round.map(({ said, count }) => (count > 1 ? `${said} (${count})` : said)).join('; '),
  );
}

export function toldOf(result: MoneyResult): string {
  const error = 'error' in result ? result.error : undefined;
  const facts = error && [error.kind, error.code, error.outcome, error.next, error.status];
  const guard = 'guard' in result ? result.guard : undefined;
  return joined([result.phase, ...(facts ?? []), guard], ' ');
}
