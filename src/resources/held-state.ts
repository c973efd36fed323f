import type { StateMachine } from './resource.ts';
import { LAG_MS } from './service-facts.ts';

/** Two reads that confirm each other were sent at least this far apart, milliseconds. */
export const CONFIRM_AFTER_MS = 5_000;

/** Two times of one creation differ by less, as the service prints them with six digits or seven. */
const SAME_CREATION_MS = 1_000;

/** A resource as one read showed it. All times of one history are on one clock, milliseconds. */
interface StateRead<T> {
  readonly value: T;
  /** What has a rank or must not flap back: the state, or all content where there is no state. */
  readonly state: string;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** What is held to be true of a resource. Plain JSON. */
export interface HeldState<T> {
  readonly value: T;
  readonly state: string;
  /** When the read that brought it was sent. */
  readonly sentAt: number;
  /** When this state was first received. */
  readonly since: number;
  /** A lower state that was read and is not believed yet, and when it was read first. */
  readonly contradiction?: { readonly state: string; readonly sentAt: number } | undefined;
  /**
   * Of states without rank: the earlier ones that a replica may still show, and when each was left.
   */
  readonly left?: readonly (readonly [state: string, at: number])[] | undefined;
}

/** What is held after a read. */
export interface AppliedRead<T> {
  readonly held: HeldState<T>;
  /** The state went back, and two reads say so. */
  readonly regressed?: true | undefined;
  /** Read again at this time to settle a contradiction. */
  readonly confirmAt?: number | undefined;
}

/** A state that was read at `at` and of which nothing else is known. */
export function heldSince<T>(value: T, state: string, at: number): HeldState<T> {
  return { value, state, sentAt: at, since: at };
}

/**
 * Whether a read sent at this time may come from a replica that does not show the held state yet.
 */
export function mayLag({ since }: HeldState<unknown>, sentAt: number): boolean {
  return sentAt < since + LAG_MS;
}

/**
 * Which read wins. A higher rank always counts, an equal one unless it was sent earlier, a lower
 * one only when it cannot come from a replica that lags and an earlier read said the same. A state
 * without rank is news: the later read counts, but a state that was left is accepted again only
 * when it cannot come from such a replica. A value with another time of creation is another
 * resource under the same id, as of a sandbox that was started again with its seed: what was held
 * says nothing of it.
 */
export function applyRead<T>(
  states: StateMachine<string> | undefined,
  held: HeldState<T> | undefined,
  read: StateRead<T>,
): AppliedRead<T> {
  const { value, state, sentAt, receivedAt } = read;
  const since = held?.state === state ? held.since : receivedAt;
  const fresh = { value, state, sentAt, since };
  if (!held || isOther(held.value, value)) return { held: fresh };
  const step = stepBetween(states, held.state, state);
  if (step === undefined) return applyUnranked(held, fresh, receivedAt);
  if (step > 0) return { held: fresh };
  if (sentAt < held.sentAt) return { held };
  if (step === 0) return { held: fresh };
  const first = held.contradiction?.state === state ? held.contradiction : { state, sentAt };
  const confirmAt = Math.max(held.since + LAG_MS, first.sentAt + CONFIRM_AFTER_MS);
  return sentAt >= confirmAt
    ? { held: fresh, regressed: true }
    : { held: { ...held, contradiction: first }, confirmAt };
}

/** Both say when they were created, and not the same. */
function isOther(one: unknown, another: unknown): boolean {
  return Math.abs(createdAt(one) - createdAt(another)) >= SAME_CREATION_MS;
}

function createdAt(value: unknown): number {
  return Date.parse(String((value as { readonly created?: unknown } | undefined)?.created));
}

function applyUnranked<T>(held: HeldState<T>, fresh: HeldState<T>, now: number): AppliedRead<T> {
  const { state, left = [] } = held;
  if (fresh.sentAt < held.sentAt) return { held };
  if (fresh.state === state) return { held: { ...fresh, left } };
  const until = (left.find(([earlier]) => earlier === fresh.state)?.[1] ?? -Infinity) + LAG_MS;
  if (fresh.sentAt < until) return { held, confirmAt: until };
  const others = left.filter(([earlier, at]) => earlier !== state && now < at + LAG_MS);
  return { held: { ...fresh, left: [...others, [state, now]] } };
}

/**
 * Whether a state is news after those of which observers know, in their order: unlike all of them
 * and not behind the last. A state without rank is news.
 */
export function isNews(
  states: StateMachine<string> | undefined,
  notified: readonly string[],
  state: string,
): boolean {
  const last = notified.at(-1);
  const step = last === undefined ? undefined : stepBetween(states, last, state);
  return !notified.includes(state) && (step === undefined || step >= 0);
}

/** Above 0 forward, below 0 back, 0 where the ranks are equal; nothing where one is not known. */
function stepBetween(
  states: StateMachine<string> | undefined,
  from: string,
  to: string,
): number | undefined {
  const before = states?.rank(from);
  const after = states?.rank(to);
  return before === undefined || after === undefined ? undefined : after - before;
}

/** A read that shows nothing new is repeated at these times after the first one, milliseconds. */
const CONFIRM_AT_MS = [2_000, 10_000, 30_000, 120_000, 600_000];
/** So many reads over so long that show nothing new: what was announced was nothing. */
const ENOUGH = { reads: 3, over: 60_000 };

/** Reads since something was announced that have not shown it. */
export interface ConfirmingReads {
  readonly count: number;
  /** When the first of them was sent, milliseconds. */
  readonly first: number;
}

/** With one more read that was sent at `sentAt`. */
export function countRead(reads: ConfirmingReads | undefined, sentAt: number): ConfirmingReads {
  return reads ? { ...reads, count: reads.count + 1 } : { count: 1, first: sentAt };
}

/** So many reads, over so long, that what was announced is not going to show. */
export function isConfirmedUnchanged({ count, first }: ConfirmingReads, sentAt: number): boolean {
  return count >= ENOUGH.reads && sentAt - first >= ENOUGH.over;
}

/**
 * When to read again after a read that was sent at `sentAt`: a read that was due for another reason
 * takes no place of the later ones. `from`: where the times begin; all on one clock.
 */
export function nextConfirmingRead(from: number, sentAt: number): number {
  const delay = CONFIRM_AT_MS.find((one) => from + one > sentAt);
  return delay === undefined ? sentAt + CONFIRM_AT_MS.at(-1)! : from + delay;
}
