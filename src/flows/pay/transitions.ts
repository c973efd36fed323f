import {
  type AgreedQuote,
  claimNumber,
  type MoneyOrder,
  type Moved,
  type PayEvidence,
  type PayLimits,
  type PayPhase,
  type PayProof,
  type PayReason,
  type PayRow,
  type PayTry,
  type QuoteNumber,
  type TryEnd,
} from './row.ts';

// The one table of a payment's life: from which phases, on what event, to which phase, and what is
// written. It is read by `apply-event.ts`, drawn in the chapter, and played cell by cell in a test.
// What has no line changes nothing; what is done next follows from the row (`schedule.ts`).

/** What happens to an intent. */
export type PayEventName =
  | 'number'
  | 'duplicate'
  | 'original'
  | 'adopted'
  | 'aged'
  | 'quote-lost'
  | 'quote-refused'
  | 'guard-failed'
  | 'agreed'
  | 'stop'
  | 'again'
  | 'unsent'
  | 'unsent-beside'
  | 'completed'
  | 'accepted'
  | 'failed'
  | 'processed'
  | 'blind'
  | 'processed-blind'
  | 'busy'
  | 'refused'
  | 'refused-beside'
  | 'lost'
  | 'overdue'
  | 'found'
  | 'no-trace'
  | 'not-executed'
  | 'unclear'
  | 'read-pending'
  | 'read-unmoved'
  | 'read-completed'
  | 'read-failed'
  | 'read-disproved'
  | 'person-paid'
  | 'person-not-paid'
  | 'renew'
  | 'retry'
  | 'ack';

/** A part of the row that an event writes. */
type PayWrite =
  | 'claimed'
  | 'given-back'
  | 'original'
  | 'earlier'
  | 'read-only'
  | 'loss'
  | 'why'
  | 'quote'
  | 'open'
  | 'try'
  | 'executed'
  | 'payment'
  | 'evidence'
  | 'verdict'
  | 'contradiction'
  | 'closed'
  | 'past'
  | 'renewal'
  | 'round'
  | 'acked';

/** One line of the table; blanks stand between several. */
type Transition = readonly [from: string, events: string, to: PayPhase | 'same', writes: string];

const SENDING = 'EXECUTING DOUBT';
/** Where word of a payment is news, whoever brings it. */
const UNPAID = 'NEW EXECUTING DOUBT REFUSED UNKNOWN STOPPED';
const SETTLED = 'PENDING PAID FAILED';
const TOLD = 'PENDING PAID FAILED REFUSED UNKNOWN';

/** The table, a line for each group of phases and events. */
export const transitions: readonly Transition[] = [
  ['NEW', 'quote-lost', 'NEW', 'loss'],
  ['NEW', 'number', 'NEW', 'claimed'],
  ['NEW', 'quote-refused guard-failed', 'REFUSED', 'why given-back'],
  ['NEW', 'agreed', 'EXECUTING', 'quote open'],
  // an earlier life of the intent, whose journal was lost
  ['NEW', 'original', 'NEW', 'original'],
  ['NEW', 'adopted', 'DOUBT', 'quote earlier'],
  ['NEW', 'duplicate', 'UNKNOWN', 'original'],
  ['NEW', 'stop', 'STOPPED', ''],
  ['DOUBT', 'again', 'DOUBT', 'open'],
  ['REFUSED', 'again', 'EXECUTING', 'open'],
  [SENDING, 'unsent refused', 'REFUSED', 'try why'],
  [SENDING, 'unsent-beside refused-beside', 'DOUBT', 'try'],
  [SENDING, 'blind busy lost overdue', 'DOUBT', 'try'],
  [SENDING, 'processed-blind', 'DOUBT', 'try executed'],
  [SENDING, 'aged', 'DOUBT', 'try read-only'],
  [UNPAID, 'completed', 'PAID', 'try executed payment'],
  [UNPAID, 'accepted processed', 'PENDING', 'try executed payment'],
  ['EXECUTING DOUBT REFUSED UNKNOWN', 'failed', 'FAILED', 'try executed payment'],
  // a late answer settles its own try and nothing else
  [SETTLED, 'completed accepted failed processed', 'same', 'try'],
  [TOLD, 'unsent unsent-beside refused refused-beside', 'same', 'try'],
  [TOLD, 'blind busy lost overdue aged', 'same', 'try'],
  [TOLD, 'processed-blind', 'same', 'try executed'],
  ['DOUBT UNKNOWN', 'found', 'PENDING', 'executed payment evidence'],
  ['DOUBT', 'no-trace', 'REFUSED', 'why evidence'],
  ['DOUBT UNKNOWN', 'not-executed', 'REFUSED', 'why closed evidence'],
  ['DOUBT UNKNOWN', 'unclear', 'UNKNOWN', 'evidence'],
  ['PENDING', 'read-pending', 'PENDING', 'payment'],
  ['PENDING', 'read-unmoved', 'DOUBT', 'payment'],
  ['PENDING PAID', 'read-completed', 'PAID', 'payment'],
  ['PENDING', 'read-failed', 'FAILED', 'payment'],
  // its preimage belongs to another payment: nobody knows whether this one was made
  ['PENDING FAILED', 'read-disproved', 'UNKNOWN', 'payment'],
  ['PAID', 'read-failed', 'PAID', 'contradiction'],
  ['FAILED', 'read-completed', 'PAID', 'payment contradiction'],
  ['UNKNOWN', 'person-paid', 'PENDING', 'executed payment verdict'],
  ['UNKNOWN', 'person-not-paid', 'REFUSED', 'why verdict'],
  ['REFUSED', 'renew', 'NEW', 'past renewal'],
  ['REFUSED FAILED STOPPED', 'retry', 'NEW', 'past round'],
  ['PAID REFUSED FAILED STOPPED', 'ack', 'same', 'acked'],
];

/** One cell of the table. */
interface Cell {
  readonly to: PayPhase;
  readonly writes: readonly PayWrite[];
}

/** The cell of the table; `undefined`: nothing changes. */
export function cellOf(phase: PayPhase, event: PayEventName): Cell | undefined {
  const has = (list: string, one: string) => list.split(' ').includes(one);
  const line = transitions.find(([from, events]) => has(from, phase) && has(events, event));
  if (!line) return undefined;
  const [, , to, writes] = line;
  return {
    to: to === 'same' ? phase : to,
    writes: writes.split(' ').filter(Boolean) as PayWrite[],
  };
}

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
  /** Holds the number under which terms were asked for. */
  readonly claim?: string | undefined;
  /** No answer has said that the service has something under that number. */
  readonly isFree?: boolean | undefined;
  /** An answer to a request under that number was lost. */
  readonly isLost?: boolean | undefined;
  /** The number whose key is agreed to, where nothing was asked under it before. */
  readonly number?: QuoteNumber | undefined;
  /** What the service has under a key that this journal had not sent. */
  readonly original?: string | undefined;
  /** The end that a caller has heard of. */
  readonly told?: PayPhase | undefined;
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
  aged: 'refused',
};

/** The service has shown for long enough that a try was not executed. */
export const NOT_EXECUTED = 'not-executed';

/** The journal was lost: what it had sent is not known. */
const EARLIER = 'earlier-life';

/** A quote has ended. */
export const QUOTE_EXPIRED = 'PAYMENT_QUOTE_EXPIRED';

/** The service's word that a quote has ended, whatever it is a quote of. */
export function isExpired(code: string | undefined): boolean {
  return code?.endsWith('QUOTE_EXPIRED') === true;
}

/** What names the payment of an intent that is unknown. */
const NAMING: readonly PayEventName[] = ['found', 'person-paid', 'processed', 'accepted'];

/** The row after an event; the very same row where the event changes nothing. Pure. */
export function applyEvent(row: PayRow, event: PayEvent): PayRow {
  if (!fits(row, event)) return row;
  const is = nameIn(row, event);
  const cell = cellOf(row.phase, is);
  if (!cell) return row;
  const { to: phase, writes } = cell;
  const written = writes.reduce(
    (before, write) => ({ ...before, ...WRITES[write](before, { ...event, is }) }),
    {
      ...row,
      phase,
      ...(phase === 'PENDING' && { pendingSince: row.pendingSince ?? event.at }),
    },
  );
  return phase === row.phase ? written : { ...written, ...endOf(phase, event.at) };
}

const ENDED = /^(PAID|FAILED|REFUSED|STOPPED)$/;

/** Each end is a fact of its own, which a caller has to hear of. */
function endOf(phase: PayPhase, at: number): Pick<PayRow, 'endedAt' | 'ackedAt'> {
  return { endedAt: ENDED.test(phase) ? at : undefined, ackedAt: undefined };
}

/** What was true when the event was made must still be so. */
function fits(row: PayRow, event: PayEvent): boolean {
  const { is, round = row.round, n } = event;
  const isOpen = row.tries.some(({ end }) => end === 'open');
  if (['again', 'no-trace', 'not-executed', 'unclear', 'renew', 'retry'].includes(is))
    return !isOpen;
  if (is === 'ack' && row.phase !== event.told) return false;
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
  // another life of the intent may have had further rounds
  if (is === 'not-executed' && row.original !== undefined) return 'unclear';
  if (is === 'read-disproved' && row.verdict?.is === 'paid') return 'read-completed';
  if (is !== 'refused' && is !== 'unsent') return is;
  const isProbe = row.tries.some((one) => one.n === n && one.sentAt >= (row.quote?.endsAt ?? 0));
  if (is === 'refused' && isProbe && row.order.rail !== 'bolt11' && !isExpired(code)) return 'busy';
  const isAlone = !row.executed && row.tries.every((one) => one.n === n || one.end === 'refused');
  return isAlone ? is : `${is}-beside`;
}

const WRITES: Readonly<Record<PayWrite, (row: PayRow, event: PayEvent) => Partial<PayRow>>> = {
  loss: ({ quoteLosses }) => ({ quoteLosses: quoteLosses + 1 }),
  why: (_, { why }) => ({ why }),
  claimed: (row, { claim = '' }) => ({ asked: claimNumber(row, claim) }),
  'given-back': ({ asked, order }, { claim, isFree, isLost }) => ({
    asked:
      isFree && !isOfVaryingAmount(order)
        ? asked.map((one) => (one.claim === claim ? { ...one, isFree, isLost } : one))
        : asked,
  }),
  original: (_, { original }) => ({ original }),
  quote: ({ asked }, { quote, number }) => ({
    quote,
    why: undefined,
    asked: number ? [...asked, { ...number, claim: quote!.id }] : asked,
  }),
  // what another life of the intent has sent, if it has
  earlier: ({ tries }, { by = '', at }) => ({
    tries: [...tries, { n: 0, by, sentAt: at, end: 'doubt', endedAt: at, code: EARLIER }],
  }),
  'read-only': ({ quote }) => ({ quote: quote && { ...quote, isReadOnly: true } }),
  open: ({ tries, sent }, { by = '', at }) => ({
    tries: [...tries, { n: sent + 1, by, sentAt: at, end: 'open' }],
    sent: sent + 1,
    why: undefined,
  }),
  try: ({ tries, proof }, event) => ({
    tries: tries.map((one) => endTry(one, event)),
    proof: event.proof ?? proof,
  }),
  executed: () => ({ executed: true }),
  payment: (row, { is, paymentId, payment, proof }) => ({
    // what was disproved gives way to what is found later
    paymentId:
      (row.proof === 'bad' && NAMING.includes(is) && paymentId) || row.paymentId || paymentId,
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
    original: undefined,
    executed: false,
    paymentId: undefined,
    payment: undefined,
    pendingSince: undefined,
    proof: undefined,
    evidence: undefined,
    verdict: undefined,
    startedAt: event.at,
    limits: event.limits ?? limits,
  }),
  acked: ({ ackedAt }, { at }) => ({ ackedAt: ackedAt ?? at }),
};

/** A refund of all that is left: another round may ask for another amount, which needs another key. */
function isOfVaryingAmount(order: MoneyOrder): boolean {
  return 'refundOf' in order && order.refundOf !== undefined && !order.amount;
}

/** What is known of a try is not unlearned: only an open or doubtful one ends. */
function endTry(one: PayTry, { is, n, at, code }: PayEvent): PayTry {
  const end = ENDS[is];
  const mayEnd = one.end === 'open' || one.end === 'doubt';
  return one.n === n && end && mayEnd ? { ...one, end, endedAt: at, code } : one;
}
