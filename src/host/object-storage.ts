import { badInput } from '../core/errors/index.ts';
import type { SqlStorage } from '../core/platform.ts';
import type { DurableObjectContext } from '../relay/index.ts';
import type { SqlText, SqlTransaction } from '../stores/index.ts';
import type { ObjectAlarm } from './object-alarm.ts';
import type { ObjectLog } from './shared/object-log.ts';
import { rowsOf, type SqliteDatabase } from './sqlite.ts';

/** Begins a statement that is for PostgreSQL, and not for the object's own database. */
const FOR_POSTGRESQL = '-- postgresql\n';

type PlatformStorage = DurableObjectContext['storage'];

/**
 * The storage of one object: a SQLite database of its own, and its alarm. Where several processes
 * share it, a log carries what is written to the others.
 */
export class ObjectStorage implements PlatformStorage {
  readonly sql: SqlStorage;
  readonly #database: () => SqliteDatabase;
  readonly #alarm: ObjectAlarm;
  readonly #log: ObjectLog | undefined;
  #depth = 0;
  readonly flush?: () => Promise<void>;

  constructor(database: () => SqliteDatabase, alarm: ObjectAlarm, log?: ObjectLog) {
    this.#database = database;
    this.#alarm = alarm;
    this.#log = log;
    if (log) this.flush = () => log.flush();
    this.sql = {
      exec<Row>(query: string, ...bindings: unknown[]) {
        log?.check();
        if (query.startsWith(FOR_POSTGRESQL)) return noteOther(log, query, bindings);
        const rows = rowsOf<Row>(database(), query, ...bindings);
        log?.note(query, bindings);
        return Object.assign(rows, { toArray: () => rows });
      },
    } as SqlStorage;
  }

  /** A transaction within another one is a part of it that can be taken back by itself. */
  transactionSync<T>(work: () => T): T {
    this.#log?.check();
    const name = `level${this.#depth}`;
    const mark = this.#log?.mark();
    rowsOf(this.#database(), `SAVEPOINT ${name}`);
    this.#depth += 1;
    try {
      const done = work();
      rowsOf(this.#database(), `RELEASE ${name}`);
      return done;
    } catch (thrown) {
      rowsOf(this.#database(), `ROLLBACK TO ${name}`);
      rowsOf(this.#database(), `RELEASE ${name}`);
      if (mark) this.#log!.backTo(mark);
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
      for (const { name } of rowsOf<{ name: string }>(this.#database(), tables))
        rowsOf(this.#database(), `DROP TABLE "${name.replaceAll('"', '""')}"`);
    });
    this.#log?.wipe();
  }
}

/**
 * How a handler writes to PostgreSQL in the transaction that ends its event: what it writes there
 * is there exactly once. Where PostgreSQL refuses a statement, the account object begins again from
 * what it has written before, and the handler runs again.
 *
 * @param sql what `tx` of a handler was given, by a relay with `postgresql`
 * @throws InputError where there is no PostgreSQL beneath
 * @example
 * const notePaid = (sql: SqlTransaction, orderId: string) =>
 *   postgresqlOf(sql).run('INSERT INTO parcels (order_id) VALUES ($1)', orderId);
 */
export function postgresqlOf(sql: SqlTransaction): SqlTransaction {
  return { run: (text, ...values) => sql.run(`${FOR_POSTGRESQL}${text}`, ...values) };
}

function noteOther(log: ObjectLog | undefined, query: string, values: unknown[]): never {
  if (!log) throw badInput('sql', 'is not that of a relay with `postgresql`');
  log.noteOther(query.slice(FOR_POSTGRESQL.length), values as SqlText[]);
  return Object.assign([], { toArray: () => [] }) as never;
}
