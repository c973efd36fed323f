import type { StateMachine } from './resource.ts';
import { LAG_MS } from './service-facts.ts';

/** Minimum time between sending two reads for one to confirm the other. */
export const CONFIRM_AFTER_MS = 5_000;

/**
 * Creation times that differ by less than this count as equal, because the service prints six or
 * seven digits.
 */
const SAME_CREATION_MS = 1_000;

/** The result of one read. All times in one history come from one clock, in milliseconds. */
interface StateRead<T> {
  readonly value: T;
  /** The state, or the whole content for resources without states. */
  readonly state: string;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** The accepted state of a resource, as plain JSON. */
export interface HeldState<T> {
  readonly value: T;
  readonly state: string;
  /** When the read that returned it was sent. */
  readonly sentAt: number;
  /** When this state was first received. */
  readonly since: number;
  /** A lower state that was read but hasn't been accepted yet, and when it was first read. */
  readonly contradiction?: { readonly state: string; readonly sentAt: number } | undefined;
  /**
   * For states without rank, earlier states that a replica may still return, and when each ended.
   */
  readonly left?: readonly (readonly [state: string, at: number])[] | undefined;
}

export interface AppliedRead<T> {
  readonly held: HeldState<T>;
  /** The state went back, and a second read confirmed it. */
  readonly regressed?: true | undefined;
  /** When to read again to settle a contradiction. */
  readonly confirmAt?: number | undefined;
}

/** Creates a held state without history from a read at `at`. */
export function heldSince<T>(value: T, state: string, at: number): HeldState<T> {
  return { value, state, sentAt: at, since: at };
}

/** Checks whether a read sent at this time may come from a lagging replica. */
export function mayLag({ since }: HeldState<unknown>, sentAt: number): boolean {
  return sentAt < since + LAG_MS;
}

/**
 * Decides which read wins.
 *
 * - A higher rank always wins.
 * - An equal rank wins unless its read was sent earlier.
 * - A lower rank wins only if it can't come from a lagging replica, and an earlier read returned
 * the same state.
 * - A state without rank wins if its read was sent later. A state that had already ended also must
 * not come from a lagging replica.
 * - A value with another creation time always wins, because it's another resource with the same id,
 * as in a restarted sandbox with the same seed.
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
 * Checks whether the creation times differ, as they do for two resources with the same id in a
 * restarted sandbox.
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
 * Checks whether observers need to be notified of a state. It must differ from every state they've
 * been notified of and must not rank below the last one. A state without rank always qualifies.
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

/** When to repeat a read that shows nothing new, counted from the first one. */
const CONFIRM_AT_MS = [2_000, 10_000, 30_000, 120_000, 600_000];
/**
 * Returns when to read again after a read sent at `sentAt`. Delays count from `from`, so an extra
 * read doesn't postpone later ones.
 */
export function nextConfirmingRead(from: number, sentAt: number): number {
  const delay = CONFIRM_AT_MS.find((one) => from + one > sentAt);
  return delay === undefined ? sentAt + CONFIRM_AT_MS.at(-1)! : from + delay;
}
