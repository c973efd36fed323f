import type { Clock } from '../../core/time.ts';
import { sameContent } from '../../core/watch.ts';
import { type AppliedRead, applyRead } from '../../resources/held-state.ts';
import { LAG_MS } from '../../resources/service-facts.ts';
import { type AnyEntry, createdOf, emit, heldAgainst } from './entry.ts';

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
  // what was provided is confirmed, or has given way
  if (applied.held.value === value && !applied.held.contradiction) entry.isUnread = false;
  // a state that moved on is true now, though an older request brought it
  const isFresh = now - sentAt <= LAG_MS && (sentAt >= entry.lookedAt || hasMoved);
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

/** Begins with what a call was told at `sentAt`: it is shown as `stale` until it is read. */
export function recall(entry: AnyEntry, value: unknown, sentAt: number, clock: Clock): void {
  const { type, held } = entry;
  const state = type.stateOf(value);
  const applied = applyRead(type.states, held, { value, state, sentAt, receivedAt: sentAt });
  if (applied.held.value !== value || applied.regressed) return;
  entry.held = applied.held;
  entry.isUnread = true;
  const asOf = clock.now() - (clock.monotonic() - sentAt);
  entry.snapshot = { value, asOf, freshness: 'stale' };
}
