import { checkMethods } from '../core/errors/index.ts';
import type { DurableStorage, SqlValue } from '../core/platform.ts';

/** A value that every SQL database keeps. */
export type SqlText = string | number | null;

/** One statement, with a value for each `?` of SQLite, or for `$1`, `$2` … of PostgreSQL. */
export interface SqlStatement {
  /** The text of one statement. */
  readonly sql: string;
  /** The values, in the order of the places in the text. */
  readonly values: readonly SqlText[];
}

/** A row: values by the names of their columns, in lower case. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs one statement before it returns. */
export type SqlRun = (statement: SqlStatement) => readonly SqlRow[];

/** Options for running a batch. */
export interface SqlBatchOptions {
  /**
   * Longest time of each statement, milliseconds, by a timer of this process: a connection that
   * is silent for longer is closed and replaced. PostgreSQL only; 5,000 unless said.
   */
  readonly timeoutMs?: number | undefined;
}

/**
 * Runs statements in an SQL database. `sqliteDriver`, `postgresqlDriver`, `durableObjectDriver` and
 * `d1Driver` make one; of your own, `dialect` and `batch` are enough.
 */
export interface SqlDriver {
  /** The dialect of SQL that it speaks. */
  readonly dialect: 'sqlite' | 'postgresql';
  /**
   * Its writes are known to outlive the process. Otherwise a database of SQLite is asked for its
   * file at the first operation, and refused where it has none.
   */
  readonly durable?: boolean | undefined;
  /**
   * Runs the statements one after the other, as one transaction that is on disk when it resolves:
   * all of them, or none where it rejects. Resolves to the rows that each has returned.
   *
   * @throws SqlError (drivers of this package) with `outcome: 'unknown'` where the transaction may
   * have been committed; every other error says that nothing was written
   */
  batch(
    statements: readonly SqlStatement[],
    options?: SqlBatchOptions,
  ): Promise<readonly (readonly SqlRow[])[]>;
  /**
   * Runs `work` inside one transaction, which is rolled back where `work` throws. Nothing else
   * happens meanwhile, so `work` must not wait. Only databases in this process have it.
   *
   * @param work is given a function that runs one statement and returns its rows
   */
  transaction?<T>(work: (run: SqlRun) => T): Promise<T>;
  /**
   * Opens a connection of its own, which waits for nobody: for `LISTEN`, and for what must be
   * written while all other connections wait. Only PostgreSQL has it.
   */
  openConnection?(): Promise<SqlConnection>;
}

/** A connection of its own to PostgreSQL. */
export interface SqlConnection {
  /**
   * As `SqlDriver.batch`, one batch after the other; a statement out of time ends the connection.
   */
  batch(
    statements: readonly SqlStatement[],
    options?: SqlBatchOptions,
  ): Promise<readonly (readonly SqlRow[])[]>;
  /**
   * Listens to a channel; resolves when it listens.
   *
   * @param channel a name of small letters, digits and `_`
   * @param heard is called with the text of each notification
   */
  listen(channel: string, heard: (text: string) => void): Promise<void>;
  /**
   * Calls `fn` once, when the connection has ended, failed or run out of time; at once if it has.
   */
  onLost(fn: () => void): void;
  /** Ends it. `onLost` is not called any more. */
  close(): void;
}

/** An error of a database, as the drivers of this package throw it. */
export class SqlError extends Error {
  /** `SqlError`, also where two copies of the package are loaded. */
  override readonly name = 'SqlError' as const;
  /**
   * `unknown`: the transaction may have been committed, as no response to its end came ·
   * `not-done`: nothing of it was written.
   */
  readonly outcome: 'not-done' | 'unknown';
  /** The database's own code, for PostgreSQL its SQLSTATE; absent where it gave none. */
  readonly code: string | undefined;

  constructor(message: string, outcome: 'not-done' | 'unknown', cause?: unknown) {
    super(message, { cause });
    this.outcome = outcome;
    const code = (Object(cause) as { readonly code?: unknown }).code;
    this.code = typeof code === 'string' ? code : undefined;
  }
}

/**
 * The part of a SQLite database that is used: `node:sqlite` (Node and Deno) and `bun:sqlite` fit.
 */
export interface SqliteDatabase {
  /** Runs statements without values. */
  exec(sql: string): unknown;
  /** Prepares one statement; `all` runs it with a value for each `?` and returns its rows. */
  prepare(sql: string): { all(...values: SqlText[]): unknown[] };
}

/**
 * Another process may write for ten seconds. FULL writes each commit to the disk before it
 * returns; `fullfsync` is for macOS, whose ordinary sync leaves it in the cache of the disk.
 */
const SETTINGS = [
  'PRAGMA busy_timeout = 10000',
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  'PRAGMA fullfsync = 1',
];
/** At most this many statements stay prepared. */
const MAX_PREPARED = 200;

/**
 * A driver for a SQLite database of Node, Deno or Bun, which several processes may have open.
 * Nothing else happens while a batch runs, so one batch is never divided by another one. Sets WAL,
 * `synchronous = FULL` and a busy timeout of ten seconds at the first batch.
 *
 * @param database an open one: `DatabaseSync` of `node:sqlite` or `Database` of `bun:sqlite`
 * @throws the errors of the database, when a batch is run
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
      // one statement is a transaction by itself, and one that reads need not wait for writers
      if (statements.length === 1) return [run(statements[0]!)];
      return transact(() => statements.map(run));
    },
    async transaction(work) {
      set();
      return transact(work);
    },
  };
}

/** After some errors, such as a full disk, SQLite has rolled back by itself and refuses this. */
function rollBack(database: SqliteDatabase): boolean {
  try {
    database.exec('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}

/** Nothing can be written: the disk is full, or the file read-only. */
function isRefusal(thrown: unknown): boolean {
  return /\b(full|read-?only)\b/i.test(String((thrown as Error).message));
}

/**
 * A driver for the SQLite database of a Durable Object. Its statements take at most 100 values.
 *
 * @param storage the object's `ctx.storage`
 * @throws the errors of the database, when a batch is run
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

/** The part of a D1 database that is used. */
export interface D1Database {
  /** Prepares one statement. */
  prepare(sql: string): D1Statement;
  /** Runs statements as one transaction. */
  batch(statements: D1Statement[]): Promise<readonly { readonly results?: readonly unknown[] }[]>;
}

/**
 * A driver for Cloudflare D1, for inboxes and journals.
 *
 * @param database the binding
 * @throws SqlError; `outcome` is `unknown` where D1 did not say that the database refused
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
        // the database's own refusals end with its code, such as SQLITE_CONSTRAINT
        const outcome = /SQLITE_[A-Z]+/.test(String(message)) ? 'not-done' : 'unknown';
        throw new SqlError(`D1: ${String(message)}`, outcome, thrown);
      }
    },
  };
}
