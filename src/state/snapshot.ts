import type { WatchActions } from '../core/watch.ts';
import type { PaystateError } from '../core/errors/index.ts';

/** How far a known value can be trusted. */
export interface KnownSnapshot<T> {
  /** What was read last, or handed in by `provide` since. */
  readonly value: T;
  /** When the value was read, milliseconds since 1970. */
  readonly asOf: number;
  /**
   * When a read last confirmed the value, milliseconds since 1970; never earlier than `asOf`. It
   * follows each read in place: nothing is emitted for it, and the object stays the same.
   */
  readonly checkedAt: number;
  /**
   * `live` as of its last read · `stale` a read failed, there was
   * none lately, or something newer was announced or handed in that no read has confirmed · `offline` this
   * machine has no network · `blocked` the service refuses to respond for a while · `failed` the
   * watch has ended with `error`.
   */
  readonly freshness: 'live' | 'stale' | 'offline' | 'blocked' | 'failed';
  /** What stands in the way of a fresh read. It never changes the value. */
  readonly error?: PaystateError | undefined;
  /** The state went back, and two reads say so. */
  readonly regressed?: true | undefined;
  /**
   * A state behind that of `value` that was read since. It is not believed yet: it may come from a
   * copy of the data that is up to 30 s old.
   */
  readonly unconfirmed?: string | undefined;
  /**
   * A change was announced, by an event, by `invalidate` or by the answer of a call, and no read
   * shows it yet: the value is not `live`.
   */
  readonly pending?: 'announced' | undefined;
}

/** Nothing is known yet, and why. */
export interface EmptySnapshot {
  /** Absent: nothing was read yet. */
  readonly value?: undefined;
  /** Absent: nothing was read yet. */
  readonly asOf?: undefined;
  /** Absent: nothing was read yet. */
  readonly checkedAt?: undefined;
  /**
   * `loading` the first read is under way, or failed and is repeated · `offline` this machine has
   * no network · `blocked` the service refuses to respond for a while · `failed` the watch has ended
   * with `error`.
   */
  readonly freshness: 'loading' | 'offline' | 'blocked' | 'failed';
  /** What stands in the way of the first read. */
  readonly error?: PaystateError | undefined;
  /** Absent: nothing was read yet. */
  readonly regressed?: undefined;
  /** Absent: nothing was read yet. */
  readonly unconfirmed?: undefined;
  /** Absent: nothing was read yet. */
  readonly pending?: undefined;
}

/**
 * What is true of a resource, and how fresh that is. Emitted when value, freshness, the error's code,
 * `unconfirmed` or `pending` changes. While nothing is known, `value` is absent.
 */
export type Snapshot<T> = KnownSnapshot<T> | EmptySnapshot;

/** How far a value can be trusted, or why there is none; see `Snapshot`. */
export type Freshness = Snapshot<unknown>['freshness'];

/** Nothing is known, and nothing has failed. */
export const LOADING: EmptySnapshot = { freshness: 'loading' };

/** Notes when a read last confirmed the value: the snapshot stays the same object. */
export function setCheckedAt(snapshot: KnownSnapshot<unknown>, at: number): void {
  (snapshot as { checkedAt: number }).checkedAt = at;
}

/** Options of every watch. */
export interface WatchOptions {
  /** Ends the watch without an error. */
  readonly signal?: AbortSignal | undefined;
  /**
   * `never`: go on after a settled state, for resources that can be reversed. The event feed tells of
   * that; without it the value is read every half hour, and is `stale` in between.
   */
  readonly until?: 'settled' | 'never' | undefined;
}

/**
 * Copies what a watch shows and adds the actions of that watch, for hooks and refs. The `checkedAt` of
 * the copy is that of the snapshot, which changes in place.
 */
export function withActions<Shown extends object, T>(
  shown: Shown & { readonly checkedAt?: number | undefined },
  { retry, refresh }: WatchActions<T>,
): Shown & WatchActions<T> {
  const copy = { ...shown, retry, refresh };
  if (shown.checkedAt === undefined) return copy;
  return Object.defineProperty(copy, 'checkedAt', { get: () => shown.checkedAt });
}
