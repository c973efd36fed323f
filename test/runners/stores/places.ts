// The lasting stores by their kinds, as any process opens them: the kind, and where it keeps what it keeps.
import {
  type InboxStore,
  sqlInboxStore,
  sqlStore,
  type SqlTransaction,
  type Store,
} from 'paystate/stores';
import { fileInboxStore, fileStore } from 'paystate/stores/file';
import type { BesideInbox } from 'paystate/testing';
import { openPostgresql } from './postgresql.ts';
import { openSqlite } from './sqlite.ts';

export type Kind = 'sqlite' | 'postgresql' | 'file';

/** A store and an inbox as one process has them open. */
export interface Opened<Tx> {
  readonly store: Store;
  readonly inbox: InboxStore<Tx>;
  readonly beside: BesideInbox<Tx>;
  end(): Promise<void>;
}

const BESIDE = 'CREATE TABLE IF NOT EXISTS beside (key TEXT PRIMARY KEY, value TEXT)';

async function openSql(
  kind: 'sqlite' | 'postgresql',
  place: string,
): Promise<Opened<SqlTransaction>> {
  const isServer = kind === 'postgresql';
  const driver = isServer ? await openPostgresql(place) : await openSqlite(`${place}.db`);
  const [one, two] = isServer ? ['$1', '$2'] : ['?', '?'];
  await driver.batch([{ sql: BESIDE, values: [] }]);
  return {
    store: sqlStore(driver),
    inbox: sqlInboxStore(driver),
    beside: {
      write: (tx, key, value) =>
        tx.run(`INSERT INTO beside (key, value) VALUES (${one}, ${two})`, key, value),
      async read(key) {
        const sql = `SELECT value FROM beside WHERE key = ${one}`;
        const [rows] = await driver.batch([{ sql, values: [key] }]);
        return rows![0]?.['value'] as string | undefined;
      },
    },
    end: async () => 'end' in driver && (driver.end as () => Promise<void>)(),
  } as Opened<SqlTransaction>;
}

/** Opens both; what is not there yet is made. */
export async function openPlace(kind: Kind, place: string): Promise<Opened<never>> {
  if (kind !== 'file') return (await openSql(kind, place)) as Opened<never>;
  const inbox = fileInboxStore(`${place}-inbox`);
  const beside = {
    write: (tx: { put(key: string, value: string): void }, key: string, value: string) =>
      tx.put(key, value),
    read: (key: string) => inbox.valueOf(key) as Promise<string | undefined>,
  };
  const store = fileStore(`${place}-journal`);
  return { store, inbox, beside, end: async () => {} } as unknown as Opened<never>;
}
