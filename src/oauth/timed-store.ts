import type { Clock } from '../core/time/index.ts';
import type { Store } from '../stores/store.ts';
import { storeUnavailable } from './errors.ts';

/** As much of a store as a login uses. */
export type Rows = Pick<Store, 'get' | 'put' | 'swap'>;

/**
 * A store whose every operation ends within the time limit. What it says when it fails is not
 * repeated: it may hold the row. An operation that failed may have been done all the same.
 */
export function timedStore(store: Rows, clock: Clock, timeout: number): Rows {
  const limit = <T>(operate: () => Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const work = clock.external(operate());
      const stop = clock.after(timeout, reject);
      void work.then(resolve, reject).finally(stop);
    }).catch(() => {
      throw storeUnavailable();
    });
  return {
    get: (key) => limit(() => store.get(key)),
    put: (key, value) => limit(() => store.put(key, value)),
    swap: (key, version, value) => limit(() => store.swap(key, version, value)),
  };
}
