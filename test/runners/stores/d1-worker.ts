// The checks of stores in Cloudflare D1, with the driver as the chapter shows it.
import { type SqlDriver, sqlInboxStore, sqlStore } from 'paystate/stores';
import { checkInboxStore, checkStore } from 'paystate/testing';

interface Statement {
  bind(...values: readonly unknown[]): Statement;
}

interface Database {
  prepare(sql: string): Statement;
  batch(
    statements: readonly Statement[],
  ): Promise<readonly { readonly results: readonly Readonly<Record<string, unknown>>[] }[]>;
}

const driverOf = (db: Database): SqlDriver => ({
  dialect: 'sqlite',
  async batch(statements) {
    const found = await db.batch(
      statements.map(({ sql, values }) => db.prepare(sql).bind(...values)),
    );
    return found.map(({ results }) => results);
  },
});

export default {
  async fetch(_request: Request, { DB }: { readonly DB: Database }): Promise<Response> {
    const driver = driverOf(DB);
    const sql = 'CREATE TABLE beside (key TEXT PRIMARY KEY, value TEXT)';
    await driver.batch([{ sql, values: [] }]);
    try {
      await checkStore(() => sqlStore(driver));
      await checkInboxStore(() => sqlInboxStore(driver), {
        write: (tx, key, value) =>
          tx.run('INSERT INTO beside (key, value) VALUES (?, ?)', key, value),
        async read(key) {
          const found = { sql: 'SELECT value FROM beside WHERE key = ?', values: [key] };
          return (await driver.batch([found]))[0]?.[0]?.['value'] as string | undefined;
        },
      });
      return Response.json({ result: 'fit for use' });
    } catch (error) {
      return Response.json({ result: (error as Error).message });
    }
  },
};
