import type { Clock } from '../../core/time/index.ts';
import { sameContent } from '../../core/watch/index.ts';
import { type AppliedRead, applyRead } from '../../resources/held-state.ts';
import { LAG } from '../../resources/service-facts.ts';
import { type AnyEntry, createdOf, heldAgainst } from './entry.ts';

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
  const applied = applyRead(type.states, heldAgainst(entry, sentAt), {
    value,
    state: type.stateOf(value),
    sentAt,
    receivedAt: now,
  });
  entry.held = applied.held;
  entry.created ??= createdOf(type, value);
  const isFresh = now - sentAt <= LAG && sentAt >= entry.lookedAt; // the clock on the wall may be set back
  if (!isFresh) return { ...applied, asOf, isFresh };
  entry.readAt = asOf;
  entry.failures = undefined;
  entry.isReadAlone = false;
  entry.invalidatedAt = undefined;
  entry.noGapSince ??= asOf;
  entry.trigger = applied.confirmAt ? 'confirm a contradiction' : 'regular read';
  return { ...applied, asOf, isFresh };
}
