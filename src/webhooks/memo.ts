import type { ServiceEvent } from '../resources/events/model.ts';
import type { Arrival, ArrivalKey, Parked } from '../stores/inbox.ts';
import { readEvent } from './event.ts';
import type { Noun, Value } from './nouns.ts';

/** An arrival and what it says: an event, an effect to run again, or nothing but "look". */
export interface Heard extends Arrival {
  readonly event?: ServiceEvent | undefined;
  readonly task?: Task | undefined;
}

/** Runs of a handler before it is given up. */
export const MOST_RUNS = 20;

/** Reads an arrival as what its kind says that it is; nothing in its id or body has a say in that. */
export function heard(arrival: Arrival): Heard {
  const { kind, body } = arrival;
  if (kind === 'replay') return { ...arrival, task: JSON.parse(body) as Task };
  return kind === 'event' ? { ...arrival, event: readEvent(body) } : arrival;
}

/** What an arrival is called in a memo. */
export function nameOf({ kind, id }: ArrivalKey): string {
  return `${kind}:${id}`;
}

/** The arrival that puts a parked effect back, with as many runs again. */
export function replayOf({ body, subject }: Parked, now: number): Arrival {
  const task = JSON.parse(body) as Task;
  const again: Task = { ...task, most: task.runs + MOST_RUNS };
  return {
    kind: 'replay',
    id: `${task.key} ${task.runs}`,
    subject,
    body: JSON.stringify(again),
    createdAt: now,
    arrivedAt: now,
  };
}

/** An effect that is to run, with everything that it needs. */
export interface Task {
  readonly key: string;
  /** A state was read, an event is to be told, or nobody has foreseen it. */
  readonly kind: 'state' | 'event' | 'otherwise';
  readonly noun?: Noun | undefined;
  readonly state?: string | undefined;
  readonly event?: ServiceEvent | undefined;
  readonly value?: Value | undefined;
  readonly runs: number;
  /** It is given up after so many. */
  readonly most: number;
  /** Its first run. */
  readonly since: number;
  readonly due: number;
}

/** Looks in a row that showed nothing new. */
export interface Looks {
  readonly count: number;
  readonly first: number;
}

/** What is remembered of a subject between two claims; plain JSON. */
export interface Memo {
  /** States that had their effect or wait for it, in the order in which they were read. */
  readonly states: readonly string[];
  /** Effects in their order; the first one runs first. */
  readonly tasks: readonly Task[];
  /** Names of arrivals that wait for a look, and were there at the last one. */
  readonly waiting: readonly string[];
  /** Names of arrivals that need no more looks. */
  readonly believed: readonly string[];
  /** Names of arrivals whose own effect was queued. */
  readonly told: readonly string[];
  readonly looks?: Looks | undefined;
  /** Looks in a row that failed. */
  readonly failures: number;
  /** When the last look was sent. */
  readonly lookedAt?: number | undefined;
  readonly nextLook?: number | undefined;
}

const BLANK: Memo = { states: [], tasks: [], waiting: [], believed: [], told: [], failures: 0 };

export function memoOf(stored: unknown): Memo {
  return { ...BLANK, ...(stored as Partial<Memo> | undefined) };
}

/** The arrivals that still wait for a look. */
export function openIn(memo: Memo, arrivals: readonly Heard[]): readonly Heard[] {
  return arrivals.filter((arrival) => !memo.believed.includes(nameOf(arrival)));
}
