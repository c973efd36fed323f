import type { PaystateError } from '../core/errors/index.ts';
import type { Clock } from '../core/time/index.ts';
import { applyRead } from '../resources/held-state.ts';
import { emit, type Entry, heldAgainst } from './entry.ts';
import { classifyFailure, NO_FAILURES } from './failure-policy.ts';

/** What the results of reads depend on beside the entry. Times are monotonic. */
export interface ResultContext {
  readonly clock: Clock;
  readonly isOffline: () => boolean;
  /** When the entry is read next, as planned. */
  readonly nextReadAt: (entry: Entry<unknown>) => number;
  /** No read is sent before this time. */
  readonly blockedUntil: () => number;
}

/** Takes a value in, decides when to read next, and emits. */
export function applyValue<T>(
  entry: Entry<T>,
  value: T,
  sentAt: number,
  context: ResultContext,
): void {
  const { clock } = context;
  const { type } = entry;
  const now = clock.monotonic();
  const read = { value, state: type.stateOf(value), sentAt, receivedAt: now };
  const {
    held,
    regressed,
    confirmAt = Infinity,
  } = applyRead(type.states, heldAgainst(entry, sentAt), read);
  entry.held = held;
  entry.failures = NO_FAILURES;
  entry.isReadAlone = false;
  entry.invalidatedAt = undefined;
  entry.readAt = clock.now() - (now - sentAt);
  entry.noGapSince ??= entry.readAt;
  entry.nextReadAt = Math.min(confirmAt, context.nextReadAt(entry as Entry<unknown>));
  entry.trigger = confirmAt < Infinity ? 'confirm a contradiction' : 'regular read';
  emit(entry, 'live', undefined, regressed);
}

/** Takes a failed read in, decides when to read again, and emits. Returns whether it ends the watch. */
export function applyFailure(
  entry: Entry<unknown>,
  error: PaystateError,
  sentAt: number,
  context: ResultContext,
): boolean {
  const { code, status, kind, retryAt = 0 } = error;
  const { clock } = context;
  const now = clock.monotonic();
  const { failures, ends } = classifyFailure(error, entry.failures, {
    now,
    age: sentAt - entry.bornAt,
    isKnown: entry.held !== undefined,
    canBeDeleted: entry.type.watch.isDeletable,
  });
  entry.failures = failures;
  entry.noGapSince = undefined;
  entry.nextReadAt = Math.max(
    context.nextReadAt(entry),
    context.blockedUntil(),
    now + retryAt - clock.now(),
  );
  entry.trigger = `again after ${code}`;
  const isOffline = kind === 'unreachable' && context.isOffline();
  emit(entry, status === 429 ? 'blocked' : isOffline ? 'offline' : 'stale', error);
  return ends;
}
