import type { ServiceEvent } from '../resources/events.ts';
import { isNews, nextConfirmingRead } from '../resources/held-state.ts';
import type { StateMachine } from '../resources/resource.ts';
import { CLOCK_SKEW_MS, EVENT_HISTORY_MS, LAG_MS } from '../resources/service-facts.ts';
import type { DeadLetter, ReceivedEvent, ReceivedEventKey } from '../stores/inbox-store.ts';
import type { HandledResource, HandledValue } from './reads.ts';
import { readEvent } from './verify.ts';

/**
 * A received event with its parsed body. Its body is an event from the service, a job to run again,
 * or neither.
 */
export interface ParsedEvent extends ReceivedEvent {
  readonly event?: ServiceEvent | undefined;
  readonly job?: InboxJob | undefined;
}

export const MAX_ATTEMPTS = 20;

/** Parses the body of a received event. The format depends only on the event's kind. */
export function parseEvent(received: ReceivedEvent): ParsedEvent {
  const { kind, body } = received;
  if (kind === 'redelivery') return { ...received, job: JSON.parse(body) as InboxJob };
  return kind === 'event' ? { ...received, event: readEvent(body) } : received;
}

export function nameEvent({ kind, id }: ReceivedEventKey): string {
  return `${kind}:${id}`;
}

/**
 * Returns the event that queues a dead letter again, with the same number of attempts as before.
 */
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

export interface InboxJob {
  readonly key: string;
  /**
   * Whether the job is for a state or for an event. `otherwise` means a state or an event without a
   * handler in `on`.
   */
  readonly kind: 'state' | 'event' | 'otherwise';
  readonly resource?: HandledResource | undefined;
  readonly state?: string | undefined;
  readonly event?: ServiceEvent | undefined;
  readonly value?: HandledValue | undefined;
  readonly attempts: number;
  readonly maxAttempts: number;
  /** When the first attempt was made. */
  readonly since: number;
  readonly due: number;
}

/**
 * How many reads must fail to show an announced change, and over what period, before the change is
 * considered not to have happened.
 */
const ENOUGH = { reads: 3, ms: 60_000 };

/** The number of reads since a change was announced that didn't show the change. */
interface ConfirmingReads {
  readonly count: number;
  /** When the first of these reads was sent, in milliseconds. */
  readonly first: number;
}

function countRead(reads: ConfirmingReads | undefined, sentAt: number): ConfirmingReads {
  return reads ? { ...reads, count: reads.count + 1 } : { count: 1, first: sentAt };
}

/**
 * Checks whether there have been enough reads to conclude that the announced change didn't happen.
 */
function isConfirmedUnchanged({ count, first }: ConfirmingReads, sentAt: number): boolean {
  return count >= ENOUGH.reads && sentAt - first >= ENOUGH.ms;
}

/** A subject's state between two leases, stored as plain JSON. */
export interface SubjectState {
  /** The states whose handler has run or is queued, in the order they were read. */
  readonly states: readonly string[];
  readonly jobs: readonly InboxJob[];
  /** The names of events that still needed another read after the last one. */
  readonly waiting: readonly string[];
  /** The names of events that don't need any more reads. */
  readonly settled: readonly string[];
  /** The names of events whose own handler has been queued. */
  readonly notified: readonly string[];
  readonly reads?: ConfirmingReads | undefined;
  readonly failures: number;
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

export function unsettledIn(
  { settled }: SubjectState,
  events: readonly ParsedEvent[],
): readonly ParsedEvent[] {
  return events.filter((event) => !settled.includes(nameEvent(event)));
}

/**
 * The minimum interval between reads for an event that is older than the feed's history, in
 * milliseconds. Such an event is a replay and only needs one read.
 */
const OLD_PACE = 60_000;

/** The result of a read. If there's no state, the resource doesn't exist. */
export interface EntityRead {
  readonly sentAt: number;
  readonly state?: string | undefined;
}

interface SettleResult {
  readonly state: SubjectState;
  /** Whether the state is new and not earlier than the last one. */
  readonly isNews: boolean;
  /** The events whose own handler must be queued now. */
  readonly notify: readonly ParsedEvent[];
}

/**
 * Returns when to read for these events. New events are read right away, and others after
 * increasing delays.
 */
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
 * Applies a read sent after all of these events had arrived. A newer state settles one event. A
 * settled state settles all of them. If other states can still follow, it only does so after the
 * longest replica lag.
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
 * Returns whether a read is certain to include an event's change. If the resource exists, its
 * creation is included. If the state is new, one other event is included too.
 */
function shownBy(
  states: StateMachine<string>,
  open: readonly ParsedEvent[],
  { state }: EntityRead,
  news: boolean,
): (event: ParsedEvent) => boolean {
  if (state === undefined) return () => false;
  const leadsHere = states.rank(state) !== 0; // only a newly created resource has an initial state
  const next = leadsHere ? open.find((event) => !isCreation(event)) : undefined;
  return (event) => isCreation(event) || (news && event === next);
}

/**
 * Returns when to read again. The next read follows after an increasing delay, or once every
 * replica must have these events' changes.
 */
function repeatAt(
  { first }: ConfirmingReads,
  sentAt: number,
  surely: readonly ParsedEvent[],
): number {
  if (surely.length > 0) return Math.max(...surely.map(surelyShownAt));
  return nextConfirmingRead(first, sentAt);
}

/** Counts reads. The count starts over with each new state or event. */
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

function surelyShownAt({ receivedAt, createdAt }: ParsedEvent): number {
  return Math.min(receivedAt, createdAt + CLOCK_SKEW_MS) + LAG_MS;
}

/**
 * Returns whether the resource has any settled states. If it has none, states can repeat, so their
 * order is meaningless.
 */
function hasEnd(states: StateMachine<string>): boolean {
  return Object.keys(states.transitions).some((state) => states.isSettled(state));
}

function isLast({ transitions }: StateMachine<string>, state: string): boolean {
  return Object.hasOwn(transitions, state) && transitions[state]?.length === 0;
}

/**
 * Returns whether the event reports that the resource was created, which every successful read
 * reflects.
 */
function isCreation({ event }: ParsedEvent): boolean {
  return event !== undefined && /\.(created|receive-pending)$/.test(event.eventType);
}
