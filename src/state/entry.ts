import type { PaystateError } from '../core/errors/index.ts';
import type { Observer } from '../core/watch/index.ts';
import { type HeldState, heldSince, mayLag } from '../resources/held-state.ts';
import type { Watchable } from '../resources/resource.ts';
import type { Failures } from './failures.ts';
import { type Freshness, sameContent, type Snapshot, toUnwatched } from './snapshot.ts';

/**
 * One watched resource: what is known of it, and when to read it next. Times are monotonic
 * milliseconds.
 */
export interface Entry<T> {
  readonly type: Watchable<T>;
  readonly id: string;
  /** Whole second of creation, where the caller knew it: lets many first reads share a window. */
  created: number | undefined;
  readonly bornAt: number;
  readonly observers: Set<Observer<Snapshot<T>>>;
  held?: HeldState<T> | undefined;
  snapshot?: Snapshot<T> | undefined;
  failures?: Failures | undefined;
  nextReadAt: number;
  /** A read is under way. */
  isReading?: boolean;
  /** What caused a read during a read: it is read once more. */
  readAgain?: string | undefined;
  /** The next read confirms a contradiction: a source that covers the entry does not replace it. */
  isConfirming?: boolean;
  /** A list did not hold it: it is read alone. */
  isReadAlone?: boolean;
  /** What caused the latest read, or causes the next one. */
  trigger: string;
  /**
   * Wall-clock time of the last successful read; absent before the first, whatever an earlier watch
   * has left.
   */
  readAt?: number | undefined;
  /** When the last successful read was sent, monotonic. */
  lookedAt?: number | undefined;
  invalidatedAt?: number | undefined;
  noGapSince?: number | undefined;
}

export type AnyEntry = Entry<unknown>;

export function newEntry<T>(
  type: Watchable<T>,
  id: string,
  created: number | undefined,
  now: number,
): Entry<T> {
  return {
    type,
    id,
    created,
    bornAt: now,
    nextReadAt: Infinity,
    observers: new Set(),
    trigger: '',
    isReading: false, // members that every entry gets, so that none is added one by one
    readAt: undefined,
    lookedAt: undefined,
    held: undefined,
    snapshot: undefined,
    noGapSince: undefined,
    isConfirming: false,
  };
}

export function isSettled<T>({ type, held, readAt }: Entry<T>): boolean {
  return (
    held !== undefined && readAt !== undefined && (type.states?.isSettled(held.state) ?? false)
  );
}

/** Begins with what an earlier watch has left, read at `readAt` (monotonic). */
export function restore<T>(entry: Entry<T>, kept: Snapshot<T>, readAt: number): void {
  entry.held = heldSince(kept.value, entry.type.stateOf(kept.value), readAt);
  entry.snapshot = toUnwatched(kept);
}

/**
 * What a read sent at `sentAt` is compared with: what an earlier watch has left only while a
 * replica can be behind it.
 */
export function heldAgainst<T>(
  { held, readAt }: Entry<T>,
  sentAt: number,
): HeldState<T> | undefined {
  return held && (readAt !== undefined || mayLag(held, sentAt)) ? held : undefined;
}

/**
 * Emits what is held, and how fresh that is; the same content is the same object and is not emitted
 * again.
 */
export function emit<T>(
  entry: Entry<T>,
  freshness: Freshness,
  error?: PaystateError,
  regressed?: true,
): void {
  const { held, snapshot: before, readAt = before?.asOf } = entry;
  if (!held) return;
  const value = before && sameContent(before.value, held.value) ? before.value : held.value;
  if (
    before?.value === value &&
    before.freshness === freshness &&
    before.error?.code === error?.code &&
    !regressed
  )
    return;
  const snapshot: Snapshot<T> = { value, asOf: readAt!, freshness, error, regressed };
  entry.snapshot = snapshot;
  for (const observer of [...entry.observers])
    if (entry.snapshot === snapshot) observer.next(snapshot); // else a listener has made a newer one
}
