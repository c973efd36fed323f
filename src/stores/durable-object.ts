import type { DurableStorage, SqlValue } from '../core/platform.ts';
import { jsonOf } from './json-text.ts';
import type { StoredValue, Store } from './store.ts';

type StoredRow = { readonly key: string; readonly value: string; readonly version: number };

/**
 * A store in the SQLite database of a Durable Object: durable, and held to one writer by the
 * platform.
 *
 * @example
 * const store = durableObjectStore(ctx.storage);
 */
export function durableObjectStore(storage: DurableStorage): Store {
  return new DurableObjectStore(storage);
}

class DurableObjectStore implements Store {
  readonly durable = true;
  readonly #storage: DurableStorage;

  constructor(storage: DurableStorage) {
    this.#storage = storage;
    storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS paystate_rows (key TEXT PRIMARY KEY, value TEXT NOT NULL, version INTEGER NOT NULL, open INTEGER NOT NULL)',
    );
  }

  async get(key: string): Promise<StoredValue | undefined> {
    const [row] = this.#rows('key = ?', key);
    return row && read(row);
  }

  async put(key: string, value: unknown): Promise<number> {
    return this.#storage.transactionSync(() => {
      const version = this.#versionOf(key) + 1;
      this.#write(key, value, version, this.#rows('key = ? AND open = 1', key).length > 0);
      return version;
    });
  }

  async compareAndSet(
    key: string,
    version: number,
    value: unknown,
    open = false,
  ): Promise<boolean> {
    return this.#storage.transactionSync(() => {
      if (this.#versionOf(key) !== version) return false;
      this.#write(key, value, version + 1, open);
      return true;
    });
  }

  async listOpen(
    prefix: string,
  ): Promise<readonly { readonly key: string; readonly row: StoredValue }[]> {
    const rows = this.#rows(
      'open = 1 AND substr(key, 1, length(?)) = ? ORDER BY key',
      prefix,
      prefix,
    );
    return rows.map((row) => ({ key: row.key, row: read(row) }));
  }

  #versionOf(key: string): number {
    return this.#rows('key = ?', key)[0]?.version ?? 0;
  }

  #rows(where: string, ...bindings: readonly SqlValue[]): readonly StoredRow[] {
    return this.#storage.sql
      .exec<StoredRow & Record<string, SqlValue>>(
        `SELECT key, value, version FROM paystate_rows WHERE ${where}`,
        ...bindings,
      )
      .toArray();
  }

  #write(key: string, value: unknown, version: number, open: boolean): void {
    this.#storage.sql.exec(
      'INSERT OR REPLACE INTO paystate_rows (key, value, version, open) VALUES (?, ?, ?, ?)',
      key,
      jsonOf(value),
      version,
      open ? 1 : 0,
    );
  }
}

function read({ value, version }: StoredRow): StoredValue {
  return { value: JSON.parse(value) as unknown, version };
}
