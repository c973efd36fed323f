import {
  badInput,
  checkMethods,
  checkOptions,
  type Expected,
  type PaystateError,
  ResponseError,
  UnreachableError,
} from '../core/errors/index.ts';
import { countWait, onAbort, systemClock } from '../core/time.ts';
import { frozenCopy, type Watch, type WatchActions, watchClock } from '../core/watch.ts';
import { isSettled } from '../resources/any-resource.ts';

/** A value that is known, and how far it can be trusted. */
export interface KnownSnapshot<T> {
  /** The value that was read last, or that was handed in by `provide` since. */
  readonly value: T;
  /** The time at which the value was read, milliseconds since 1970. */
  readonly asOf: number;
  /**
   * The time at which a read last confirmed the value, milliseconds since 1970; never earlier than
   * `asOf`, unless the clock was set back since. It follows each read: nothing is emitted for it,
   * and the object stays the same. A copy has the time at which it was made.
   */
  readonly checkedAt: number;
  /**
   * `live`: true as of its last read · `stale`: a read failed, there was none lately, or something
   * newer was announced or handed in that no read has confirmed · `offline`: this machine has no
   * network · `blocked`: the service refuses to respond for a while · `failed`: the watch has ended
   * with `error`.
   */
  readonly freshness: 'live' | 'stale' | 'offline' | 'blocked' | 'failed';
  /** The reason why there is no fresh read. It never changes the value. */
  readonly error?: PaystateError | undefined;
  /** The state went back to an earlier one, and two reads say so. */
  readonly regressed?: true | undefined;
  /**
   * An earlier state than that of `value` which was read since. It is not believed yet: it may come
   * from a copy of the data that is up to 30 s old.
   */
  readonly unconfirmed?: string | undefined;
  /**
   * A change was announced, by an event, by `invalidate` or by the answer of a call, and no read
   * shows it yet: the value is not `live`.
   */
  readonly pending?: 'announced' | undefined;
}

/** Nothing is known yet; `freshness` and `error` say why. */
export interface EmptySnapshot {
  /** Absent: nothing was read yet. */
  readonly value?: undefined;
  /** Absent: nothing was read yet. */
  readonly asOf?: undefined;
  /** Absent: nothing was read yet. */
  readonly checkedAt?: undefined;
  /**
   * `loading`: the first read is under way, or failed and is repeated · `offline`: this machine has
   * no network · `blocked`: the service refuses to respond for a while · `failed`: the watch has
   * ended with `error`.
   */
  readonly freshness: 'loading' | 'offline' | 'blocked' | 'failed';
  /** The reason why there is no first read yet. */
  readonly error?: PaystateError | undefined;
  /** Absent: nothing was read yet. */
  readonly regressed?: undefined;
  /** Absent: nothing was read yet. */
  readonly unconfirmed?: undefined;
  /** Absent: nothing was read yet. */
  readonly pending?: undefined;
}

/**
 * Says what is true of a resource, and how fresh that is. It is emitted when the value, the
 * freshness, the error's code, `unconfirmed` or `pending` changes. While nothing is known, `value`
 * is absent.
 */
export type Snapshot<T> = KnownSnapshot<T> | EmptySnapshot;

/** Says how far a value can be trusted, or why there is none; see `Snapshot`. */
export type Freshness = Snapshot<unknown>['freshness'];

/** Nothing is known, and nothing has failed. */
export const LOADING: EmptySnapshot = /* @__PURE__ */ Object.freeze({ freshness: 'loading' });

/** Makes the snapshot of an observer that knows nothing yet. */
export function emptySnapshot(
  freshness: EmptySnapshot['freshness'],
  error: PaystateError | undefined,
): EmptySnapshot {
  return frozenCopy({ freshness, error });
}

/** Says when a read last confirmed a value; `isKept`: it was kept or handed in, and none has. */
interface Checked {
  readonly at: number;
  readonly isKept?: boolean;
}

/**
 * Under this symbol a snapshot has a function that gives what was noted last, or notes more. An
 * object would not do, because receivers freeze all that they get. It is registered, because the
 * engine may have a copy of this file.
 */
const CHECKED: unique symbol = /* @__PURE__ */ Symbol.for('paystate.checked');

interface Hidden {
  readonly [CHECKED]?: (next?: Checked) => Checked;
}

/** One getter for all snapshots: with one for each, engines keep every snapshot as a hash table. */
function getCheckedAt(this: Hidden): number {
  return this[CHECKED]!().at;
}

/**
 * Makes the snapshot that all observers share: nobody can write into it. With `isKept` it says that
 * no read of this watch has confirmed the value yet, which copies do not have.
 */
export function snapshotWith<T>(
  { checkedAt, ...rest }: KnownSnapshot<T>,
  isKept: boolean = false,
): KnownSnapshot<T> {
  let noted: Checked = { at: checkedAt, isKept };
  const note = (next = noted) => {
    noted = next;
    return next;
  };
  Object.defineProperty(rest, 'checkedAt', { get: getCheckedAt, enumerable: true });
  Object.defineProperty(rest, CHECKED, { value: note });
  frozenCopy(rest.error);
  return Object.freeze(rest) as unknown as KnownSnapshot<T>;
}

/** Notes when a read last confirmed the value; the snapshot stays the same object. */
export function setCheckedAt(snapshot: KnownSnapshot<unknown>, at: number): void {
  (snapshot as Hidden)[CHECKED]!({ at });
}

/** Says whether no read has confirmed a value that was kept or handed in. */
export function isKept(snapshot: Snapshot<unknown>): boolean {
  return (snapshot as Hidden)[CHECKED]?.().isKept === true;
}

/** Options of every watch. */
export interface WatchOptions {
  /** Ends the watch without an error. */
  readonly signal?: AbortSignal | undefined;
  /**
   * `never`: the watch goes on after a settled state, for resources that can be reversed.
   */
  readonly until?: 'settled' | 'never' | undefined;
}

export const WATCH_OPTIONS: Expected<WatchOptions> = {
  signal: 'signal',
  until: ['settled', 'never'],
};

/**
 * Copies what a watch shows and adds the actions of that watch, for hooks and refs. The `checkedAt`
 * of the copy is that of the snapshot, which changes in place.
 */
export function withActions<Shown extends object, T>(
  shown: Shown & { readonly checkedAt?: Snapshot<unknown>['checkedAt'] },
  { retry, refresh }: WatchActions<T>,
): Shown & WatchActions<T> {
  const copy = { ...shown, retry, refresh };
  if (shown.checkedAt === undefined) return copy;
  return Object.defineProperty(copy, 'checkedAt', { get: () => shown.checkedAt });
}

/** Says how long to wait. */
export interface WaitOptions {
  /** The longest time to wait, milliseconds; without it there is no limit. */
  readonly timeout?: number | undefined;
  /** Ends the waiting: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

const WAIT_OPTIONS: Expected<WaitOptions> = { timeout: 'number', signal: 'signal' };

/** Says how the wait for a settled value ended. */
export interface SettledResult<T> {
  /** False if the time is over or the watch's own signal has ended it, which is not a failure. */
  readonly settled: boolean;
  /** The snapshot at that time. */
  readonly snapshot: Snapshot<T>;
}

/**
 * Waits until a watched value is settled. A timeout is not a failure: the result says `settled:
 * false` and what is true at that time.
 *
 * @param options `timeout` in milliseconds, `signal`
 * @throws what ends the watch: RefusedError, AuthenticationError; the signal's reason; InputError
 * for a `timeout` that is not a number
 * @example
 * const watch = watchInvoice(client, invoice);
 * const { settled, snapshot } = await waitUntilSettled(watch, { timeout: 60_000 });
 */
export async function waitUntilSettled<T extends { readonly state: string }>(
  watch: Watch<Snapshot<T>>,
  options: WaitOptions = {},
): Promise<SettledResult<T>> {
  checkMethods('watch', watch, 'current', 'subscribe');
  checkOptions(options, WAIT_OPTIONS);
  // a value that was handed in or is left of an earlier watch has to be confirmed by a read
  const isDone = ({ value, freshness }: Snapshot<T>) =>
    value !== undefined && freshness === 'live' && isSettled(value.state);
  const snapshot = (await next(watch, isDone, options, 'waitUntilSettled()')).last;
  return { settled: isDone(snapshot), snapshot };
}

/**
 * Waits for a value that is read from now on: the first one, or the first one that fits. A value
 * that is left of an earlier watch does not count.
 *
 * @param options `where` says which value fits; `timeout` in milliseconds, `signal`
 * @throws UnreachableError `TIMEOUT` after the time; ResponseError `WATCH_ENDED` where the watch
 * completes without such a value; what ends the watch; the signal's reason; InputError for a
 * `timeout` that is not a number
 * @example
 * const balances = await firstValue(watchBalances(client), { timeout: 10_000 });
 */
export async function firstValue<T>(
  watch: Watch<Snapshot<T>>,
  options: WaitOptions & { readonly where?: (value: T) => boolean } = {},
): Promise<T> {
  checkMethods('watch', watch, 'current', 'subscribe');
  checkOptions<WaitOptions & { readonly where?: (value: never) => boolean }>(options, {
    ...WAIT_OPTIONS,
    where: 'function',
  });
  const { where = () => true, ...wait } = options;
  const fits = ({ freshness, value }: Snapshot<T>) => freshness === 'live' && where(value as T);
  const { last, end } = await next(watch, fits, wait, 'firstValue()');
  if (fits(last)) return last.value as T;
  const { error } = last;
  const because = error ? ` (${error.code})` : '';
  if (end === 'time')
    throw new UnreachableError(`no match within ${options.timeout} ms${because}; call again`, {
      code: 'TIMEOUT',
      outcome: 'not-done',
      next: 'retry',
    });
  throw new ResponseError('the watch ended without a match', {
    code: 'WATCH_ENDED',
    outcome: 'not-done',
    next: 'stop',
  });
}

/** The snapshot that a wait ended with, and why it ended. */
interface Found<T> {
  readonly last: Snapshot<T>;
  readonly end: 'value' | 'watch' | 'time';
}

/**
 * Resolves to the first snapshot that fits, or to the last one before the watch or the time ended.
 */
function next<T>(
  watch: Watch<Snapshot<T>>,
  fits: (snapshot: Snapshot<T>) => boolean,
  options: WaitOptions,
  what: string,
): Promise<Found<T>> {
  const { timeout = Infinity, signal } = options;
  if (!Number.isFinite(timeout) && timeout !== Infinity)
    throw badInput('timeout', 'must be milliseconds');
  const { [watchClock]: clock = systemClock } = watch;
  const found = new Promise<Found<T>>((resolve, reject) => {
    const timer = new AbortController();
    let last = watch.current();
    const finish = () => {
      timer.abort();
      unlisten();
      queueMicrotask(() => stop()); // the first call may come before `stop` is there
    };
    const end = (how: 'value' | 'watch' | 'time') => {
      finish();
      resolve({ last, end: how });
    };
    const abort = () => {
      finish();
      reject(signal!.reason);
    };
    if (timeout < Infinity)
      void clock.wait(timeout, timer.signal).then(() => void (timer.signal.aborted || end('time')));
    const unlisten = onAbort(signal, abort);
    const stop = watch.subscribe({
      next(snapshot) {
        last = snapshot;
        if (fits(snapshot)) end('value');
      },
      error(reason) {
        finish();
        reject(reason);
      },
      complete: () => end('watch'),
    });
    if (signal?.aborted) abort();
  });
  return countWait(clock, found, what);
}
