import type { Money } from '../../money/index.ts';
import type { Payment } from '../../resources/payments.ts';
import { RULES } from './rules.ts';
import type { MoneyOrder, Moved, MoveLimits, MoveReason, PayProof } from './order.ts';

// A row holds what happened to one intent. A fact is written before the act that it announces, or
// after the answer that it reports, and it is never changed. Everything else is derived from facts.
// Times are milliseconds since 1970 by the service's clock, as far as it is known.

/** Keys of intents in a store begin with this; the name of the intent follows. */
export const JOURNAL_ROWS: string = 'pay/';

/** Terms that were read and found within the limits. */
export interface AgreedQuote {
  /** Id of what is executed: a quote, a prepared payout, or the key of a deposit. */
  readonly id: string;
  readonly amount: Money;
  readonly totalFee?: Money | undefined;
  readonly totalAmount: Money;
  /** When it can no longer be executed, by the service; absent for a payout and a deposit, which never end. */
  readonly endsAt?: number | undefined;
  /** Name of the reservation of its total, for a limit per day. */
  readonly day?: string | undefined;
}

/**
 * The answer to one request that moves money: `none` there was none, or it does not say what became
 * of the money · `no` refused for good · `later` refused for a passing reason, or not sent · `ended`
 * the quote has ended · `ok` accepted, or accepted before.
 */
export type Answered = 'none' | 'no' | 'later' | 'ended' | 'ok';

/** The end of a round, as a caller is told it. */
export type End = 'paid' | 'failed' | 'refused' | 'unknown' | 'stopped';

/** What happened. `n` numbers the requests for terms of an intent. */
export type Happening =
  /** A process has taken the turn from the one that had it. */
  | { readonly is: 'taken' }
  /** Terms are requested under the key of number `n`. */
  | { readonly is: 'asked'; readonly n: number }
  /** The service has something under that key that this journal has not agreed to. */
  | {
      readonly is: 'original';
      readonly n: number;
      readonly id: string;
      /** When it can no longer be executed, as far as quotes live equally long. */
      readonly endsAt?: number | undefined;
    }
  /** There are no terms under `n`. */
  | {
      readonly is: 'refused';
      readonly n: number;
      readonly why: MoveReason;
      /** The reason passes by itself, or the terms were requested as a proof. */
      readonly isPassing?: boolean | undefined;
      /** The service has made something new under the key, so nothing was under it before. */
      readonly isFree?: boolean | undefined;
    }
  /** The terms of `n` are agreed to. */
  | { readonly is: 'shown'; readonly n: number; readonly quote: AgreedQuote }
  /** A request that moves money is handed to the network. */
  | { readonly is: 'sent'; readonly n: number; readonly send: number }
  | {
      readonly is: 'answered';
      readonly n: number;
      readonly send: number;
      readonly how: Answered;
      /** Id of the movement that the answer names. */
      readonly id?: string | undefined;
      readonly code?: string | undefined;
      readonly why?: MoveReason | undefined;
    }
  /** What `n` executes was read, and was not executed. */
  | { readonly is: 'unmoved'; readonly n: number }
  /** `n` has moved nothing, and cannot any more. */
  | { readonly is: 'closed'; readonly n: number }
  /** A search has found nothing that may be this intent's; counts until the turn is taken. */
  | { readonly is: 'cleared' }
  | {
      readonly is: 'moved';
      readonly n?: number | undefined;
      readonly id: string;
      readonly state: 'pending' | 'completed' | 'failed';
      readonly proof?: PayProof | undefined;
      /** The id can be no other: it was read by it, proved, or named by a person. */
      readonly isSure?: boolean | undefined;
    }
  /** What may be this intent's movement, or could not be searched for. */
  | {
      readonly is: 'found';
      readonly candidates: readonly string[];
      readonly neededScope?: string | undefined;
      readonly isUnread?: boolean | undefined;
    }
  | { readonly is: 'stopped' }
  | { readonly is: 'verdict'; readonly says: 'paid' | 'not-paid' }
  | { readonly is: 'over'; readonly as: End; readonly why?: MoveReason | undefined }
  /** Another round begins. */
  | { readonly is: 'again'; readonly limits: MoveLimits }
  | { readonly is: 'acked' };

/** A happening with its writer, the writer's own count, its time and its round. */
export type Fact = Happening & {
  readonly by: string;
  readonly i: number;
  readonly at: number;
  readonly round: number;
};

/** One intent as the journal keeps it: plain JSON, written whole. */
export interface MoveRow<Order extends MoneyOrder = MoneyOrder> {
  readonly format: 2;
  readonly intent: string;
  /** Hash of the order: another order under the same intent has another one. */
  readonly fingerprint: string;
  readonly order: Order;
  readonly limits: MoveLimits;
  /** The process that began it, and when. */
  readonly by: string;
  readonly at: number;
  readonly facts: readonly Fact[];
  /** The movement as it was last read; a payment is kept without its preimage. */
  readonly movement?: Moved | undefined;
}

/** One request that moves money. */
interface Send {
  readonly send: number;
  readonly by: string;
  readonly at: number;
  readonly round: number;
  readonly answer?: Extract<Fact, { is: 'answered' }> | undefined;
}

/** All that happened under one number. */
export interface Numbered {
  readonly n: number;
  readonly askedAt: number;
  readonly askedIn: number;
  /** When another process last took the turn. */
  readonly takenAt?: number | undefined;
  readonly original?: Extract<Fact, { is: 'original' }> | undefined;
  readonly shown?: Extract<Fact, { is: 'shown' }> | undefined;
  /** The service has made something under its key that was not agreed to. */
  readonly freed?: Extract<Fact, { is: 'refused' }> | undefined;
  /** Refusals of its terms in this round. */
  readonly refusals: readonly Extract<Fact, { is: 'refused' }>[];
  readonly sends: readonly Send[];
  /** When it was read and not executed, since the last request. */
  readonly unmoved: readonly number[];
  /** It has moved nothing, and nothing was sent or seen since that was found. */
  readonly isClosed: boolean;
  /** Its movement, where that is certain. */
  readonly seen?: Extract<Fact, { is: 'moved' }> | undefined;
}

/** The facts of a row in the form in which decisions read them. */
export interface View {
  readonly round: number;
  readonly at: number;
  /** The process whose turn it is. */
  readonly holder: string;
  readonly takenAt?: number | undefined;
  /** All processes that have taken the turn. */
  readonly takers: readonly string[];
  /** When the last fact was written. */
  readonly lastAt: number;
  /** The process that began the row was always alone, and met nothing of an earlier life. */
  readonly isAlone: boolean;
  readonly numbers: readonly Numbered[];
  readonly moved?: Extract<Fact, { is: 'moved' }> | undefined;
  /** The movement is certain. */
  readonly isSure: boolean;
  readonly found?: Extract<Fact, { is: 'found' }> | undefined;
  readonly stopped: boolean;
  /** What a person has said, if nothing was seen since. */
  readonly verdict?: Extract<Fact, { is: 'verdict' }> | undefined;
  readonly over?: Extract<Fact, { is: 'over' }> | undefined;
  /** This round has ended as unknown once, so nothing more is begun in it. */
  readonly wasUnknown: boolean;
  /** A search since the turn was taken has found nothing, and nothing was sent since. */
  readonly isCleared: boolean;
  readonly isAcked: boolean;
}

/** Returns the limits of the current round. */
export function readLimits({ limits, facts }: Pick<MoveRow, 'limits' | 'facts'>): MoveLimits {
  return findLast(facts, 'again')?.limits ?? limits;
}

type Of<Is extends Fact['is']> = Extract<Fact, { is: Is }>;

const listFacts = <Is extends Fact['is']>(facts: readonly Fact[], is: Is): readonly Of<Is>[] =>
  facts.filter((fact): fact is Of<Is> => fact.is === is);
const findLast = <Is extends Fact['is']>(facts: readonly Fact[], is: Is): Of<Is> | undefined =>
  listFacts(facts, is).at(-1);

/**
 * Tells whether a stored value is a row of this format, by the members that everything else needs.
 */
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

/** Reads the facts of a row. */
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
    // what is seen or said after an end counts more than the end, unless that says `paid`
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

/** The last movement; not one that nobody could find, unless it has failed and so ends the round. */
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
  // what a person says is about numbers that had been asked for by then
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

/** What the service has answered; that nothing came may have been noted before it came. */
function answerTo(answers: readonly Of<'answered'>[], send: number): Of<'answered'> | undefined {
  const own = answers.filter((one) => one.send === send);
  return own.find(({ how }) => how !== 'none') ?? own[0];
}

/**
 * Two answers that name one id, or a proof, tell whose movement it is. One of the two has to say that
 * it was processed before, as the service does: the response to another request can come twice.
 */
function isSure(facts: readonly Fact[], { id, proof, isSure: sure }: Of<'moved'>): boolean {
  if (sure === true || proof === 'ok') return true;
  const names = listFacts(facts, 'answered').filter((one) => one.id === id);
  const isTwice = names.length > 1 && names.some(({ code }) => code !== undefined);
  return proof !== 'bad' && (isTwice || names.length >= ENOUGH_NAMES);
}

/** So many answers name a movement without saying that it was processed before. */
const ENOUGH_NAMES = 4;

/** What was read of a movement last shows that it is another's. */
function isDisproved(facts: readonly Fact[], { id }: Of<'moved'>): boolean {
  return listFacts(facts, 'moved').findLast((one) => one.id === id)?.proof === 'bad';
}

/**
 * Adds facts that the store has forgotten, or does not have yet. What another process has done with
 * the row meanwhile stays: its turn is not taken back, and no end is put after it.
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

/** The transaction of a failed on-chain payment, which may be confirmed all the same. */
export function findBroadcast({ movement }: Pick<MoveRow, 'movement'>): string | undefined {
  const payment = movement as Partial<Payment> | undefined;
  return (payment?.state === 'FAILED' && payment.onchain?.txnId) || undefined;
}
