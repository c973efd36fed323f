// Judges a life by the books of the service, with tables of its own: nothing here comes from src.
import type { MoneyResult } from 'paystate/flows';
import type { Posting, Sandbox } from 'paystate/sandbox';
import type { Life, Schedule } from '../../unit/flows/pay-lives.ts';

const ENDS = ['paid', 'completed', 'failed', 'refused', 'unknown'];
/** The steps that a run may show after each step; a repetition is no news. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  new: [...ENDS, 'executing', 'pending', 'stopped', 'unconfirmed'],
  executing: [...ENDS, 'new', 'unconfirmed', 'pending', 'stopped'],
  unconfirmed: [...ENDS, 'new', 'executing', 'pending', 'stopped'],
  pending: ['paid', 'completed', 'failed', 'unknown'],
  unknown: ['pending', 'paid', 'completed', 'failed', 'refused', 'stopped'],
  failed: ['paid', 'completed'],
  refused: ['new', 'executing', 'pending', 'paid', 'completed'],
  paid: [],
  completed: [],
  stopped: [],
};
/** Another process may begin a round, or have it refused, before this one has shown how the last one ended. */
const ROUND = ['new', 'executing', 'unconfirmed', 'refused'];
/** The last posting, by the books, of money that was given back. */
const GIVEN_BACK = /(?: FAILED| REVERSED| NEW)$/;
const CURRENCIES = ['EUR', 'USD', 'BTC'];

const kindOf = (rail: Schedule['rail']): string =>
  rail === 'exchange' || rail === 'payout' || rail === 'deposit' ? rail : 'payment';

/** Ids of what took money and kept it, from the postings alone. */
function keptIn(postings: readonly Posting[], kind: string): readonly string[] {
  const last = new Map<string, string>();
  for (const { why, entityId } of postings) if (why.split(' ')[0] === kind) last.set(entityId, why);
  return [...last].filter(([, why]) => !GIVEN_BACK.test(why)).map(([id]) => id);
}

function shownWrongly(phases: readonly string[], hasRounds: boolean): readonly string[] {
  return phases.flatMap((phase, index) => {
    const before = phases[index - 1] ?? phase;
    const next = NEXT[before] ?? [];
    const isRound = before === 'pending' && hasRounds && ROUND.includes(phase);
    return phase === before || next.includes(phase) || isRound
      ? []
      : [`shown: ${before} and then ${phase}`];
  });
}

function idOf(result: MoneyResult): string | undefined {
  if ('payment' in result) return result.payment.paymentId;
  return 'movement' in result ? result.movement.id : undefined;
}

/** What nobody can know where a journal has lost the intent, and nobody says so: the chapter's table. */
const UNKNOWABLE = /^says (?:refused|stopped)/;
/** The same where the service has no key, or forgets it. */
const UNKNOWABLE_WITHOUT_KEY = /^(?:says (?:refused|stopped|failed)|paid \d|done \d)/;

function saidWrongly(result: MoneyResult, kept: readonly string[]): readonly string[] {
  const { phase } = result;
  const error = 'error' in result ? result.error : undefined;
  const found: string[] = [];
  if (['paid', 'completed'].includes(phase) && !kept.includes(idOf(result) ?? ''))
    found.push(`says ${phase}, and the books say no`);
  if (['failed', 'refused', 'stopped'].includes(phase) && kept.length > 0)
    found.push(`says ${phase}, and the books say that it was done`);
  if (error && !(typeof error.code === 'string' && ['not-done', 'unknown'].includes(error.outcome)))
    found.push('an error without code and outcome');
  if (phase === 'unknown' && error?.outcome !== 'unknown')
    found.push('unknown, and its error knows');
  return found;
}

/** Lists the faults of a life; empty for a good one. */
export function judge(
  schedule: Schedule,
  life: Life & { readonly sandbox: Sandbox },
): readonly string[] {
  const { ledger } = life.sandbox;
  const strangers = schedule.hasStranger && schedule.rail === 'lnurl' ? 1 : 0;
  const kept = keptIn(ledger.postings, kindOf(schedule.rail)).slice(strangers);
  const problems = [...life.problems];
  if (kept.length > 1) problems.push(`done ${kept.length} times by the books`);
  for (const currency of CURRENCIES)
    if (!/^0(\.0*)?$/.test(ledger.total(currency)))
      problems.push(`the books have lost ${currency}`);
  for (const result of life.ends) problems.push(...saidWrongly(result, kept));
  const hasRounds = schedule.retry && life.told.some(({ phase }) => phase === 'failed');
  for (const phases of life.shown) problems.push(...shownWrongly(phases, hasRounds));
  const isKeyless = schedule.rail === 'payout' || schedule.rail === 'deposit';
  const unknowable = isKeyless ? UNKNOWABLE_WITHOUT_KEY : UNKNOWABLE;
  return [...new Set(problems)].filter((problem) => !life.isLost || !unknowable.test(problem));
}
