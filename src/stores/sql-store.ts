import {
  badInput,
  checkArgument,
  checkMethods,
  checkOptions,
  type Expected,
} from '../core/errors/index.ts';
import { once } from '../core/time.ts';
import type { SqlDriver, SqlRow, SqlStatement, SqlText } from './drivers.ts';
import { formatJson, type Store, type StoredValue } from './store.ts';

/** Options for a store in an SQL database. */
export interface SqlStoreOptions {
  /**
   * The prefix for table names, consisting of lower-case letters, digits and `_`. Defaults to
   * `paystate`. If a database contains the data of two accounts, use a different prefix for each.
   */
  readonly prefix?: string | undefined;
  /**
   * Allows a SQLite database to be in memory, in which case all data is lost when the process ends.
   * If absent, such a database is rejected on the first operation.
   */
  readonly mayForget?: boolean | undefined;
}

export const SQL_OPTIONS: Expected<SqlStoreOptions> = { prefix: 'string', mayForget: 'boolean' };

/** A time later than all others, for subjects that aren't due. */
export const NEVER = 9_007_199_254_740_991;

// These statements work in both SQLite and PostgreSQL. New versions add statements at the end and
// never change existing ones.
const TABLES = [
  `CREATE TABLE IF NOT EXISTS {}_rows (key TEXT PRIMARY KEY, value TEXT NOT NULL,
    version INTEGER NOT NULL, open INTEGER NOT NULL)`,
  'CREATE INDEX IF NOT EXISTS {}_rows_open ON {}_rows (key) WHERE open = 1',
  `CREATE TABLE IF NOT EXISTS {}_events (kind TEXT NOT NULL, id TEXT NOT NULL,
    subject TEXT NOT NULL, body TEXT NOT NULL, created_at DOUBLE PRECISION NOT NULL,
    received_at DOUBLE PRECISION NOT NULL, place INTEGER NOT NULL,
    open INTEGER NOT NULL DEFAULT 1, PRIMARY KEY (kind, id))`,
  'CREATE INDEX IF NOT EXISTS {}_events_open ON {}_events (subject) WHERE open = 1',
  'CREATE INDEX IF NOT EXISTS {}_events_done ON {}_events (received_at) WHERE open = 0',
  // `due` is set by a commit or a lease. `fresh` is the time of the first event that arrived after
  // that.
  `CREATE TABLE IF NOT EXISTS {}_leases (subject TEXT PRIMARY KEY, state TEXT,
    number INTEGER NOT NULL DEFAULT 0, holder TEXT NOT NULL DEFAULT '',
    due DOUBLE PRECISION NOT NULL DEFAULT 9007199254740991, fresh DOUBLE PRECISION NOT NULL,
    until DOUBLE PRECISION NOT NULL DEFAULT 0, added INTEGER NOT NULL DEFAULT 0)`,
  'CREATE INDEX IF NOT EXISTS {}_leases_due ON {}_leases (due)',
  'CREATE INDEX IF NOT EXISTS {}_leases_fresh ON {}_leases (fresh)',
  'CREATE INDEX IF NOT EXISTS {}_leases_holder ON {}_leases (holder)',
  `CREATE TABLE IF NOT EXISTS {}_dead_letters (key TEXT PRIMARY KEY, subject TEXT NOT NULL,
    body TEXT NOT NULL, place INTEGER NOT NULL)`,
  'CREATE TABLE IF NOT EXISTS {}_cursor (one INTEGER PRIMARY KEY, value TEXT NOT NULL)',
  `CREATE TABLE IF NOT EXISTS {}_rate_limits (bucket TEXT PRIMARY KEY, log TEXT NOT NULL,
    version INTEGER NOT NULL)`,
];

/** A statement that fails if the last table is missing. */
const PROBE = `SELECT version FROM {}_rate_limits WHERE bucket = ''`;

/**
 * Takes a lock, because PostgreSQL reports an error if two processes create a table at the same
 * time.
 */
const ONE_AT_A_TIME = 'SELECT pg_advisory_xact_lock(7218243)';

/**
 * Returns the statements that create the tables of `sqlStore` and `sqlInboxStore`, in order. The
 * stores run them if tables are missing. Run them yourself if the database role of the stores isn't
 * allowed to create tables.
 *
 * @param dialect the database's SQL dialect
 *
 * @example
 * const statements = sqlMigration('postgresql', { prefix: 'shop' });
 */
export function sqlMigration(
  dialect: SqlDriver['dialect'],
  options: SqlStoreOptions = {},
): readonly string[] {
  checkArgument('dialect', dialect ?? null, ['sqlite', 'postgresql']);
  const prefix = checkPrefix(options);
  const statements = dialect === 'postgresql' ? [ONE_AT_A_TIME, ...TABLES] : TABLES;
  return statements.map((statement) => statement.replaceAll('{}', prefix));
}

/** Creates a statement. `{}` stands for the table prefix, and `?` for each value. */
export function sql(text: string, ...values: readonly SqlText[]): SqlStatement {
  return { sql: text, values };
}

export class SqlTables {
  readonly #driver: SqlDriver;
  readonly prefix: string;
  readonly mayForget: boolean;
  readonly #texts: Map<string, string> = new Map();
  readonly #prepare: () => Promise<void> = once(() => this.#makeTables());

  constructor(driver: SqlDriver, options: SqlStoreOptions) {
    checkMethods('driver', driver, 'batch');
    this.#driver = driver;
    this.prefix = checkPrefix(options);
    this.mayForget = options.mayForget === true;
  }

  onlyPostgresql(text: string): string {
    return this.#driver.dialect === 'postgresql' ? text : '';
  }

  /**
   * Returns a table with the alias `given`. Its rows come from a single bound value, which is a
   * JSON array.
   */
  jsonTable(columns: Readonly<Record<string, string>>): string {
    const names = Object.entries(columns);
    if (this.#driver.dialect === 'postgresql')
      return `json_to_recordset(CAST(? AS json)) AS given(${names.map((one) => one.join(' ')).join(', ')})`;
    const members = names.map(([name]) => `json_extract(value, '$.${name}') AS ${name}`);
    return `(SELECT ${members.join(', ')} FROM json_each(?)) AS given`;
  }

  /**
   * Runs `statements` in one transaction. `others` are inserted unchanged after the first
   * statement.
   */
  async batch(
    [first, ...rest]: readonly SqlStatement[],
    others: readonly SqlStatement[] = [],
  ): Promise<readonly (readonly SqlRow[])[]> {
    await this.#prepare();
    const own = (each: SqlStatement): SqlStatement => this.#inDialect(each);
    return this.#driver.batch([own(first!), ...others, ...rest.map(own)]);
  }

  /**
   * Runs `first`, `write` and `rest` in one transaction. `write` runs statements in the database's
   * own dialect. If the database is remote, these statements are collected first.
   */
  async batchWith(
    [first, ...rest]: readonly SqlStatement[],
    write: (run: (statement: SqlStatement) => void) => void,
  ): Promise<void> {
    if (!this.#driver.transaction) {
      const others: SqlStatement[] = [];
      write((statement) => void others.push(statement));
      await this.batch([first!, ...rest], others);
      return;
    }
    await this.#prepare();
    await this.#driver.transaction((run) => {
      run(this.#inDialect(first!));
      write((statement) => void run(statement));
      for (const each of rest) run(this.#inDialect(each));
    });
  }

  /**
   * Creates the tables if they're missing. A role that isn't allowed to create tables can use
   * existing ones.
   */
  async #makeTables(): Promise<void> {
    if (!this.mayForget && !this.#driver.durable) await this.#checkLasting();
    await this.#driver.batch([this.#inDialect(sql(PROBE))]).catch(() => {
      const { dialect } = this.#driver;
      const texts = sqlMigration(dialect, { prefix: this.prefix });
      return this.#driver.batch(texts.map((text) => sql(text)));
    });
  }

  /**
   * Throws if a SQLite database is in memory, which means that its main file has no name. Hosted
   * databases that don't reveal their file pass this check.
   */
  async #checkLasting(): Promise<void> {
    if (this.#driver.dialect !== 'sqlite') return;
    const asked = await this.#driver.batch([sql('PRAGMA database_list')]).catch(() => undefined);
    const main = asked?.[0]?.find(({ name }) => name === 'main');
    if (main && !main['file'])
      throw badInput(
        'database',
        'must be a file: ":memory:" is lost when the process ends; or set mayForget: true',
      );
  }

  #inDialect({ sql: text, values }: SqlStatement): SqlStatement {
    let written = this.#texts.get(text);
    if (written === undefined) {
      let count = 0;
      const place = (): string => (this.#driver.dialect === 'sqlite' ? '?' : `$${++count}`);
      written = text.replaceAll('{}', this.prefix).replace(/\?/g, place);
      this.#texts.set(text, written);
    }
    return { sql: written, values };
  }
}

function checkPrefix(options: SqlStoreOptions): string {
  checkOptions(options, SQL_OPTIONS);
  const { prefix = 'paystate' } = options;
  if (/^[a-z][a-z0-9_]{0,30}$/.test(prefix)) return prefix;
  throw badInput('prefix', 'must start with a-z, followed by up to 30 of a-z, 0-9 and _');
}

/**
 * Creates a store in an SQL database, which several processes may share. Each operation is a single
 * statement, so it's never partially executed.
 *
 * @param driver the database driver. A SQLite database must be a file, unless `mayForget` is set
 *
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
      formatJson(value),
    );
    return row!['version'] as number;
  }

  async compareAndSet(
    key: string,
    version: number,
    value: unknown,
    open = false,
  ): Promise<boolean> {
    const [text, isOpen] = [formatJson(value), open ? 1 : 0];
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
      const { outcome } = Object(thrown) as { readonly outcome?: unknown };
      if (outcome === 'unknown') throw thrown; // the statements may have run
      const stored = await this.get(key);
      if (stored?.version === version) throw thrown;
      return false;
    }
  }

  async listOpen(prefix: string): ReturnType<Store['listOpen']> {
    const rows = await this.#rows(
      `SELECT key, value, version FROM {}_rows
        WHERE open = 1 AND substr(key, 1, length(CAST(? AS TEXT))) = ?`,
      prefix,
      prefix,
    );
    // databases sort strings differently
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
 * Replaces a value. If its version differs, the whole transaction fails, because the version
 * becomes NULL, which the table rejects.
 */
function replace(key: string, version: number, value: unknown): SqlStatement {
  return sql(
    `INSERT INTO {}_rows (key, value, version, open)
      SELECT CAST(? AS TEXT), CAST(? AS TEXT),
        (SELECT version FROM {}_rows WHERE key = ? AND version = ?), 0 WHERE 1 = 1
      ON CONFLICT (key) DO UPDATE SET value = excluded.value, open = 0, version =
        CASE WHEN {}_rows.version = excluded.version THEN excluded.version + 1 END`,
    ...[key, formatJson(value), key, version],
  );
}

function read({ value, version }: SqlRow): StoredValue {
  return { value: JSON.parse(value as string) as unknown, version: version as number };
}
