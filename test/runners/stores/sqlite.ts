// SQLite of each runtime: Node's own, which Deno has too, and Bun's.
import { type SqlDriver, sqliteDriver, type SqliteDatabase } from 'paystate/stores';

/** Opens a file with the SQLite of the runtime. */
export async function openSqlite(path: string): Promise<SqlDriver> {
  if (!('Bun' in globalThis)) return sqliteDriver(new (await nodeSqlite())(path));
  const name = 'bun:sqlite';
  const { Database } = (await import(name)) as { Database: new (path: string) => SqliteDatabase };
  return sqliteDriver(new Database(path));
}

async function nodeSqlite(): Promise<new (path: string) => SqliteDatabase> {
  const name = 'node:sqlite'; // in a variable: the compiler does not know Node's modules here
  return ((await import(name)) as { DatabaseSync: new (path: string) => SqliteDatabase })
    .DatabaseSync;
}

/** Resolves to a function that opens databases that end with the process. */
export async function databases(): Promise<() => SqliteDatabase> {
  const DatabaseSync = await nodeSqlite();
  return () => new DatabaseSync(':memory:');
}
