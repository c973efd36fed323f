// The checks of stores in Cloudflare D1.
import {
  type D1Database,
  d1Driver,
  sqlInboxStore,
  sqlRateLimitStore,
  sqlStore,
} from 'paystate/stores';
import { checkInboxStore, checkStore } from 'paystate/testing';
import { checkRateLimitStore } from './rates.ts';

export default {
  async fetch(_request: Request, { DB }: { readonly DB: D1Database }): Promise<Response> {
    const driver = d1Driver(DB);
    const sql = 'CREATE TABLE beside (key TEXT PRIMARY KEY, value TEXT)';
    await driver.batch([{ sql, values: [] }]);
    try {
      await checkStore(() => sqlStore(driver));
      await checkRateLimitStore(() => sqlRateLimitStore(driver));
      await checkInboxStore(() => sqlInboxStore(driver), {
        write: (tx, key, value) =>
          tx.run('INSERT INTO beside (key, value) VALUES (?, ?)', key, value),
        async read(key) {
          const found = { sql: 'SELECT value FROM beside WHERE key = ?', values: [key] };
          return (await driver.batch([found]))[0]?.[0]?.['value'] as string | undefined;
        },
      });
      const outcomes = [];
      for (const text of [
        'INSERT INTO beside VALUES (1)',
        'INSERT INTO beside VALUES (NULL, 1, 2)',
      ])
        outcomes.push(await driver.batch([{ sql: text, values: [] }]).catch((e) => e.outcome));
      return Response.json({ result: 'fit for use', outcomes });
    } catch (error) {
      return Response.json({ result: (error as Error).message });
    }
  },
};
