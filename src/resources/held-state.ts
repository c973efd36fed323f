import type { StateMachine } from './resource.ts';
import { LAG_MS } from './service-facts.ts';

/** Minimum time between two reads when the second one is meant to confirm the first. */
export const CONFIRM_AFTER_MS = 5_000;

/**
 * Creation times that differ by less than this are considered equal, because the precision of the
 * service's timestamps varies.
 */
const SAME_CREATION_MS = 1_000;

/** The result of one read. All of a resource's times are in milliseconds on the same clock. */
interface StateRead<T> {
  readonly value: T;
  /** The resource's state, or its whole content as JSON if it has no states. */
  readonly state: string;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** The accepted value and state of a resource. It can be stored as JSON. */
export interface HeldState<T> {
  readonly value: T;
  readonly state: string;
  /** When the read that returned this value was sent. */
  readonly sentAt: number;
  /** When this state was first received. */
  readonly since: number;
  /**
   * An earlier state that was read but hasn't been accepted yet, with the time when it was first
   * read.
   */
  readonly contradiction?: { readonly state: string; readonly sentAt: number } | undefined;
  /**
   * Previous states that a lagging replica may still return, with the time when each of them ended.
   * Only used for states without a rank.
   */
  readonly left?: readonly (readonly [state: string, at: number])[] | undefined;
}

export interface AppliedRead<T> {
  readonly held: HeldState<T>;
  /** Set if the resource returned to an earlier state, which a second read has confirmed. */
  readonly regressed?: true | undefined;
  /** When to read again to find out whether an earlier state is correct. */
  readonly confirmAt?: number | undefined;
}

/** Creates a held state without previous states, as of the time `at`. */
export function heldSince<T>(value: T, state: string, at: number): HeldState<T> {
  return { value, state, sentAt: at, since: at };
}

/** Checks whether a lagging replica may have answered a read that was sent at `sentAt`. */
export function mayLag({ since }: HeldState<unknown>, sentAt: number): boolean {
  return sentAt < since + LAG_MS;
}

/**
 * Applies a read to the held state and decides which value to keep. The rules are:
 *
 * - A state with a higher rank is always accepted.
 * - A state with an equal rank is accepted unless its read was sent earlier.
 * - A state with a lower rank is only accepted if it can't come from a lagging replica and an
 * earlier read returned the same state.
 * - A state without a rank is accepted if its read was sent later. If the resource has already left
 * that state, the read also must not come from a lagging replica.
 * - A value with a different creation time is always accepted, because it's a different resource
 * with the same id. That happens when a sandbox restarts with the same seed.
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

/**
 * Checks whether two values are different resources with the same id, by their creation times. That
 * happens when a sandbox restarts.
 */
export function isOther(one: unknown, another: unknown): boolean {
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
 * Checks whether observers should be notified of a state. It must differ from every state that
 * they've been notified of, and its rank must not be lower than that of the latest one.
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

function stepBetween(
  states: StateMachine<string> | undefined,
  from: string,
  to: string,
): number | undefined {
  const before = states?.rank(from);
  const after = states?.rank(to);
  return before === undefined || after === undefined ? undefined : after - before;
}

/**
 * Delays for repeating a read while an announced change isn't visible yet, all measured from the
 * same start.
 */
const CONFIRM_AT_MS = [2_000, 10_000, 30_000, 120_000, 600_000];

/**
 * Returns when to read again after a read that was sent at `sentAt`. Delays start at `from`, so an
 * additional read doesn't postpone later ones.
 */
export function nextConfirmingRead(from: number, sentAt: number): number {
  const delay = CONFIRM_AT_MS.find((one) => from + one > sentAt);
  return delay === undefined ? sentAt + CONFIRM_AT_MS.at(-1)! : from + delay;
}
