import type {
  AgreedQuote,
  Moved,
  PayEvidence,
  PayLimits,
  PayProof,
  PayReason,
  PayRow,
  PayTry,
  TryEnd,
} from './row.ts';
import { type PayEventName, type PayWrite, cellOf } from './transitions.ts';

/** What happened, with what the writes of its cell need. */
export interface PayEvent {
  readonly is: PayEventName;
  /** By the service's clock, as far as it is known. */
  readonly at: number;
  /** The run that saw it. */
  readonly by?: string | undefined;
  /** Number of the try that it is about. */
  readonly n?: number | undefined;
  readonly code?: string | undefined;
  readonly why?: PayReason | undefined;
  readonly quote?: AgreedQuote | undefined;
  /** The round that the quote was checked for. */
  readonly round?: number | undefined;
  readonly paymentId?: string | undefined;
  readonly payment?: Moved | undefined;
  readonly proof?: PayProof | undefined;
  readonly evidence?: PayEvidence | undefined;
  readonly limits?: PayLimits | undefined;
}

/** How a try ended, by the event that says so. */
const ENDS: Partial<Record<PayEventName, TryEnd>> = {
  unsent: 'refused',
  'unsent-beside': 'refused',
  refused: 'refused',
  'refused-beside': 'refused',
  completed: 'accepted',
  accepted: 'accepted',
  failed: 'accepted',
  processed: 'accepted',
  'processed-blind': 'accepted',
  blind: 'accepted',
  busy: 'doubt',
  lost: 'doubt',
  overdue: 'doubt',
};

/** The service has shown for long enough that a try was not executed. */
export const NOT_EXECUTED = 'not-executed';

/** A quote has ended. */
export const QUOTE_EXPIRED = 'PAYMENT_QUOTE_EXPIRED';

/** The service's word that a quote has ended, whatever it is a quote of. */
export function isExpired(code: string | undefined): boolean {
  return code?.endsWith('QUOTE_EXPIRED') === true;
}

/** The row after an event; the very same row where the event changes nothing. Pure. */
export function applyEvent(row: PayRow, event: PayEvent): PayRow {
  if (!fits(row, event)) return row;
  const is = nameIn(row, event);
  const cell = cellOf(row.phase, is);
  if (!cell) return row;
  const { to: phase, writes } = cell;
  return writes.reduce(
    (written, write) => ({ ...written, ...WRITES[write](written, { ...event, is }) }),
    {
      ...row,
      phase,
      ...(phase === 'PENDING' && { pendingSince: row.pendingSince ?? event.at }),
    },
  );
}

/** What was true when the event was made must still be so. */
function fits(row: PayRow, event: PayEvent): boolean {
  const { is, round = row.round, n } = event;
  const isOpen = row.tries.some(({ end }) => end === 'open');
  if (['again', 'no-trace', 'not-executed', 'unclear', 'renew', 'retry'].includes(is))
    return !isOpen;
  if (is === 'overdue') return row.tries.some((one) => one.n === n && one.end === 'open');
  const isPast = ENDS[is] !== undefined && !row.tries.some((one) => one.n === n);
  return isPast ? isNews(row, event) : round === row.round;
}

/**
 * A late answer about an earlier quote: it counts where it names a payment that nobody has read, and
 * no other quote is under way, which could be paid as well.
 */
function isNews({ quote, past }: PayRow, { is, paymentId }: PayEvent): boolean {
  const isPayment = is === 'completed' || is === 'accepted' || is === 'processed';
  return isPayment && !quote && !past.some((one) => one.paymentId === paymentId);
}

/**
 * A refusal ends the intent only where no other try may have had its effect. After its end a quote
 * that can be paid twice is closed by the service's word that it has ended, and by no other.
 */
function nameIn(row: PayRow, { is, n, code }: PayEvent): PayEventName {
  if (is !== 'refused' && is !== 'unsent') return is;
  const isProbe = row.tries.some((one) => one.n === n && one.sentAt >= (row.quote?.endsAt ?? 0));
  if (is === 'refused' && isProbe && row.order.rail !== 'bolt11' && !isExpired(code)) return 'busy';
  const isAlone = !row.executed && row.tries.every((one) => one.n === n || one.end === 'refused');
  return isAlone ? is : `${is}-beside`;
}

const WRITES: Readonly<Record<PayWrite, (row: PayRow, event: PayEvent) => Partial<PayRow>>> = {
  loss: ({ quoteLosses }) => ({ quoteLosses: quoteLosses + 1 }),
  why: (_, { why }) => ({ why }),
  quote: (_, { quote }) => ({ quote, why: undefined }),
  open: ({ tries, sent }, { by = '', at }) => ({
    tries: [...tries, { n: sent + 1, by, sentAt: at, end: 'open' }],
    sent: sent + 1,
    why: undefined,
  }),
  try: ({ tries }, event) => ({ tries: tries.map((one) => endTry(one, event)) }),
  executed: () => ({ executed: true }),
  payment: (row, { paymentId, payment, proof }) => ({
    paymentId: row.paymentId ?? paymentId,
    payment: payment ?? row.payment,
    proof: proof ?? row.proof,
  }),
  evidence: (_, { evidence }) => ({ evidence }),
  verdict: ({ tries }, { is, at }) => {
    const isPaid = is === 'person-paid';
    const refused = tries.map((one) => ({ ...one, end: 'refused' as const }));
    return {
      verdict: { is: isPaid ? 'paid' : 'not-paid', at },
      executed: isPaid,
      tries: isPaid ? tries : refused,
    };
  },
  contradiction: ({ contradictions }) => ({ contradictions: contradictions + 1 }),
  closed: ({ tries }) => ({
    tries: tries.map((one) => ({ ...one, end: 'refused', code: NOT_EXECUTED })),
  }),
  past: ({ past, quote, tries, why, paymentId }) => ({
    past: [...past, { quote, tries, why, paymentId }],
    quote: undefined,
    tries: [],
    why: undefined,
  }),
  renewal: ({ renewals }) => ({ renewals: renewals + 1, quoteLosses: 0 }),
  round: ({ round, limits }, event) => ({
    round: round + 1,
    renewals: 0,
    quoteLosses: 0,
    executed: false,
    paymentId: undefined,
    payment: undefined,
    pendingSince: undefined,
    proof: undefined,
    evidence: undefined,
    verdict: undefined,
    limits: event.limits ?? limits,
  }),
};

/** What is known of a try is not unlearned: only an open or doubtful one ends. */
function endTry(one: PayTry, { is, n, at, code }: PayEvent): PayTry {
  const end = ENDS[is];
  const mayEnd = one.end === 'open' || one.end === 'doubt';
  return one.n === n && end && mayEnd ? { ...one, end, endedAt: at, code } : one;
}
