import type { ServiceEvent } from '../resources/events.ts';
import {
  type ConfirmingReads,
  countRead,
  isConfirmedUnchanged,
  isNews,
  nextConfirmingRead,
} from '../resources/held-state.ts';
import type { StateMachine } from '../resources/resource.ts';
import { CLOCK_SKEW_MS, EVENT_HISTORY_MS, LAG_MS } from '../resources/service-facts.ts';
import type { DeadLetter, ReceivedEvent, ReceivedEventKey } from '../stores/inbox-store.ts';
import type { HandledResource, HandledValue } from './reads.ts';
import { readEvent } from './verify.ts';

/**
 * A received event and what its body says: an event of the service, a job to run again, or nothing.
 */
export interface ParsedEvent extends ReceivedEvent {
  readonly event?: ServiceEvent | undefined;
  readonly job?: InboxJob | undefined;
}

/** Runs of a handler before it is given up. */
export const MAX_ATTEMPTS = 20;

/** Parses a body as its kind says; its content has no part in that. */
export function parseEvent(received: ReceivedEvent): ParsedEvent {
  const { kind, body } = received;
  if (kind === 'redelivery') return { ...received, job: JSON.parse(body) as InboxJob };
  return kind === 'event' ? { ...received, event: readEvent(body) } : received;
}

/** The name of a received event in a subject's state. */
export function nameEvent({ kind, id }: ReceivedEventKey): string {
  return `${kind}:${id}`;
}

/** The event that puts a dead letter back into the queue, with as many attempts again. */
export function makeRedelivery({ body, subject }: DeadLetter, now: number): ReceivedEvent {
  const job = JSON.parse(body) as InboxJob;
  const again: InboxJob = { ...job, maxAttempts: job.attempts + MAX_ATTEMPTS };
  return {
    kind: 'redelivery',
    id: `${job.key} ${job.attempts}`,
    subject,
    body: JSON.stringify(again),
    createdAt: now,
    receivedAt: now,
  };
}

/** A handler that is to run, with everything that it is given. */
export interface InboxJob {
  readonly key: string;
  /** For a state, for an event, or for what no handler in `on` is for. */
  readonly kind: 'state' | 'event' | 'otherwise';
  readonly resource?: HandledResource | undefined;
  readonly state?: string | undefined;
  readonly event?: ServiceEvent | undefined;
  readonly value?: HandledValue | undefined;
  readonly attempts: number;
  /** Number of tries after which it is given up. */
  readonly maxAttempts: number;
  /** Its first attempt. */
  readonly since: number;
  readonly due: number;
}

/** The record of a subject between two leases; plain JSON. */
export interface SubjectState {
  /** States whose handler has run or is a job, in the order in which they were read. */
  readonly states: readonly string[];
  /** The first one runs first. */
  readonly jobs: readonly InboxJob[];
  /** Names of events that wait for a read, and were there at the last one. */
  readonly waiting: readonly string[];
  /** Names of events that need no more reads. */
  readonly settled: readonly string[];
  /** Names of events whose own handler was made a job. */
  readonly notified: readonly string[];
  readonly reads?: ConfirmingReads | undefined;
  /** Reads in a row that failed. */
  readonly failures: number;
  /** When the last read was sent. */
  readonly readAt?: number | undefined;
  readonly nextReadAt?: number | undefined;
}

const BLANK: SubjectState = {
  states: [],
  jobs: [],
  waiting: [],
  settled: [],
  notified: [],
  failures: 0,
};

export function parseSubjectState(stored: unknown): SubjectState {
  return { ...BLANK, ...(stored as Partial<SubjectState> | undefined) };
}

/** The events that still wait for a read. */
export function unsettledIn(
  { settled }: SubjectState,
  events: readonly ParsedEvent[],
): readonly ParsedEvent[] {
  return events.filter((event) => !settled.includes(nameEvent(event)));
}

/**
 * An event older than the history repeats something old: it needs one read, at most one a minute.
 */
const OLD_PACE = 60_000;

/** The result of a read: a state, or that there is no such resource. */
export interface EntityRead {
  readonly sentAt: number;
  readonly state?: string | undefined;
}

/** The meaning of a read for the events that wait for one. */
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
  const hasNew = open.some((event) => !state.waiting.includes(nameEvent(event)));
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
  const settled = open.filter(isSettled).map(nameEvent);
  const rest = open.filter((event) => !isSettled(event));
  const isDue = (event: ParsedEvent): boolean =>
    state !== undefined &&
    !before.notified.includes(nameEvent(event)) &&
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
      waiting: rest.map(nameEvent),
      nextReadAt: rest.length === 0 ? undefined : repeatAt(reads, sentAt, isFinal ? rest : []),
    },
  };
}

/**
 * Returns the events that a read surely shows: a creation wherever something is read, and one other
 * event where it shows news.
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

/** The count of reads begins again for a new state or a new event. */
function countReads(
  { reads, waiting }: SubjectState,
  open: readonly ParsedEvent[],
  news: boolean,
  sentAt: number,
): ConfirmingReads {
  const isFirst = news || !reads || open.some((event) => !waiting.includes(nameEvent(event)));
  return countRead(isFirst ? undefined : reads, sentAt);
}

function isOld({ createdAt }: ParsedEvent, now: number): boolean {
  return createdAt < now - EVENT_HISTORY_MS;
}

/** From when on no replica can hide what an event announces. */
function surelyShownAt({ receivedAt, createdAt }: ParsedEvent): number {
  return Math.min(receivedAt, createdAt + CLOCK_SKEW_MS) + LAG_MS;
}

/** If nothing is ever settled, states come back, so that none is behind another. */
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
