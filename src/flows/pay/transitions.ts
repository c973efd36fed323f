import {
  type AgreedQuote,
  claimNumber,
  type MoneyOrder,
  type Moved,
  type MoveLimits,
  type MovePhase,
  type MoveReason,
  type MoveRow,
  type MoveTry,
  type PayProof,
  type QuoteNumber,
  type SearchEvidence,
  type TryEnd,
} from './row.ts';

/** The name of an event in the life of an intent. */
export type MoveEventName =
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
  | 'unsent-inconclusive'
  | 'completed'
  | 'accepted'
  | 'failed'
  | 'processed'
  | 'blind'
  | 'processed-blind'
  | 'busy'
  | 'refused'
  | 'refused-inconclusive'
  | 'lost'
  | 'overdue'
  | 'found'
  | 'no-trace'
  | 'not-executed'
  | 'unclear'
  | 'quote-unused'
  | 'quote-unclear'
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

/** An event, with the values that the writes of its transition need. */
export interface MoveEvent {
  readonly is: MoveEventName;
  /** By the service's clock, as far as it is known. */
  readonly at: number;
  /** The run that saw the event. */
  readonly by?: string | undefined;
  /** Number of the try that the event is about. */
  readonly n?: number | undefined;
  readonly code?: string | undefined;
  readonly why?: MoveReason | undefined;
  readonly quote?: AgreedQuote | undefined;
  /** The round that the quote was checked for. */
  readonly round?: number | undefined;
  readonly movementId?: string | undefined;
  readonly movement?: Moved | undefined;
  readonly proof?: PayProof | undefined;
  readonly evidence?: SearchEvidence | undefined;
  readonly limits?: MoveLimits | undefined;
  /** Holds the number under which terms were requested. */
  readonly claim?: string | undefined;
  /** No response has said that the service has something under that number. */
  readonly isFree?: boolean | undefined;
  /** A response to a request under that number was lost. */
  readonly isLost?: boolean | undefined;
  /** The number whose key is agreed to, where no request used it before. */
  readonly number?: QuoteNumber | undefined;
  /** The original that the service has under a key that this journal had not sent. */
  readonly original?: string | undefined;
  /** The end that a caller acknowledges. */
  readonly told?: MovePhase | undefined;
}

/** A part of the row that an event writes; `WRITES` has a function for each. */
type RowWrite =
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
  | 'movement'
  | 'evidence'
  | 'verdict'
  | 'contradiction'
  | 'closed'
  | 'past'
  | 'renewal'
  | 'round'
  | 'acked';

/** In each phase of `from`, each event of `on` leads to the phase `to` and writes `writes`. */
interface Transition {
  readonly from: readonly MovePhase[];
  readonly on: readonly MoveEventName[];
  readonly to: MovePhase | 'same';
  readonly writes: readonly RowWrite[];
}

const SENDING: readonly MovePhase[] = ['EXECUTING', 'UNCONFIRMED'];
/** Phases in which a response that names a movement is news. */
const UNPAID: readonly MovePhase[] = [
  'NEW',
  'EXECUTING',
  'UNCONFIRMED',
  'REFUSED',
  'UNKNOWN',
  'STOPPED',
];
const SETTLED: readonly MovePhase[] = ['PENDING', 'PAID', 'FAILED'];
const DECIDED: readonly MovePhase[] = ['PENDING', 'PAID', 'FAILED', 'REFUSED', 'UNKNOWN'];
const ENDED: readonly MovePhase[] = ['PAID', 'REFUSED', 'FAILED', 'STOPPED'];

/**
 * The one table of an intent's life. The chapter draws it, and a house test plays it cell by cell.
 * An event without a line in a phase changes nothing. What is done next follows from the row; see
 * `schedule.ts`.
 */
export const transitions: readonly Transition[] = [
  { from: ['NEW'], on: ['quote-lost'], to: 'NEW', writes: ['loss'] },
  { from: ['NEW'], on: ['number'], to: 'NEW', writes: ['claimed'] },
  {
    from: ['NEW'],
    on: ['quote-refused', 'guard-failed'],
    to: 'REFUSED',
    writes: ['why', 'given-back'],
  },
  { from: ['NEW'], on: ['agreed'], to: 'EXECUTING', writes: ['quote', 'open'] },
  // the next three come from an earlier life of the intent, whose journal was lost
  { from: ['NEW'], on: ['original'], to: 'NEW', writes: ['original'] },
  { from: ['NEW'], on: ['adopted'], to: 'UNCONFIRMED', writes: ['quote', 'earlier'] },
  { from: ['NEW'], on: ['duplicate'], to: 'UNKNOWN', writes: ['original'] },
  { from: ['NEW'], on: ['stop'], to: 'STOPPED', writes: [] },
  { from: ['UNCONFIRMED'], on: ['again'], to: 'UNCONFIRMED', writes: ['open'] },
  { from: ['REFUSED'], on: ['again'], to: 'EXECUTING', writes: ['open'] },
  { from: SENDING, on: ['unsent', 'refused'], to: 'REFUSED', writes: ['try', 'why'] },
  {
    from: SENDING,
    on: ['unsent-inconclusive', 'refused-inconclusive'],
    to: 'UNCONFIRMED',
    writes: ['try'],
  },
  { from: SENDING, on: ['blind', 'busy', 'lost', 'overdue'], to: 'UNCONFIRMED', writes: ['try'] },
  { from: SENDING, on: ['processed-blind'], to: 'UNCONFIRMED', writes: ['try', 'executed'] },
  { from: SENDING, on: ['aged'], to: 'UNCONFIRMED', writes: ['try', 'read-only'] },
  { from: UNPAID, on: ['completed'], to: 'PAID', writes: ['try', 'executed', 'movement'] },
  {
    from: UNPAID,
    on: ['accepted', 'processed'],
    to: 'PENDING',
    writes: ['try', 'executed', 'movement'],
  },
  {
    from: ['EXECUTING', 'UNCONFIRMED', 'REFUSED', 'UNKNOWN'],
    on: ['failed'],
    to: 'FAILED',
    writes: ['try', 'executed', 'movement'],
  },
  // a late response settles its own try and nothing else
  {
    from: SETTLED,
    on: ['completed', 'accepted', 'failed', 'processed'],
    to: 'same',
    writes: ['try'],
  },
  {
    from: DECIDED,
    on: ['unsent', 'unsent-inconclusive', 'refused', 'refused-inconclusive'],
    to: 'same',
    writes: ['try'],
  },
  { from: DECIDED, on: ['blind', 'busy', 'lost', 'overdue', 'aged'], to: 'same', writes: ['try'] },
  { from: DECIDED, on: ['processed-blind'], to: 'same', writes: ['try', 'executed'] },
  {
    from: ['UNCONFIRMED', 'UNKNOWN'],
    on: ['found'],
    to: 'PENDING',
    writes: ['executed', 'movement', 'evidence'],
  },
  { from: ['UNCONFIRMED'], on: ['no-trace'], to: 'REFUSED', writes: ['why', 'evidence'] },
  {
    from: ['UNCONFIRMED', 'UNKNOWN'],
    on: ['not-executed'],
    to: 'REFUSED',
    writes: ['why', 'closed', 'evidence'],
  },
  { from: ['UNCONFIRMED', 'UNKNOWN'], on: ['unclear'], to: 'UNKNOWN', writes: ['evidence'] },
  // a search before another round finds nothing, or does not show that the old quote moved nothing
  { from: ['REFUSED', 'FAILED'], on: ['quote-unused'], to: 'same', writes: ['evidence'] },
  { from: ['REFUSED', 'FAILED'], on: ['quote-unclear'], to: 'UNKNOWN', writes: ['evidence'] },
  { from: ['PENDING'], on: ['read-pending'], to: 'PENDING', writes: ['movement'] },
  { from: ['PENDING'], on: ['read-unmoved'], to: 'UNCONFIRMED', writes: ['movement'] },
  { from: ['PENDING', 'PAID'], on: ['read-completed'], to: 'PAID', writes: ['movement'] },
  { from: ['PENDING'], on: ['read-failed'], to: 'FAILED', writes: ['movement'] },
  // the preimage belongs to another payment, so it is not known whether this one was made
  { from: ['PENDING', 'FAILED'], on: ['read-disproved'], to: 'UNKNOWN', writes: ['movement'] },
  { from: ['PAID'], on: ['read-failed'], to: 'PAID', writes: ['contradiction'] },
  { from: ['FAILED'], on: ['read-completed'], to: 'PAID', writes: ['movement', 'contradiction'] },
  {
    from: ['UNKNOWN'],
    on: ['person-paid'],
    to: 'PENDING',
    writes: ['executed', 'movement', 'verdict'],
  },
  { from: ['UNKNOWN'], on: ['person-not-paid'], to: 'REFUSED', writes: ['why', 'verdict'] },
  { from: ['REFUSED'], on: ['renew'], to: 'NEW', writes: ['past', 'renewal'] },
  { from: ['REFUSED', 'FAILED', 'STOPPED'], on: ['retry'], to: 'NEW', writes: ['past', 'round'] },
  { from: ENDED, on: ['ack'], to: 'same', writes: ['acked'] },
];

/** The transition for an event in a phase; `undefined` where the event changes nothing. */
export function transitionOf(phase: MovePhase, event: MoveEventName): Transition | undefined {
  return transitions.find(({ from, on }) => from.includes(phase) && on.includes(event));
}

/** Returns the row after an event, or the same object where the event changes nothing. Pure. */
export function applyEvent(row: MoveRow, event: MoveEvent): MoveRow {
  if (!fits(row, event)) return row;
  const is = nameIn(row, event);
  const transition = transitionOf(row.phase, is);
  if (!transition) return row;
  const phase = transition.to === 'same' ? row.phase : transition.to;
  const written = transition.writes.reduce(
    (before, write) => ({ ...before, ...WRITES[write](before, { ...event, is }) }),
    {
      ...row,
      phase,
      ...(phase === 'PENDING' && { pendingSince: row.pendingSince ?? event.at }),
    },
  );
  return phase === row.phase ? written : { ...written, ...endOf(phase, event.at) };
}

/** A change of phase begins a new end, or none, which a caller has not acknowledged yet. */
function endOf(phase: MovePhase, at: number): Pick<MoveRow, 'endedAt' | 'ackedAt'> {
  return { endedAt: ENDED.includes(phase) ? at : undefined, ackedAt: undefined };
}

/** Ends of a try, by the event that says so. */
const TRY_ENDS: Partial<Record<MoveEventName, TryEnd>> = {
  unsent: 'refused',
  'unsent-inconclusive': 'refused',
  refused: 'refused',
  'refused-inconclusive': 'refused',
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

/** Events that are decided while no try is open, and count only while that is still so. */
const NEEDS_NO_OPEN_TRY: readonly MoveEventName[] = [
  'again',
  'no-trace',
  'not-executed',
  'unclear',
  'quote-unused',
  'quote-unclear',
  'renew',
  'retry',
];

/** Tells whether what was true when the event was made is still true of the row. */
function fits(row: MoveRow, event: MoveEvent): boolean {
  const { is, round = row.round, n } = event;
  const isOpen = row.tries.some(({ end }) => end === 'open');
  if (NEEDS_NO_OPEN_TRY.includes(is)) return !isOpen;
  if (is === 'ack' && row.phase !== event.told) return false;
  if (is === 'overdue') return row.tries.some((one) => one.n === n && one.end === 'open');
  const isPast = TRY_ENDS[is] !== undefined && !row.tries.some((one) => one.n === n);
  return isPast ? isNews(row, event) : round === row.round;
}

/**
 * A late response about an earlier quote counts where it names a movement that was not read before,
 * and no other quote is under way, which could be executed as well.
 */
function isNews({ quote, past }: MoveRow, { is, movementId }: MoveEvent): boolean {
  const isMovement = is === 'completed' || is === 'accepted' || is === 'processed';
  return isMovement && !quote && !past.some((one) => one.movementId === movementId);
}

/**
 * The event's name for this row. A refusal ends the intent only where no other try may have had an
 * effect. Once a quote that can be executed twice has ended, only the service's statement that it
 * has ended closes it.
 */
function nameIn(row: MoveRow, { is, n, code }: MoveEvent): MoveEventName {
  // another life of the intent may have had further rounds
  if (is === 'not-executed' && row.original !== undefined) return 'unclear';
  if (is === 'read-disproved' && row.verdict?.is === 'paid') return 'read-completed';
  if (is !== 'refused' && is !== 'unsent') return is;
  const isProbe = row.tries.some((one) => one.n === n && one.sentAt >= (row.quote?.endsAt ?? 0));
  if (is === 'refused' && isProbe && row.order.rail !== 'bolt11' && !isExpired(code)) return 'busy';
  const isAlone = !row.executed && row.tries.every((one) => one.n === n || one.end === 'refused');
  return isAlone ? is : `${is}-inconclusive`;
}

/** Code of a quote that the service has shown, for long enough, not to be executed. */
export const NOT_EXECUTED = 'not-executed';

/** Code of the try that represents what a lost journal may have sent. */
const EARLIER = 'earlier-life';

/** The service's code for a payment quote that has ended. */
export const QUOTE_EXPIRED = 'PAYMENT_QUOTE_EXPIRED';

/** The service says that a quote of any kind has ended. */
export function isExpired(code: string | undefined): boolean {
  return code?.endsWith('QUOTE_EXPIRED') === true;
}

/** Tells whether the movement is not the one that was wanted, or moved nothing. */
function isReplaceable({ proof, movement }: MoveRow): boolean {
  return proof === 'bad' || movement?.state === 'FAILED';
}

/** Events that name the movement of an intent that is unknown. */
const NAMING: readonly MoveEventName[] = ['found', 'person-paid', 'processed', 'accepted'];

const WRITES: Readonly<Record<RowWrite, (row: MoveRow, event: MoveEvent) => Partial<MoveRow>>> = {
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
  // another life of the intent may have sent a request
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
  movement: (row, { is, movementId, movement, proof }) => ({
    // what is found later replaces an id that was disproved or has failed
    movementId:
      (isReplaceable(row) && NAMING.includes(is) && movementId) || row.movementId || movementId,
    movement: movement ?? row.movement,
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
  past: ({ past, quote, tries, why, movementId }) => ({
    past: [...past, { quote, tries, why, movementId }],
    quote: undefined,
    tries: [],
    why: undefined,
  }),
  // what a search found is about the old quote
  renewal: ({ renewals }) => ({ renewals: renewals + 1, quoteLosses: 0, evidence: undefined }),
  round: ({ round, limits }, event) => ({
    round: round + 1,
    renewals: 0,
    quoteLosses: 0,
    original: undefined,
    executed: false,
    movementId: undefined,
    movement: undefined,
    pendingSince: undefined,
    proof: undefined,
    evidence: undefined,
    verdict: undefined,
    startedAt: event.at,
    limits: event.limits ?? limits,
  }),
  acked: ({ ackedAt }, { at }) => ({ ackedAt: ackedAt ?? at }),
};

/** A refund of all that is left may ask for another amount in another round, under another key. */
function isOfVaryingAmount(order: MoneyOrder): boolean {
  return 'refundOf' in order && order.refundOf !== undefined && !order.amount;
}

/** Ends a try whose end is not known yet; a known end stays. */
function endTry(one: MoveTry, { is, n, at, code }: MoveEvent): MoveTry {
  const end = TRY_ENDS[is];
  const mayEnd = one.end === 'open' || one.end === 'doubt';
  return one.n === n && end && mayEnd ? { ...one, end, endedAt: at, code } : one;
}
