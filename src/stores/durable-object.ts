import type { DurableStorage, SqlValue } from '../core/platform/index.ts';
import type { StoredValue, Store } from './store.ts';

type StoredRow = { readonly key: string; readonly value: string; readonly version: number };

/**
 * A store in the SQLite database of a Durable Object: durable, and held to one writer by the platform.
 *
 * @example
 * const store = durableObjectStore(ctx.storage);
 */
export function durableObjectStore(storage: DurableStorage): Store {
  const { sql } = storage;
  sql.exec(
    'CREATE TABLE IF NOT EXISTS paystate_rows (key TEXT PRIMARY KEY, value TEXT NOT NULL, version INTEGER NOT NULL, open INTEGER NOT NULL)',
  );

  const one = (key: string): StoredRow | undefined =>
    sql
      .exec<StoredRow & Record<string, SqlValue>>(
        'SELECT key, value, version FROM paystate_rows WHERE key = ?',
        key,
      )
      .toArray()[0];
  const write = (key: string, value: unknown, version: number, open: boolean): void => {
    sql.exec(
      'INSERT OR REPLACE INTO paystate_rows (key, value, version, open) VALUES (?, ?, ?, ?)',
      key,
      JSON.stringify(value ?? null),
      version,
      open ? 1 : 0,
    );
  };
  const isOpen = (key: string): boolean =>
    sql.exec('SELECT key FROM paystate_rows WHERE key = ? AND open = 1', key).toArray().length > 0;

  return {
    durable: true,
    async get(key) {
      const row = one(key);
      return row && read(row);
    },
    put: async (key, value) =>
      storage.transactionSync(() => {
        const version = (one(key)?.version ?? 0) + 1;
        write(key, value, version, isOpen(key));
        return version;
      }),
    compareAndSet: async (key, version, value, open = false) =>
      storage.transactionSync(() => {
        if ((one(key)?.version ?? 0) !== version) return false;
        write(key, value, version + 1, open);
        return true;
      }),
    async listOpen(prefix) {
      const rows = sql.exec<StoredRow & Record<string, SqlValue>>(
        'SELECT key, value, version FROM paystate_rows WHERE open = 1 AND substr(key, 1, ?) = ? ORDER BY key',
        prefix.length,
        prefix,
      );
      return rows.toArray().map((row) => ({ key: row.key, row: read(row) }));
    },
  };
}

function read({ value, version }: StoredRow): StoredValue {
  return { value: JSON.parse(value) as unknown, version };
}
