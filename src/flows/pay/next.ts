import type { Happening, Numbered, View } from './facts.ts';
import { type MoveReason, NOT_SENT } from './order.ts';
import type { RailRules } from './rules.ts';
import { isDoubtful, findRefusal } from './truth.ts';

/** What to do next with a row. Time 0 means immediately. */
export type Step = { readonly at: number } & (
  | { readonly do: 'tell' | 'follow' | 'wait' }
  /** Nothing is in progress, and this process starts nothing. */
  | { readonly do: 'report' }
  | { readonly do: 'note'; readonly facts: readonly Happening[] }
  /** Request terms for `n`, either to send them or only to prove that the number is unused. */
  | { readonly do: 'ask'; readonly n: number; readonly isProof?: boolean }
  /** Send the agreed terms of `n` again. */
  | { readonly do: 'send'; readonly n: number }
  /** Read whether `n` was executed. */
  | { readonly do: 'look'; readonly n: number }
  /** Read the outcome of the movement. */
  | { readonly do: 'read'; readonly id: string }
  /** Search the account for the movement of `n`, or for any movement of this intent. */
  | { readonly do: 'search'; readonly n?: number | undefined }
);

/** The process that decides. */
export interface Me {
  readonly by: string;
  readonly now: number;
  /** Whether `now` is the service's time. */
  readonly isTimed: boolean;
  /** The processes that used the row before have died. */
  readonly isRestart?: boolean | undefined;
  /** It only finds out the outcome, and starts nothing. */
  readonly isOnlyLooking?: boolean | undefined;
  /** Anything after this time may be missing from the journal. */
  readonly restoredFrom?: number | undefined;
  /** The service responds PROCESSED for an executed quote, even after the quote has expired. */
  readonly seesProcessedFirst?: boolean | undefined;
  /** An intent that ended as unknown is searched for again. */
  readonly isReopening?: boolean | undefined;
}

/** After this time, a write has survived a failover of the store's database. */
const SURVIVES_MS = 10_000;
/** Once a step is overdue by this much, another process takes the turn. */
const SILENCE_MS = 60_000;
/** Interval between reads while another process has the turn. */
const FOLLOW_MS = 2_000;
/** After this time, a request without a response counts as lost. */
const ANSWER_MS = 50_000;
/** Longest time between sending a request and its effect. */
const REQUEST_LIFE_MS = 120_000;
/** After this time, lists are complete. */
export const LIST_LAG_MS = 300_000;
/** A quote with unknown expiry counts as expired this long after it was first seen. */
export const UNSEEN_LIFETIME_MS = 120_000;
/** Safety margins after a quote expires, by the service's clock and by ours. */
const END_MARGIN_MS = 5_000;
const OWN_CLOCK_MARGIN_MS = 70_000;
/** A quote with less time left than this isn't sent again. */
const MIN_LEFT_MS = 2_000;
/** A deposit's key isn't used in the last minute of its life. */
const KEY_MARGIN_MS = 60_000;
const LONGEST_PAUSE_MS = 30_000;
/** When an expired quote is sent again, until the service responds. */
const CLOSING_MS = [0, 30_000, 120_000, 300_000];
/** How many reads must show an expired quote as not executed, and the pauses around them. */
const CLOSING_READS = 3;
const CLOSING_READ_MS = 30_000;
const CLOSING_AFTER_MS = 60_000;
/** How many numbers a round tries, and how many lost responses for terms it tolerates. */
const MAX_NUMBERS = 3;
const MAX_LOSSES = 3;
/** How long a round retries temporary refusals. */
const PASSING_MS = 600_000;
/** After this many numbers, requesting another one proves nothing. */
const MAX_PROOFS = 6;
/** If more movements than this are named, none is believed. */
const MAX_NAMES = 4;

/** Returns whether the row is complete, because this process created it and was always alone. */
export function mayBelieve({ isAlone, holder }: View, { by, restoredFrom }: Me): boolean {
  return isAlone && holder === by && restoredFrom === undefined;
}

/** Returns the next step. The first matching line decides. */
export function nextStep(view: View, rules: RailRules, me: Me): Step {
  const { over, verdict, moved, holder, takenAt } = view;
  const isReopened = over?.as === 'unknown' && me.isReopening === true;
  if (over && !isReopened) return { do: 'tell', at: 0 };
  if (verdict?.says === 'not-paid') return end('refused', PERSON);
  // a payment has failed, but a quote from an earlier life may still be executed
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

/** Finds an object from an earlier life that may have been executed. */
function leftOriginal({ numbers }: View): Numbered | undefined {
  return numbers.find(({ original, isClosed, seen }) => original && !isClosed && !seen);
}

function end(as: 'paid' | 'failed' | 'refused' | 'unknown' | 'stopped', why?: MoveReason): Step {
  return { do: 'note', at: 0, facts: [{ is: 'over', as, why }] };
}

/**
 * Waits while another process has the turn. Takes the turn after a restart, or if a step is long
 * overdue.
 */
function followStep(view: View, rules: RailRules, me: Me): Step {
  const take: Step = { do: 'note', at: 0, facts: [{ is: 'taken' }] };
  if (me.isRestart && !view.takers.includes(me.by)) return take;
  // without the service's time, the process with the turn assumes that quotes expire later
  const dueFor = (isTimed: boolean) =>
    nextStep(view, rules, { ...me, by: view.holder, isRestart: false, isTimed }).at;
  const silentAt = Math.max(view.lastAt, dueFor(true), dueFor(false)) + SILENCE_MS;
  if (me.now >= silentAt) return take;
  return { do: 'follow', at: Math.min(silentAt, me.now + FOLLOW_MS) };
}

/** Repeats a request whose response named a movement, so a second response can confirm it. */
function nameStep(view: View, rules: RailRules, me: Me): Step {
  const { moved, stopped, wasUnknown } = view;
  const one = view.numbers.find(({ n }) => n === moved!.n)!;
  const last = one.sends.at(-1)!;
  const names = [moved!.id, ...one.sends.flatMap(({ answer }) => answer?.id ?? [])];
  if (moved!.proof === 'bad' || names.length > MAX_NAMES)
    return { do: 'note', at: 0, facts: [{ is: 'found', candidates: [...new Set(names)] }] };
  const endsAt = findEnd(one, rules, me);
  // a request for an expired quote starts nothing
  const mayBegin = !stopped && !wasUnknown && !me.isOnlyLooking;
  const pausedAt = last.answer!.at + choosePause(one.sends.length);
  if (mayBegin && pausedAt < endsAt) return { do: 'send', at: pausedAt, n: one.n };
  const since = Math.max(moved!.at, view.takenAt ?? 0);
  return closingSend(one, endsAt, since) ?? { do: 'search', at: listedAt(one, endsAt), n: one.n };
}

/**
 * Sends an expired quote again, unless the service has already responded to that. Requests without
 * a response count from `since`, so the attempts start again when another process takes the turn or
 * a movement is first named.
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

/** Returns when lists show every movement that this number's requests can have caused. */
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
  // terms that were never agreed to are never executed, so their expiry must be known
  if (rules.isClosedBySending && (one.shown || one.original?.endsAt !== undefined)) {
    const closing = closingSend(one, endsAt, view.takenAt ?? 0);
    if (closing) return closing;
    const said = one.sends.findLast(({ at }) => at >= endsAt)?.answer?.how;
    if (said === 'ended' && me.seesProcessedFirst) return close(one);
  }
  return { do: 'search', at: listedAt(one, endsAt), n: one.n };
}

/** Reads whether a number was executed, both before repeating it and after it expires. */
function lookStep(
  one: Numbered,
  rules: RailRules,
  endsAt: number,
  mayRepeat: boolean,
  pausedAt: number,
): Step {
  const { n, unmoved, sends } = one;
  // an accepted request is read right away
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

/** Returns when a number can no longer be executed. */
function findEnd(one: Numbered, rules: RailRules, { isTimed }: Me): number {
  const margin = isTimed ? END_MARGIN_MS : OWN_CLOCK_MARGIN_MS;
  const { shown, original, askedAt, takenAt = 0 } = one;
  if (rules.isTriedFor) return firstSentAt(one) + rules.isTriedFor;
  if (!shown?.quote.endsAt)
    return (original?.endsAt ?? (original?.at ?? askedAt) + UNSEEN_LIFETIME_MS) + margin;
  // another process may have had another clock, so the whole lifetime is counted again
  const { endsAt } = shown.quote;
  return (isTimed ? endsAt : Math.max(endsAt, takenAt + endsAt - shown.at)) + margin;
}

/** Returns the last time a number may be sent again. */
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
 * Requests terms, repeats a temporarily refused request, or ends. There's no doubt about money
 * here.
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
  // the network settles a BOLT11 invoice only once, so a quote from an earlier life only matters at
  // the end
  const left = isEnding ? leftOriginal(view) : undefined;
  if (left) return doubtStep(view, left, rules, me);
  // once all numbers were tried, no further one is requested
  if (isEnding && !isKnown)
    return why && isOver ? searchStep(view, me) : proveStep(view, n, rules, me);
  if (view.stopped) return end('stopped');
  if (me.isOnlyLooking) return { do: 'report', at: 0 };
  if (why) return end('refused', why);
  const held = !isOver && last?.shown && heldStep(last, view, rules, me);
  if (held) return held;
  // if the service may have forgotten its keys, search before sending anything
  const age = me.now - Math.min(view.at, me.restoredFrom ?? Infinity);
  if (!isKnown && rules.remembersFor !== undefined && age > rules.remembersFor - KEY_MARGIN_MS)
    return proveStep(view, n, rules, me);
  return askStep(n, isOver ? undefined : last);
}

/** Returns why the last number ends the round although it could still be executed. */
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
 * Repeats agreed terms after a temporary refusal, waits for them to expire, or closes their number.
 */
function heldStep(last: Numbered, view: View, rules: RailRules, me: Me): Step | undefined {
  const answer = last.sends.at(-1)!.answer!;
  const again = answer.at + choosePause(last.sends.length);
  const isNow = last.shown!.round === view.round && answer.how === 'later';
  if (isNow && Math.max(again, me.now) < lastSendAt(last, rules))
    return { do: 'send', at: again, n: last.n };
  // a key that will soon be forgotten runs out first, because a copy of its request may be delayed
  if (rules.isTriedFor && !rules.isReadable && me.now >= lastSendAt(last, rules))
    return { do: 'wait', at: findEnd(last, rules, me) };
  // a deposit from an earlier round reuses its key. Anything else is closed first, because a copy
  // of an answered request may take effect until its quote expires
  return rules.isTriedFor ? undefined : doubtStep(view, last, rules, me);
}

function askStep(n: number, last: Numbered | undefined): Extract<Step, { do: 'ask' }> {
  const refusal = last?.refusals.at(-1);
  if (!refusal) return { do: 'ask', at: 0, n };
  return { do: 'ask', at: refusal.at + choosePause(last!.refusals.length), n };
}

/** Proves that an earlier life has left nothing under the next number. */
function proveStep(view: View, n: number, rules: RailRules, me: Me): Step {
  const one = view.numbers.find((each) => each.n === n);
  const said = one?.refusals.findLast(({ at }) => at >= (view.takenAt ?? view.at));
  // a service that ignores keys would create a new object under every number
  const isHeld = one?.shown !== undefined || one?.original !== undefined;
  const mayAsk = rules.isKeyed && !isHeld && view.numbers.length < MAX_PROOFS;
  if (mayAsk && (!said || (said.isPassing && !isTiredOf(one!, view))))
    return { ...askStep(n, said && one), isProof: true };
  return searchStep(view, me);
}

/** Searches for anything an earlier life may have created, once lists are complete. */
function searchStep(view: View, me: Me): Step {
  const sentAt = Math.max(0, ...view.numbers.flatMap(({ sends }) => sends.map(({ at }) => at)));
  const from = Math.max(view.takenAt ?? view.at, sentAt, me.restoredFrom ?? 0);
  return { do: 'search', at: from + REQUEST_LIFE_MS + LIST_LAG_MS };
}

/** Returns whether an earlier life has left nothing, as proved by a search or an unused key. */
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

/** Returns whether a number about which there's no doubt can no longer move anything. */
function isDead(one: Numbered, view: View, rules: RailRules, me: Me): boolean {
  const { isClosed, seen, original, shown } = one;
  const hasEnded = me.now >= findEnd(one, rules, me);
  // the object created under its key was refused and never sent
  const isRefused =
    !shown && one.freed !== undefined && (one.freed.isPassing || one.freed.round < view.round);
  // terms that never expire are executed in the next round too, because a late copy could still
  // execute them
  const isKept = rules.hasNext === 'never' && shown !== undefined && shown.round < view.round;
  if ((isClosed && !isKept) || isRefused) return true;
  if (original && rules.isSettledOnce) return true;
  if (seen && (rules.isReadable || rules.isTriedFor || rules.isSettledOnce)) return true;
  if ((!shown && !seen) || rules.hasNext === 'never') return false;
  if (rules.isTriedFor) return hasEnded;
  if (rules.isSettledOnce) return hasEnded || shown!.round < view.round;
  // a response after the expiry shows that nothing else happened
  const last = one.sends.filter(({ answer }) => answer?.code !== NOT_SENT);
  const isNamed = last.some(
    ({ at, answer }) => at >= findEnd(one, rules, me) && answer?.id === seen?.id,
  );
  return hasEnded && (last.every(({ answer }) => answer?.how === 'ended') || (!!seen && isNamed));
}

/**
 * Returns why a round ends with a dead number, which moved nothing, or `undefined` if another
 * number follows. After a lost call, the client marks the next call as possibly executed too. That
 * mark is dropped here.
 */
function deadReason(view: View, rules: RailRules): MoveReason | undefined {
  const why = findRefusal(view) ?? lastReason(view, rules);
  return why?.next === 'read-first' && why.guard === undefined ? UNUSED : why;
}

/** Returns why a round ends with its last number, or `undefined` if another number follows. */
function lastReason(
  { numbers, round, at, takenAt = 0 }: View,
  rules: RailRules,
): MoveReason | undefined {
  const own = numbers.filter(({ askedIn, shown }) => askedIn === round || shown?.round === round);
  if (own.length === 0) return undefined;
  const isPassing = ({ sends }: Numbered) =>
    sends.length > 0 && sends.every(({ answer }) => answer?.how === 'later');
  // time without a running process doesn't count
  const first = Math.max(own[0]!.askedAt ?? at, takenAt);
  const isLong = (own.at(-1)?.sends.at(-1)?.at ?? first) - first > PASSING_MS;
  const isFull = own.filter((one) => !isPassing(one)).length >= MAX_NUMBERS || isLong;
  if (rules.hasNext === 'when-dead' && !isFull) return undefined;
  return own.at(-1)!.sends.at(-1)?.answer?.why ?? UNUSED;
}

/** A person has confirmed that nothing was moved. */
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
 * Returns whether a round ended without moving money, and no request of any of its numbers can move
 * it any more.
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
