// Checks the stores over a driver: `open` gives the database as another process would have it open.
import { type SqlDriver, sqlInboxStore, sqlStore, type SqlTransaction } from 'paystate/stores';
import { checkInboxStore, checkStore } from 'paystate/testing';

/** Rejects where the stores are not what they have to be. */
export async function checkSql(open: () => Promise<SqlDriver>, prefix: string): Promise<void> {
  const drivers = [await open(), await open()];
  let opened = 0;
  const next = (): SqlDriver => drivers[opened++ % 2]!;
  await checkStore(() => sqlStore(next(), { prefix }));
  const place = next().dialect === 'sqlite' ? '?' : '$1';
  const second = place === '?' ? '?' : '$2';
  const beside = `${prefix}_beside`;
  await next().batch([
    { sql: `CREATE TABLE ${beside} (key TEXT PRIMARY KEY, value TEXT)`, values: [] },
  ]);
  await checkInboxStore(() => sqlInboxStore(next(), { prefix }), {
    write: (tx: SqlTransaction, key, value) =>
      tx.run(`INSERT INTO ${beside} (key, value) VALUES (${place}, ${second})`, key, value),
    async read(key) {
      const sql = `SELECT value FROM ${beside} WHERE key = ${place}`;
      const [rows] = await next().batch([{ sql, values: [key] }]);
      return rows![0]?.['value'] as string | undefined;
    },
  });
}
