import type { Payment } from '../../resources/payments.ts';
import { EVENT_HISTORY_MS, EVENT_LATENESS_MS, LAG_MS } from '../../resources/service-facts.ts';
import type { AgreedQuote, PayRow, PayTry, RailName } from './row.ts';
import { isExpired, NOT_EXECUTED } from './transitions.ts';

/** How a rail is tried and given up. */
interface RailRules {
  /** After its end the quote is tried a few times more, to hear from the service that it has ended. */
  readonly hasProbes: boolean;
  /** A late copy of a request could move the money a second time beside another quote. */
  readonly isHeld: boolean;
}

const RULES: Readonly<Record<RailName, RailRules>> = {
  // the network settles one text once
  bolt11: { hasProbes: true, isHeld: false },
  lnurl: { hasProbes: true, isHeld: true },
  onchain: { hasProbes: true, isHeld: true },
  // it can be read whether it was executed
  exchange: { hasProbes: false, isHeld: true },
  // another round takes the same payout again, as long as it is NEW
  payout: { hasProbes: false, isHeld: false },
  // or the same key, as long as the service surely knows it
  deposit: { hasProbes: false, isHeld: true },
};

/** The rules of a rail. */
function rulesOf(rail: RailName): RailRules {
  return RULES[rail];
}

// What is due for a row, and when: pure. Times are those of the row.

/** The next thing to do. */
export interface PayStepDue {
  readonly do:
    | 'quote'
    | 'send'
    | 'again'
    | 'overdue'
    | 'search'
    | 'read'
    | 'renew'
    | 'retry'
    | 'stop'
    | 'end';
  readonly at: number;
  /** Number of the try that it is about. */
  readonly n?: number | undefined;
}

/** What one run knows beside the row. */
interface PayRunFacts {
  readonly by: string;
  readonly now: number;
  /** Numbers of the tries that this run has handed to the network. */
  readonly handed: ReadonlySet<number>;
  /** When the payment was read last. */
  readonly readAt?: number | undefined;
  /** When an event or the caller said last that it may have changed. */
  readonly heardAt?: number | undefined;
  /** That was since the caller asked for another round, and it could be read. */
  readonly isReread?: boolean | undefined;
  /** The transaction that the caller knows to have failed. */
  readonly acknowledged?: string | undefined;
  /** So often this run has searched to the end. */
  readonly searches?: number | undefined;
  /** It has a listener. */
  readonly isObserved?: boolean | undefined;
  /** What others have begun has died with them. */
  readonly isRestart?: boolean | undefined;
  /** The caller has stopped it: nothing begins by itself. */
  readonly isStopping?: boolean | undefined;
  /** The caller asks for another round. */
  readonly isRetrying?: boolean | undefined;
}

/** Longest time for one try, milliseconds: most Lightning payments have ended by then. */
export const TRY_TIMEOUT = 45_000;
/** After that a try of another run counts as lost, milliseconds. */
const OVERDUE = 50_000;
/** Tries after the end of the quote, milliseconds. */
const PROBES = [5_000, 30_000, 120_000, 300_000];
/** A quote is tried or refused with this much left, milliseconds. */
export const LEAST_LEFT = 5_000;
/** A quote that can be read is not tried any more with this much left, milliseconds. */
const LAST_TRY = 2_000;
/** Before it is read whether a quote that can be read was executed, milliseconds. */
export const QUIET = 60_000;
const MOST_RENEWALS = 2;
const SLOWEST = 30_000;
/** Between reads of what has failed, where one could not be read, milliseconds. */
const REREAD = 30_000;
/** The key of a deposit is taken for another round with this much left, milliseconds. */
const KEY_LEFT = 60_000;
const HOUR = 3_600_000;
/** Clocks of processes differ by less, milliseconds. */
export const CLOCKS = 60_000;
/** Between searches for what is UNKNOWN; then daily, while the service keeps its events. */
const LOOKS = [600_000, HOUR];

/** The intent stands for something else: no other round begins. */
const REUSED = 'intent-reused';

/** Nothing was handed to the network. */
export const NOT_SENT = 'not-sent';
const TOO_SOON = /^(RATE_LIMIT_EXCEEDED|TOO_MANY_ATTEMPTS|ACCOUNT_NOT_READY)$/;

/** What is due next for a row. */
export function nextStep(row: PayRow, facts: PayRunFacts): PayStepDue {
  switch (row.phase) {
    case 'NEW':
      return { do: facts.isStopping ? 'stop' : 'quote', at: facts.now };
    case 'EXECUTING':
    case 'DOUBT':
      return sendingStep(row, facts);
    case 'PENDING':
      return { do: 'read', at: readDue(row, facts) };
    case 'UNKNOWN':
      return unknownStep(row, facts);
    default:
      return endedStep(row, facts);
  }
}

/** Searched for at once, and as long as it has a listener again and again. */
function unknownStep({ tries, evidence }: PayRow, facts: PayRunFacts): PayStepDue {
  const { now, searches = 0, isObserved } = facts;
  if (searches === 0) return { do: 'search', at: now };
  const at = (evidence?.searchedAt ?? now) + (LOOKS[searches - 1] ?? 24 * HOUR);
  const isTooLate = at > (tries[0]?.sentAt ?? -Infinity) + EVENT_HISTORY_MS;
  return isObserved && !isTooLate ? { do: 'search', at } : { do: 'end', at: now };
}

/** The intent needs no run any more; one that is UNKNOWN does, at the next restart. */
export function isOver(row: PayRow): boolean {
  const facts = { by: '', now: 0, handed: new Set<number>() };
  return nextStep(row, facts).do === 'end';
}

function sendingStep(row: PayRow, facts: PayRunFacts): PayStepDue {
  const { by, handed, now, isRestart } = facts;
  const open = row.tries.find(({ end }) => end === 'open');
  if (open?.by === by && !handed.has(open.n)) return { do: 'send', at: now, n: open.n };
  const isDead = isRestart && open?.by !== by;
  if (open) return { do: 'overdue', at: isDead ? now : open.sentAt + OVERDUE, n: open.n };
  const again = repeatDue(row, facts);
  const search = searchDue(row);
  return again < search ? { do: 'again', at: again } : { do: 'search', at: search };
}

/** It lies in the future: the clock was set back since. */
function isAhead(at: number, now: number): boolean {
  return at - now > CLOCKS;
}

/** The same quote again after 1, 2, 4 … 30 s; after its end a few times, until the service says so. */
function repeatDue(
  { order, quote, tries }: PayRow,
  { by, now, handed, isRestart }: PayRunFacts,
): number {
  if (quote!.isReadOnly) return Infinity;
  const { hasProbes } = rulesOf(order.rail);
  const endsAt = quote!.endsAt - (hasProbes ? 0 : LAST_TRY);
  const last = tries.at(-1)!;
  const doubts = tries.filter(({ code }) => code !== NOT_SENT).length;
  const pause = Math.min(SLOWEST, 1_000 * 2 ** (doubts - 1));
  const endedAt = last.endedAt ?? last.sentAt;
  // another process may have a clock that is ahead: only its own tries tell a run of a jump
  const isKnown = last.by === by || (isRestart && handed.size === 0);
  const due = isKnown && isAhead(endedAt, now) ? now : endedAt + pause;
  if (due < endsAt) return due;
  if (!hasProbes || isExpired(last.code)) return Infinity;
  const probes = tries.filter(({ sentAt }) => sentAt >= endsAt).length;
  const probe = PROBES[probes];
  return probe === undefined ? Infinity : Math.max(due, endsAt + probe);
}

/** A search is complete after its window, and the lateness of events. */
function searchDue({ order, quote, tries }: PayRow): number {
  const last = tries.at(-1)!;
  if (quote!.isReadOnly) return QUIET + (last.endedAt ?? last.sentAt);
  if (!rulesOf(order.rail).hasProbes)
    return QUIET + Math.max(quote!.endsAt, ...tries.map(({ sentAt, endedAt = sentAt }) => endedAt));
  const inDoubt = tries.filter(({ end }) => end !== 'refused').map(({ sentAt }) => sentAt);
  return Math.max(
    quote!.endsAt + 2 * EVENT_LATENESS_MS,
    ...inDoubt.map((at) => at + EVENT_LATENESS_MS),
  );
}

/** Often at first, every ten minutes after an hour, hourly after a day; never given up. */
function readDue({ pendingSince = 0 }: PayRow, { readAt, heardAt, now }: PayRunFacts): number {
  if (readAt === undefined || isAhead(readAt, now)) return now;
  // what was heard of may not be in every copy of the service's data yet
  const settledAt = (heardAt ?? -Infinity) + LAG_MS;
  const age = readAt - pendingSince;
  const slow = age >= 24 * HOUR ? HOUR : 600_000;
  const due = readAt + (age >= HOUR ? slow : Math.min(Math.max(age, 1_000), 60_000));
  return readAt < settledAt ? Math.min(due, settledAt) : due;
}

/** Another quote, where the service has refused only because this one ended, or the caller asks. */
function endedStep(row: PayRow, facts: PayRunFacts): PayStepDue {
  const { now, isRetrying, isStopping } = facts;
  const end: PayStepDue = { do: 'end', at: now };
  if (row.phase === 'PAID' || isStopping || row.why?.guard === REUSED) return end;
  if (isRetrying) return retryStep(row, facts);
  const { phase, tries, renewals, quote } = row;
  if (phase !== 'REFUSED' || !quote || renewals >= MOST_RENEWALS || !tries.every(isUnused))
    return end;
  const due = repeatDue(row, facts);
  const isTooSoon = TOO_SOON.test(tries.at(-1)!.code ?? '');
  return isTooSoon && due + LEAST_LEFT < quote.endsAt
    ? { do: 'again', at: due }
    : holdStep(row, 'renew', facts);
}

/** What has failed is read once more before another round, which would pay it a second time. */
function retryStep(row: PayRow, facts: PayRunFacts): PayStepDue {
  const { now, readAt, isReread, acknowledged } = facts;
  if (row.phase !== 'FAILED') return holdStep(row, 'retry', facts);
  if (!isReread) return { do: 'read', at: readAt === undefined ? now : readAt + REREAD };
  const broadcast = broadcastOf(row);
  const isHeld = broadcast !== undefined && broadcast !== acknowledged;
  return isHeld ? { do: 'end', at: now } : holdStep(row, 'retry', facts);
}

/** The transaction of a payment that failed: on the chain it may be confirmed all the same. */
export function broadcastOf({ phase, payment }: PayRow): string | undefined {
  return phase === 'FAILED' ? (payment as Partial<Payment> | undefined)?.onchain?.txnId : undefined;
}

/** Nothing can come of the quote any more. */
function isClosed(code: string | undefined): boolean {
  return isExpired(code) || code === NOT_EXECUTED;
}

function isUnused({ code = '' }: PayTry): boolean {
  return isExpired(code) || code === NOT_SENT || TOO_SOON.test(code);
}

/**
 * Before another quote of the same intent: where nothing else keeps a late copy of a request from
 * paying twice, the old quote must have ended, and the service must have said so.
 */
function holdStep(
  row: PayRow,
  next: 'renew' | 'retry',
  { now, handed: ours }: PayRunFacts,
): PayStepDue {
  const { order, phase, quote, tries } = row;
  const handed = tries.filter(({ code }) => code !== NOT_SENT);
  const isHeld = rulesOf(order.rail).isHeld && quote && handed.length > 0;
  if (!isHeld || (phase === 'REFUSED' && isClosed(handed.at(-1)!.code)))
    return { do: next, at: now };
  const at = quote.endsAt + 5_000;
  if (order.rail === 'deposit') return { do: next, at: isKeyFresh(quote, now) ? now : at };
  // what cannot be sent, for want of a token, is tried a few times: whoever asks for another round
  // may ask again
  const vain = tries.filter(
    ({ code, n, sentAt }) => code === NOT_SENT && sentAt >= at && ours.has(n),
  );
  if (phase === 'REFUSED' && vain.length > 0) {
    const pause = PROBES[vain.length];
    return pause ? { do: 'again', at: vain.at(-1)!.sentAt + pause } : { do: 'end', at: now };
  }
  // a failed payment has used its quote up
  return { do: phase === 'FAILED' ? next : 'again', at };
}

/**
 * It has ended without a payment, and no late copy of a request can make it one any more, neither of
 * its quote nor of an earlier one.
 */
export function isVoid({ phase, quote, tries, past }: PayRow, now: number): boolean {
  if (phase !== 'REFUSED' && phase !== 'FAILED' && phase !== 'STOPPED') return false;
  const isOpen = (one: Pick<PayRow, 'quote' | 'tries'>) =>
    one.quote !== undefined &&
    now <= one.quote.endsAt &&
    !one.tries.every(({ code }) => code === NOT_SENT || isClosed(code));
  // a payment that failed has used its quote up
  const others = past.filter(({ paymentId }) => paymentId === undefined);
  return !others.some(isOpen) && (phase === 'FAILED' || !isOpen({ quote, tries }));
}

/** The key of a refused deposit can be sent again: under one key the service makes one deposit. */
export function isKeyFresh({ endsAt }: Pick<AgreedQuote, 'endsAt'>, now: number): boolean {
  return endsAt - now > KEY_LEFT;
}
