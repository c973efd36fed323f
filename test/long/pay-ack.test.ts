// Protects: an end is acknowledged in one transaction with what the caller writes for it: both are done, or neither, and once.
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { createClient } from 'paystate';
import { pay, resume } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { type SqlDriver, sqlStore } from 'paystate/stores';
import { describe, it } from '#test';
import { openPlace } from '../runners/stores/places.ts';
import { withPlace } from '../runners/stores/run.ts';

const SHIP = 'INSERT INTO parcels (intent) VALUES (?)';

describe('a run that is acknowledged with statements', () => {
  it('runs them once, and not at all where one fails: SQLite', async () => {
    const db = new DatabaseSync(':memory:');
    db.exec('CREATE TABLE parcels (intent TEXT PRIMARY KEY)');
    const driver: SqlDriver = {
      dialect: 'sqlite',
      async batch(statements) {
        db.exec('BEGIN IMMEDIATE');
        try {
          const rows = statements.map(({ sql, values }) => db.prepare(sql).all(...values));
          db.exec('COMMIT');
          return rows as Record<string, unknown>[][];
        } catch (error) {
          db.exec('ROLLBACK');
          throw error;
        }
      },
    };
    const journal = sqlStore(driver, { mayForget: true });
    const parcels = () => db.prepare('SELECT intent FROM parcels').all().length;
    const sandbox = createSandbox({ signed: false });
    const client = createClient(sandbox.clientOptions);
    const order = { to: 'ada@wallet.example', amount: { amount: '5.00', currency: 'EUR' } };
    const common = { sourceCurrency: 'EUR', maxFee: 'any', journal } as const;
    await sandbox.run(pay(client, { ...order, ...common, intent: 'a' }).result);
    const take = async () => {
      const [run] = await sandbox.run(resume(createClient(sandbox.clientOptions), { journal }));
      if (run) await sandbox.run(run.result);
      return run;
    };
    const run = await take();
    const other = await take();
    const failed = await sandbox
      .run(
        run!.ack((tx) => {
          tx.run(SHIP, 'a');
          tx.run('INSERT INTO nowhere VALUES (1)');
        }),
      )
      .catch((reason: unknown) => reason);
    expect(failed).to.be.instanceOf(Error);
    expect(parcels()).to.equal(0);
    expect(await sandbox.run(run!.ack((tx) => tx.run(SHIP, 'a')))).to.equal(true);
    expect(await sandbox.run(other!.ack((tx) => tx.run(SHIP, 'b')))).to.equal(false);
    expect(parcels()).to.equal(1);
    expect(await take()).to.equal(undefined);
  });

  it('are fenced by the version of the row: PostgreSQL', (context) =>
    withPlace(context, 'postgresql', 'ack', async (place) => {
      const { store, end } = await openPlace('postgresql', place);
      await store.compareAndSet('row', 0, { n: 1 }, true);
      const write = (version: number, value: string) =>
        store.compareAndSetWith!('row', version, { n: 2 }, [
          { sql: 'INSERT INTO beside (key, value) VALUES ($1, $2)', values: [value, value] },
        ]);
      const won = await Promise.all([write(1, 'a'), write(1, 'b'), write(7, 'c')]);
      expect(won.filter(Boolean)).to.have.length(1);
      expect(won[2]).to.equal(false);
      expect(await store.get('row')).to.deep.equal({ value: { n: 2 }, version: 2 });
      expect(await store.listOpen('row')).to.deep.equal([]);
      expect(await write(2, won[0] ? 'a' : 'b').catch(() => 'thrown')).to.equal('thrown');
      await end();
    }));
});
