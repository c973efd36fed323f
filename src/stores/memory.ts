import type { StoredValue, Store } from './store.ts';

/** A value, with whether it is open. */
export interface MemoryRow extends StoredValue {
  readonly open: boolean;
}

/**
 * A store in memory, for tests and sandboxes: it forgets everything with the process and says so.
 *
 * @example
 * const store = memoryStore();
 */
export function memoryStore(): Store {
  return storeOf(new Map());
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
