import type { PaystateError } from '../core/errors/index.ts';
import { secondsOf, ticksOf } from '../core/time.ts';
import { each, type Few, type Observer } from '../core/watch.ts';
import { type ConfirmingReads, type HeldState, mayLag } from '../resources/held-state.ts';
import type { Watchable } from '../resources/resource.ts';
import {
  type Freshness,
  type KnownSnapshot,
  LOADING,
  markKept,
  setCheckedAt,
  type Snapshot,
} from './snapshot.ts';

/** Changes of a resource that were announced, and that no read has shown yet. */
interface Announced {
  readonly changes: number;
  /** When the last of them was heard, monotonic. */
  readonly at: number;
  /** From when on no replica can hide one or another of them; the earliest first. */
  readonly surelyAt: readonly number[];
  /** The state that was held then, or when one of them was shown. */
  readonly state: string | undefined;
  readonly reads?: ConfirmingReads | undefined;
  /** No read has shown one of them, or was sent so late that it must have. */
  readonly isPending: boolean;
}

/**
 * One watched resource: what is known of it, and when to read it next. Times are monotonic
 * milliseconds.
 */
export interface Entry<T> {
  readonly type: Watchable<T>;
  readonly id: string;
  /**
   * Whole second of creation, where it is known: lets many reads share a window. `NaN`: a list does
   * not show it there.
   */
  created: number | undefined;
  readonly bornAt: number;
  observers: Few<Observer<Snapshot<T>>>;
  held?: HeldState<T> | undefined;
  snapshot: Snapshot<T>;
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
  /** When the last successful read was sent, monotonic; `-Infinity` before the first. */
  readSentAt: number;
  /** Changes that were announced and that no read has shown yet. */
  announced?: Announced | undefined;
  /** When a read showed another state than the one before it, which nothing had announced. */
  movedAt?: number | undefined;
  /**
   * What is held was handed in, told to another call, or is left of an earlier watch: no read of this
   * one has confirmed it.
   */
  isUnread?: boolean;
  /** Until when a copy of the data may not have it yet, because it was just made; monotonic. */
  youngUntil?: number | undefined;
  invalidatedAt?: number | undefined;
  noGapSince?: number | undefined;
  /** Of a list: what is known of its rows. */
  rows?: RowsState | undefined;
}

export type AnyEntry = Entry<unknown>;

/** What a watched list says of its rows. */
export interface RowsState {
  /** Requests of one read of the list, at most. */
  readonly requests: number;
  /** A change of a row that is shown was announced, and no read shows it yet. */
  readonly isPending: boolean;
  /** The latest read of the list does not confirm all that is shown. */
  readonly isUnsure: boolean;
}

/**
 * How a list was told of a row: by a read, by a watch of that row, which goes on knowing it, or by
 * a value that was handed in and that no read has shown.
 */
export type RowOrigin = 'read' | 'watched' | 'provided';

/** Takes a read in; `againAt`: when to read again to settle what it leaves open. */
type ApplyOne = (entry: AnyEntry, value: unknown, sentAt: number, againAt?: number) => void;

/** The lists that are watched: they are told of their rows whatever is known. */
export interface WatchedLists {
  /** Takes a read of a list, or of a resource that may be a row of lists, in by `applyOne`. */
  apply(entry: AnyEntry, value: unknown, sentAt: number, applyOne: ApplyOne): void;
  /** Tells the lists of values of this resource. */
  tell(resource: string, values: readonly unknown[], sentAt: number, how: RowOrigin): void;
  /** A resource has changed; `age` as in an announcement. Returns the lists that are concerned. */
  announce(resource: string, id: string, age: number, isCreation: boolean): readonly AnyEntry[];
  /** Whether a list shows a row that this id is about. */
  has(id: string): boolean;
  /** The entry is watched no more. */
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
    bornAt: now,
    nextReadAt: Infinity,
    snapshot: LOADING,
    trigger: '',
    readSentAt: -Infinity,
    // members that every entry gets, so that none is added one by one
    observers: undefined,
    isReading: false,
    readAt: undefined,
    held: undefined,
    noGapSince: undefined,
    isConfirming: false,
    isReadAlone: false,
    failures: undefined,
    readAgain: undefined,
    announced: undefined,
    movedAt: undefined,
    isUnread: false,
    youngUntil: undefined,
    invalidatedAt: undefined,
    rows: undefined,
  };
}

/** Whole second of creation, of a value that may say it and that is in a list. */
export function createdOf<T>({ watch }: Watchable<T>, value: unknown): number | undefined {
  const { created } = value as { readonly created?: unknown };
  const ticks = watch.list && typeof created === 'string' ? ticksOf(created) : undefined;
  return ticks === undefined ? ticks : secondsOf(ticks);
}

/** A read has shown that it is settled; what was only handed in settles nothing. */
export function isSettled<T>({ type, held, readAt, isUnread }: Entry<T>): boolean {
  return (
    held !== undefined &&
    readAt !== undefined &&
    !isUnread &&
    (type.states?.isSettled(held.state) ?? false)
  );
}

/** It is settled, and no state follows. */
export function isFinal(entry: AnyEntry): boolean {
  const { held, type } = entry;
  const { transitions } = type.states ?? {};
  const moves = transitions && new Map(Object.entries(transitions)).get(held?.state ?? '');
  return isSettled(entry) && moves?.length === 0;
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
  freshness: Exclude<Freshness, 'loading'>,
  error?: PaystateError,
  regressed?: true,
  asOf: number | undefined = entry.readAt,
): void {
  const { snapshot: before } = entry;
  const snapshot = snapshotOf(entry, freshness, error, regressed, asOf);
  if (
    before.value === snapshot.value &&
    before.freshness === snapshot.freshness &&
    before.error?.code === error?.code &&
    before.unconfirmed === snapshot.unconfirmed &&
    before.pending === snapshot.pending &&
    !regressed
  )
    return;
  entry.snapshot = snapshot;
  for (const observer of each(entry.observers))
    if (entry.snapshot === snapshot) observer.next(snapshot); // else a listener has made a newer one
}

/**
 * Emits a value that was taken in, as live or stale as `fresh` says; one that makes nothing fresh leaves
 * freshness as it is, and so does a read that says otherwise.
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

/** Says the same again, with what was announced, handed in or confirmed since. */
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

function snapshotOf<T>(
  { announced, held, isUnread, rows, snapshot: before }: Entry<T>,
  freshness: Exclude<Freshness, 'loading'>,
  error: PaystateError | undefined,
  regressed: true | undefined,
  asOf: number | undefined = before.asOf,
): Snapshot<T> {
  if (!held || asOf === undefined)
    return {
      freshness: freshness === 'live' || freshness === 'stale' ? 'loading' : freshness,
      error,
    };
  const { value, contradiction } = held;
  const pending = announced?.isPending || rows?.isPending ? 'announced' : undefined;
  const isSure = !pending && !isUnread && !rows?.isUnsure;
  const checkedAt = before.value === value ? Math.max(asOf, before.checkedAt ?? asOf) : asOf;
  const snapshot: KnownSnapshot<T> = {
    value,
    asOf,
    checkedAt,
    freshness: freshness === 'live' && !isSure ? 'stale' : freshness,
    error,
    regressed,
    unconfirmed: contradiction?.state,
    pending,
  };
  return isUnread ? markKept(snapshot) : snapshot;
}

/**
 * Notes that a read has confirmed the value, at `asOf`, by changing the snapshot in place: thousands
 * are confirmed in each round, and nobody is told.
 */
export function noteChecked({ snapshot, held }: AnyEntry, asOf: number): void {
  if (snapshot.asOf === undefined || snapshot.value !== held?.value) return;
  if (asOf > snapshot.checkedAt) setCheckedAt(snapshot, asOf);
}

/** What a watch remembers of its failed reads; times are monotonic milliseconds. */
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

/** Who waits for the end of a read, by resource. */
export class ReadWaits {
  readonly #waits: Map<AnyEntry, Set<ReadWait>> = new Map();

  /** `tell` is called when a read has ended that was sent at `from` or later. */
  add(entry: AnyEntry, from: number, tell: ReadWait['tell']): void {
    const waits = this.#waits.get(entry) ?? new Set();
    this.#waits.set(entry, waits.add({ from, tell }));
  }

  /** A read has ended that was sent then; `Infinity`: none will be. */
  end(entry: AnyEntry, sentAt: number, isEmitted: boolean): void {
    const waits = this.#waits.get(entry);
    if (!waits) return;
    const over = [...waits].filter(({ from }) => from <= sentAt);
    for (const wait of over) waits.delete(wait);
    if (waits.size === 0) this.#waits.delete(entry);
    for (const { tell } of over) tell(isEmitted);
  }

  /** Nothing can be asked for a while: those who have asked for a read wait no longer. */
  endAll(): void {
    for (const waits of this.#waits.values())
      for (const wait of [...waits])
        if (wait.from > -Infinity && waits.delete(wait)) wait.tell(true);
  }
}

/** Who waits for the end of a read that was sent at `from` or later; monotonic. */
interface ReadWait {
  readonly from: number;
  tell(isEmitted: boolean): void;
}
