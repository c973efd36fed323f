// Judges a life by the books of the service, with tables of its own: nothing here comes from src.

/** What a run may show after what; the same again is no news. */
const NEXT = {
  new: 'executing pending paid completed failed refused stopped unknown unconfirmed',
  executing: 'new unconfirmed pending paid completed failed refused unknown',
  unconfirmed: 'new executing pending paid completed failed refused unknown',
  pending: 'paid completed failed unknown',
  unknown: 'pending paid completed failed refused',
  failed: 'paid completed',
  refused: 'new executing pending paid completed',
  paid: '',
  completed: '',
  stopped: '',
};
/** How money of one thing ends by the books: its last posting. */
const GIVEN_BACK = / (FAILED|REVERSED|NEW)$/;
const KIND = { exchange: 'exchange', payout: 'payout', deposit: 'deposit' };
const idOf = ({ payment, movement }) => payment?.paymentId ?? movement?.id;

/** Ids of what took money and kept it, from the postings alone. */
const keptIn = (postings, kind) => {
  const last = new Map();
  for (const { why, entityId } of postings) if (why.split(' ')[0] === kind) last.set(entityId, why);
  return [...last.keys()].filter((id) => !GIVEN_BACK.test(last.get(id)));
};

/** Another process may begin a round, or have it refused, before this one has shown how the last one ended. */
const ROUND = 'new executing unconfirmed refused';

const shownWrongly = (phases, hasRounds) =>
  phases.flatMap((phase, index) => {
    const before = phases[index - 1] ?? phase;
    const next = before === 'pending' && hasRounds ? `${NEXT.pending} ${ROUND}` : NEXT[before];
    return phase === before || next?.split(' ').includes(phase)
      ? []
      : [`shown: ${before} and then ${phase}`];
  });

const saidWrongly = (result, kept) => {
  const { phase, error } = result;
  const found = [];
  if (['paid', 'completed'].includes(phase) && !kept.includes(idOf(result)))
    found.push(`says ${phase}, and the books say no`);
  if (['failed', 'refused', 'stopped'].includes(phase) && kept.length > 0)
    found.push(`says ${phase}, and the books say that it was done`);
  if (error && !(typeof error.code === 'string' && ['not-done', 'unknown'].includes(error.outcome)))
    found.push('an error without code and outcome');
  if (phase === 'unknown' && error?.outcome !== 'unknown')
    found.push('unknown, and its error knows');
  return found;
};

/** What is wrong with a life; empty in a good one. `strangers`: what others have paid. */
export function judge({ schedule, life }) {
  const { ledger } = life.sandbox;
  const kind = KIND[schedule.rail] ?? 'payment';
  const before = schedule.hasStranger && schedule.rail === 'lnurl' ? 1 : 0;
  const kept = keptIn(ledger.postings, kind).slice(before);
  const problems = [...life.problems];
  if (kept.length > 1) problems.push(`done ${kept.length} times by the books`);
  for (const currency of ['EUR', 'USD', 'BTC'])
    if (!/^0(\.0*)?$/.test(ledger.total(currency)))
      problems.push(`the books have lost ${currency}`);
  const last = schedule.retry ? life.told.slice(-1) : life.told;
  for (const result of last) problems.push(...saidWrongly(result, kept));
  const hasRounds = schedule.retry && life.told.some(({ phase }) => phase === 'failed');
  for (const phases of life.shown) problems.push(...shownWrongly(phases, hasRounds));
  return [...new Set(problems)];
}
