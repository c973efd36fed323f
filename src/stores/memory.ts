import { jsonOf } from './json-text.ts';
import type { StoredValue, Store } from './store.ts';

/** A value as text, with its version and whether it is open. */
export type MemoryRow = readonly [text: string, version: number, open: boolean];

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
  const versionOf = (key: string): number => rows.get(key)?.[1] ?? 0;
  const write = (key: string, value: unknown, open: boolean): number => {
    const version = versionOf(key) + 1;
    rows.set(key, [jsonOf(value), version, open]);
    return version;
  };
  return {
    durable: false,
    async get(key) {
      const row = rows.get(key);
      return row && read(row);
    },
    async put(key, value) {
      return write(key, value, rows.get(key)?.[2] ?? false);
    },
    async compareAndSet(key, version, value, open = false) {
      if (versionOf(key) !== version) return false;
      write(key, value, open);
      return true;
    },
    async listOpen(prefix) {
      const open = [...rows].filter(([key, [, , isOpen]]) => isOpen && key.startsWith(prefix));
      return open
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, row]) => ({ key, row: read(row) }));
    },
  };
}

function read([text, version]: MemoryRow): StoredValue {
  return { value: JSON.parse(text) as unknown, version };
}
