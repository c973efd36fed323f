import type { StoredValue, Store } from './store.ts';

/**
 * A store in memory, for tests and sandboxes: it forgets everything with the process and says so.
 *
 * @example
 * const store = memoryStore();
 */
export function memoryStore(): Store {
  const rows = new Map<string, StoredValue & { readonly open: boolean }>();
  const write = (key: string, version: number, value: unknown, open: boolean) => {
    rows.set(key, { value: structuredClone(value), version: version + 1, open });
    return version + 1;
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
      const row = rows.get(key);
      return write(key, row?.version ?? 0, value, row?.open ?? false);
    },
    async compareAndSet(key, version, value, open = false) {
      if ((rows.get(key)?.version ?? 0) !== version) return false;
      write(key, version, value, open);
      return true;
    },
    async listOpen(prefix) {
      const open = [...rows]
        .filter(([key, row]) => row.open && key.startsWith(prefix))
        .map(([key]) => key);
      return open.sort().map((key) => ({ key, row: read(key)! }));
    },
  };
}
