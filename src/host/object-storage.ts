import type { SqlStorage } from '../core/platform/index.ts';
import type { DurableObjectContext } from '../relay/index.ts';
import type { ObjectAlarm } from './object-alarm.ts';
import { rowsOf, type SqliteDatabase } from './sqlite.ts';

type PlatformStorage = DurableObjectContext['storage'];

/** The storage of one object: a SQLite database of its own, and its alarm. */
export class ObjectStorage implements PlatformStorage {
  readonly sql: SqlStorage;
  readonly #database: SqliteDatabase;
  readonly #alarm: ObjectAlarm;
  #depth = 0;

  constructor(database: SqliteDatabase, alarm: ObjectAlarm) {
    this.#database = database;
    this.#alarm = alarm;
    this.sql = {
      exec<Row>(query: string, ...bindings: unknown[]) {
        const rows = rowsOf<Row>(database, query, ...bindings);
        return Object.assign(rows, { toArray: () => rows });
      },
    } as SqlStorage;
  }

  /** A transaction within another one is a part of it that can be taken back by itself. */
  transactionSync<T>(work: () => T): T {
    const name = `level${this.#depth}`;
    rowsOf(this.#database, `SAVEPOINT ${name}`);
    this.#depth += 1;
    try {
      const done = work();
      rowsOf(this.#database, `RELEASE ${name}`);
      return done;
    } catch (thrown) {
      rowsOf(this.#database, `ROLLBACK TO ${name}`);
      rowsOf(this.#database, `RELEASE ${name}`);
      throw thrown;
    } finally {
      this.#depth -= 1;
    }
  }

  async getAlarm(): Promise<number | null> {
    return this.#alarm.get();
  }

  async setAlarm(at: number): Promise<void> {
    this.#alarm.set(at);
  }

  async deleteAll(): Promise<void> {
    this.#alarm.clear();
    const tables = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`;
    this.transactionSync(() => {
      for (const { name } of rowsOf<{ name: string }>(this.#database, tables))
        rowsOf(this.#database, `DROP TABLE "${name.replaceAll('"', '""')}"`);
    });
  }
}
