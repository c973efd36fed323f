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

/**
 * The number of leading timestamp characters that are the same in all reads. Lists return six
 * fractional digits, and other responses return seven.
 */
const COMPARED_CHARACTERS = '2026-03-04T09:15:00.123456'.length;

/**
 * Returns whether a read returned the value that's already known. Compares the creation time only
 * to the precision that all reads have in common.
 */
export function isSameValue(known: unknown, value: unknown): boolean {
  return sameContent(known, value) || sameContent(withShortTime(known), withShortTime(value));
}

/**
 * Returns the value that was read. If it has the same content as the current value, returns the
 * current object, so its identity doesn't change.
 */
export function keepSame<T>(held: HeldState<T> | undefined, value: T): T {
  return held && isSameValue(held.value, value) ? held.value : value;
}

function withShortTime(value: unknown): unknown {
  const { created } = Object(value) as { readonly created?: string };
  return created ? { ...Object(value), created: created.slice(0, COMPARED_CHARACTERS) } : value;
}

/**
 * Applies a value from a read sent at `sentAt`, or a value that was provided as of that time. The
 * value doesn't count as fresh if it's older than an earlier read or than the longest replica lag.
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
  // a state change is current, even if an older request returned it
  const isFresh = now - sentAt <= LAG_MS && (sentAt >= entry.trueAt || hasMoved);
  if (applied.held.value === value && !applied.held.contradiction) {
    entry.isUnread = false; // a read has confirmed or replaced the provided value
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
 * Applies a value that was provided as of `asOf`, if it's newer than the current one. It doesn't
 * count as fresh or settled until a read confirms it. Returns whether it differs from the current
 * value.
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
  // the value is older, or its state would go backwards
  if (applied.held.value !== value || applied.regressed) return true;
  entry.held = applied.held;
  entry.isUnread = true;
  const freshness = snapshot.freshness === 'loading' ? 'stale' : snapshot.freshness;
  emit(entry, freshness, snapshot.error, undefined, clock.now() - (now - asOf));
  return true;
}

/** How late a change must be announced to get its own read, in milliseconds. */
const LATE_MS = 1_500;
/** The period in which announced changes cause at most two reads of a resource, in milliseconds. */
const MIN_APART_MS = 2_000;
/**
 * How far off an event's age can be, in milliseconds. The service reports its time in whole
 * seconds.
 */
const AGE_ERROR_MS = 1_500;
/**
 * How long after a change a read is certain to return it, in milliseconds. This is the longest
 * replica lag plus a margin.
 */
const CERTAIN_MS = 35_000;

/**
 * Records that a change was announced. The value is pending until a read returns the change. `age`
 * is the time since the change according to the sender's clock, in milliseconds, or `NaN` if it's
 * unknown. `isClaim` is false if it isn't certain that the resource has changed.
 */
export function announce(
  entry: AnyEntry,
  at: number,
  age: number = NaN,
  isClaim: boolean = true,
): void {
  const early = age > LATE_MS ? [at + LAG_MS - age] : [];
  // the change is older than the longest replica lag, so the next read returns it
  const last = age >= CERTAIN_MS ? at : at + LAG_MS;
  const { movedAt } = entry;
  const isShown = isShownAlready(entry, at - age);
  const shownAt = isShown ? movedAt : entry.announced?.shownAt;
  // a change to a settled state covers all earlier changes, as in `confirm`
  const isAnswered = isShown || (isSettled(entry) && shownAt! >= at - age - AGE_ERROR_MS);
  noteAnnounced(entry, at, isShown ? 0 : 1, [...early, last], isClaim && !isAnswered);
  entry.announced!.shownAt = shownAt;
}

/**
 * Records that a change may have been missed. The resource is read again after the longest replica
 * lag.
 */
export function announceGap(entry: AnyEntry, at: number): void {
  noteAnnounced(entry, at, 0, [at + LAG_MS], false);
}

/**
 * Returns whether reads had already returned the change before it was announced. Each state change
 * that a read returned covers one announced change. A read that was sent long after the change
 * covers it too. `changedAt` is `NaN` if the time of the change is unknown.
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
 * Decides which announced changes a read sent at `sentAt` has covered. A state change covers one of
 * them. A settled state covers all of them, but only after the longest replica lag. Until then, it
 * may be the first of two changes, or an outdated state from a replica. Returns when to read again.
 */
export function confirm(entry: AnyEntry, sentAt: number): number {
  const { announced } = entry;
  if (!announced || sentAt < announced.at) return Infinity;
  const { state: current } = entry.held!; // the entry was just read, so it has a value
  const { state, changes, at } = announced;
  const hasMoved = state !== undefined && current !== state;
  const open = hasMoved ? changes - 1 : changes;
  // this state change has already been used to cover an announced change
  if (hasMoved && changes > 0) entry.movedAt = undefined;
  const isShown = open <= 0 || isSettled(entry);
  const surelyAt = announced.surelyAt.filter((time) => time > sentAt);
  // a state that was already settled doesn't cover the change, which may be a reversal
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
 * How many times a failure must occur to end a watch, with how much time in between, and over what
 * period, in milliseconds.
 */
type FailurePolicy = readonly [times: number, apart: number, over: number];

const ENDLESS: FailurePolicy = [Infinity, Infinity, Infinity];
/**
 * How many times a refused first read of a resource must fail to end its watch. The read is
 * repeated once.
 */
const FIRST_READ: FailurePolicy = [2, 1_500, 0];
/**
 * The age, according to the service's clock, below which a replica may not have a resource yet, in
 * milliseconds. This is the replica lag plus two minutes for differences between the service's
 * clocks.
 */
const YOUNG_MS = 150_000;

/**
 * When to retry with a credential that worked before, in milliseconds since the first refusal.
 */
const RETRY_REFUSED_MS: readonly number[] = [60_000, 120_000, 300_000, 600_000];
/** How long a credential must be refused to be considered invalid, in milliseconds. */
const REFUSED_FOR_GOOD_MS = 600_000;

/** Returns the time of the next retry, in milliseconds since the first refusal. */
function nextRefusedRetry(refusedFor: number): number {
  return RETRY_REFUSED_MS.find((at) => at > refusedFor) ?? refusedFor + REFUSED_FOR_GOOD_MS;
}

/**
 * The policy for a scope that used to work and is now refused. It's retried at the times of
 * `nextRefusedRetry`.
 */
const SLOW: FailurePolicy = [1, 0, REFUSED_FOR_GOOD_MS];

/**
 * Applies a failed read sent at `sentAt`. Returns whether the failure ends the watch, which only
 * happens for a few responses, and when to read again to confirm it. If `isSlow` is set, there's no
 * read before that.
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
    // a failed first read is repeated right away, because the service may refuse only this resource
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
  // when the service last accepted the credential or scope that it now refuses
  const worked = workedAt(client, error);
  if (code === 'RESPONSE_INVALID') return [5, 0, 120_000];
  if (isLoginOver(error)) {
    if (worked !== undefined) return ENDLESS; // `Results` ends all watches at once
    return held ? [2, 10_000, 0] : FIRST_READ;
  }
  if (!isFinal(error)) return ENDLESS;
  if (status === 403) {
    if (worked === undefined) return held ? [3, 30_000, 0] : FIRST_READ;
    return held || !failures || worked < failures.firstAt ? SLOW : FIRST_READ;
  }
  // if the resource was read before, its id is correct and it may become readable again
  if (status !== 404) return held ? [2, 0, REFUSED_FOR_GOOD_MS] : FIRST_READ;
  if (held && !type.watch.isDeletable) return ENDLESS;
  const isPatient = sentAt - bornAt < LAG_MS;
  if (held) return isPatient ? ENDLESS : [1, 0, LAG_MS];
  // a replica may not have a newly created resource yet, and only the service's clock shows its age
  const mayBeYoung = created !== undefined && !(serviceNow(client)! - created * 1_000 > YOUNG_MS);
  return sentAt < youngUntil || (isPatient && mayBeYoung) ? ENDLESS : FIRST_READ;
}

/** The longest interval between two probes, in milliseconds. */
const LONGEST_PROBE_MS = 20_000;

/**
 * Tracks whether the service can be reached. After a failure that would affect any request, only
 * one probe at a time is sent until one succeeds.
 */
export class Outage {
  /**
   * When the next probe is sent, on the monotonic clock. The time is in the past if there's no
   * outage.
   */
  probeAt: number = -Infinity;
  /**
   * The number of consecutive failures. Failures of requests that were sent together count as one.
   */
  failures: number = 0;
  /** Whether the outage has made the values stale. */
  isShown: boolean = false;
  /** When the credential was first refused, on the monotonic clock. */
  #refusedAt: number | undefined;
  /**
   * Returns a random pause before the next probe, so that many pages don't retry at the same time.
   */
  readonly #pauseAfter: (failures: number) => number;

  /** `base` is the longest pause before the first probe, in milliseconds. */
  constructor(base: number, random: () => number) {
    this.#pauseAfter = (failures) =>
      (Math.min(LONGEST_PROBE_MS, base * 2 ** (failures - 1)) * (1 + random())) / 2;
  }

  get isOn(): boolean {
    return this.failures > 0;
  }

  /** Records a failure. `retryIn` is how long the service or the rate limit requires us to wait. */
  begin(now: number, retryIn: number): void {
    if (now >= this.probeAt) {
      this.failures++;
      this.probeAt = now + this.#pauseAfter(this.failures);
    }
    this.probeAt = Math.max(this.probeAt, now + retryIn);
  }

  /**
   * Records that the service refused a credential that worked before. The first retry follows soon,
   * and later retries are further apart. Returns whether the credential has been refused for too
   * long.
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

/** Returns whether a failure would affect all other requests as well. */
export function isOutage(error: PaystateError): boolean {
  const { kind, code } = error;
  return (
    kind === 'unreachable' ||
    kind === 'limited' ||
    code === 'RESPONSE_NOT_JSON' ||
    (kind === 'authentication' && !isLoginOver(error))
  );
}
