import type { ServiceEvent } from '../resources/events/model.ts';
import type { ReceivedEvent, ReceivedEventKey, DeadLetter } from '../stores/inbox-store.ts';
import { readEvent } from './event.ts';
import type { HandledResource, ResourceValue } from './resources.ts';

/** An arrival and what it says: an event, an effect to run again, or nothing but "look". */
export interface ParsedEvent extends ReceivedEvent {
  readonly event?: ServiceEvent | undefined;
  readonly job?: Job | undefined;
}

/** Runs of a handler before it is given up. */
export const MAX_ATTEMPTS = 20;

/** Reads an arrival as what its kind says that it is; nothing in its id or body has a say in that. */
export function parseEvent(arrival: ReceivedEvent): ParsedEvent {
  const { kind, body } = arrival;
  if (kind === 'redelivery') return { ...arrival, job: JSON.parse(body) as Job };
  return kind === 'event' ? { ...arrival, event: readEvent(body) } : arrival;
}

/** What an arrival is called in a memo. */
export function nameOf({ kind, id }: ReceivedEventKey): string {
  return `${kind}:${id}`;
}

/** The arrival that puts a parked effect back, with as many runs again. */
export function redeliveryOf({ body, subject }: DeadLetter, now: number): ReceivedEvent {
  const task = JSON.parse(body) as Job;
  const again: Job = { ...task, maxAttempts: task.attempts + MAX_ATTEMPTS };
  return {
    kind: 'redelivery',
    id: `${task.key} ${task.attempts}`,
    subject,
    body: JSON.stringify(again),
    createdAt: now,
    receivedAt: now,
  };
}

/** An effect that is to run, with everything that it needs. */
export interface Job {
  readonly key: string;
  /** A state was read, an event is to be told, or nobody has foreseen it. */
  readonly kind: 'state' | 'event' | 'otherwise';
  readonly resource?: HandledResource | undefined;
  readonly state?: string | undefined;
  readonly event?: ServiceEvent | undefined;
  readonly value?: ResourceValue | undefined;
  readonly attempts: number;
  /** It is given up after so many. */
  readonly maxAttempts: number;
  /** Its first run. */
  readonly since: number;
  readonly due: number;
}

/** Looks in a row that showed nothing new. */
export interface RepeatedReads {
  readonly count: number;
  readonly first: number;
}

/** What is remembered of a subject between two claims; plain JSON. */
export interface SubjectState {
  /** States that had their effect or wait for it, in the order in which they were read. */
  readonly states: readonly string[];
  /** Effects in their order; the first one runs first. */
  readonly jobs: readonly Job[];
  /** Names of arrivals that wait for a look, and were there at the last one. */
  readonly waiting: readonly string[];
  /** Names of arrivals that need no more looks. */
  readonly settled: readonly string[];
  /** Names of arrivals whose own effect was queued. */
  readonly notified: readonly string[];
  readonly reads?: RepeatedReads | undefined;
  /** Looks in a row that failed. */
  readonly failures: number;
  /** When the last look was sent. */
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

export function subjectStateOf(stored: unknown): SubjectState {
  return { ...BLANK, ...(stored as Partial<SubjectState> | undefined) };
}

/** The arrivals that still wait for a look. */
export function unsettledIn(
  memo: SubjectState,
  arrivals: readonly ParsedEvent[],
): readonly ParsedEvent[] {
  return arrivals.filter((arrival) => !memo.settled.includes(nameOf(arrival)));
}
