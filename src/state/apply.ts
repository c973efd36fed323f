import { isFinal, type PaystateError } from '../core/errors/index.ts';
import { type Connection, isLoginOver, serviceNow, workedAt } from '../core/http/index.ts';
import type { Clock } from '../core/time.ts';
import { sameContent } from '../core/watch.ts';
import {
  type AppliedRead,
  type HeldState,
  applyRead,
  nextConfirmingRead,
} from '../resources/held-state.ts';
import { LAG_MS } from '../resources/service-facts.ts';
import { type AnyEntry, readCreated, emit, heldAgainst, isSettled, noteChecked } from './entry.ts';

/** In lists, the service prints times with six fraction digits, elsewhere with seven. */
const COMPARED_CHARACTERS = '2026-03-04T09:15:00.123456'.length;

/**
 * Returns whether a read returned the value that's already known, so the object stays the same.
 * Only compares the digits of the creation time that both kinds of reads print.
 */
export function isSameValue(known: unknown, value: unknown): boolean {
  return sameContent(known, value) || sameContent(withShortTime(known), withShortTime(value));
}

/**
 * Returns the value that was read, or the held one if it has the same content, because it's a
 * single object.
 */
export function keepSame<T>(held: HeldState<T> | undefined, value: T): T {
  return held && isSameValue(held.value, value) ? held.value : value;
}

function withShortTime(value: unknown): unknown {
  const { created } = Object(value) as { readonly created?: string };
  return created ? { ...Object(value), created: created.slice(0, COMPARED_CHARACTERS) } : value;
}

/**
 * Applies a value from a read sent at `sentAt`, or one that was provided as of that time. A value
 * that's older than what was read, or than a replica may lag, doesn't make anything fresh.
 */
export function applyValue(
  entry: AnyEntry,
  read: unknown,
  sentAt: number,
  clock: Clock,
): AppliedRead<unknown> & { readonly asOf: number; readonly isFresh: boolean } {
  const { type, held: before } = entry;
  const value = keepSame(before, read);
  const now = clock.monotonic();
  const asOf = clock.now() - (now - sentAt);
  const wasRead = entry.readAt !== undefined;
  const applied = applyRead(type.states, heldAgainst(entry, sentAt), {
    value,
    state: type.stateOf(value),
    sentAt,
    receivedAt: now,
  });
  entry.held = applied.held;
  entry.created ??= readCreated(type, value);
  const hasMoved = before !== undefined && applied.held.state !== before.state;
  if (hasMoved && wasRead) entry.movedAt = now;
  // a state that moved on is true now, even if an older request returned it
  const isFresh = now - sentAt <= LAG_MS && (sentAt >= entry.trueAt || hasMoved);
  if (applied.held.value === value && !applied.held.contradiction) {
    entry.isUnread = false; // the provided value is confirmed or replaced
    if (isFresh && applied.held.sentAt === sentAt) noteChecked(entry, asOf);
  }
  if (!isFresh) return { ...applied, asOf, isFresh };
  entry.readAt = asOf;
  entry.failures = undefined;
  entry.isReadAlone = false;
  entry.invalidatedAt = undefined;
  entry.noGapSince ??= asOf;
  entry.trigger = applied.confirmAt ? 'confirm a contradiction' : 'regular read';
  return { ...applied, asOf, isFresh };
}

/**
 * Shows a value that was provided as of `asOf`, if it's newer than the held one. It makes nothing
 * fresh and settles nothing, because a read has to confirm it. Returns whether it differs from the
 * held value.
 */
export function applyProvided(
  entry: AnyEntry,
  value: unknown,
  asOf: number,
  clock: Clock,
): boolean {
  const { type, held, snapshot } = entry;
  if (held && isSameValue(held.value, value)) return false;
  const now = clock.monotonic();
  const state = type.stateOf(value);
  const given = { value, state, sentAt: asOf, receivedAt: now };
  const applied = applyRead(type.states, heldAgainst(entry, asOf), given);
  if (applied.held.value !== value || applied.regressed) return true; // it's older, or goes back
  entry.held = applied.held;
  entry.isUnread = true;
  const freshness = snapshot.freshness === 'loading' ? 'stale' : snapshot.freshness;
  emit(entry, freshness, snapshot.error, undefined, clock.now() - (now - asOf));
  return true;
}

/**
 * If a change is announced later than this after it happened, it gets a read of its own.
 * Milliseconds.
 */
const LATE_MS = 1_500;
/** Within this time, a resource is read at most twice to see announced changes. Milliseconds. */
const MIN_APART_MS = 2_000;
/** The service prints its clock in whole seconds, so an event's age may be off by this much. */
const AGE_ERROR_MS = 1_500;
/**
 * How long after a change a read must be sent to show it for certain. That's the replica lag plus a
 * margin, in milliseconds.
 */
const CERTAIN_MS = 35_000;

/**
 * Records that a change was announced. It's accepted once a read shows it, and the value is pending
 * until then. `age` is the time since the change by the sender's clock in milliseconds, or `NaN` if
 * unknown. `isClaim` is false if the resource may have changed but nothing says so.
 */
export function announce(
  entry: AnyEntry,
  at: number,
  age: number = NaN,
  isClaim: boolean = true,
): void {
  const early = age > LATE_MS ? [at + LAG_MS - age] : [];
  // the next read shows a change that's older than any replica
  const last = age >= CERTAIN_MS ? at : at + LAG_MS;
  const { movedAt } = entry;
  const isShown = isShownAlready(entry, at - age);
  const shownAt = isShown ? movedAt : entry.announced?.shownAt;
  // moving to a settled state covers everything that happened before, as in `confirm`
  const isAnswered = isShown || (isSettled(entry) && shownAt! >= at - age - AGE_ERROR_MS);
  noteAnnounced(entry, at, isShown ? 0 : 1, [...early, last], isClaim && !isAnswered);
  entry.announced!.shownAt = shownAt;
}

/**
 * Records that a change may have been missed. The resource is read again once no replica can hide a
 * change.
 */
export function announceGap(entry: AnyEntry, at: number): void {
  noteAnnounced(entry, at, 0, [at + LAG_MS], false);
}

/**
 * Returns whether reads have shown the change before it was announced. A state that has moved since
 * accounts for one change, and so does a read sent long after it. `changedAt` is `NaN` if it's
 * unknown when the change happened.
 */
function isShownAlready(entry: AnyEntry, changedAt: number): boolean {
  if (entry.announced) return false;
  const { movedAt = -Infinity } = entry;
  if (movedAt < changedAt - AGE_ERROR_MS || Number.isNaN(changedAt))
    return entry.readSentAt - changedAt >= CERTAIN_MS;
  entry.movedAt = undefined;
  return true;
}

function noteAnnounced(
  entry: AnyEntry,
  at: number,
  count: number,
  times: readonly number[],
  isPending: boolean,
): void {
  const before = entry.announced;
  const surelyAt: number[] = [];
  for (const time of [...(before?.surelyAt ?? []), ...times].sort((a, b) => a - b)) {
    if (time - (surelyAt.at(-2) ?? -Infinity) < MIN_APART_MS) surelyAt.pop();
    surelyAt.push(time);
  }
  entry.announced = {
    changes: (before?.changes ?? 0) + count,
    at,
    surelyAt,
    state: entry.held?.state,
    isPending: before?.isPending || isPending,
    shownAt: before?.shownAt,
  };
}

/**
 * Decides which announced changes a read sent at `sentAt` has shown. A state that moved accounts
 * for one change. A settled state accounts for all of them, but only once no replica can lag that
 * far, because until then it may be the first of two changes or a replica's old state. Returns when
 * to read again.
 */
export function confirm(entry: AnyEntry, sentAt: number): number {
  const { announced } = entry;
  if (!announced || sentAt < announced.at) return Infinity;
  const { state: current } = entry.held!; // it was read
  const { state, changes, at } = announced;
  const hasMoved = state !== undefined && current !== state;
  const open = hasMoved ? changes - 1 : changes;
  if (hasMoved && changes > 0) entry.movedAt = undefined; // this move has accounted for a change
  const isShown = open <= 0 || isSettled(entry);
  const surelyAt = announced.surelyAt.filter((time) => time > sentAt);
  // a state that was already settled shows no change, because it may have been reversed since
  const isAnswered = isShown && (hasMoved || state === undefined);
  const isPending = announced.isPending && !isAnswered;
  const isOpen = surelyAt.length > 0;
  entry.announced = isOpen
    ? { ...announced, changes: open, surelyAt, state: current, isPending }
    : undefined;
  if (!isOpen) return Infinity;
  return Math.min(isShown ? Infinity : nextConfirmingRead(at, sentAt), ...surelyAt);
}

/**
 * A response only ends a watch if it came this many times, this far apart, and over this period.
 * Milliseconds.
 */
type FailurePolicy = readonly [times: number, apart: number, over: number];

const ENDLESS: FailurePolicy = [Infinity, Infinity, Infinity];
/** If the first read of a resource is refused, it's repeated once. */
const FIRST_READ: FailurePolicy = [2, 1_500, 0];
/**
 * A replica may not have a resource that's younger than this by the service's clock. That's the lag
 * plus two minutes by which its machines may differ, in milliseconds.
 */
const YOUNG_MS = 150_000;

/**
 * When a credential that has worked is tried again, counted from the first refusal. Milliseconds.
 */
const RETRY_REFUSED_MS: readonly number[] = [60_000, 120_000, 300_000, 600_000];
/** If a credential has been refused for this long, it has ended. Milliseconds. */
const REFUSED_FOR_GOOD_MS = 600_000;

/** Returns when to try again, in milliseconds since the first refusal. */
function nextRefusedRetry(refusedFor: number): number {
  return RETRY_REFUSED_MS.find((at) => at > refusedFor) ?? refusedFor + REFUSED_FOR_GOOD_MS;
}

/** If a scope that has worked is refused, it's tried again according to `nextRefusedRetry`. */
const SLOW: FailurePolicy = [1, 0, REFUSED_FOR_GOOD_MS];

/**
 * Applies a failed read that was sent at `sentAt`. Returns whether it ends the watch, as only a few
 * responses do, and when to read again to confirm it. With `isSlow`, nothing is read before that.
 */
export function applyFailure(
  entry: AnyEntry,
  error: PaystateError,
  sentAt: number,
  now: number,
  client: Connection,
): { readonly ends: boolean; readonly confirmAt: number; readonly isSlow?: boolean } {
  const policy = policyFor(error, entry, sentAt, client);
  const [times, apart, over] = policy;
  const code = `${error.status} ${error.code}`;
  const before = entry.failures;
  const { firstAt, countedAt, counted } =
    before?.code === code ? before : { firstAt: now, countedAt: -Infinity, counted: 0 };
  const counts = now - countedAt >= apart;
  entry.failures = {
    code,
    firstAt,
    countedAt: counts ? now : countedAt,
    counted: counts ? counted + 1 : counted,
    inARow: (before?.inARow ?? 0) + 1,
  };
  entry.noGapSince = undefined;
  entry.trigger = `again after ${error.code}`;
  const ends = entry.failures.counted >= times && now - firstAt >= over;
  if (policy === SLOW) {
    // the first read is confirmed right away, because others may be readable and only this one
    // refused
    const isFirst = !entry.held && entry.failures.counted === 1;
    const confirmAt = isFirst ? now + FIRST_READ[1] : firstAt + nextRefusedRetry(now - firstAt);
    return { ends, confirmAt, isSlow: true };
  }
  const isExpected = over === 0;
  return { ends, confirmAt: isExpected ? entry.failures.countedAt + apart : Infinity };
}

function policyFor(
  error: PaystateError,
  { failures, held, type, bornAt, created, youngUntil = -Infinity }: AnyEntry,
  sentAt: number,
  client: Connection,
): FailurePolicy {
  const { code, status } = error;
  // the refused credential or scope was accepted at that time
  const worked = workedAt(client, error);
  if (code === 'RESPONSE_INVALID') return [5, 0, 120_000];
  if (isLoginOver(error)) {
    if (worked !== undefined) return ENDLESS; // `Results` ends all watches together
    return held ? [2, 10_000, 0] : FIRST_READ;
  }
  if (!isFinal(error)) return ENDLESS;
  if (status === 403) {
    if (worked === undefined) return held ? [3, 30_000, 0] : FIRST_READ;
    return held || !failures || worked < failures.firstAt ? SLOW : FIRST_READ;
  }
  // what has been read once may become readable again, because its id was correct
  if (status !== 404) return held ? [2, 0, REFUSED_FOR_GOOD_MS] : FIRST_READ;
  if (held && !type.watch.isDeletable) return ENDLESS;
  const isPatient = sentAt - bornAt < LAG_MS;
  if (held) return isPatient ? ENDLESS : [1, 0, LAG_MS];
  // a replica may not have a resource yet that was created within the lag, and our clock can't tell
  const mayBeYoung = created !== undefined && !(serviceNow(client)! - created * 1_000 > YOUNG_MS);
  return sentAt < youngUntil || (isPatient && mayBeYoung) ? ENDLESS : FIRST_READ;
}

/** Longest interval between two probes, in milliseconds. */
const LONGEST_PROBE_MS = 20_000;

/**
 * Tracks whether the service can be reached. After a failure that would affect any request, it
 * allows one probe at a time, until one succeeds.
 */
export class Outage {
  /** When the next probe is sent, monotonic. In the past if there's no outage. */
  probeAt: number = -Infinity;
  /** Number of failures in a row. Those of requests that were sent together count once. */
  failures: number = 0;
  /** Whether it made the values stale. */
  isShown: boolean = false;
  /** Since when the credential has been refused, monotonic. */
  #refusedAt: number | undefined;
  /** Returns the random pause before the next probe, so that not all pages come back at once. */
  readonly #pauseAfter: (failures: number) => number;

  /** `base` is the longest first pause, in milliseconds. */
  constructor(base: number, random: () => number) {
    this.#pauseAfter = (failures) =>
      (Math.min(LONGEST_PROBE_MS, base * 2 ** (failures - 1)) * (1 + random())) / 2;
  }

  get isOn(): boolean {
    return this.failures > 0;
  }

  /** Records a failure. `retryIn` is the wait required by the service or the rate limit. */
  begin(now: number, retryIn: number): void {
    if (now >= this.probeAt) {
      this.failures++;
      this.probeAt = now + this.#pauseAfter(this.failures);
    }
    this.probeAt = Math.max(this.probeAt, now + retryIn);
  }

  /**
   * Records that a credential that has worked was refused. It's tried again soon, and then slowly.
   * Returns whether it has been refused for too long.
   */
  refuse(now: number): boolean {
    const refusedAt = (this.#refusedAt ??= now);
    if (now >= this.probeAt) {
      this.failures++;
      const isFirst = this.failures === 1;
      this.probeAt = isFirst
        ? now + this.#pauseAfter(1)
        : refusedAt + nextRefusedRetry(now - refusedAt);
    }
    return now - refusedAt >= REFUSED_FOR_GOOD_MS;
  }

  end(): void {
    this.failures = 0;
    this.isShown = false;
    this.#refusedAt = undefined;
  }
}

/** Returns whether the failure would affect any other request as well. */
export function isOutage(error: PaystateError): boolean {
  const { kind, code } = error;
  return (
    kind === 'unreachable' ||
    kind === 'limited' ||
    code === 'RESPONSE_NOT_JSON' ||
    (kind === 'authentication' && !isLoginOver(error))
  );
}
