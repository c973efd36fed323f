// The drivers for SQLite as the chapter shows them: Node's own, which Deno has too, and Bun's.
import type { SqlDriver } from 'paystate/stores';

interface NodeSqlite {
  exec(sql: string): void;
  prepare(sql: string): { all(...values: unknown[]): unknown[] };
}

interface BunSqlite {
  run(sql: string): unknown;
  query(sql: string): { all(...values: unknown[]): unknown[] };
  transaction<T>(work: () => T): { immediate(): T };
}

type Rows = Awaited<ReturnType<SqlDriver['batch']>>;

const PRAGMAS = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 10000';

const ofNode = (db: NodeSqlite): SqlDriver => ({
  dialect: 'sqlite',
  async batch(statements) {
    db.exec('BEGIN IMMEDIATE');
    try {
      const rows = statements.map(({ sql, values }) => db.prepare(sql).all(...values));
      db.exec('COMMIT');
      return rows as Rows;
    } catch (error) {
      db.exec('ROLLBACK');
      throw error;
    }
  },
});

const ofBun = (db: BunSqlite): SqlDriver => ({
  dialect: 'sqlite',
  batch: async (statements) =>
    db
      .transaction(() => statements.map(({ sql, values }) => db.query(sql).all(...values)))
      .immediate() as Rows,
});

/** Opens a file with the SQLite of the runtime. */
export async function openSqlite(path: string): Promise<SqlDriver> {
  if ('Bun' in globalThis) {
    const name = 'bun:sqlite';
    const { Database } = (await import(name)) as { Database: new (path: string) => BunSqlite };
    const db = new Database(path);
    for (const pragma of PRAGMAS.split('; ')) db.run(pragma);
    return ofBun(db);
  }
  const db = new (await nodeSqlite())(path);
  db.exec(PRAGMAS);
  return ofNode(db);
}

async function nodeSqlite(): Promise<new (path: string) => NodeSqlite> {
  const name = 'node:sqlite'; // in a variable: the compiler does not know Node's modules here
  return ((await import(name)) as { DatabaseSync: new (path: string) => NodeSqlite }).DatabaseSync;
}

/** What opens databases that end with the process. */
export async function databases(): Promise<() => NodeSqlite> {
  const DatabaseSync = await nodeSqlite();
  return () => new DatabaseSync(':memory:');
}
