import type { PaystateError } from '../core/errors/index.ts';
import { toSeconds, parseTicks } from '../core/time.ts';
import { each, type Few, type Observer } from '../core/watch.ts';
import { type HeldState, mayLag } from '../resources/held-state.ts';
import type { Watchable } from '../resources/resource.ts';
import {
  type Freshness,
  type KnownSnapshot,
  emptySnapshot,
  LOADING,
  setCheckedAt,
  type Snapshot,
  snapshotWith,
} from './snapshot.ts';

/** The announced changes to a resource that no read has returned yet. */
interface Announced {
  readonly changes: number;
  /** When the latest change was announced, on the monotonic clock. */
  readonly at: number;
  /** The time after which every replica must have each change, with the earliest first. */
  readonly surelyAt: readonly number[];
  /** The state before the changes, or after the latest one that a read returned. */
  readonly state: string | undefined;
  /** Whether a change was announced that no read has returned yet. */
  readonly isPending: boolean;
  /**
   * The time, on the monotonic clock, when a read returned a state change before the first
   * announcement.
   */
  shownAt?: number | undefined;
}

/** Receives the snapshots of an entry on behalf of a watch. */
export interface EntryObserver<T> extends Observer<Snapshot<T>> {
  /** Called when a read has ended. `isEmitted` is true if the read changed the snapshot. */
  readEnded(isEmitted: boolean): void;
}

/**
 * The state of one watched resource, and when to read it next. Times are in milliseconds on the
 * monotonic clock.
 */
export interface Entry<T> {
  readonly type: Watchable<T>;
  readonly id: string;
  /**
   * The creation time in seconds, if it's known. One list read for that second can cover many
   * resources. The time is `NaN` if that list doesn't include this resource.
   */
  created: number | undefined;
  readonly bornAt: number;
  observers: Few<EntryObserver<T>>;
  held?: HeldState<T> | undefined;
  snapshot: Snapshot<T>;
  failures?: Failures | undefined;
  nextReadAt: number;
  isReading?: boolean;
  /**
   * Whether the next read confirms a contradiction. In that case, it's also sent if another source
   * covers the entry.
   */
  isConfirming?: boolean;
  /** Set if the entry is read with its own request, because a list didn't include it. */
  isReadAlone?: boolean;
  /** The reason for the latest or the next read. */
  trigger: string;
  /**
   * The wall-clock time of the last successful read. Absent before the first one, even if a value
   * from an earlier watch is known.
   */
  readAt?: number | undefined;
  /**
   * When the last successful read was sent, on the monotonic clock. `-Infinity` before the first
   * one.
   */
  readSentAt: number;
  /**
   * When the service's last response was current, on the monotonic clock. This is the time of the
   * latest read, or an earlier time if the response came from a cache.
   */
  trueAt: number;
  announced?: Announced | undefined;
  /** When a read returned a state change that hadn't been announced. */
  movedAt?: number | undefined;
  /**
   * Set if none of this watch's reads has confirmed the value. The value was provided, or it came
   * from another call or an earlier watch.
   */
  isUnread?: boolean;
  /**
   * The time on the monotonic clock until which a replica may not have the resource, because it was
   * just created.
   */
  youngUntil?: number | undefined;
  invalidatedAt?: number | undefined;
  noGapSince?: number | undefined;
  /** The state of a list's rows. Only present for a list. */
  rows?: RowsState | undefined;
}

export type AnyEntry = Entry<unknown>;

/** The state of a watched list's rows that affects the list's snapshot. */
export interface RowsState {
  /** The maximum number of requests for one read of the list. */
  readonly requests: number;
  /** Whether a change to a visible row was announced, but no read has returned it yet. */
  readonly isPending: boolean;
  /** Whether the latest read of the list leaves some of the visible rows unconfirmed. */
  readonly isUnsure: boolean;
}

/**
 * The interface through which the hub uses the watched lists. The hub passes on everything that may
 * affect their rows.
 */
export interface WatchedLists {
  /** Applies a read of a list, or of a resource that may be a row in lists. */
  apply(entry: AnyEntry, value: unknown, sentAt: number): void;
  /**
   * Applies a read of a resource that has no entry. If the resource is a row of a list, an entry is
   * created. If the value was provided, an entry may already exist.
   */
  tell(resource: string, value: unknown, sentAt: number, isProvided: boolean): void;
  /**
   * Records that a resource has changed, with `age` as in `announce`. Returns the entries for the
   * affected lists.
   */
  announce(resource: string, id: string, age: number, isCreation: boolean): readonly AnyEntry[];
  /** Returns whether an entry is a row of any watched list. */
  hasRow(entry: AnyEntry): boolean;
  /** Removes a list that's no longer watched. */
  delete(entry: AnyEntry): void;
}

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
    bornAt: Math.floor(now), // whole milliseconds take less memory
    nextReadAt: Infinity,
    snapshot: LOADING,
    trigger: '',
    readSentAt: -Infinity,
    trueAt: -Infinity,
    // all entries have the same properties in the same order, which takes less memory
    observers: undefined,
    isReading: false,
    readAt: undefined,
    held: undefined,
    noGapSince: undefined,
    isConfirming: false,
    isReadAlone: false,
    failures: undefined,
    announced: undefined,
    movedAt: undefined,
    isUnread: false,
    youngUntil: undefined,
    invalidatedAt: undefined,
    rows: undefined,
  };
}

/**
 * Returns the creation time of a value in seconds. Returns `undefined` if the value has no creation
 * time or its type can't be listed.
 */
export function readCreated<T>({ watch }: Watchable<T>, value: unknown): number | undefined {
  const { created } = value as { readonly created?: unknown };
  const ticks = watch.list && typeof created === 'string' ? parseTicks(created) : undefined;
  return ticks === undefined ? ticks : toSeconds(ticks);
}

/** Returns whether a read has returned a settled state. A provided value doesn't count. */
export function isSettled<T>({ type, held, readAt, isUnread }: Entry<T>): boolean {
  return (
    held !== undefined &&
    readAt !== undefined &&
    !isUnread &&
    (type.states?.isSettled(held.state) ?? false)
  );
}

/** Returns whether an entry is settled and its state can't change anymore. */
export function isFinal(entry: AnyEntry): boolean {
  // checked first, because this function runs for every entry in each period
  if (!isSettled(entry)) return false;
  const { held, type } = entry;
  const all: [string, readonly string[]][] = Object.entries(type.states?.transitions ?? {});
  return all.some(([state, moves]) => state === held?.state && moves.length === 0);
}

/** Returns whether an entry is final or only a list row, so that it needs no reads. */
export const isAtRest = (entry: AnyEntry): boolean => !entry.observers || isFinal(entry);

/**
 * Returns the value to compare with a read sent at `sentAt`. A value from an earlier watch only
 * counts as long as a replica may still have an older state.
 */
export function heldAgainst<T>(
  { held, readAt }: Entry<T>,
  sentAt: number,
): HeldState<T> | undefined {
  return held && (readAt !== undefined || mayLag(held, sentAt)) ? held : undefined;
}

/** Returns whether two snapshots have the same content, apart from times and `regressed`. */
export function saysSame(one: Snapshot<unknown>, other: Snapshot<unknown>): boolean {
  return (
    one.value === other.value &&
    one.freshness === other.freshness &&
    one.error?.code === other.error?.code &&
    one.unconfirmed === other.unconfirmed &&
    one.pending === other.pending
  );
}

/** Emits the current value with its freshness. Does nothing if the content hasn't changed. */
export function emit<T>(
  entry: Entry<T>,
  freshness: Exclude<Freshness, 'loading'>,
  error?: PaystateError,
  regressed?: true,
  asOf: number | undefined = entry.readAt,
): void {
  const snapshot = makeSnapshot(entry, freshness, error, regressed, asOf);
  if (saysSame(entry.snapshot, snapshot) && !regressed) return;
  entry.snapshot = snapshot;
  // an observer may have triggered a newer snapshot
  for (const observer of each(entry.observers))
    if (entry.snapshot === snapshot) observer.next(snapshot);
}

/**
 * Emits a value after it was applied. Its freshness becomes `fresh`, unless the value isn't fresh
 * or a read contradicts it. In those cases, the freshness stays the same.
 */
export function emitApplied(
  entry: AnyEntry,
  { regressed, asOf, isFresh }: { regressed?: true | undefined; asOf: number; isFresh: boolean },
  fresh: 'live' | 'stale',
): void {
  const { freshness, error, asOf: before = asOf } = entry.snapshot;
  const isSaid = isFresh && !entry.held?.contradiction;
  if (isSaid) emit(entry, fresh, undefined, regressed);
  else
    emit(
      entry,
      freshness === 'loading' ? 'stale' : freshness,
      error,
      regressed,
      Math.max(before, asOf),
    );
}

/**
 * Emits the snapshot again with the same freshness, after a change was announced, or a value was
 * provided or confirmed.
 */
export function emitAgain(entry: AnyEntry): void {
  const { asOf, error, freshness } = entry.snapshot;
  if (freshness !== 'loading') emit(entry, freshness, error, undefined, asOf);
}

/** Records a different state that our own relay has read but hasn't accepted yet. */
export function showUnconfirmed(entry: AnyEntry, state: string, sentAt: number): void {
  const { freshness, error } = entry.snapshot;
  entry.held = { ...entry.held!, contradiction: { state, sentAt } };
  if (freshness !== 'loading') emit(entry, freshness, error);
}

function makeSnapshot<T>(
  { announced, held, isUnread, rows, snapshot: before }: Entry<T>,
  freshness: Exclude<Freshness, 'loading'>,
  error: PaystateError | undefined,
  regressed: true | undefined,
  asOf: number | undefined = before.asOf,
): Snapshot<T> {
  if (!held || asOf === undefined)
    return emptySnapshot(
      freshness === 'live' || freshness === 'stale' ? 'loading' : freshness,
      error,
    );
  const { value, contradiction } = held;
  const pending = announced?.isPending || rows?.isPending ? 'announced' : undefined;
  const isSure = !pending && !isUnread && !rows?.isUnsure;
  const checkedAt = before.value === value ? Math.max(asOf, before.checkedAt ?? asOf) : asOf;
  const content: KnownSnapshot<T> = {
    value,
    asOf,
    checkedAt,
    freshness: freshness === 'live' && !isSure ? 'stale' : freshness,
    error,
    regressed,
    unconfirmed: contradiction?.state,
    pending,
  };
  return snapshotWith(content, isUnread);
}

/**
 * Records that a read as of `asOf` has confirmed the value. Changes the snapshot in place without
 * emitting it, because each round of reads can confirm thousands of values.
 */
export function noteChecked({ snapshot, held }: AnyEntry, asOf: number): void {
  if (snapshot.asOf !== undefined && snapshot.value === held?.value) setCheckedAt(snapshot, asOf);
}

/** The failed reads of an entry. Times are in milliseconds on the monotonic clock. */
interface Failures {
  /**
   * The status and code of the current series of failures. `firstAt` is the time of the first one,
   * and `counted` is the number of failures that were far enough apart.
   */
  readonly code: string;
  readonly firstAt: number;
  readonly countedAt: number;
  readonly counted: number;
  /** The number of consecutive failures, regardless of their codes. */
  readonly inARow: number;
}

/** The callers that are waiting for a read to end, by entry. */
export class ReadWaits {
  readonly #waits: Map<AnyEntry, Set<ReadWait>> = new Map();

  /** Resolves when a read sent at `from` or later, on the monotonic clock, has ended. */
  wait(entry: AnyEntry, from: number): Promise<void> {
    const waits = this.#waits.get(entry) ?? new Set();
    this.#waits.set(entry, waits);
    return new Promise((resolve) => void waits.add({ from, resolve }));
  }

  /**
   * Notifies the callers waiting for a read sent at this time. `Infinity` notifies all of them,
   * because there won't be another read.
   */
  end(entry: AnyEntry, sentAt: number): void {
    const waits = this.#waits.get(entry);
    if (!waits) return;
    for (const wait of waits) if (wait.from <= sentAt && waits.delete(wait)) wait.resolve();
    if (waits.size === 0) this.#waits.delete(entry);
  }

  /** Notifies all callers, because nothing can be requested for a while. */
  endAll(): void {
    for (const entry of this.#waits.keys()) this.end(entry, Infinity);
  }
}

/**
 * A caller waiting for a read sent at `from` or later, on the monotonic clock, to end.
 */
interface ReadWait {
  readonly from: number;
  resolve(): void;
}
