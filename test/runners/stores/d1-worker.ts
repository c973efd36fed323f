// The checks of stores in Cloudflare D1, and an inbox that loses the answer of a batch.
import {
  type D1Database,
  d1Driver,
  sqlInboxStore,
  sqlRateLimitStore,
  sqlStore,
} from 'paystate/stores';
import { checkInboxStore, checkStore } from 'paystate/testing';
import { Loss, playInbox } from './lost-answers.ts';
import { checkRateLimitStore } from './rates.ts';

/** Loses the answer of one batch after D1 has committed it. Other plays have left their tables. */
async function playLost(database: D1Database, which: number): Promise<Response> {
  const whole = d1Driver(database);
  const [tables] = await whole.batch([
    {
      sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE%'",
      values: [],
    },
  ]);
  for (const { name } of tables!)
    if (!/^(_cf|d1|sqlite)_/.test(name as string))
      await whole.batch([{ sql: `DROP TABLE ${name}`, values: [] }]);
  const loss = new Loss(which);
  const lossy: D1Database = {
    prepare: (text) => database.prepare(text),
    async batch(statements) {
      const results = await database.batch(statements);
      loss.check();
      return results;
    },
  };
  const open = () => ({ driver: d1Driver(lossy), end: async () => {} });
  return Response.json({ counts: await playInbox(open, loss), hasHappened: loss.hasHappened });
}

export default {
  async fetch(request: Request, { DB }: { readonly DB: D1Database }): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/lost') return playLost(DB, Number(searchParams.get('which')));
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
