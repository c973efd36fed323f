import type { Clock } from '../core/time.ts';
import { sameContent } from '../core/watch.ts';
import {
  type AppliedRead,
  applyRead,
  countRead,
  isConfirmedUnchanged,
  nextConfirmingRead,
} from '../resources/held-state.ts';
import { LAG_MS } from '../resources/service-facts.ts';
import { type AnyEntry, createdOf, emit, heldAgainst, isSettled, noteChecked } from './entry.ts';

/**
 * Takes a value in that a read sent at `sentAt` has brought, or that was handed in as of then. One
 * that is older than what was read, or older than a replica may be, makes nothing fresh.
 */
export function applyValue(
  entry: AnyEntry,
  read: unknown,
  sentAt: number,
  clock: Clock,
): AppliedRead<unknown> & { readonly asOf: number; readonly isFresh: boolean } {
  const { type, snapshot } = entry;
  // the same content stays the same object
  const value = sameContent(snapshot.value, read) ? snapshot.value : read;
  const now = clock.monotonic();
  const asOf = clock.now() - (now - sentAt);
  const before = entry.held;
  const wasRead = entry.readAt !== undefined;
  const applied = applyRead(type.states, heldAgainst(entry, sentAt), {
    value,
    state: type.stateOf(value),
    sentAt,
    receivedAt: now,
  });
  entry.held = applied.held;
  entry.created ??= createdOf(type, value);
  const hasMoved = before !== undefined && applied.held.state !== before.state;
  if (hasMoved && wasRead) entry.movedAt = now;
  // a state that moved on is true now, though an older request brought it
  const isFresh = now - sentAt <= LAG_MS && (sentAt >= entry.readSentAt || hasMoved);
  if (applied.held.value === value && !applied.held.contradiction) {
    entry.isUnread = false; // what was provided is confirmed, or has given way
    if (isFresh) noteChecked(entry, asOf);
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
 * Shows a value that was handed in as of then, where it is newer than what is held. It makes nothing
 * fresh and settles nothing: a read has to confirm it. Returns whether it says something else than
 * what is held.
 */
export function applyProvided(
  entry: AnyEntry,
  value: unknown,
  asOf: number,
  clock: Clock,
): boolean {
  const { type, held, snapshot } = entry;
  if (held && sameContent(held.value, value)) return false;
  const now = clock.monotonic();
  const state = type.stateOf(value);
  const given = { value, state, sentAt: asOf, receivedAt: now };
  const applied = applyRead(type.states, heldAgainst(entry, asOf), given);
  if (applied.held.value !== value || applied.regressed) return true; // it is older, or goes back
  entry.held = applied.held;
  entry.isUnread = true;
  const freshness = snapshot.freshness === 'loading' ? 'stale' : snapshot.freshness;
  emit(entry, freshness, snapshot.error, undefined, clock.now() - (now - asOf));
  return true;
}

/** What is heard so long after it happened is read at a time of its own, milliseconds. */
const LATE_MS = 1_500;
/** Of many times the third one in a row is at least so much later, milliseconds. */
const MIN_APART_MS = 2_000;
/** The service's clock is printed in whole seconds: the age of an event may be off by this much. */
const AGE_ERROR_MS = 1_500;
/** A read sent this long after a change shows it for certain: `LAG` and a margin, milliseconds. */
const CERTAIN_MS = 35_000;

/**
 * Notes that a change was announced; it is believed when a read shows it, and until then the value
 * is pending. `age`: how long ago it happened, by the clock of who announced it; `NaN` where that is
 * not known. `isClaim`: something says that this very resource has changed, and not that it may have.
 */
export function announce(
  entry: AnyEntry,
  at: number,
  age: number = NaN,
  isClaim: boolean = true,
): void {
  const { changes = 0, surelyAt = [], isPending = false } = entry.announced ?? {};
  const early = age > LATE_MS ? [at + LAG_MS - age] : [];
  const isShown = isShownAlready(entry, at - age);
  noteAnnounced(entry, {
    changes: isShown ? changes : changes + 1,
    at,
    times: [...surelyAt, ...early, at + LAG_MS],
    isPending: isPending || (isClaim && !isShown),
  });
}

/** Any change may have gone unheard: what a read shows now is read again when no copy can hide it. */
export function announceGap(entry: AnyEntry, at: number): void {
  const { changes = 0, surelyAt = [], isPending = false } = entry.announced ?? {};
  noteAnnounced(entry, { changes, at, times: [...surelyAt, at + LAG_MS], isPending });
}

/**
 * Reads have shown the change before it was announced: a state that has moved since answers for one
 * change, and so does any read that was sent long after it. `changedAt`: `NaN` where not known.
 */
function isShownAlready(entry: AnyEntry, changedAt: number): boolean {
  if (entry.announced) return false;
  const { movedAt = -Infinity } = entry;
  if (movedAt < changedAt - AGE_ERROR_MS || Number.isNaN(changedAt))
    return entry.readSentAt - changedAt >= CERTAIN_MS;
  entry.movedAt = undefined;
  return true;
}

interface Noted {
  readonly changes: number;
  readonly at: number;
  readonly times: number[];
  readonly isPending: boolean;
}

function noteAnnounced(entry: AnyEntry, { times, ...noted }: Noted): void {
  const surelyAt: number[] = [];
  for (const time of times.sort((a, b) => a - b)) {
    if (time - (surelyAt.at(-2) ?? -Infinity) < MIN_APART_MS) surelyAt.pop();
    surelyAt.push(time);
  }
  entry.announced = { ...noted, surelyAt, state: entry.held?.state };
}

/**
 * What a read sent at `sentAt` says of what was announced. A state that moved answers for one change,
 * a settled one for all, as soon as no replica can show what was before: until then a state that came
 * back, or the first of two, may be a replica's. Returns when to read again.
 */
export function confirm(entry: AnyEntry, sentAt: number): number {
  const { announced } = entry;
  if (!announced || sentAt < announced.at) return Infinity;
  const { state: current } = entry.held!; // it was read
  const { state, changes, at } = announced;
  const hasMoved = state !== undefined && current !== state;
  const reads = countRead(hasMoved ? undefined : announced.reads, sentAt);
  const open = hasMoved ? changes - 1 : changes;
  if (hasMoved && changes > 0) entry.movedAt = undefined; // the move has answered for a change
  const isShown = open <= 0 || isSettled(entry);
  const surelyAt = announced.surelyAt.filter((time) => time > sentAt);
  const isOver = isShown ? surelyAt.length === 0 : isConfirmedUnchanged(reads, sentAt);
  // a settled state that was there before says nothing of a change: it may have been reversed
  const isAnswered = isShown && (hasMoved || state === undefined);
  const isPending = announced.isPending && !isAnswered && sentAt < at + LAG_MS;
  entry.announced = isOver
    ? undefined
    : { changes: open, at, surelyAt, state: current, reads, isPending };
  if (isOver) return Infinity;
  return Math.min(isShown ? Infinity : nextConfirmingRead(at, sentAt), ...surelyAt);
}
