import { checkMethods } from '../core/errors/index.ts';
import type { DurableStorage, SqlValue } from '../core/platform.ts';

/** A value that can be stored in every SQL database. */
export type SqlText = string | number | null;

/**
 * An SQL statement with its values. Placeholders are `?` in SQLite, and `$1`, `$2` … in PostgreSQL.
 */
export interface SqlStatement {
  /** The text of a single SQL statement. */
  readonly sql: string;
  /** The values, in the order of the placeholders. */
  readonly values: readonly SqlText[];
}

/** A database row. Its values are keyed by lower-case column names. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs one statement synchronously and returns its rows. */
export type SqlRun = (statement: SqlStatement) => readonly SqlRow[];

/** Options for running a batch. */
export interface SqlBatchOptions {
  /**
   * Timeout for each statement, in milliseconds. The timeout is enforced by a timer in this
   * process. A connection that doesn't respond in time is closed and replaced. Only used by
   * PostgreSQL. Defaults to 5,000.
   */
  readonly timeoutMs?: number | undefined;
}

/**
 * Runs statements in an SQL database. Create one with `sqliteDriver`, `postgresqlDriver`,
 * `durableObjectDriver` or `d1Driver`. Your own driver only needs `dialect` and `batch`.
 */
export interface SqlDriver {
  /** The SQL dialect. */
  readonly dialect: 'sqlite' | 'postgresql';
  /**
   * Whether the driver guarantees that writes outlive the process. If not set, we check before the
   * first operation whether a SQLite database has a file, and reject it if it doesn't.
   */
  readonly durable?: boolean | undefined;
  /**
   * Runs the statements in order as one transaction. When this resolves, the transaction is on
   * disk. Resolves to the rows of each statement.
   *
   * @throws SqlError (drivers of this package) with `outcome: 'unknown'` if the transaction may
   * have been committed. With any other error, nothing was written
   */
  batch(
    statements: readonly SqlStatement[],
    options?: SqlBatchOptions,
  ): Promise<readonly (readonly SqlRow[])[]>;
  /**
   * Runs `work` inside a transaction, which is rolled back if `work` throws. `work` must be
   * synchronous, because nothing else can run in the meantime. Only available for databases in this
   * process.
   *
   * @param work receives a function that runs one statement and returns its rows
   */
  transaction?<T>(work: (run: SqlRun) => T): Promise<T>;
  /**
   * Opens a separate connection that doesn't have to wait for others. Use it for `LISTEN`, and for
   * writes while all other connections are busy. Only available for PostgreSQL.
   */
  openConnection?(): Promise<SqlConnection>;
}

/** A separate connection to PostgreSQL. */
export interface SqlConnection {
  /**
   * Runs a batch like `SqlDriver.batch`. Batches run one after the other. A statement that times
   * out closes the connection.
   */
  batch(
    statements: readonly SqlStatement[],
    options?: SqlBatchOptions,
  ): Promise<readonly (readonly SqlRow[])[]>;
  /**
   * Listens to a channel. Resolves once the server has confirmed it.
   *
   * @param channel a name consisting of lower-case letters, digits and `_`
   * @param heard called with the payload of each notification
   */
  listen(channel: string, heard: (text: string) => void): Promise<void>;
  /**
   * Calls `fn` once when the connection ends, fails or times out. If that has already happened,
   * `fn` is called immediately.
   */
  onLost(fn: () => void): void;
  /** Closes the connection. `onLost` listeners aren't called after this. */
  close(): void;
}

/** A database error from a driver of this package. */
export class SqlError extends Error {
  /** Always `SqlError`, even if two copies of the package are loaded. */
  override readonly name = 'SqlError' as const;
  /**
   * `unknown` means that the transaction may have been committed, because there was no response to
   * the commit. `not-done` means that nothing was written.
   */
  readonly outcome: 'not-done' | 'unknown';
  /**
   * The database's own error code, the SQLSTATE for PostgreSQL. Absent if there's none.
   */
  readonly code: string | undefined;

  constructor(message: string, outcome: 'not-done' | 'unknown', cause?: unknown) {
    super(message, { cause });
    this.outcome = outcome;
    const code = (Object(cause) as { readonly code?: unknown }).code;
    this.code = typeof code === 'string' ? code : undefined;
  }
}

/**
 * The part of a SQLite database that a driver uses. Databases from `node:sqlite` (Node and Deno)
 * and `bun:sqlite` provide it.
 */
export interface SqliteDatabase {
  /** Runs statements that take no parameters. */
  exec(sql: string): unknown;
  /**
   * Prepares one statement. `all` runs the statement with a value for each `?` and returns its
   * rows.
   */
  prepare(sql: string): { all(...values: SqlText[]): unknown[] };
}

/**
 * The settings for a SQLite database. `busy_timeout` waits up to ten seconds for another process's
 * write. `synchronous = FULL` writes each commit to disk before it returns. `fullfsync` is for
 * macOS, where an ordinary sync can leave data in the disk's cache.
 */
const SETTINGS = [
  'PRAGMA busy_timeout = 10000',
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  'PRAGMA fullfsync = 1',
];
const MAX_PREPARED = 200;

/**
 * Creates a driver for a SQLite database in Node, Deno or Bun, which several processes may open. A
 * batch runs synchronously, so no other batch can interrupt it. The first batch turns on WAL mode
 * and `synchronous = FULL`, and sets a busy timeout of ten seconds.
 *
 * @param database an open `DatabaseSync` from `node:sqlite` or `Database` from `bun:sqlite`
 * @throws the database's errors, when a batch runs
 *
 * @example
 * const journal = sqlStore(sqliteDriver(openDatabase('journal')));
 */
export function sqliteDriver(database: SqliteDatabase): SqlDriver {
  checkMethods('database', database, 'exec', 'prepare');
  const prepared = new Map<string, ReturnType<SqliteDatabase['prepare']>>();
  let isSet = false;
  const set = (): void => {
    if (isSet) return;
    for (const setting of SETTINGS) database.prepare(setting).all();
    isSet = true;
  };
  const run = ({ sql, values }: SqlStatement): readonly SqlRow[] => {
    const known = prepared.get(sql);
    const statement = known ?? database.prepare(sql);
    if (!known && prepared.size >= MAX_PREPARED) prepared.clear();
    prepared.set(sql, statement);
    return statement.all(...values) as SqlRow[];
  };
  const transact = <T>(work: (run: SqlRun) => T): T => {
    database.exec('BEGIN IMMEDIATE');
    let isCommitting = false;
    try {
      const done = work(run);
      isCommitting = true;
      database.exec('COMMIT');
      return done;
    } catch (thrown) {
      if (rollBack(database) || !isCommitting || isRefusal(thrown)) throw thrown;
      const { message } = Object(thrown) as { readonly message?: unknown };
      throw new SqlError(`SQLite: ${String(message)}`, 'unknown', thrown);
    }
  };
  return {
    dialect: 'sqlite',
    async batch(statements) {
      set();
      // a single statement is a transaction of its own, and a read doesn't have to wait for writers
      if (statements.length === 1) return [run(statements[0]!)];
      return transact(() => statements.map(run));
    },
    async transaction(work) {
      set();
      return transact(work);
    },
  };
}

/**
 * Rolls back a transaction. Returns false if SQLite has already done so, for example after a full
 * disk.
 */
function rollBack(database: SqliteDatabase): boolean {
  try {
    database.exec('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}

/** Returns whether a write failed because the disk is full or the file is read-only. */
function isRefusal(thrown: unknown): boolean {
  return /\b(full|read-?only)\b/i.test(String((thrown as Error).message));
}

/**
 * Creates a driver for the SQLite database of a Durable Object. A statement can have at most 100
 * values.
 *
 * @param storage the object's `ctx.storage`
 * @throws the database's errors, when a batch runs
 *
 * @example
 * const store = sqlInboxStore(durableObjectDriver(ctx.storage));
 */
export function durableObjectDriver(storage: DurableObjectStorage): SqlDriver {
  checkMethods('storage', storage, 'transactionSync');
  const run: SqlRun = ({ sql, values }) =>
    storage.sql.exec<Record<string, SqlValue>>(sql, ...values).toArray();
  const transaction = async <T>(work: (run: SqlRun) => T): Promise<T> =>
    storage.transactionSync(() => work(run));
  return {
    dialect: 'sqlite',
    durable: true,
    batch: (statements) => transaction(() => statements.map(run)),
    transaction,
  };
}

/** The part of a Durable Object's storage that a driver uses. */
export type DurableObjectStorage = Pick<DurableStorage, 'sql' | 'transactionSync'>;

interface D1Statement {
  bind(...values: readonly unknown[]): D1Statement;
}

/** The part of a D1 database that a driver uses. */
export interface D1Database {
  /** Prepares one statement. */
  prepare(sql: string): D1Statement;
  /** Runs statements as one transaction. */
  batch(statements: D1Statement[]): Promise<readonly { readonly results?: readonly unknown[] }[]>;
}

/**
 * Creates a driver for Cloudflare D1, for inboxes and journals.
 *
 * @param database the binding
 * @throws SqlError. Its outcome is `unknown`, unless D1 reported that the database rejected the
 * batch
 *
 * @example
 * const inbox = createInbox({ client, secrets, store: sqlInboxStore(d1Driver(env.DB)), on: {} });
 */
export function d1Driver(database: D1Database): SqlDriver {
  checkMethods('database', database, 'prepare', 'batch');
  return {
    dialect: 'sqlite',
    durable: true,
    async batch(statements) {
      const prepared = statements.map(({ sql, values }) => database.prepare(sql).bind(...values));
      try {
        const found = await database.batch(prepared);
        return found.map(({ results = [] }) => results as readonly SqlRow[]);
      } catch (thrown) {
        const { message } = Object(thrown) as { readonly message?: unknown };
        // rejections by the database end with an error code such as SQLITE_CONSTRAINT
        const outcome = /SQLITE_[A-Z]+/.test(String(message)) ? 'not-done' : 'unknown';
        throw new SqlError(`D1: ${String(message)}`, outcome, thrown);
      }
    },
  };
}
