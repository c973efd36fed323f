import type { Clock } from '../core/time/index.ts';
import { type AppliedRead, applyRead } from '../resources/held-state.ts';
import { type AnyEntry, heldAgainst } from './entry.ts';

/** Takes a value in that a read sent at `sentAt` has brought. */
export function applyValue(
  entry: AnyEntry,
  value: unknown,
  sentAt: number,
  clock: Clock,
): AppliedRead<unknown> {
  const { type } = entry;
  const now = clock.monotonic();
  const read = { value, state: type.stateOf(value), sentAt, receivedAt: now };
  const applied = applyRead(type.states, heldAgainst(entry, sentAt), read);
  entry.held = applied.held;
  entry.failures = undefined;
  entry.isReadAlone = false;
  entry.invalidatedAt = undefined;
  entry.readAt = clock.now() - (now - sentAt);
  entry.noGapSince ??= entry.readAt;
  entry.trigger = applied.confirmAt ? 'confirm a contradiction' : 'regular read';
  return applied;
}
