import type { Money } from '../../money/index.ts';
import type { Payment } from '../../resources/payments.ts';
import { RULES } from './rules.ts';
import type { MoneyOrder, Moved, MoveLimits, MoveReason, PayProof } from './order.ts';

// A journal row holds the facts of one intent. A fact is written before the request that it
// announces, or after the response that it records, and it never changes. All other state is
// derived from the facts. Times are milliseconds since 1970, according to the service's clock if
// it's known.

/** The prefix of an intent's key in a store, followed by the intent's name. */
export const JOURNAL_ROWS: string = 'pay/';

/** A quote that was read and is within the caller's limits. */
export interface AgreedQuote {
  /**
   * The id of the object to execute: a quote, a prepared payout, or a deposit's
   * idempotency key.
   */
  readonly id: string;
  readonly amount: Money;
  readonly totalFee?: Money | undefined;
  readonly totalAmount: Money;
  /**
   * When the service stops executing the quote. Absent for payouts and deposits, which never
   * expire.
   */
  readonly endsAt?: number | undefined;
  /** The name of the reservation that counts the total toward the daily limit. */
  readonly day?: string | undefined;
}

/**
 * The result of a money-moving request. `none`: there was no response, or it's unclear whether
 * money moved · `no`: permanently refused · `later`: refused for a temporary reason, or not sent ·
 * `ended`: the quote has expired · `ok`: accepted by this request or an earlier one.
 */
export type Answered = 'none' | 'no' | 'later' | 'ended' | 'ok';

/** How a round ended, as reported to the caller. */
export type End = 'paid' | 'failed' | 'refused' | 'unknown' | 'stopped';

/**
 * A fact without its writer and time. `n` is the attempt number. Each attempt requests one quote.
 */
export type Happening =
  /** Another process took over the intent. */
  | { readonly is: 'taken' }
  | { readonly is: 'asked'; readonly n: number }
  /** The service already has an object under the attempt's key that this journal didn't accept. */
  | {
      readonly is: 'original';
      readonly n: number;
      readonly id: string;
      /**
       * When the object can no longer be executed, assuming that all quotes have the same validity
       * period.
       */
      readonly endsAt?: number | undefined;
    }
  | {
      readonly is: 'refused';
      readonly n: number;
      readonly why: MoveReason;
      /**
       * Whether the reason is temporary, or the quote was only requested to prove that the key is
       * unused.
       */
      readonly isPassing?: boolean | undefined;
      /**
       * Whether the service created a new object under the key, which proves that the key was
       * unused.
       */
      readonly isFree?: boolean | undefined;
    }
  | { readonly is: 'shown'; readonly n: number; readonly quote: AgreedQuote }
  /** A money-moving request is about to be sent. */
  | { readonly is: 'sent'; readonly n: number; readonly send: number }
  | {
      readonly is: 'answered';
      readonly n: number;
      readonly send: number;
      readonly how: Answered;
      /** The id of the transfer named in the response. */
      readonly id?: string | undefined;
      readonly code?: string | undefined;
      readonly why?: MoveReason | undefined;
    }
  /** The object of attempt `n` was read and hadn't been executed. */
  | { readonly is: 'unmoved'; readonly n: number }
  /** Attempt `n` hasn't moved any money and no longer can. */
  | { readonly is: 'closed'; readonly n: number }
  /**
   * A search found no transfer that could belong to this intent. The result is valid until another
   * process takes over the intent.
   */
  | { readonly is: 'cleared' }
  | {
      readonly is: 'moved';
      readonly n?: number | undefined;
      readonly id: string;
      readonly state: 'pending' | 'completed' | 'failed';
      readonly proof?: PayProof | undefined;
      /**
       * Whether the transfer certainly belongs to this intent, because it was read by id, proved,
       * or confirmed by a person.
       */
      readonly isSure?: boolean | undefined;
    }
  /** Movements that could belong to this intent, or a search that couldn't read everything. */
  | {
      readonly is: 'found';
      readonly candidates: readonly string[];
      readonly neededScope?: string | undefined;
      readonly isUnread?: boolean | undefined;
    }
  | { readonly is: 'stopped' }
  | { readonly is: 'verdict'; readonly says: 'paid' | 'not-paid' }
  | { readonly is: 'over'; readonly as: End; readonly why?: MoveReason | undefined }
  | { readonly is: 'again'; readonly limits: MoveLimits }
  | { readonly is: 'acked' };

/**
 * A recorded fact, along with the process that wrote it, that process's own counter, the time and
 * the round.
 */
export type Fact = Happening & {
  readonly by: string;
  readonly i: number;
  readonly at: number;
  readonly round: number;
};

/** The journal row for one intent, as plain JSON. It's always written in full. */
export interface MoveRow<Order extends MoneyOrder = MoneyOrder> {
  readonly format: 2;
  readonly intent: string;
  /** A hash of the order, used to detect when an intent is reused for a different order. */
  readonly fingerprint: string;
  readonly order: Order;
  readonly limits: MoveLimits;
  /** The process that created the row, followed by the creation time. */
  readonly by: string;
  readonly at: number;
  readonly facts: readonly Fact[];
  /** The transfer as of the last read. A payment is stored without its preimage. */
  readonly movement?: Moved | undefined;
}

interface Send {
  readonly send: number;
  readonly by: string;
  readonly at: number;
  readonly round: number;
  readonly answer?: Extract<Fact, { is: 'answered' }> | undefined;
}

export interface Numbered {
  readonly n: number;
  readonly askedAt: number;
  readonly askedIn: number;
  readonly takenAt?: number | undefined;
  readonly original?: Extract<Fact, { is: 'original' }> | undefined;
  readonly shown?: Extract<Fact, { is: 'shown' }> | undefined;
  /** Set if the service created an object under this attempt's key and then refused it. */
  readonly freed?: Extract<Fact, { is: 'refused' }> | undefined;
  /** The refusals of this attempt's quotes in the current round. */
  readonly refusals: readonly Extract<Fact, { is: 'refused' }>[];
  readonly sends: readonly Send[];
  /**
   * The times since the last request at which a read showed that the quote hadn't been executed.
   */
  readonly unmoved: readonly number[];
  /**
   * Whether this attempt is known not to have moved any money, with no later request or transfer.
   */
  readonly isClosed: boolean;
  /** The transfer of this attempt, if it's certain. */
  readonly seen?: Extract<Fact, { is: 'moved' }> | undefined;
}

export interface View {
  readonly round: number;
  readonly at: number;
  readonly holder: string;
  readonly takenAt?: number | undefined;
  readonly takers: readonly string[];
  readonly lastAt: number;
  /**
   * Whether the process that created the row is the only one that has ever handled the intent, and
   * found no earlier objects.
   */
  readonly isAlone: boolean;
  readonly numbers: readonly Numbered[];
  readonly moved?: Extract<Fact, { is: 'moved' }> | undefined;
  readonly isSure: boolean;
  readonly found?: Extract<Fact, { is: 'found' }> | undefined;
  readonly stopped: boolean;
  /** A person's decision on the outcome, if no transfer has been seen since. */
  readonly verdict?: Extract<Fact, { is: 'verdict' }> | undefined;
  readonly over?: Extract<Fact, { is: 'over' }> | undefined;
  /**
   * Set if this round has already ended as `unknown`, in which case it doesn't start any new
   * requests.
   */
  readonly wasUnknown: boolean;
  /**
   * Whether a search has found nothing since another process last took over the intent, and nothing
   * has been sent since that search.
   */
  readonly isCleared: boolean;
  readonly isAcked: boolean;
}

export function readLimits({ limits, facts }: Pick<MoveRow, 'limits' | 'facts'>): MoveLimits {
  return findLast(facts, 'again')?.limits ?? limits;
}

type Of<Is extends Fact['is']> = Extract<Fact, { is: Is }>;

const listFacts = <Is extends Fact['is']>(facts: readonly Fact[], is: Is): readonly Of<Is>[] =>
  facts.filter((fact): fact is Of<Is> => fact.is === is);
const findLast = <Is extends Fact['is']>(facts: readonly Fact[], is: Is): Of<Is> | undefined =>
  listFacts(facts, is).at(-1);

/** Returns whether a value is a journal row. Only checks the required fields. */
export function isRow(value: unknown): value is MoveRow {
  const { format, intent, order, limits, facts } = Object(value) as Partial<MoveRow>;
  return (
    format === 2 &&
    typeof intent === 'string' &&
    Object.hasOwn(RULES, `${order?.rail}`) &&
    typeof limits === 'object' &&
    limits !== null &&
    Array.isArray(facts) &&
    facts.every(isFact)
  );
}

function isFact(value: unknown): boolean {
  const { is, by, ...others } = Object(value) as Partial<Fact>;
  const numbers = [others.i, others.at, others.round];
  return [is, by].every((one) => typeof one === 'string') && numbers.every(Number.isFinite);
}

export function readView({ by, at, facts }: Pick<MoveRow, 'by' | 'at' | 'facts'>): View {
  const round = Math.max(1, ...facts.map((fact) => fact.round));
  const now = facts.filter((fact) => fact.round === round);
  const taken = findLast(facts, 'taken');
  const over = findLast(now, 'over');
  const numbers = [...new Set(listFacts(facts, 'asked').map(({ n }) => n))]
    .sort((a, b) => a - b)
    .map((n) => readNumber(facts, n, round));
  const moved = findMoved(facts, round, numbers);
  const since = (fact: Fact | undefined) => (fact ? facts.slice(facts.indexOf(fact) + 1) : facts);
  const found = findLast(now, 'found');
  const isPast = (fact: Fact | undefined, ...by: readonly Fact['is'][]) =>
    fact !== undefined && since(fact).some(({ is }) => by.includes(is));
  const cleared = findLast(since(taken), 'cleared');
  return {
    round,
    at,
    holder: taken?.by ?? by,
    takenAt: taken?.at,
    takers: listFacts(facts, 'taken').map((one) => one.by),
    lastAt: Math.max(at, ...facts.map((fact) => fact.at)),
    isAlone: !taken && !findLast(facts, 'original'),
    numbers,
    moved,
    isSure: moved !== undefined && (isSure(facts, moved) || isClosed(numbers, moved)),
    found: isPast(found, 'moved', 'closed', 'verdict') ? undefined : found,
    stopped: findLast(now, 'stopped') !== undefined,
    verdict: isPast(findLast(now, 'verdict'), 'moved') ? undefined : findLast(now, 'verdict'),
    // a later transfer or a person's decision overrides the end of a round, unless it's `paid`
    over:
      (over?.as !== 'paid' && isPast(over, 'moved', 'verdict')) ||
      (over?.as === 'unknown' && isPast(over, 'closed'))
        ? undefined
        : over,
    wasUnknown: over?.as === 'unknown',
    isCleared: cleared !== undefined && !since(cleared).some(({ is }) => is === 'sent'),
    isAcked: over !== undefined && since(over).some(({ is }) => is === 'acked'),
  };
}

/**
 * Returns the last transfer of the round. If its attempt was closed, a transfer only counts if it's
 * certain or has failed, because a failure ends the round.
 */
function findMoved(
  facts: readonly Fact[],
  round: number,
  numbers: readonly Numbered[],
): Of<'moved'> | undefined {
  return listFacts(facts, 'moved')
    .filter((one) => one.round === round)
    .findLast((one) => one.state === 'failed' || isSure(facts, one) || !isClosed(numbers, one));
}

const isClosed = (numbers: readonly Numbered[], { n }: Of<'moved'>): boolean =>
  numbers.some((one) => one.n === n && one.isClosed);

function readNumber(facts: readonly Fact[], n: number, round: number): Numbered {
  const own = facts.filter((fact) => 'n' in fact && fact.n === n);
  const answers = listFacts(own, 'answered');
  const sends = listFacts(own, 'sent').map(({ send, by, at, round: sentIn }) => ({
    send,
    by,
    at,
    round: sentIn,
    answer: answerTo(answers, send),
  }));
  // a person's decision only covers the attempts made before it
  const last = own.findLast(({ is }) => is === 'asked' || is === 'sent' || is === 'moved');
  const isAfter = (fact: Fact) => facts.indexOf(fact) > facts.indexOf(last!);
  const verdict = listFacts(facts, 'verdict').findLast(({ says }) => says === 'not-paid');
  return {
    n,
    askedAt: own[0]!.at,
    askedIn: own[0]!.round,
    takenAt: findLast(facts, 'taken')?.at,
    original: findLast(own, 'original'),
    shown: findLast(own, 'shown'),
    freed: listFacts(own, 'refused').findLast(({ isFree }) => isFree),
    refusals: listFacts(own, 'refused').filter((one) => one.round === round),
    sends,
    unmoved: listFacts(own, 'unmoved')
      .filter(isAfter)
      .map(({ at }) => at),
    isClosed: [...listFacts(own, 'closed'), ...(verdict ? [verdict] : [])].some(isAfter),
    seen: listFacts(own, 'moved').findLast((one) => isSure(facts, one) && !isDisproved(own, one)),
  };
}

/**
 * Returns the service's response to a request. It takes precedence over a recorded "no response",
 * which may have been written before the response arrived.
 */
function answerTo(answers: readonly Of<'answered'>[], send: number): Of<'answered'> | undefined {
  const own = answers.filter((one) => one.send === send);
  return own.find(({ how }) => how !== 'none') ?? own[0];
}

/**
 * Returns whether a transfer certainly belongs to this intent. That requires proof, or two
 * responses with its id. One of them must report that the request was already processed, because a
 * response to another request can arrive twice.
 */
function isSure(facts: readonly Fact[], { id, proof, isSure: sure }: Of<'moved'>): boolean {
  if (sure === true || proof === 'ok') return true;
  const names = listFacts(facts, 'answered').filter((one) => one.id === id);
  const isTwice = names.length > 1 && names.some(({ code }) => code !== undefined);
  return proof !== 'bad' && (isTwice || names.length >= ENOUGH_NAMES);
}

/**
 * The number of responses with the same id that identify a transfer, even if none of them reports
 * that the request had been processed before.
 */
const ENOUGH_NAMES = 4;

/** Returns whether the last read of a transfer showed that it belongs to another intent. */
function isDisproved(facts: readonly Fact[], { id }: Of<'moved'>): boolean {
  return listFacts(facts, 'moved').findLast((one) => one.id === id)?.proof === 'bad';
}

/**
 * Adds the facts that are missing from the store. If another process has written facts in the
 * meantime, this doesn't take the intent back from that process, and doesn't end the round.
 */
export function joinFacts(stored: readonly Fact[], known: readonly Fact[]): readonly Fact[] {
  const has = new Set(stored.map(nameFact));
  const missing = known.filter((fact) => !has.has(nameFact(fact)));
  if (missing.length === 0) return stored;
  const kept = new Set(known.map(nameFact));
  const wentOn = stored.some((fact) => !kept.has(nameFact(fact)));
  const isTurn = ({ is }: Fact) => is === 'taken' || is === 'over' || is === 'again';
  return [...stored, ...missing.filter((fact) => !(wentOn && isTurn(fact)))];
}

function nameFact({ by, i }: Fact): string {
  return `${by}/${i}`;
}

/**
 * Returns the transaction id of a failed on-chain payment. Its transaction may still be confirmed.
 */
export function findBroadcast({ movement }: Pick<MoveRow, 'movement'>): string | undefined {
  const payment = movement as Partial<Payment> | undefined;
  return (payment?.state === 'FAILED' && payment.onchain?.txnId) || undefined;
}
