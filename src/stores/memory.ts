import type { StoredValue, Store } from './store.ts';

/** A value, with whether it is open. */
export interface MemoryRow extends StoredValue {
  readonly open: boolean;
}

/** Options of a store in memory. */
export interface MemoryStoreOptions {
  /**
   * You know that everything in it is lost with the process. Outside of a sandbox it is refused
   * otherwise.
   */
  readonly mayForget?: boolean | undefined;
}

/**
 * A store in memory, for tests and sandboxes: it forgets everything with the process and says so.
 * Outside of a sandbox `pay` and `createLogin` take it only with `mayForget`.
 *
 * @param options `mayForget`: you know that it forgets
 * @example
 * const store = memoryStore();
 */
export function memoryStore({ mayForget }: MemoryStoreOptions = {}): Store {
  return { ...storeOf(new Map()), mayForget };
}

/** A store of rows that are in memory. */
export function storeOf(rows: Map<string, MemoryRow>): Store {
  const versionOf = (key: string): number => rows.get(key)?.version ?? 0;
  const write = (key: string, value: unknown, open: boolean): number => {
    const version = versionOf(key) + 1;
    rows.set(key, { value: structuredClone(value), version, open });
    return version;
  };
  const read = (key: string): StoredValue | undefined => {
    const row = rows.get(key);
    return row && { value: structuredClone(row.value), version: row.version };
  };
  return {
    durable: false,
    async get(key) {
      return read(key);
    },
    async put(key, value) {
      return write(key, value, rows.get(key)?.open ?? false);
    },
    async compareAndSet(key, version, value, open = false) {
      if (versionOf(key) !== version) return false;
      write(key, value, open);
      return true;
    },
    async listOpen(prefix) {
      const open = [...rows.keys()].filter((key) => rows.get(key)!.open && key.startsWith(prefix));
      return open.sort().map((key) => ({ key, row: read(key)! }));
    },
  };
}
