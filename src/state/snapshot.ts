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

/** A known value, and how far you can trust it. */
export interface KnownSnapshot<T> {
  /** The value that was last read, or provided since with `provide`. */
  readonly value: T;
  /** When the value was read, in milliseconds since 1970. */
  readonly asOf: number;
  /**
   * When a read last confirmed the value, in milliseconds since 1970. Never earlier than `asOf`,
   * unless the clock has been set back. It's updated with each read, without an emission and on the
   * same object. In a copy, it's the time as of the copy.
   */
  readonly checkedAt: number;
  /**
   * `live`: true as of its last read · `stale`: a read failed, there was none lately, or something
   * newer was announced or provided that no read has confirmed · `offline`: this machine has no
   * network · `blocked`: the service refuses requests for a while · `failed`: the watch has ended
   * with `error`.
   */
  readonly freshness: 'live' | 'stale' | 'offline' | 'blocked' | 'failed';
  /** Why there's no fresh read. Never changes the value. */
  readonly error?: PaystateError | undefined;
  /** Set if the state went back to an earlier one, as confirmed by two reads. */
  readonly regressed?: true | undefined;
  /**
   * A state earlier than that of `value` that was read since. It isn't accepted yet, because it may
   * come from a replica that lags by up to 30 s.
   */
  readonly unconfirmed?: string | undefined;
  /**
   * Set if a change was announced by an event, by `invalidate` or by the response to a call, and no
   * read has shown it yet. The value isn't `live`.
   */
  readonly pending?: 'announced' | undefined;
}

/** Nothing is known yet. `freshness` and `error` explain why. */
export interface EmptySnapshot {
  /** Absent, because nothing has been read yet. */
  readonly value?: undefined;
  /** Absent, because nothing has been read yet. */
  readonly asOf?: undefined;
  /** Absent, because nothing has been read yet. */
  readonly checkedAt?: undefined;
  /**
   * `loading`: the first read is in progress, or failed and is repeated · `offline`: this machine
   * has no network · `blocked`: the service refuses requests for a while · `failed`: the watch has
   * ended with `error`.
   */
  readonly freshness: 'loading' | 'offline' | 'blocked' | 'failed';
  /** Why there's no first read yet. */
  readonly error?: PaystateError | undefined;
  /** Absent, because nothing has been read yet. */
  readonly regressed?: undefined;
  /** Absent, because nothing has been read yet. */
  readonly unconfirmed?: undefined;
  /** Absent, because nothing has been read yet. */
  readonly pending?: undefined;
}

/**
 * The current value of a resource, and how fresh it is. Emitted when the value, the freshness, the
 * error's code, `unconfirmed` or `pending` changes. While nothing is known, `value` is absent.
 */
export type Snapshot<T> = KnownSnapshot<T> | EmptySnapshot;

/** How far you can trust a value, or why there is none. See `Snapshot`. */
export type Freshness = Snapshot<unknown>['freshness'];

/** Nothing is known, and nothing has failed. */
export const LOADING: EmptySnapshot = /* @__PURE__ */ Object.freeze({ freshness: 'loading' });

/** Creates the snapshot of an observer that doesn't know anything yet. */
export function emptySnapshot(
  freshness: EmptySnapshot['freshness'],
  error: PaystateError | undefined,
): EmptySnapshot {
  return frozenCopy({ freshness, error });
}

/** When a read last confirmed a value. `isKept` means it was kept or provided, and none has. */
interface Checked {
  readonly at: number;
  readonly isKept?: boolean;
}

/**
 * Under this symbol, a snapshot has a function that returns or updates when it was last confirmed.
 * An object wouldn't do, because receivers freeze everything they get. The symbol is registered,
 * because the engine may have a copy of this file.
 */
const CHECKED: unique symbol = /* @__PURE__ */ Symbol.for('paystate.checked');

interface Hidden {
  readonly [CHECKED]?: (next?: Checked) => Checked;
}

/**
 * A single getter for all snapshots. With one getter each, engines would store every snapshot as a
 * hash table.
 */
function getCheckedAt(this: Hidden): number {
  return this[CHECKED]!().at;
}

/**
 * Creates the snapshot shared by all observers, so nobody can write to it. `isKept` means that no
 * read of this watch has confirmed the value yet. Copies don't include that.
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

/** Records when a read last confirmed the value. The snapshot stays the same object. */
export function setCheckedAt(snapshot: KnownSnapshot<unknown>, at: number): void {
  (snapshot as Hidden)[CHECKED]!({ at });
}

/** Returns whether a value was kept or provided and no read has confirmed it. */
export function isKept(snapshot: Snapshot<unknown>): boolean {
  return (snapshot as Hidden)[CHECKED]?.().isKept === true;
}

/** Options for every watch. */
export interface WatchOptions {
  /** Ends the watch without an error. */
  readonly signal?: AbortSignal | undefined;
  /**
   * With `never`, the watch continues after a settled state, for resources that can be reversed.
   */
  readonly until?: 'settled' | 'never' | undefined;
}

export const WATCH_OPTIONS: Expected<WatchOptions> = {
  signal: 'signal',
  until: ['settled', 'never'],
};

/**
 * Copies what a watch shows and adds that watch's actions, for hooks and refs. The copy's
 * `checkedAt` follows that of the snapshot, which changes in place.
 */
export function withActions<Shown extends object, T>(
  shown: Shown & { readonly checkedAt?: Snapshot<unknown>['checkedAt'] },
  { retry, refresh }: WatchActions<T>,
): Shown & WatchActions<T> {
  const copy = { ...shown, retry, refresh };
  if (shown.checkedAt === undefined) return copy;
  return Object.defineProperty(copy, 'checkedAt', { get: () => shown.checkedAt });
}

/** How long to wait. */
export interface WaitOptions {
  /** Maximum time to wait, in milliseconds. Without it, there's no limit. */
  readonly timeout?: number | undefined;
  /** Cancels the wait. The promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

const WAIT_OPTIONS: Expected<WaitOptions> = { timeout: 'number', signal: 'signal' };

/** How waiting for a settled value ended. */
export interface SettledResult<T> {
  /**
   * False if the time ran out or the watch's own signal ended it, neither of which is a failure.
   */
  readonly settled: boolean;
  /** The snapshot at that time. */
  readonly snapshot: Snapshot<T>;
}

/**
 * Waits until a watched value is settled. A timeout isn't a failure. The result then has `settled:
 * false` and the value at that time.
 *
 * @param options `timeout` in milliseconds, `signal`
 * @throws RefusedError or AuthenticationError if that ends the watch, the signal's reason,
 * InputError if `timeout` isn't a number
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
  // a value that was provided or is left over from an earlier watch has to be confirmed by a read
  const isDone = ({ value, freshness }: Snapshot<T>) =>
    value !== undefined && freshness === 'live' && isSettled(value.state);
  const snapshot = (await next(watch, isDone, options, 'waitUntilSettled()')).last;
  return { settled: isDone(snapshot), snapshot };
}

/**
 * Waits for a value that is read from now on. Resolves to the first one, or the first one that
 * matches. A value left over from an earlier watch doesn't count.
 *
 * @param options `where` decides whether a value matches, `timeout` in milliseconds, `signal`
 * @throws UnreachableError `TIMEOUT` if the time runs out, ResponseError `WATCH_ENDED` if the watch
 * completes without such a value, the error that ends the watch, the signal's reason, InputError if
 * `timeout` isn't a number
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

/** The snapshot a wait ended with, and why it ended. */
interface Found<T> {
  readonly last: Snapshot<T>;
  readonly end: 'value' | 'watch' | 'time';
}

/**
 * Resolves to the first snapshot that matches, or to the last one before the watch or the time
 * ended.
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
      queueMicrotask(() => stop()); // the first call may happen before `stop` exists
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
