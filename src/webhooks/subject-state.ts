import type { ConfirmingReads } from '../resources/held-state.ts';
import type { ServiceEvent } from '../resources/events.ts';
import type { DeadLetter, ReceivedEvent, ReceivedEventKey } from '../stores/inbox-store.ts';
import { readEvent } from './event.ts';
import type { HandledResource, HandledValue } from './resources.ts';

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

/** What a received event is called in a subject's state. */
export function nameOf({ kind, id }: ReceivedEventKey): string {
  return `${kind}:${id}`;
}

/** The event that puts a dead letter back into the queue, with as many attempts again. */
export function redeliveryOf({ body, subject }: DeadLetter, now: number): ReceivedEvent {
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
  /** It is given up after so many. */
  readonly maxAttempts: number;
  /** Its first attempt. */
  readonly since: number;
  readonly due: number;
}

/** What is known of a subject between two leases; plain JSON. */
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

export function subjectStateOf(stored: unknown): SubjectState {
  return { ...BLANK, ...(stored as Partial<SubjectState> | undefined) };
}

/** The events that still wait for a read. */
export function unsettledIn(
  { settled }: SubjectState,
  events: readonly ParsedEvent[],
): readonly ParsedEvent[] {
  return events.filter((event) => !settled.includes(nameOf(event)));
}
