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

/** Announced changes of a resource that no read has shown yet. */
interface Announced {
  readonly changes: number;
  /** When the last of them was announced, monotonic. */
  readonly at: number;
  /** For each of them, when no replica can hide it any more, earliest first. */
  readonly surelyAt: readonly number[];
  /** The state that was held then, or when one of them was shown. */
  readonly state: string | undefined;
  /** No read has shown any of them, and none was sent so late that it would have to. */
  readonly isPending: boolean;
  /** When a read showed a move before the first of them was announced, monotonic. */
  shownAt?: number | undefined;
}

/** Observes an entry for a watch. */
export interface EntryObserver<T> extends Observer<Snapshot<T>> {
  /** A read has ended. `isEmitted` tells whether it emitted anything. */
  readEnded(isEmitted: boolean): void;
}

/**
 * What is known of one watched resource, and when to read it next. Times are monotonic
 * milliseconds.
 */
export interface Entry<T> {
  readonly type: Watchable<T>;
  readonly id: string;
  /**
   * Creation time, truncated to the second, if known. One list read for that second can cover many
   * resources. `NaN` if that list doesn't include this resource.
   */
  created: number | undefined;
  readonly bornAt: number;
  observers: Few<EntryObserver<T>>;
  held?: HeldState<T> | undefined;
  snapshot: Snapshot<T>;
  failures?: Failures | undefined;
  nextReadAt: number;
  /** Whether a read is in flight. */
  isReading?: boolean;
  /** The next read confirms a contradiction, so a source that covers the entry can't replace it. */
  isConfirming?: boolean;
  /** It's read on its own, because a list didn't include it. */
  isReadAlone?: boolean;
  /** Reason of the latest read, or of the next one. */
  trigger: string;
  /**
   * Wall-clock time of the last successful read. Absent before the first one, even if an earlier
   * watch has left a value.
   */
  readAt?: number | undefined;
  /** When the last successful read was sent, monotonic. `-Infinity` before the first. */
  readSentAt: number;
  /**
   * When the service's last response was true, monotonic. That's the time of the latest read, or
   * earlier if the response came from a cache.
   */
  trueAt: number;
  /** Announced changes that no read has shown yet. */
  announced?: Announced | undefined;
  /** When a read showed another state that nothing had announced. */
  movedAt?: number | undefined;
  /**
   * No read of this watch has confirmed the value. It was provided, comes from another call, or is
   * left over from an earlier watch.
   */
  isUnread?: boolean;
  /** It has just been created, so until this time a replica may not have it. Monotonic. */
  youngUntil?: number | undefined;
  invalidatedAt?: number | undefined;
  noGapSince?: number | undefined;
  /** What is known of a list's rows. Only present for a list. */
  rows?: RowsState | undefined;
}

export type AnyEntry = Entry<unknown>;

/** The rows of a watched list, as far as its entry needs to know them. */
export interface RowsState {
  /** Maximum number of requests for one read of the list. */
  readonly requests: number;
  /** A change to a visible row was announced, and no read has shown it yet. */
  readonly isPending: boolean;
  /** The latest read of the list doesn't confirm everything that's visible. */
  readonly isUnsure: boolean;
}

/** The watched lists as seen by the hub, which passes everything on that affects their rows. */
export interface WatchedLists {
  /** Applies a read of a list, or of a resource that may be a row in lists. */
  apply(entry: AnyEntry, value: unknown, sentAt: number): void;
  /**
   * Applies a read of a resource without an entry. It gets one if a list has it as a row. A
   * provided value may already have one.
   */
  tell(resource: string, value: unknown, sentAt: number, isProvided: boolean): void;
  /**
   * Records that a resource has changed, with `age` as in `announce`. Returns the affected lists.
   */
  announce(resource: string, id: string, age: number, isCreation: boolean): readonly AnyEntry[];
  /** Returns whether an entry is a row of a list. */
  hasRow(entry: AnyEntry): boolean;
  /** Ends a list whose entry is no longer watched. */
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
    bornAt: Math.floor(now), // whole milliseconds use less memory
    nextReadAt: Infinity,
    snapshot: LOADING,
    trigger: '',
    readSentAt: -Infinity,
    trueAt: -Infinity,
    // every entry has the same properties from the start, which uses less memory
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
 * Returns the creation time of a value, truncated to the second, if it has one and belongs to a
 * list.
 */
export function readCreated<T>({ watch }: Watchable<T>, value: unknown): number | undefined {
  const { created } = value as { readonly created?: unknown };
  const ticks = watch.list && typeof created === 'string' ? parseTicks(created) : undefined;
  return ticks === undefined ? ticks : toSeconds(ticks);
}

/** Returns whether a read has shown that it's settled. A provided value doesn't settle anything. */
export function isSettled<T>({ type, held, readAt, isUnread }: Entry<T>): boolean {
  return (
    held !== undefined &&
    readAt !== undefined &&
    !isUnread &&
    (type.states?.isSettled(held.state) ?? false)
  );
}

/** Returns whether it's settled and no other state can follow. */
export function isFinal(entry: AnyEntry): boolean {
  // true for nearly all, and this is checked for each in every period
  if (!isSettled(entry)) return false;
  const { held, type } = entry;
  const all: [string, readonly string[]][] = Object.entries(type.states?.transitions ?? {});
  return all.some(([state, moves]) => state === held?.state && moves.length === 0);
}

/** Returns whether an entry itself needs no reads, because it's final or only lists show it. */
export const isAtRest = (entry: AnyEntry): boolean => !entry.observers || isFinal(entry);

/**
 * Returns what a read sent at `sentAt` is compared with. A value from an earlier watch only counts
 * while a replica may lag behind it.
 */
export function heldAgainst<T>(
  { held, readAt }: Entry<T>,
  sentAt: number,
): HeldState<T> | undefined {
  return held && (readAt !== undefined || mayLag(held, sentAt)) ? held : undefined;
}

/** Returns whether two snapshots are the same, apart from times and from a state that went back. */
export function saysSame(one: Snapshot<unknown>, other: Snapshot<unknown>): boolean {
  return (
    one.value === other.value &&
    one.freshness === other.freshness &&
    one.error?.code === other.error?.code &&
    one.unconfirmed === other.unconfirmed &&
    one.pending === other.pending
  );
}

/**
 * Emits the held value, and how fresh it is. Doesn't emit a snapshot with the same content again.
 */
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
  // a listener may have caused a newer snapshot
  for (const observer of each(entry.observers))
    if (entry.snapshot === snapshot) observer.next(snapshot);
}

/**
 * Emits a value that was applied, with the freshness `fresh`. The freshness doesn't change if the
 * value makes nothing fresh, or if a read contradicts it.
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

/** Emits the same freshness again, with what has since been announced, provided or confirmed. */
export function emitAgain(entry: AnyEntry): void {
  const { asOf, error, freshness } = entry.snapshot;
  if (freshness !== 'loading') emit(entry, freshness, error, undefined, asOf);
}

/** Shows that our own relay has read another state, which it hasn't accepted yet. */
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
 * Records that a read as of `asOf` has confirmed the value. Changes the snapshot in place and emits
 * nothing, because each round confirms thousands of values.
 */
export function noteChecked({ snapshot, held }: AnyEntry, asOf: number): void {
  if (snapshot.asOf !== undefined && snapshot.value === held?.value) setCheckedAt(snapshot, asOf);
}

/** The failed reads a watch remembers. Times are monotonic milliseconds. */
interface Failures {
  /**
   * Status and code of the failures in a row, when the first one was, and how many were far enough
   * apart.
   */
  readonly code: string;
  readonly firstAt: number;
  readonly countedAt: number;
  readonly counted: number;
  /** Number of failures in a row of any kind. */
  readonly inARow: number;
}

/** The callers that have requested a read and are waiting for its end, by resource. */
export class ReadWaits {
  readonly #waits: Map<AnyEntry, Set<ReadWait>> = new Map();

  /** Resolves when a read has ended that was sent at `from` or later, monotonic. */
  wait(entry: AnyEntry, from: number): Promise<void> {
    const waits = this.#waits.get(entry) ?? new Set();
    this.#waits.set(entry, waits);
    return new Promise((resolve) => void waits.add({ from, resolve }));
  }

  /**
   * Notifies those waiting for a read sent at this time. With `Infinity`, tells them that there
   * won't be another one.
   */
  end(entry: AnyEntry, sentAt: number): void {
    const waits = this.#waits.get(entry);
    if (!waits) return;
    for (const wait of waits) if (wait.from <= sentAt && waits.delete(wait)) wait.resolve();
    if (waits.size === 0) this.#waits.delete(entry);
  }

  /** Tells everyone that nothing can be requested for a while. */
  endAll(): void {
    for (const entry of this.#waits.keys()) this.end(entry, Infinity);
  }
}

/** A caller waiting for the end of a read sent at `from` or later, monotonic. */
interface ReadWait {
  readonly from: number;
  resolve(): void;
}
