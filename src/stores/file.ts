// Stores for Node, Deno and Bun. Besides the CLI, this is the only entry point that needs a file
// system.
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import { badInput, checkArgument } from '../core/errors/index.ts';
import { once } from '../core/time.ts';
import { sqliteDriver, type SqliteDatabase, type SqlDriver, SqlError } from './drivers.ts';
import type { InboxStore } from './inbox-store.ts';
import { sqlInboxStore, type SqlTransaction } from './sql-inbox-store.ts';
import { sqlStore } from './sql-store.ts';
import type { Store } from './store.ts';

/**
 * Creates a store in a single SQLite file, for Node, Deno and Bun. Several processes on one machine
 * may share it. When a write resolves, it's on disk.
 *
 * @param path path of the file, on a local disk. If the file or its folder is missing, it's created
 * and only its owner can access it
 * @throws SqlError with the reason, on the first operation
 *
 * @example
 * import { fileStore } from 'paystate/stores/file';
 * const store = fileStore('.cache/example-journal.db');
 */
export function fileStore(path: string): Store {
  return sqlStore(fileDriver(path));
}

/**
 * Creates an inbox store in a single SQLite file. It can be the same file as a `fileStore`.
 * Handlers can use SQL to write to their own tables in the file.
 *
 * @param path path of the file
 * @throws SqlError with the reason, on the first operation
 *
 * @example
 * import { fileInboxStore } from 'paystate/stores/file';
 * const store = fileInboxStore('.cache/example-inbox.db');
 */
export function fileInboxStore(path: string): InboxStore<SqlTransaction> {
  return sqlInboxStore(fileDriver(path));
}

/**
 * Creates a driver for a single SQLite file. Use it for your own statements in the file of a store,
 * and for `sqlRateLimitStore`. The file is opened by the first batch, with the SQLite version built
 * into Node, Deno or Bun.
 *
 * @param path path of the file
 * @throws InputError for `:memory:`, which is lost when the process ends
 *
 * @example
 * import { fileDriver } from 'paystate/stores/file';
 * const driver = fileDriver('.cache/example-shop.db');
 * const sql = 'CREATE TABLE IF NOT EXISTS parcels (id TEXT PRIMARY KEY)';
 * await driver.batch([{ sql, values: [] }]);
 */
export function fileDriver(path: string): SqlDriver {
  checkArgument('path', path ?? null, 'string');
  if (path === '' || path.startsWith(':memory:') || /^file:/i.test(path))
    throw badInput('path', 'must be a file path, because memory is lost when the process ends');
  const openOnce = once(() => openFile(path));
  const use = async <T>(work: (driver: SqlDriver) => Promise<T>): Promise<T> => {
    try {
      const file = await openOnce();
      await checkPlace(path, file);
      return await work(file.driver);
    } catch (thrown) {
      throw toFileError(path, thrown);
    }
  };
  return {
    dialect: 'sqlite',
    durable: true,
    batch: (statements) => use((driver) => driver.batch(statements)),
    transaction: (work) => use((driver) => driver.transaction!(work)),
  };
}

interface OpenFile {
  readonly driver: SqlDriver;
  /** The file's inode number. It's used to detect when the file is replaced. */
  readonly ino: number;
}

/** Opens the file. SQLite creates its additional files with the same permissions. */
async function openFile(path: string): Promise<OpenFile> {
  await refuseFolder(path);
  const folder = /^(.*)[/\\]/s.exec(path)?.[1];
  if (folder) await mkdir(folder, { recursive: true, mode: 0o700 });
  await (await open(path, 'a', 0o600)).close();
  const driver = sqliteDriver(await openDatabase(path));
  // this fails if the file isn't a SQLite database
  await driver.batch([{ sql: 'PRAGMA user_version', values: [] }]);
  return { driver, ino: (await stat(path)).ino };
}

/** The module's name is in a variable, because bundlers for other runtimes can't resolve it. */
const BUN_SQLITE: string = 'bun:sqlite';

interface BunSqlite {
  readonly Database: new (path: string) => SqliteDatabase;
}

async function openDatabase(path: string): Promise<SqliteDatabase> {
  if ('Bun' in globalThis) {
    const { Database } = (await import(BUN_SQLITE)) as BunSqlite;
    return new Database(path);
  }
  return new (await import('node:sqlite')).DatabaseSync(path);
}

/**
 * Throws if the path is a folder, which earlier versions of this package used. Ignoring its
 * contents could lead to duplicate payments.
 */
async function refuseFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) return;
  const isLog = (await readdir(path)).some((name) => /^\d{12}\.(entry|save)$/.test(name));
  const what = isLog
    ? 'is a folder from an earlier version, which this version cannot read: let that version finish its open work, then use another path'
    : 'is a folder; use a file path';
  throw unfit(path, what);
}

/**
 * Throws if the file was removed or replaced, because other processes wouldn't see anything written
 * to it.
 */
async function checkPlace(path: string, { ino }: OpenFile): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.ino !== ino)
    throw unfit(path, 'was removed or replaced while this process had it open');
}

/** Explanations for database errors whose own message isn't clear enough. */
const REASONS: readonly (readonly [found: RegExp, reason: string])[] = [
  [/database or disk is full|ENOSPC/i, 'the disk is full'],
  [/not a database|malformed|encrypted/i, 'the file is not an SQLite database, or is damaged'],
  [/readonly database|EACCES|EPERM|EROFS/i, 'this process has no permission to write to it'],
  [/unable to open/i, 'the file, or one next to it, cannot be opened'],
  [/database is locked/i, 'another process has held the write lock for ten seconds'],
];

function unfit(path: string, text: string, cause?: unknown): SqlError {
  return new SqlError(`"${path}" ${text}`, 'not-done', cause);
}

/**
 * Converts errors from SQLite and the file system. Errors from the caller's own code are left
 * unchanged.
 */
function toFileError(path: string, thrown: unknown): unknown {
  const { message, name, code } = Object(thrown) as Partial<Record<string, string>>;
  const isSqlite = name === 'SQLiteError' || code === 'ERR_SQLITE_ERROR';
  if (message === undefined || !(isSqlite || 'syscall' in Object(thrown))) return thrown;
  const reason = REASONS.find(([found]) => found.test(message))?.[1];
  return unfit(path, `cannot be used: ${reason ? `${reason} (${message})` : message}`, thrown);
}
