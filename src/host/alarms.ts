import { rowsOf, type SqliteDatabase } from './sqlite.ts';

/** The alarms of all objects, in one table: they ring after a restart too. */
export class Alarms {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
    rowsOf(
      database,
      'CREATE TABLE IF NOT EXISTS paystate_alarms (object TEXT PRIMARY KEY, at INTEGER NOT NULL)',
    );
  }

  /** When the alarm of an object rings, milliseconds since 1970. */
  get(object: string): number | null {
    const sql = 'SELECT at FROM paystate_alarms WHERE object = ?';
    return rowsOf<{ at: number }>(this.#database, sql, object)[0]?.at ?? null;
  }

  set(object: string, at: number): void {
    const sql = 'INSERT OR REPLACE INTO paystate_alarms (object, at) VALUES (?, ?)';
    rowsOf(this.#database, sql, object, Math.round(at));
  }

  clear(object: string): void {
    rowsOf(this.#database, 'DELETE FROM paystate_alarms WHERE object = ?', object);
  }

  /** The objects that have an alarm. */
  objects(): readonly string[] {
    const rows = rowsOf<{ object: string }>(this.#database, 'SELECT object FROM paystate_alarms');
    return rows.map(({ object }) => object);
  }
}
