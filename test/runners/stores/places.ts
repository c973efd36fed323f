// The lasting stores by their kinds, as any process opens them: the kind, and where it keeps what it keeps.
import {
  type InboxStore,
  type RateLimitStore,
  type SqlDriver,
  sqlInboxStore,
  sqlRateLimitStore,
  sqlStore,
  type SqlTransaction,
  type Store,
} from 'paystate/stores';
import { fileDriver } from 'paystate/stores/file';
import type { BesideInbox } from 'paystate/testing';
import { openPostgresql } from './postgresql.ts';
import { openSqlite } from './sqlite.ts';

/** PostgreSQL by the package `pg`, and by the package `postgres`. */
export type Kind = 'sqlite' | 'file' | 'postgresql' | 'postgres';

/** The stores that one process has open in one database. */
export interface Opened {
  readonly driver: SqlDriver;
  readonly store: Store;
  readonly inbox: InboxStore<SqlTransaction>;
  readonly rates: RateLimitStore;
  readonly beside: BesideInbox<SqlTransaction>;
  end(): Promise<void>;
}

const BESIDE = 'CREATE TABLE IF NOT EXISTS beside (key TEXT PRIMARY KEY, value TEXT)';

async function driverOf(kind: Kind, place: string): Promise<SqlDriver & { end?(): Promise<void> }> {
  if (kind === 'file') return fileDriver(`${place}.db`);
  return kind === 'sqlite' ? openSqlite(`${place}.db`) : openPostgresql(place, kind);
}

/** Opens all of them; what is not there yet is made. */
export async function openPlace(kind: Kind, place: string): Promise<Opened> {
  const driver = await driverOf(kind, place);
  const [one, two] = driver.dialect === 'postgresql' ? ['$1', '$2'] : ['?', '?'];
  const lock = 'SELECT pg_advisory_xact_lock(1)'; // two would make the table at once
  const statements = driver.dialect === 'postgresql' ? [lock, BESIDE] : [BESIDE];
  await driver.batch(statements.map((sql) => ({ sql, values: [] })));
  return {
    driver,
    store: sqlStore(driver),
    inbox: sqlInboxStore(driver),
    rates: sqlRateLimitStore(driver),
    beside: {
      write: (tx, key, value) =>
        tx.run(`INSERT INTO beside (key, value) VALUES (${one}, ${two})`, key, value),
      async read(key) {
        const sql = `SELECT value FROM beside WHERE key = ${one}`;
        const [rows] = await driver.batch([{ sql, values: [key] }]);
        return rows![0]?.['value'] as string | undefined;
      },
    },
    end: async () => driver.end?.(),
  };
}
