import { jsonOf } from './json-text.ts';
import { type MemoryRow, storeOf } from './memory.ts';
import { type LogFolder, SharedLog } from './shared-log.ts';
import type { Store } from './store.ts';

type Change = Pick<Store, 'put' | 'compareAndSet'>;
type Op = { readonly [M in keyof Change]: readonly [M, ...Parameters<Change[M]>] }[keyof Change];

/** A store that is made of the entries of a log. */
export function loggedStore(folder: LogFolder): Store {
  const rows = new Map<string, MemoryRow>();
  const store = storeOf(rows);
  const log = new SharedLog<Op>(folder, {
    apply: ([name, ...given]) =>
      (store[name] as (...args: typeof given) => Promise<unknown>)(...given),
    save: () => [...rows],
    restore(saved) {
      rows.clear();
      for (const [key, row] of saved as [string, MemoryRow][]) rows.set(key, row);
    },
  });
  return {
    durable: true,
    get: (key) => log.read(() => store.get(key)),
    async put(key, value) {
      jsonOf(value);
      return log.change(async () => ['put', key, value], 0);
    },
    async compareAndSet(key, version, value, isOpen = false) {
      jsonOf(value);
      return log.change(async () => {
        const isRight = (rows.get(key)?.version ?? 0) === version;
        return isRight ? ['compareAndSet', key, version, value, isOpen] : undefined;
      }, false);
    },
    listOpen: (prefix) => log.read(() => store.listOpen(prefix)),
  };
}
