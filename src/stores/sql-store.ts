import { jsonOf } from './json-text.ts';
import type { SqlDriver, SqlRow, SqlStatement } from './drivers.ts';
import { sql, type SqlStoreOptions, SqlTables } from './sql-tables.ts';
import type { StoredValue, Store } from './store.ts';

/**
 * A store in an SQL database, which several processes may share. Each operation is one statement,
 * so none can be done in part.
 *
 * @param driver how the database is reached; one of SQLite has to be a file, unless `mayForget` is said
 * @example
 * const store = sqlStore(driver);
 */
export function sqlStore(driver: SqlDriver, options: SqlStoreOptions = {}): Store {
  return new SqlStore(new SqlTables(driver, options));
}

class SqlStore implements Store {
  readonly durable: boolean;
  readonly mayForget: boolean;
  readonly #tables: SqlTables;

  constructor(tables: SqlTables) {
    this.#tables = tables;
    this.mayForget = tables.mayForget;
    this.durable = !tables.mayForget;
  }

  async get(key: string): Promise<StoredValue | undefined> {
    const [row] = await this.#rows('SELECT value, version FROM {}_rows WHERE key = ?', key);
    return row && read(row);
  }

  async put(key: string, value: unknown): Promise<number> {
    const [row] = await this.#rows(
      `INSERT INTO {}_rows (key, value, version, open) VALUES (?, ?, 1, 0)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = {}_rows.version + 1
        RETURNING version`,
      key,
      jsonOf(value),
    );
    return row!['version'] as number;
  }

  async compareAndSet(
    key: string,
    version: number,
    value: unknown,
    open = false,
  ): Promise<boolean> {
    const [text, isOpen] = [jsonOf(value), open ? 1 : 0];
    const rows =
      version === 0
        ? await this.#rows(
            `INSERT INTO {}_rows (key, value, version, open) VALUES (?, ?, 1, ?)
              ON CONFLICT (key) DO NOTHING RETURNING version`,
            ...[key, text, isOpen],
          )
        : await this.#rows(
            `UPDATE {}_rows SET value = ?, open = ?, version = version + 1
              WHERE key = ? AND version = ? RETURNING version`,
            ...[text, isOpen, key, version],
          );
    return rows.length > 0;
  }

  async compareAndSetWith(
    key: string,
    version: number,
    value: unknown,
    statements: readonly SqlStatement[],
  ): Promise<boolean> {
    try {
      await this.#tables.batch([replace(key, version, value)], statements);
      return true;
    } catch (thrown) {
      const stored = await this.get(key);
      if (stored?.version === version) throw thrown;
      return false;
    }
  }

  async listOpen(
    prefix: string,
  ): Promise<readonly { readonly key: string; readonly row: StoredValue }[]> {
    const rows = await this.#rows(
      `SELECT key, value, version FROM {}_rows
        WHERE open = 1 AND substr(key, 1, length(CAST(? AS TEXT))) = ?`,
      prefix,
      prefix,
    );
    // databases order texts in ways of their own
    return rows
      .map((row) => ({ key: row['key'] as string, row: read(row) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  async #rows(text: string, ...values: readonly (string | number)[]): Promise<readonly SqlRow[]> {
    const [rows] = await this.#tables.batch([sql(text, ...values)]);
    return rows!;
  }
}

/**
 * Replaces a value, and fails where its version is another one: that becomes NULL, which the table
 * refuses. With it the whole transaction fails.
 */
function replace(key: string, version: number, value: unknown): SqlStatement {
  return sql(
    `INSERT INTO {}_rows (key, value, version, open)
      SELECT CAST(? AS TEXT), CAST(? AS TEXT),
        (SELECT version FROM {}_rows WHERE key = ? AND version = ?), 0 WHERE 1 = 1
      ON CONFLICT (key) DO UPDATE SET value = excluded.value, open = 0, version =
        CASE WHEN {}_rows.version = excluded.version THEN excluded.version + 1 END`,
    ...[key, jsonOf(value), key, version],
  );
}

function read({ value, version }: SqlRow): StoredValue {
  return { value: JSON.parse(value as string) as unknown, version: version as number };
}
