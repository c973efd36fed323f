import type { Happening, Numbered, View } from './facts.ts';
import { type MoveReason, NOT_SENT } from './order.ts';
import type { RailRules } from './rules.ts';
import { isDoubtful, findRefusal } from './truth.ts';

/** The next step for an intent. It's due at `at`, where 0 means immediately. */
export type Step = { readonly at: number } & (
  | { readonly do: 'tell' | 'follow' | 'wait' }
  /** Report that nothing is in progress, because this process doesn't start anything. */
  | { readonly do: 'report' }
  | { readonly do: 'note'; readonly facts: readonly Happening[] }
  /**
   * Request a quote for attempt `n`, either to execute it or only to prove that the key is unused.
   */
  | { readonly do: 'ask'; readonly n: number; readonly isProof?: boolean }
  /** Send the accepted quote of attempt `n` again. */
  | { readonly do: 'send'; readonly n: number }
  /** Read whether attempt `n` was executed. */
  | { readonly do: 'look'; readonly n: number }
  /** Read the outcome of a transfer. */
  | { readonly do: 'read'; readonly id: string }
  /** Search the account for the transfer of attempt `n`, or for any transfer of this intent. */
  | { readonly do: 'search'; readonly n?: number | undefined }
);

/** The process that decides what to do next. */
export interface Me {
  readonly by: string;
  readonly now: number;
  /** Whether `now` is the service's time rather than the local clock's. */
  readonly isTimed: boolean;
  /** Whether the processes that handled the intent before are no longer running. */
  readonly isRestart?: boolean | undefined;
  /** Whether this process only finds out the outcome and doesn't start anything. */
  readonly isOnlyLooking?: boolean | undefined;
  /**
   * Anything after this time may be missing from the journal, because it was restored from a
   * backup.
   */
  readonly restoredFrom?: number | undefined;
  /**
   * Whether the service returns PROCESSED for an executed quote even after the quote has expired.
   */
  readonly seesProcessedFirst?: boolean | undefined;
  /** Whether to search again for an intent that ended as unknown. */
  readonly isReopening?: boolean | undefined;
}

/** After this time, a write is safe even if the store's database fails over. */
const SURVIVES_MS = 10_000;
/** Once a step is overdue by this much, another process takes over the intent. */
const SILENCE_MS = 60_000;
/** The interval between reads while another process handles the intent. */
const FOLLOW_MS = 2_000;
/** After this time, a request without a response counts as lost. */
const ANSWER_MS = 50_000;
/** The longest time until a sent request takes effect. */
const REQUEST_LIFE_MS = 120_000;
/** The time after which new transfers are guaranteed to appear in the service's lists. */
export const LIST_LAG_MS = 300_000;
/** A quote with an unknown expiry counts as expired this long after it was first seen. */
export const UNSEEN_LIFETIME_MS = 120_000;
/** Safety margins after a quote expires, on the service's clock and on ours. */
const END_MARGIN_MS = 5_000;
const OWN_CLOCK_MARGIN_MS = 70_000;
/** A quote with less time left than this isn't sent again. */
const MIN_LEFT_MS = 2_000;
/** A deposit's idempotency key isn't used in its last minute. */
const KEY_MARGIN_MS = 60_000;
const LONGEST_PAUSE_MS = 30_000;
/** When to resend an expired quote until the service responds, in milliseconds after the expiry. */
const CLOSING_MS = [0, 30_000, 120_000, 300_000];
/**
 * How many reads must show that an expired quote wasn't executed, and the pauses before and between
 * these reads.
 */
const CLOSING_READS = 3;
const CLOSING_READ_MS = 30_000;
const CLOSING_AFTER_MS = 60_000;
/** How many attempts a round makes, and how many lost quote responses it tolerates. */
const MAX_NUMBERS = 3;
const MAX_LOSSES = 3;
/** How long a round keeps retrying after temporary refusals. */
const PASSING_MS = 600_000;
/** After this many attempts, another quote request wouldn't prove anything. */
const MAX_PROOFS = 6;
/** If responses name more transfers than this, none of them is trusted. */
const MAX_NAMES = 4;

/** Returns whether only this process has ever handled the journal row, which makes it complete. */
export function mayBelieve({ isAlone, holder }: View, { by, restoredFrom }: Me): boolean {
  return isAlone && holder === by && restoredFrom === undefined;
}

/** Returns the next step. The first rule that matches decides. */
export function nextStep(view: View, rules: RailRules, me: Me): Step {
  const { over, verdict, moved, holder, takenAt } = view;
  const isReopened = over?.as === 'unknown' && me.isReopening === true;
  if (over && !isReopened) return { do: 'tell', at: 0 };
  if (verdict?.says === 'not-paid') return end('refused', PERSON);
  // the payment failed, but a quote from an earlier process might still be executed
  const left = moved?.state === 'failed' && view.isSure ? leftOriginal(view) : undefined;
  if (moved && view.isSure && !left)
    return moved.state === 'pending'
      ? { do: 'read', at: 0, id: moved.id }
      : end(moved.state === 'completed' ? 'paid' : 'failed');
  if (holder !== me.by) return followStep(view, rules, me);
  if (takenAt !== undefined && me.now < takenAt + SURVIVES_MS)
    return { do: 'wait', at: takenAt + SURVIVES_MS };
  if (view.found && !isReopened) return end('unknown');
  const sends = view.numbers.flatMap(({ n, sends: all }) => all.map((one) => ({ ...one, n })));
  const open = sends.find(({ answer }) => !answer);
  if (open) {
    const { n, send, by } = open;
    const at = me.isRestart && by !== me.by ? 0 : open.at + ANSWER_MS;
    return { do: 'note', at, facts: [{ is: 'answered', n, send, how: 'none' }] };
  }
  if (left) return doubtStep(view, left, rules, me);
  if (moved && isReopened) return { do: 'search', at: 0 };
  if (moved) return nameStep(view, rules, me);
  const doubtful = view.numbers.find((one) => isDoubtful(one, rules, mayBelieve(view, me)));
  if (doubtful) return doubtStep(view, doubtful, rules, me);
  return isReopened ? { do: 'search', at: 0 } : freshStep(view, rules, me);
}

/** Finds an object from an earlier process that may have been executed. */
function leftOriginal({ numbers }: View): Numbered | undefined {
  return numbers.find(({ original, isClosed, seen }) => original && !isClosed && !seen);
}

function end(as: 'paid' | 'failed' | 'refused' | 'unknown' | 'stopped', why?: MoveReason): Step {
  return { do: 'note', at: 0, facts: [{ is: 'over', as, why }] };
}

/**
 * Waits while another process handles the intent. Takes over after a restart, or if the other
 * process's next step is long overdue.
 */
function followStep(view: View, rules: RailRules, me: Me): Step {
  const take: Step = { do: 'note', at: 0, facts: [{ is: 'taken' }] };
  if (me.isRestart && !view.takers.includes(me.by)) return take;
  // without the service's time, the other process assumes that quotes expire later
  const dueFor = (isTimed: boolean) =>
    nextStep(view, rules, { ...me, by: view.holder, isRestart: false, isTimed }).at;
  const silentAt = Math.max(view.lastAt, dueFor(true), dueFor(false)) + SILENCE_MS;
  if (me.now >= silentAt) return take;
  return { do: 'follow', at: Math.min(silentAt, me.now + FOLLOW_MS) };
}

/**
 * Repeats a request whose response named a transfer, because a second response confirms which
 * transfer it is.
 */
function nameStep(view: View, rules: RailRules, me: Me): Step {
  const { moved, stopped, wasUnknown } = view;
  const one = view.numbers.find(({ n }) => n === moved!.n)!;
  const last = one.sends.at(-1)!;
  const names = [moved!.id, ...one.sends.flatMap(({ answer }) => answer?.id ?? [])];
  if (moved!.proof === 'bad' || names.length > MAX_NAMES)
    return { do: 'note', at: 0, facts: [{ is: 'found', candidates: [...new Set(names)] }] };
  const endsAt = findEnd(one, rules, me);
  // a request for an expired quote can't start a payment
  const mayBegin = !stopped && !wasUnknown && !me.isOnlyLooking;
  const pausedAt = last.answer!.at + choosePause(one.sends.length);
  if (mayBegin && pausedAt < endsAt) return { do: 'send', at: pausedAt, n: one.n };
  const since = Math.max(moved!.at, view.takenAt ?? 0);
  return closingSend(one, endsAt, since) ?? { do: 'search', at: listedAt(one, endsAt), n: one.n };
}

/**
 * Sends an expired quote again, unless the service has already responded to such a request. Only
 * requests since `since` count as attempts. The count therefore starts over when another process
 * takes over, or when a transfer is first named.
 */
function closingSend(one: Numbered, endsAt: number, since: number): Step | undefined {
  const ended = one.sends.filter(({ at }) => at >= endsAt);
  const isHeard = ended.some(({ answer }) => answer?.how === 'ended' || answer?.how === 'no');
  const { length } = ended.filter(({ at }) => at >= since);
  const pause = CLOSING_MS[length];
  if (isHeard || pause === undefined) return undefined;
  const answeredAt = one.sends.at(-1)?.answer?.at ?? 0;
  const paused = answeredAt + (length > 0 ? choosePause(length) : 0);
  return { do: 'send', at: Math.max(endsAt + pause, since + pause, paused), n: one.n };
}

/** Returns when the lists will show every transfer that an attempt's requests could have caused. */
function listedAt({ sends }: Numbered, endsAt: number): number {
  return Math.max(endsAt, (sends.at(-1)?.at ?? 0) + REQUEST_LIFE_MS) + LIST_LAG_MS;
}

function doubtStep(view: View, one: Numbered, rules: RailRules, me: Me): Step {
  const last = one.sends.at(-1);
  const mayBegin =
    !view.stopped &&
    !view.wasUnknown &&
    !me.isOnlyLooking &&
    one.shown?.round === view.round &&
    last?.answer?.how !== 'no' &&
    last?.answer?.how !== 'ended';
  const endsAt = findEnd(one, rules, me);
  const pausedAt = (last?.answer?.at ?? 0) + choosePause(one.sends.length);
  const mayRepeat = mayBegin && Math.max(me.now, pausedAt) < lastSendAt(one, rules);
  if (rules.isReadable) return lookStep(one, rules, endsAt, mayRepeat, pausedAt);
  if (mayRepeat && (me.isTimed || last?.by === me.by || !rules.isTriedFor))
    return { do: 'send', at: pausedAt, n: one.n };
  // an unaccepted quote is only sent after it expires, so its expiry must be known
  if (rules.isClosedBySending && (one.shown || one.original?.endsAt !== undefined)) {
    const closing = closingSend(one, endsAt, view.takenAt ?? 0);
    if (closing) return closing;
    const said = one.sends.findLast(({ at }) => at >= endsAt)?.answer?.how;
    if (said === 'ended' && me.seesProcessedFirst) return close(one);
  }
  return { do: 'search', at: listedAt(one, endsAt), n: one.n };
}

/**
 * Checks whether an attempt was executed. Does so before the attempt is repeated, and again after
 * it expires.
 */
function lookStep(
  one: Numbered,
  rules: RailRules,
  endsAt: number,
  mayRepeat: boolean,
  pausedAt: number,
): Step {
  const { n, unmoved, sends } = one;
  // if the service accepted the request, read it right away
  const lookAt = sends.length > 0 && sends.at(-1)!.answer?.how !== 'ok' ? pausedAt : 0;
  if (unmoved.length === 0) return { do: 'look', at: lookAt, n };
  if (mayRepeat) return { do: 'send', at: pausedAt, n };
  const from = rules.isTriedFor
    ? sends.at(-1)!.at + REQUEST_LIFE_MS
    : Math.max(endsAt, sends.at(-1)?.at ?? 0) + CLOSING_AFTER_MS;
  if (unmoved.filter((at) => at >= from).length >= CLOSING_READS) return close(one);
  return { do: 'look', at: Math.max(from, unmoved.at(-1)! + CLOSING_READ_MS), n };
}

function close({ n }: Numbered): Step {
  return { do: 'note', at: 0, facts: [{ is: 'closed', n }] };
}

/** Returns when an attempt can no longer be executed. */
function findEnd(one: Numbered, rules: RailRules, { isTimed }: Me): number {
  const margin = isTimed ? END_MARGIN_MS : OWN_CLOCK_MARGIN_MS;
  const { shown, original, askedAt, takenAt = 0 } = one;
  if (rules.isTriedFor) return firstSentAt(one) + rules.isTriedFor;
  if (!shown?.quote.endsAt)
    return (original?.endsAt ?? (original?.at ?? askedAt) + UNSEEN_LIFETIME_MS) + margin;
  // another process may have used a different clock, so count the whole validity period again
  const { endsAt } = shown.quote;
  return (isTimed ? endsAt : Math.max(endsAt, takenAt + endsAt - shown.at)) + margin;
}

/** Returns the latest time at which an attempt can be sent again. */
function lastSendAt(one: Numbered, rules: RailRules): number {
  if (!rules.isTriedFor) return (one.shown?.quote.endsAt ?? one.askedAt) - MIN_LEFT_MS;
  return firstSentAt(one) + rules.isTriedFor - (rules.isReadable ? 0 : KEY_MARGIN_MS);
}

function firstSentAt({ sends, askedAt }: Numbered): number {
  return sends.find(({ answer }) => answer?.code !== NOT_SENT)?.at ?? askedAt;
}

function choosePause(count: number): number {
  return Math.min(LONGEST_PAUSE_MS, 1_000 * 2 ** Math.max(0, count - 1));
}

/**
 * Requests a quote, repeats a temporarily refused request, or ends the round. It's only called if
 * no earlier request can have moved money.
 */
function freshStep(view: View, rules: RailRules, me: Me): Step {
  const last = view.numbers.at(-1);
  const isOver = last !== undefined && isDead(last, view, rules, me);
  const n = isOver ? last.n + 1 : (last?.n ?? 1);
  const isKnown =
    mayBelieve(view, me) || isProven(view) || findRefusal(view)?.guard === 'intent-reused';
  const why =
    (isOver ? deadReason(view, rules) : (findRefusal(view) ?? findReason(view, last, rules, me))) ??
    (view.wasUnknown ? UNUSED : undefined);
  const isEnding = view.stopped || me.isOnlyLooking || why;
  // a BOLT11 invoice is only settled once, so earlier quotes only matter at the end
  const left = isEnding ? leftOriginal(view) : undefined;
  if (left) return doubtStep(view, left, rules, me);
  // after all attempts have been used up, don't request another quote
  if (isEnding && !isKnown)
    return why && isOver ? searchStep(view, me) : proveStep(view, n, rules, me);
  if (view.stopped) return end('stopped');
  if (me.isOnlyLooking) return { do: 'report', at: 0 };
  if (why) return end('refused', why);
  const held = !isOver && last?.shown && heldStep(last, view, rules, me);
  if (held) return held;
  // if the service may have forgotten its idempotency keys, search before sending anything
  const age = me.now - Math.min(view.at, me.restoredFrom ?? Infinity);
  if (!isKnown && rules.remembersFor !== undefined && age > rules.remembersFor - KEY_MARGIN_MS)
    return proveStep(view, n, rules, me);
  return askStep(n, isOver ? undefined : last);
}

/** Returns why the round ends even though its last attempt could still be executed. */
function findReason(
  view: View,
  last: Numbered | undefined,
  rules: RailRules,
  me: Me,
): MoveReason | undefined {
  const answer = last?.sends.findLast(({ round }) => round === view.round)?.answer;
  const isPast = rules.isTriedFor && last && me.now >= lastSendAt(last, rules);
  if (answer?.how === 'later' && isPast) return answer.why;
  const isTired = last && last.refusals.length > 0 && isTiredOf(last, view);
  return isTired ? last.refusals.at(-1)!.why : undefined;
}

/**
 * Repeats an accepted quote after a temporary refusal, waits until it expires, or closes the
 * attempt.
 */
function heldStep(last: Numbered, view: View, rules: RailRules, me: Me): Step | undefined {
  const answer = last.sends.at(-1)!.answer!;
  const again = answer.at + choosePause(last.sends.length);
  const isNow = last.shown!.round === view.round && answer.how === 'later';
  if (isNow && Math.max(again, me.now) < lastSendAt(last, rules))
    return { do: 'send', at: again, n: last.n };
  // wait until the service has forgotten the key, because a delayed request may still arrive
  if (rules.isTriedFor && !rules.isReadable && me.now >= lastSendAt(last, rules))
    return { do: 'wait', at: findEnd(last, rules, me) };
  // a deposit reuses its key. Other attempts are closed first, because a delayed copy of their
  // request may take effect until the quote expires
  return rules.isTriedFor ? undefined : doubtStep(view, last, rules, me);
}

function askStep(n: number, last: Numbered | undefined): Extract<Step, { do: 'ask' }> {
  const refusal = last?.refusals.at(-1);
  if (!refusal) return { do: 'ask', at: 0, n };
  return { do: 'ask', at: refusal.at + choosePause(last!.refusals.length), n };
}

/** Proves that an earlier process left nothing under the next attempt's key. */
function proveStep(view: View, n: number, rules: RailRules, me: Me): Step {
  const one = view.numbers.find((each) => each.n === n);
  const said = one?.refusals.findLast(({ at }) => at >= (view.takenAt ?? view.at));
  // a service that ignores idempotency keys would create a new object with every request
  const isHeld = one?.shown !== undefined || one?.original !== undefined;
  const mayAsk = rules.isKeyed && !isHeld && view.numbers.length < MAX_PROOFS;
  if (mayAsk && (!said || (said.isPassing && !isTiredOf(one!, view))))
    return { ...askStep(n, said && one), isProof: true };
  return searchStep(view, me);
}

/** Searches for anything an earlier process may have created, once the lists are complete. */
function searchStep(view: View, me: Me): Step {
  const sentAt = Math.max(0, ...view.numbers.flatMap(({ sends }) => sends.map(({ at }) => at)));
  const from = Math.max(view.takenAt ?? view.at, sentAt, me.restoredFrom ?? 0);
  return { do: 'search', at: from + REQUEST_LIFE_MS + LIST_LAG_MS };
}

/** Returns whether a search or an unused key has proved that an earlier process left nothing. */
function isProven({ isCleared, numbers, takenAt, at }: View): boolean {
  const since = takenAt ?? at;
  const last = numbers.at(-1)?.refusals ?? [];
  return isCleared || last.some((one) => one.isFree && one.at >= since);
}

function isTiredOf({ refusals: all }: Numbered, { takenAt = 0 }: View): boolean {
  const refusals = all.filter(({ at }) => at >= takenAt);
  const lost = refusals.filter(({ why }) => why.kind === 'unreachable' || why.kind === 'response');
  const first = refusals[0]?.at ?? 0;
  return lost.length >= MAX_LOSSES || (refusals.at(-1)?.at ?? 0) - first > PASSING_MS;
}

/**
 * Returns whether an attempt can no longer move anything. It's only called once all outcomes are
 * known.
 */
function isDead(one: Numbered, view: View, rules: RailRules, me: Me): boolean {
  const { isClosed, seen, original, shown } = one;
  const hasEnded = me.now >= findEnd(one, rules, me);
  // the object created under the attempt's key was refused and never sent
  const isRefused =
    !shown && one.freed !== undefined && (one.freed.isPassing || one.freed.round < view.round);
  // a quote without an expiry is also used in the next round, since a delayed copy could execute it
  const isKept = rules.hasNext === 'never' && shown !== undefined && shown.round < view.round;
  if ((isClosed && !isKept) || isRefused) return true;
  if (original && rules.isSettledOnce) return true;
  if (seen && (rules.isReadable || rules.isTriedFor || rules.isSettledOnce)) return true;
  if ((!shown && !seen) || rules.hasNext === 'never') return false;
  if (rules.isTriedFor) return hasEnded;
  if (rules.isSettledOnce) return hasEnded || shown!.round < view.round;
  // if all responses after the expiry report an expired quote, nothing was executed
  const last = one.sends.filter(({ answer }) => answer?.code !== NOT_SENT);
  const isNamed = last.some(
    ({ at, answer }) => at >= findEnd(one, rules, me) && answer?.id === seen?.id,
  );
  return hasEnded && (last.every(({ answer }) => answer?.how === 'ended') || (!!seen && isNamed));
}

/**
 * Returns why a round ends after an attempt that moved nothing, or `undefined` if another attempt
 * follows. After a lost response, the client marks the next failure as possibly executed. That flag
 * is removed here.
 */
function deadReason(view: View, rules: RailRules): MoveReason | undefined {
  const why = findRefusal(view) ?? lastReason(view, rules);
  return why?.next === 'read-first' && why.guard === undefined ? UNUSED : why;
}

/** Returns why a round ends with its last attempt, or `undefined` if another attempt follows. */
function lastReason(
  { numbers, round, at, takenAt = 0 }: View,
  rules: RailRules,
): MoveReason | undefined {
  const own = numbers.filter(({ askedIn, shown }) => askedIn === round || shown?.round === round);
  if (own.length === 0) return undefined;
  const isPassing = ({ sends }: Numbered) =>
    sends.length > 0 && sends.every(({ answer }) => answer?.how === 'later');
  // time during which no process was running doesn't count
  const first = Math.max(own[0]!.askedAt ?? at, takenAt);
  const isLong = (own.at(-1)?.sends.at(-1)?.at ?? first) - first > PASSING_MS;
  const isFull = own.filter((one) => !isPassing(one)).length >= MAX_NUMBERS || isLong;
  if (rules.hasNext === 'when-dead' && !isFull) return undefined;
  return own.at(-1)!.sends.at(-1)?.answer?.why ?? UNUSED;
}

/** The reason for an intent that a person has confirmed as not paid. */
const PERSON: MoveReason = {
  code: 'PAYMENT_QUOTE_EXPIRED',
  kind: 'refused',
  next: 'new-quote',
  text: 'a person has confirmed that nothing was paid',
};

export const UNUSED: MoveReason = {
  code: 'PAYMENT_QUOTE_EXPIRED',
  kind: 'refused',
  next: 'new-quote',
  text: 'the quote has expired, and the service shows that it was not executed',
};

/**
 * Returns whether a round ended without moving money, and none of its requests can still move any.
 */
export function isVoid(view: View, rules: RailRules, now: number): boolean {
  const end = view.over?.as;
  if (end !== 'refused' && end !== 'failed' && end !== 'stopped') return false;
  const me = { by: '', now, isTimed: true };
  return view.numbers.every((one) => {
    const isUnused = one.sends.every(({ answer }) => answer?.code === NOT_SENT);
    return isUnused || isDead(one, view, rules, me) || now >= findEnd(one, rules, me);
  });
}
