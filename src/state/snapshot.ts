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

/** A snapshot with a value. */
export interface KnownSnapshot<T> {
  /** The last value that was read, or a newer one passed in with `provide`. */
  readonly value: T;
  /** When the value was read, in milliseconds since 1970. */
  readonly asOf: number;
  /**
   * When a read last confirmed the value, in milliseconds since 1970. Never earlier than `asOf`,
   * unless the clock has been set back. Each read updates it on the same object, without emitting a
   * snapshot. A copy of the snapshot isn't updated.
   */
  readonly checkedAt: number;
  /**
   * `live`: the value was current at its last read · `stale`: a read failed, there was no recent
   * read, or a newer change or value hasn't been confirmed by a read · `offline`: this machine has
   * no network · `blocked`: the service refuses requests for a while · `failed`: the watch has
   * ended with `error`.
   */
  readonly freshness: 'live' | 'stale' | 'offline' | 'blocked' | 'failed';
  /** Why there's no recent successful read. The value stays the same. */
  readonly error?: PaystateError | undefined;
  /** Set if the state went back to an earlier one, which two reads have confirmed. */
  readonly regressed?: true | undefined;
  /**
   * Set if a later read returned this state, which is earlier than the state of `value`. It isn't
   * accepted yet, because it may come from a replica that lags by up to 30 s.
   */
  readonly unconfirmed?: string | undefined;
  /**
   * Set if an event, `invalidate` or the response to a call has announced a change that no read has
   * returned yet. Meanwhile, the value isn't `live`.
   */
  readonly pending?: 'announced' | undefined;
}

/**
 * A snapshot without a value, because nothing has been read yet. `freshness` and `error` explain
 * why.
 */
export interface EmptySnapshot {
  /** Always absent, because nothing has been read yet. */
  readonly value?: undefined;
  /** Always absent, because nothing has been read yet. */
  readonly asOf?: undefined;
  /** Always absent, because nothing has been read yet. */
  readonly checkedAt?: undefined;
  /**
   * `loading`: the first read is in progress, or it failed and is being retried · `offline`: this
   * machine has no network · `blocked`: the service refuses requests for a while · `failed`: the
   * watch has ended with `error`.
   */
  readonly freshness: 'loading' | 'offline' | 'blocked' | 'failed';
  /** Why there's no value yet. */
  readonly error?: PaystateError | undefined;
  /** Always absent, because nothing has been read yet. */
  readonly regressed?: undefined;
  /** Always absent, because nothing has been read yet. */
  readonly unconfirmed?: undefined;
  /** Always absent, because nothing has been read yet. */
  readonly pending?: undefined;
}

/**
 * The current value of a resource, and how fresh it is. A watch emits one when the value, the
 * freshness, the error code, `unconfirmed` or `pending` changes. `value` is absent until a value is
 * known.
 */
export type Snapshot<T> = KnownSnapshot<T> | EmptySnapshot;

/** How current a value is, or why there isn't one. See `Snapshot`. */
export type Freshness = Snapshot<unknown>['freshness'];

/** The snapshot that's emitted before the first read has ended. */
export const LOADING: EmptySnapshot = /* @__PURE__ */ Object.freeze({ freshness: 'loading' });

export function emptySnapshot(
  freshness: EmptySnapshot['freshness'],
  error: PaystateError | undefined,
): EmptySnapshot {
  return frozenCopy({ freshness, error });
}

/**
 * When a read last confirmed a value. `isKept` means that the value was kept or provided, and no
 * read has confirmed it.
 */
interface Checked {
  readonly at: number;
  readonly isKept?: boolean;
}

/**
 * The symbol for a hidden function on a snapshot that returns or updates the time of the last
 * confirmation. It's a function, because observers may freeze all objects in a snapshot. The symbol
 * is registered globally, because the engine may include a copy of this file.
 */
const CHECKED: unique symbol = /* @__PURE__ */ Symbol.for('paystate.checked');

interface Hidden {
  readonly [CHECKED]?: (next?: Checked) => Checked;
}

/**
 * The getter of `checkedAt`, shared by all snapshots. If each snapshot had its own getter,
 * JavaScript engines would store it as a hash table.
 */
function getCheckedAt(this: Hidden): number {
  return this[CHECKED]!().at;
}

/**
 * Creates a snapshot. It's frozen, because all observers share it. `isKept` means that no read of
 * this watch has confirmed the value yet. Copies of the snapshot don't keep that flag.
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

/** Records when a read last confirmed a snapshot's value. Changes the snapshot in place. */
export function setCheckedAt(snapshot: KnownSnapshot<unknown>, at: number): void {
  (snapshot as Hidden)[CHECKED]!({ at });
}

/** Returns whether a value was kept or provided, and no read has confirmed it yet. */
export function isKept(snapshot: Snapshot<unknown>): boolean {
  return (snapshot as Hidden)[CHECKED]?.().isKept === true;
}

/** Options for every watch. */
export interface WatchOptions {
  /** Ends the watch without an error. */
  readonly signal?: AbortSignal | undefined;
  /**
   * With `never`, the watch continues after a settled state. Use it for resources that can be
   * reversed.
   */
  readonly until?: 'settled' | 'never' | undefined;
}

export const WATCH_OPTIONS: Expected<WatchOptions> = {
  signal: 'signal',
  until: ['settled', 'never'],
};

/**
 * Copies a snapshot and adds the actions of its watch, for hooks and refs. The copy's `checkedAt`
 * returns the current time of the original snapshot.
 */
export function withActions<Shown extends object, T>(
  shown: Shown & { readonly checkedAt?: Snapshot<unknown>['checkedAt'] },
  { retry, refresh }: WatchActions<T>,
): Shown & WatchActions<T> {
  const copy = { ...shown, retry, refresh };
  if (shown.checkedAt === undefined) return copy;
  return Object.defineProperty(copy, 'checkedAt', { get: () => shown.checkedAt });
}

/** Options for waiting. */
export interface WaitOptions {
  /** The maximum time to wait, in milliseconds. Defaults to no limit. */
  readonly timeout?: number | undefined;
  /** Cancels the wait. The promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

const WAIT_OPTIONS: Expected<WaitOptions> = { timeout: 'number', signal: 'signal' };

/** The result of waiting for a settled value. */
export interface SettledResult<T> {
  /** False if the wait timed out or was ended by the watch's own signal. Neither is an error. */
  readonly settled: boolean;
  /** The snapshot when the wait ended. */
  readonly snapshot: Snapshot<T>;
}

/**
 * Waits until a watched value is settled. A timeout isn't an error. In that case, the result has
 * `settled: false` and the current value.
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
  // a value that was provided or kept must be confirmed by a read first
  const isDone = ({ value, freshness }: Snapshot<T>) =>
    value !== undefined && freshness === 'live' && isSettled(value.state);
  const snapshot = (await next(watch, isDone, options, 'waitUntilSettled()')).last;
  return { settled: isDone(snapshot), snapshot };
}

/**
 * Waits for the first value that's read after this call and matches `where`. A value that was kept
 * from an earlier watch doesn't count.
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

/** The last snapshot of a wait, and why the wait ended. */
interface Found<T> {
  readonly last: Snapshot<T>;
  readonly end: 'value' | 'watch' | 'time';
}

/**
 * Resolves to the first snapshot that matches. If none matches, resolves to the last snapshot
 * before the watch ended or the wait timed out.
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
      queueMicrotask(() => stop()); // the first call may happen before `stop` is assigned
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
