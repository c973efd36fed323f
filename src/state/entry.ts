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

/** Changes of a resource that were announced, and that no read has shown yet. */
interface Announced {
  readonly changes: number;
  /** The last of them was heard at this time, monotonic. */
  readonly at: number;
  /** At these times one more of them can be hidden by no replica any more; the earliest first. */
  readonly surelyAt: readonly number[];
  /** The state that was held then, or when one of them was shown. */
  readonly state: string | undefined;
  /** No read has shown one of them, nor was one sent so late that it would have to show it. */
  readonly isPending: boolean;
  /** A read showed a move at this time, monotonic, before the first of them was heard. */
  shownAt?: number | undefined;
}

/** Observes an entry for a watch. */
export interface EntryObserver<T> extends Observer<Snapshot<T>> {
  /** A read has ended; `isEmitted`: with an emission. */
  readEnded(isEmitted: boolean): void;
}

/**
 * Holds what is known of one watched resource, and when to read it next. Times are monotonic
 * milliseconds.
 */
export interface Entry<T> {
  readonly type: Watchable<T>;
  readonly id: string;
  /**
   * The whole second of creation, where it is known: many resources can be read by one list of that
   * time. It is `NaN` where a list of that time does not have the resource.
   */
  created: number | undefined;
  readonly bornAt: number;
  observers: Few<EntryObserver<T>>;
  held?: HeldState<T> | undefined;
  snapshot: Snapshot<T>;
  failures?: Failures | undefined;
  nextReadAt: number;
  /** A read is under way. */
  isReading?: boolean;
  /**
   * The next read confirms a contradiction, so a source that covers the entry does not replace it.
   */
  isConfirming?: boolean;
  /** It is read alone, because a list did not have it. */
  isReadAlone?: boolean;
  /** The reason of the latest read, or of the next one. */
  trigger: string;
  /**
   * Wall-clock time of the last successful read. It is absent before the first one, also where an
   * earlier watch has left a value.
   */
  readAt?: number | undefined;
  /** The last successful read was sent at this time, monotonic; `-Infinity` before the first. */
  readSentAt: number;
  /**
   * What the service said last was true at this time, monotonic: that of the latest read, or
   * earlier where a cache answered it.
   */
  trueAt: number;
  /** Changes that were announced and that no read has shown yet. */
  announced?: Announced | undefined;
  /** A read showed another state at this time, and nothing had announced that. */
  movedAt?: number | undefined;
  /**
   * No read of this watch has confirmed the value: it was handed in, comes from another call, or is
   * left of an earlier watch.
   */
  isUnread?: boolean;
  /** It was just made: until this time a copy of the data may not have it; monotonic. */
  youngUntil?: number | undefined;
  invalidatedAt?: number | undefined;
  noGapSince?: number | undefined;
  /** Present for a list: says what is known of its rows. */
  rows?: RowsState | undefined;
}

export type AnyEntry = Entry<unknown>;

/** The rows of a watched list, as far as its entry needs to know them. */
export interface RowsState {
  /** One read of the list takes at most this many requests. */
  readonly requests: number;
  /** A change of a row that is shown was announced, and no read shows it yet. */
  readonly isPending: boolean;
  /** The latest read of the list does not confirm all that is shown. */
  readonly isUnsure: boolean;
}

/** The watched lists as the hub sees them: it tells them everything that concerns their rows. */
export interface WatchedLists {
  /** Applies a read of a list, or of a resource that may be a row of lists. */
  apply(entry: AnyEntry, value: unknown, sentAt: number): void;
  /**
   * Applies a read of a resource without an entry, which it gets where a list has it as a row. A
   * value that was handed in may have one.
   */
  tell(resource: string, value: unknown, sentAt: number, isProvided: boolean): void;
  /**
   * Notes that a resource has changed, `age` as in `announce`; returns the lists that it concerns.
   */
  announce(resource: string, id: string, age: number, isCreation: boolean): readonly AnyEntry[];
  /** Says whether an entry is a row of a list. */
  hasRow(entry: AnyEntry): boolean;
  /** Ends a list whose entry is not watched any more. */
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
    // every entry has the same members from the start, which takes less memory
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

/** Returns the whole second of creation of a value, where it has one and is in a list. */
export function readCreated<T>({ watch }: Watchable<T>, value: unknown): number | undefined {
  const { created } = value as { readonly created?: unknown };
  const ticks = watch.list && typeof created === 'string' ? parseTicks(created) : undefined;
  return ticks === undefined ? ticks : toSeconds(ticks);
}

/** Says whether a read has shown that it is settled; a value that was handed in settles nothing. */
export function isSettled<T>({ type, held, readAt, isUnread }: Entry<T>): boolean {
  return (
    held !== undefined &&
    readAt !== undefined &&
    !isUnread &&
    (type.states?.isSettled(held.state) ?? false)
  );
}

/** Says whether it is settled and no other state can follow. */
export function isFinal(entry: AnyEntry): boolean {
  if (!isSettled(entry)) return false; // nearly all: this is asked of each in each period
  const { held, type } = entry;
  const all: [string, readonly string[]][] = Object.entries(type.states?.transitions ?? {});
  return all.some(([state, moves]) => state === held?.state && moves.length === 0);
}

/** Says whether nothing is read for an entry itself: it is final, or only lists show it. */
export const isAtRest = (entry: AnyEntry): boolean => !entry.observers || isFinal(entry);

/**
 * Returns what a read sent at `sentAt` is compared with. A value of an earlier watch counts only
 * while a replica may be behind it.
 */
export function heldAgainst<T>(
  { held, readAt }: Entry<T>,
  sentAt: number,
): HeldState<T> | undefined {
  return held && (readAt !== undefined || mayLag(held, sentAt)) ? held : undefined;
}

/** Says whether two snapshots say the same, apart from when and that a state went back. */
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
 * Emits what is held, and how fresh that is. A snapshot with the same content is not emitted again.
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
 * Emits a value that was applied, with the freshness `fresh`. The freshness stays as it was where
 * the value makes nothing fresh, or where a read contradicts it.
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

/** Emits the same freshness again, with what was announced, handed in or confirmed since. */
export function emitAgain(entry: AnyEntry): void {
  const { asOf, error, freshness } = entry.snapshot;
  if (freshness !== 'loading') emit(entry, freshness, error, undefined, asOf);
}

/** Shows that our own relay has read another state, which it does not believe yet. */
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
 * Notes that a read of the time `asOf` has confirmed the value. It changes the snapshot in place
 * and emits nothing, because thousands of values are confirmed in each round.
 */
export function noteChecked({ snapshot, held }: AnyEntry, asOf: number): void {
  if (snapshot.asOf !== undefined && snapshot.value === held?.value) setCheckedAt(snapshot, asOf);
}

/** The failed reads that a watch remembers; times are monotonic milliseconds. */
interface Failures {
  /**
   * Status and code of the failures in a row, with the time of the first one and how many were far
   * enough apart.
   */
  readonly code: string;
  readonly firstAt: number;
  readonly countedAt: number;
  readonly counted: number;
  /** Failures in a row of any kind. */
  readonly inARow: number;
}

/** Holds the callers that have asked for a read and wait for its end, by resource. */
export class ReadWaits {
  readonly #waits: Map<AnyEntry, Set<ReadWait>> = new Map();

  /** Resolves when a read has ended that was sent at `from` or later, monotonic. */
  wait(entry: AnyEntry, from: number): Promise<void> {
    const waits = this.#waits.get(entry) ?? new Set();
    this.#waits.set(entry, waits);
    return new Promise((resolve) => void waits.add({ from, resolve }));
  }

  /**
   * Tells those who wait for a read of this time; with `Infinity`, that no further one will come.
   */
  end(entry: AnyEntry, sentAt: number): void {
    const waits = this.#waits.get(entry);
    if (!waits) return;
    for (const wait of waits) if (wait.from <= sentAt && waits.delete(wait)) wait.resolve();
    if (waits.size === 0) this.#waits.delete(entry);
  }

  /** Tells all that nothing can be asked for a while. */
  endAll(): void {
    for (const entry of this.#waits.keys()) this.end(entry, Infinity);
  }
}

/** A caller that waits for the end of a read that was sent at `from` or later, monotonic. */
interface ReadWait {
  readonly from: number;
  resolve(): void;
}
