import { jsonOf } from './json-text.ts';
import type { StoredValue, Store } from './store.ts';

interface MemoryRow {
  readonly text: string;
  readonly version: number;
  readonly open: boolean;
}

/**
 * A store in memory, for tests and sandboxes: it forgets everything with the process and says so.
 *
 * @example
 * const store = memoryStore();
 */
export function memoryStore(): Store {
  const rows = new Map<string, MemoryRow>();
  const write = (key: string, version: number, value: unknown, open: boolean) => {
    rows.set(key, { text: jsonOf(value), version: version + 1, open });
    return version + 1;
  };
  return {
    durable: false,
    async get(key) {
      const row = rows.get(key);
      return row && read(row);
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
      const open = [...rows].filter(([key, row]) => row.open && key.startsWith(prefix));
      return open
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, row]) => ({ key, row: read(row) }));
    },
  };
}

function read({ text, version }: MemoryRow): StoredValue {
  return { value: JSON.parse(text) as unknown, version };
}
