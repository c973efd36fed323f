import {
  isConfirmedUnchanged,
  type ConfirmingReads,
  countRead,
  isNews,
  nextConfirmingRead,
} from '../resources/held-state.ts';
import { CLOCK_SKEW_MS, EVENT_HISTORY_MS, LAG_MS } from '../resources/service-facts.ts';
import type { StateMachine } from '../resources/resource.ts';
import { nameOf, type ParsedEvent, type SubjectState, unsettledIn } from './subject-state.ts';

/**
 * An event older than the history repeats something old: it needs one read, at most one a minute.
 */
const OLD_PACE = 60_000;

/** What a read showed: a state, or that there is no such resource. */
export interface EntityRead {
  readonly sentAt: number;
  readonly state?: string | undefined;
}

/** What a read means for the events that wait for one. */
interface SettleResult {
  readonly state: SubjectState;
  /** The state has not been handled before and is not behind the last one. */
  readonly isNews: boolean;
  /** Events whose own handler is to run now. */
  readonly notify: readonly ParsedEvent[];
}

/** When to read for these events: at once for a new one, else by the ladder. */
export function nextReadAt(
  state: SubjectState,
  events: readonly ParsedEvent[],
  now: number,
): number {
  const open = unsettledIn(state, events);
  if (open.length === 0) return Infinity;
  if (open.every((event) => isOld(event, now)))
    return Math.max(now, (state.readAt ?? -Infinity) + OLD_PACE, state.nextReadAt ?? now);
  const hasNew = open.some((event) => !state.waiting.includes(nameOf(event)));
  return hasNew ? now : (state.nextReadAt ?? now);
}

/**
 * Applies a read that was sent after all these events were received. A newer state settles one
 * event; a settled state settles all, but where more may follow only when no replica can hide it
 * any longer.
 */
export function settleEvents(
  states: StateMachine<string>,
  before: SubjectState,
  events: readonly ParsedEvent[],
  read: EntityRead,
): SettleResult {
  const { sentAt, state } = read;
  const open = unsettledIn(before, events);
  const news =
    state !== undefined && isNews(hasEnd(states) ? states : undefined, before.states, state);
  const reads = countReads(before, open, news, sentAt);
  const isFinal = state !== undefined && states.isSettled(state);
  const isShown = shownBy(states, open, read, news);
  const isEnough = isConfirmedUnchanged(reads, sentAt);
  const isSettled = (event: ParsedEvent): boolean =>
    isEnough ||
    isShown(event) ||
    isOld(event, sentAt) ||
    (isFinal && (isLast(states, state) || sentAt >= surelyShownAt(event)));
  const settled = open.filter(isSettled).map(nameOf);
  const rest = open.filter((event) => !isSettled(event));
  const isDue = (event: ParsedEvent): boolean =>
    state !== undefined &&
    !before.notified.includes(nameOf(event)) &&
    (isFinal || isSettled(event));
  return {
    isNews: news,
    notify: open.filter(isDue),
    state: {
      ...before,
      reads,
      failures: 0,
      readAt: sentAt,
      states: news ? [...before.states, state] : before.states,
      settled: [...before.settled, ...settled],
      waiting: rest.map(nameOf),
      nextReadAt: rest.length === 0 ? undefined : repeatAt(reads, sentAt, isFinal ? rest : []),
    },
  };
}

/**
 * Which events a read surely shows: a creation wherever something is read, and one other event
 * where it shows news.
 */
function shownBy(
  states: StateMachine<string>,
  open: readonly ParsedEvent[],
  { state }: EntityRead,
  news: boolean,
): (event: ParsedEvent) => boolean {
  if (state === undefined) return () => false;
  const leadsHere = states.rank(state) !== 0; // no event leads to a first state but a creation
  const next = leadsHere ? open.find((event) => !isCreation(event)) : undefined;
  return (event) => isCreation(event) || (news && event === next);
}

/**
 * When to read again: by the ladder, or as soon as no replica can hide what these events announce.
 */
function repeatAt(
  { first }: ConfirmingReads,
  sentAt: number,
  surely: readonly ParsedEvent[],
): number {
  if (surely.length > 0) return Math.max(...surely.map(surelyShownAt));
  return nextConfirmingRead(first, sentAt);
}

/** Reads are counted anew for a new state or a new event. */
function countReads(
  { reads, waiting }: SubjectState,
  open: readonly ParsedEvent[],
  news: boolean,
  sentAt: number,
): ConfirmingReads {
  const isFirst = news || !reads || open.some((event) => !waiting.includes(nameOf(event)));
  return countRead(isFirst ? undefined : reads, sentAt);
}

function isOld({ createdAt }: ParsedEvent, now: number): boolean {
  return createdAt < now - EVENT_HISTORY_MS;
}

/** From when on no replica can hide what an event announces. */
function surelyShownAt({ receivedAt, createdAt }: ParsedEvent): number {
  return Math.min(receivedAt, createdAt + CLOCK_SKEW_MS) + LAG_MS;
}

/** Where nothing is ever settled, states come back, so that none is behind another. */
function hasEnd(states: StateMachine<string>): boolean {
  return Object.keys(states.transitions).some((state) => states.isSettled(state));
}

/** Nothing can follow. */
function isLast({ transitions }: StateMachine<string>, state: string): boolean {
  return Object.hasOwn(transitions, state) && transitions[state]?.length === 0;
}

/** Every read that finds the resource shows what these announce. */
function isCreation({ event }: ParsedEvent): boolean {
  return event !== undefined && /\.(created|receive-pending)$/.test(event.eventType);
}
