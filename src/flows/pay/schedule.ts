import type { Payment } from '../../resources/payments.ts';
import { EVENT_HISTORY_MS, EVENT_LATENESS_MS, LAG_MS } from '../../resources/service-facts.ts';
import type { AgreedQuote, MoveRow, MoveTry, RailName } from './row.ts';
import { isExpired, NOT_EXECUTED } from './transitions.ts';

// Decides what is due for a row, and when. All functions are pure; times are those of the row.

/** Something to do for a row that needs its run. */
export type WorkStep =
  | {
      readonly kind: 'quote' | 'again' | 'search' | 'read' | 'renew' | 'retry' | 'stop';
      readonly at: number;
    }
  | {
      readonly kind: 'send' | 'overdue';
      readonly at: number;
      /** Number of the try. */
      readonly n: number;
    };

/** The next thing to do for a row; after `end` its run has nothing more to do. */
type DueStep = WorkStep | { readonly kind: 'end'; readonly at: number };

/** The knowledge of one run in addition to the row. */
export interface RunKnowledge {
  /** Name of the run. */
  readonly by: string;
  readonly now: number;
  /** Numbers of the tries that this run has handed to the network. */
  readonly handed: ReadonlySet<number>;
  /** When the movement was last read. */
  readonly readAt?: number | undefined;
  /** When an event or the caller last said that the movement may have changed. */
  readonly heardAt?: number | undefined;
  /** The movement was read successfully after `retry()`. */
  readonly isReread?: boolean | undefined;
  /** The transaction that the caller knows to have failed. */
  readonly acknowledged?: string | undefined;
  /** Number of searches that this run has completed. */
  readonly searches?: number | undefined;
  /** The run has a listener. */
  readonly isObserved?: boolean | undefined;
  /** The processes that worked on the row before have died. */
  readonly isRestart?: boolean | undefined;
  /** The caller has stopped the run: it begins nothing by itself. */
  readonly isStopping?: boolean | undefined;
  /** The caller asks for another round. */
  readonly isRetrying?: boolean | undefined;
}

/** Rules by which a rail repeats a try, and its conditions for another quote. */
interface RailRules {
  /**
   * After its end the quote is tried a few more times, until the service says that it has ended.
   */
  readonly hasProbes: boolean;
  /** A late copy of a request could move the money a second time, in addition to another quote. */
  readonly isHeld: boolean;
}

const RULES: Readonly<Record<RailName, RailRules>> = {
  // the network settles a BOLT11 text once
  bolt11: { hasProbes: true, isHeld: false },
  lnurl: { hasProbes: true, isHeld: true },
  onchain: { hasProbes: true, isHeld: true },
  // a read tells whether the exchange was executed
  exchange: { hasProbes: false, isHeld: true },
  // another round uses the same payout again while it is NEW
  payout: { hasProbes: false, isHeld: false },
  // another round uses the same key again while the service is certain to know it
  deposit: { hasProbes: false, isHeld: true },
};

/** Longest time for one try: most Lightning payments have ended by then. */
export const TRY_TIMEOUT_MS = 45_000;
/** A try of another run counts as lost after this time. */
const OVERDUE_AFTER_MS = 50_000;
/** When the quote is tried after its end. */
const PROBE_DELAYS_MS = [5_000, 30_000, 120_000, 300_000];
/** A quote with less time left than this is not executed. */
export const MIN_QUOTE_LEFT_MS = 5_000;
/** A quote that can be read is not repeated with less time left than this. */
const MIN_REPEAT_LEFT_MS = 2_000;
/**
 * Time after the last try or the end of a quote from which a read shows whether it was executed.
 */
export const READABLE_AFTER_MS = 60_000;
const MAX_RENEWALS = 2;
const MAX_REPEAT_PAUSE_MS = 30_000;
/** Pause between reads of a failed movement that could not be read. */
const REREAD_PAUSE_MS = 30_000;
/** The key of a deposit is used for another round only with more time left than this. */
const MIN_KEY_LEFT_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Clocks of two processes differ by less than this. */
export const MAX_CLOCK_DIFFERENCE_MS = 60_000;
/**
 * Pauses between searches for an UNKNOWN movement; then one a day while the service keeps its
 * events.
 */
const SEARCH_PAUSES_MS = [600_000, HOUR_MS];

/** Code of a try of which nothing was handed to the network. */
export const NOT_SENT = 'not-sent';
/** Refusals that say nothing about the order: the same quote may be sent again. */
const TOO_SOON: readonly string[] = [
  'RATE_LIMIT_EXCEEDED',
  'TOO_MANY_ATTEMPTS',
  'ACCOUNT_NOT_READY',
];

/** Returns what is due next for a row. */
export function nextStep(row: MoveRow, facts: RunKnowledge): DueStep {
  switch (row.phase) {
    case 'NEW':
      return { kind: facts.isStopping ? 'stop' : 'quote', at: facts.now };
    case 'EXECUTING':
    case 'UNCONFIRMED':
      return sendingStep(row, facts);
    case 'PENDING':
      return { kind: 'read', at: readDue(row, facts) };
    case 'UNKNOWN':
      return unknownStep(row, facts);
    default:
      return endedStep(row, facts);
  }
}

/** Tells whether the intent needs no run any more; an UNKNOWN one does, after the next restart. */
export function isOver(row: MoveRow): boolean {
  const facts = { by: '', now: 0, handed: new Set<number>() };
  return nextStep(row, facts).kind === 'end';
}

/** An UNKNOWN movement is searched for at once, and repeatedly while the run has a listener. */
function unknownStep({ tries, evidence }: MoveRow, facts: RunKnowledge): DueStep {
  const { now, searches = 0, isObserved } = facts;
  if (searches === 0) return { kind: 'search', at: now };
  const at = (evidence?.searchedAt ?? now) + (SEARCH_PAUSES_MS[searches - 1] ?? 24 * HOUR_MS);
  const isTooLate = at > (tries[0]?.sentAt ?? -Infinity) + EVENT_HISTORY_MS;
  return isObserved && !isTooLate ? { kind: 'search', at } : { kind: 'end', at: now };
}

function sendingStep(row: MoveRow, facts: RunKnowledge): DueStep {
  const { by, handed, now, isRestart } = facts;
  const open = row.tries.find(({ end }) => end === 'open');
  if (open?.by === by && !handed.has(open.n)) return { kind: 'send', at: now, n: open.n };
  const isDead = isRestart && open?.by !== by;
  if (open)
    return { kind: 'overdue', at: isDead ? now : open.sentAt + OVERDUE_AFTER_MS, n: open.n };
  const again = repeatDue(row, facts);
  const search = searchDue(row);
  return again < search ? { kind: 'again', at: again } : { kind: 'search', at: search };
}

/** A time in the future shows that the clock was set back since. */
function isAhead(at: number, now: number): boolean {
  return at - now > MAX_CLOCK_DIFFERENCE_MS;
}

/**
 * The same quote is sent again after 1, 2, 4 … 30 s, and after its end until the service says so.
 */
function repeatDue(
  { order, quote, tries }: MoveRow,
  { by, now, handed, isRestart }: RunKnowledge,
): number {
  if (quote!.isReadOnly) return Infinity;
  const { hasProbes } = RULES[order.rail];
  const endsAt = quote!.endsAt - (hasProbes ? 0 : MIN_REPEAT_LEFT_MS);
  const last = tries.at(-1)!;
  const doubts = tries.filter(({ code }) => code !== NOT_SENT).length;
  const pause = Math.min(MAX_REPEAT_PAUSE_MS, 1_000 * 2 ** (doubts - 1));
  const endedAt = last.endedAt ?? last.sentAt;
  // the clock of another process may be ahead: only its own tries show a run that the clock jumped
  const isKnown = last.by === by || (isRestart && handed.size === 0);
  const due = isKnown && isAhead(endedAt, now) ? now : endedAt + pause;
  if (due < endsAt) return due;
  if (!hasProbes || isExpired(last.code)) return Infinity;
  const probes = tries.filter(({ sentAt }) => sentAt >= endsAt).length;
  const probe = PROBE_DELAYS_MS[probes];
  return probe === undefined ? Infinity : Math.max(due, endsAt + probe);
}

/** A search is complete once its window has passed, and events have had time to arrive. */
function searchDue({ order, quote, tries }: MoveRow): number {
  const last = tries.at(-1)!;
  if (quote!.isReadOnly) return READABLE_AFTER_MS + (last.endedAt ?? last.sentAt);
  const endedAt = tries.map((one) => one.endedAt ?? one.sentAt);
  if (!RULES[order.rail].hasProbes) return READABLE_AFTER_MS + Math.max(quote!.endsAt, ...endedAt);
  const inDoubt = tries.filter(({ end }) => end !== 'refused').map(({ sentAt }) => sentAt);
  return Math.max(
    quote!.endsAt + 2 * EVENT_LATENESS_MS,
    ...inDoubt.map((at) => at + EVENT_LATENESS_MS),
  );
}

/**
 * Reads are frequent at first, every ten minutes after an hour, hourly after a day; they never end.
 */
function readDue({ pendingSince = 0 }: MoveRow, { readAt, heardAt, now }: RunKnowledge): number {
  if (readAt === undefined || isAhead(readAt, now)) return now;
  // the change may not have reached every replica of the service yet
  const settledAt = (heardAt ?? -Infinity) + LAG_MS;
  const age = readAt - pendingSince;
  const slow = age >= 24 * HOUR_MS ? HOUR_MS : 600_000;
  const due = readAt + (age >= HOUR_MS ? slow : Math.min(Math.max(age, 1_000), 60_000));
  return readAt < settledAt ? Math.min(due, settledAt) : due;
}

/**
 * Another quote follows where this one ended unused, or where the caller asks for another round.
 */
function endedStep(row: MoveRow, facts: RunKnowledge): DueStep {
  const { now, isRetrying, isStopping } = facts;
  const end: DueStep = { kind: 'end', at: now };
  // under a reused intent no other round begins
  if (row.phase === 'PAID' || isStopping || row.why?.guard === 'intent-reused') return end;
  if (isRetrying) return retryStep(row, facts);
  const { phase, tries, renewals, quote } = row;
  if (phase !== 'REFUSED' || !quote || renewals >= MAX_RENEWALS || !tries.every(isUnused))
    return end;
  const due = repeatDue(row, facts);
  const isTooSoon = TOO_SOON.includes(tries.at(-1)!.code ?? '');
  return isTooSoon && due + MIN_QUOTE_LEFT_MS < quote.endsAt
    ? { kind: 'again', at: due }
    : holdStep(row, 'renew', facts);
}

/** A failed movement is read once more before another round, which would move the money again. */
function retryStep(row: MoveRow, facts: RunKnowledge): DueStep {
  const { now, readAt, isReread, acknowledged } = facts;
  if (row.phase !== 'FAILED') return holdStep(row, 'retry', facts);
  if (!isReread) return { kind: 'read', at: readAt === undefined ? now : readAt + REREAD_PAUSE_MS };
  const broadcast = broadcastOf(row);
  const isHeld = broadcast !== undefined && broadcast !== acknowledged;
  return isHeld ? { kind: 'end', at: now } : holdStep(row, 'retry', facts);
}

/**
 * Returns when to search for a payment that a late copy of a request may have made, before another
 * round begins; `undefined` where no search is needed. PAYMENT_QUOTE_EXPIRED proves only that
 * nothing can execute the quote from then on, because the service may check the end of a quote
 * before it checks whether it was executed. A quote whose payment failed may be executable until
 * its end.
 */
function confirmDue({ order, phase, quote, tries, evidence }: MoveRow): number | undefined {
  const { hasProbes, isHeld } = RULES[order.rail];
  const handed = tries.filter(({ code }) => code !== NOT_SENT);
  const isClear = evidence?.isUnused || handed.every(({ code }) => isClosed(code));
  if (!hasProbes || !isHeld || isClear) return undefined;
  if (phase === 'FAILED') return quote!.endsAt + LAG_MS;
  return isExpired(handed.at(-1)!.code) ? quote!.endsAt + EVENT_LATENESS_MS : undefined;
}

/** The transaction of a failed on-chain payment, which may be confirmed all the same. */
export function broadcastOf({ phase, movement }: MoveRow): string | undefined {
  return phase === 'FAILED'
    ? (movement as Partial<Payment> | undefined)?.onchain?.txnId
    : undefined;
}

/** Tells whether a try with this code closed its quote: nothing can execute the quote any more. */
function isClosed(code: string | undefined): boolean {
  return isExpired(code) || code === NOT_EXECUTED;
}

function isUnused({ code = '' }: MoveTry): boolean {
  return isExpired(code) || code === NOT_SENT || TOO_SOON.includes(code);
}

/**
 * Returns the step that is due before another quote of the same intent. Where nothing else keeps a
 * late copy of a request from moving money twice, the old quote must have ended, and the service
 * must have said so.
 */
function holdStep(
  row: MoveRow,
  next: 'renew' | 'retry',
  { now, handed: ours }: RunKnowledge,
): DueStep {
  const { order, phase, quote, tries } = row;
  const handed = tries.filter(({ code }) => code !== NOT_SENT);
  const isHeld = RULES[order.rail].isHeld && quote && handed.length > 0;
  const confirmAt = isHeld ? confirmDue(row) : undefined;
  // only the caller decides to wait for a search: the run does not renew by itself
  if (confirmAt !== undefined)
    return next === 'retry' ? { kind: 'search', at: confirmAt } : { kind: 'end', at: now };
  if (!isHeld || (phase === 'REFUSED' && isClosed(handed.at(-1)!.code)))
    return { kind: next, at: now };
  const at = quote.endsAt + 5_000;
  if (order.rail === 'deposit') return { kind: next, at: isKeyFresh(quote, now) ? now : at };
  // a try that cannot be sent, for want of a token, is repeated a few times; the caller may ask for
  // another round again
  const vain = tries.filter(
    ({ code, n, sentAt }) => code === NOT_SENT && sentAt >= at && ours.has(n),
  );
  if (phase === 'REFUSED' && vain.length > 0) {
    const pause = PROBE_DELAYS_MS[vain.length];
    return pause ? { kind: 'again', at: vain.at(-1)!.sentAt + pause } : { kind: 'end', at: now };
  }
  return { kind: phase === 'FAILED' ? next : 'again', at };
}

/**
 * Tells whether a row has ended without moving money, and no late copy of a request can move it any
 * more, neither of its last quote nor of an earlier one.
 */
export function isVoid({ order, phase, quote, tries, past }: MoveRow, now: number): boolean {
  if (phase !== 'REFUSED' && phase !== 'FAILED' && phase !== 'STOPPED') return false;
  const isOpen = (one: Pick<MoveRow, 'quote' | 'tries'>) =>
    one.quote !== undefined &&
    now <= one.quote.endsAt &&
    !one.tries.every(({ code }) => code === NOT_SENT || isClosed(code));
  // the quote of a failed payment may be executed again until it ends; anything else moves once
  const isOnce = !RULES[order.rail].hasProbes;
  const others = past.filter(({ movementId }) => !isOnce || movementId === undefined);
  return !others.some(isOpen) && ((phase === 'FAILED' && isOnce) || !isOpen({ quote, tries }));
}

/** Tells whether a deposit's key can be sent again: under one key the service makes one deposit. */
export function isKeyFresh({ endsAt }: Pick<AgreedQuote, 'endsAt'>, now: number): boolean {
  return endsAt - now > MIN_KEY_LEFT_MS;
}
