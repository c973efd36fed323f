import { badInput, ResponseError, UnreachableError } from '../core/errors/index.ts';
import { onAbort, systemClock } from '../core/time.ts';
import { type Watch, watchClock } from '../core/watch.ts';
import { isSettled } from '../resources/any-resource.ts';
import type { Snapshot } from './snapshot.ts';

/** How long to wait. */
export interface WaitOptions {
  /** Longest time to wait, milliseconds; endless where not given. */
  readonly timeout?: number | undefined;
  /** Ends the waiting: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** How the wait for a settled value ended. */
export interface SettledResult<T> {
  /** False: the time is over, or the watch was ended by its own signal. Nothing has failed by that. */
  readonly settled: boolean;
  /** What is true then. */
  readonly snapshot: Snapshot<T>;
}

/**
 * Waits until a watched value is settled. Time over is not a failure: the result says `settled:
 * false` and what is true then.
 *
 * @param options `timeout` in milliseconds, `signal`
 * @throws what ends the watch: RefusedError, AuthenticationError; the signal's reason; InputError for
 * a `timeout` that is no number
 * @example
 * const { settled, snapshot } = await waitUntilSettled(watchInvoice(client, invoice), { timeout: 60_000 });
 */
export async function waitUntilSettled<T extends { readonly state: string }>(
  watch: Watch<Snapshot<T>>,
  options: WaitOptions = {},
): Promise<SettledResult<T>> {
  // what was handed in, or is left of an earlier watch, is confirmed by a read first
  const isDone = ({ value, freshness }: Snapshot<T>) =>
    value !== undefined && freshness === 'live' && isSettled(value.state);
  const snapshot = (await next(watch, isDone, options)).last;
  return { settled: isDone(snapshot), snapshot };
}

/**
 * Waits for a value that was read while it was waited for: the first one, or the first one that
 * fits. A value that is left of an earlier watch does not count.
 *
 * @param options `where` says which value fits; `timeout` in milliseconds, `signal`
 * @throws UnreachableError `TIMEOUT` after the time; ResponseError `WATCH_ENDED` where the watch
 * completes without such a value; what ends the watch; the signal's reason; InputError for a `timeout`
 * that is no number
 * @example
 * const balances = await firstValue(watchBalances(client), { timeout: 10_000 });
 */
export async function firstValue<T>(
  watch: Watch<Snapshot<T>>,
  { where = () => true, ...options }: WaitOptions & { readonly where?: (value: T) => boolean } = {},
): Promise<T> {
  const fits = ({ freshness, value }: Snapshot<T>) => freshness === 'live' && where(value as T);
  const { last, end } = await next(watch, fits, options);
  if (fits(last)) return last.value as T;
  const { error } = last;
  const because = error ? ` (${error.code})` : '';
  if (end === 'time')
    throw new UnreachableError(`no such value in ${options.timeout} ms${because}; watch on`, {
      code: 'TIMEOUT',
      outcome: 'not-done',
      next: 'retry',
    });
  throw new ResponseError('the watch ended without such a value', {
    code: 'WATCH_ENDED',
    outcome: 'not-done',
    next: 'stop',
  });
}

/** The first snapshot that fits, or the last one before the watch or the time ended. */
function next<T>(
  watch: Watch<Snapshot<T>>,
  fits: (snapshot: Snapshot<T>) => boolean,
  { timeout = Infinity, signal }: WaitOptions,
): Promise<{ readonly last: Snapshot<T>; readonly end: 'value' | 'watch' | 'time' }> {
  if (!Number.isFinite(timeout) && timeout !== Infinity)
    throw badInput('timeout', 'must be milliseconds');
  return new Promise((resolve, reject) => {
    const { [watchClock]: clock = systemClock } = watch;
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
}
