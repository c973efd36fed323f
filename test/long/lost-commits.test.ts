// Protects: what a handler writes with `tx` is there exactly once, whichever COMMIT's answer is lost: on SQLite,
// PostgreSQL and an object's SQLite, with a driver that has `transaction` and one that has not; in an inbox, and in the
// relay on rows and in its object. In virtual time, which stands still while a database works. D1's are in
// `test/edge/stores-lasting.test.ts`.
// Part of `npm test`.
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { durableObjectDriver, type PgPool, postgresqlDriver, sqliteDriver } from 'paystate/stores';
import { after, before, describe, it } from '#test';
import { emptyPostgresql, type Postgresql, startPostgresql } from '../runners/stores/postgresql.ts';
import {
  BOUGHT,
  COUNT,
  INSERT,
  Loss,
  type Opened,
  playInbox,
  HOOK_URL,
} from '../runners/stores/lost-answers.ts';
import { DRAFT, HOOK, openHere } from './host/here.ts';
import { openObjects } from './relay-objects.ts';

const SECOND = 1_000;

function openSqlite(loss: Loss): Opened {
  const db = new DatabaseSync(':memory:');
  const driver = sqliteDriver({
    prepare: (text) => db.prepare(text),
    exec(text) {
      db.exec(text);
      if (text === 'COMMIT') loss.check();
    },
  });
  return { driver, end: async () => db.close() };
}

/** The transaction of a Durable Object. */
function transact<T>(db: DatabaseSync, loss: Loss, work: () => T): T {
  db.exec('BEGIN');
  let done: T;
  try {
    done = work();
    db.exec('COMMIT');
  } catch (thrown) {
    db.exec('ROLLBACK');
    throw thrown;
  }
  loss.check();
  return done;
}

function openObject(loss: Loss): Opened {
  const db = new DatabaseSync(':memory:');
  const driver = durableObjectDriver({
    sql: {
      exec(text: string, ...values: never[]) {
        const rows = db.prepare(text).all(...values);
        return Object.assign(rows, { toArray: () => rows });
      },
    },
    transactionSync: <T>(work: () => T): T => transact(db, loss, work),
  } as never);
  return { driver, end: async () => db.close() };
}

let postgresql: Postgresql | undefined;
before(async () => void (postgresql = await startPostgresql()));
after(() => postgresql?.stop());

async function openPostgresql(loss: Loss): Promise<Opened> {
  await emptyPostgresql(postgresql!.url);
  const name = 'pg'; // in a variable: it has no types
  const { default: pg } = (await import(name)) as { default: { Pool: new (o: object) => PgPool } };
  const pool = new pg.Pool({ connectionString: postgresql!.url });
  const driver = postgresqlDriver({
    on: (event: 'error', listener: () => void) => pool.on(event, listener),
    end: () => pool.end(),
    async connect() {
      const connection = await pool.connect();
      return {
        on: () => {}, // nothing is lost but an answer
        release: (destroy?: boolean) => connection.release(destroy),
        async query(text: string, values?: unknown[]) {
          const found: unknown = await connection.query(text, values);
          if (text === 'COMMIT') loss.check();
          return found;
        },
      };
    },
  } as never);
  return { driver, end: () => driver.close() };
}

function withoutTransaction({ driver, end }: Opened): Opened {
  const { transaction: _, ...rest } = driver;
  return { driver: rest, end };
}

/** The relay on rows in SQLite. */
async function playRows(loss: Loss): Promise<readonly unknown[]> {
  const { driver } = withoutTransaction(openSqlite(loss));
  const here = openHere({
    database: { driver, statements: [], refuses: undefined, rows: () => [] },
    webhookUrl: HOOK_URL,
    account: {
      secrets: HOOK,
      on: { orderPaid: ({ orderId }, { tx }) => tx(({ run }) => run(INSERT(driver), orderId)) },
    },
  });
  await here.sandbox.run(here.relay.ready);
  await driver.batch([{ sql: 'CREATE TABLE shipped (key TEXT)', values: [] }]);
  const sold = [];
  for (let n = 0; n < BOUGHT; n++) sold.push(await here.sell());
  loss.isArmed = true;
  for (const { invoiceId } of sold) await here.pay(invoiceId);
  await here.sandbox.advance(100 * SECOND);
  loss.isArmed = false;
  const [rows] = await driver.batch([{ sql: COUNT, values: [] }]);
  await here.relay.close();
  return rows!.map((row) => row['count']);
}

/** The relay's account object. */
async function playObject(loss: Loss): Promise<readonly unknown[]> {
  const insert = 'INSERT INTO shipped (key) VALUES (?)';
  const world = openObjects(
    undefined,
    {
      ...{ secrets: HOOK, webhookUrl: HOOK_URL },
      on: { orderPaid: ({ orderId }, { tx }) => tx(({ run }) => run(insert, orderId)) },
    },
    true,
  );
  const { sandbox, relay, client, account } = world;
  account.rows('CREATE TABLE shipped (key TEXT)');
  const sold = [];
  for (let n = 0; n < BOUGHT; n++) {
    const { orderId, orderSecret } = await sandbox.run(relay.createOrder(DRAFT));
    const { body } = await world.exchange(orderId, orderSecret);
    sold.push(await sandbox.run(client.invoices.get(body.invoiceId)));
  }
  account.losesAnswer = loss.isNext;
  loss.isArmed = true;
  for (const invoice of sold) await world.pay(invoice);
  await sandbox.advance(100 * SECOND);
  loss.isArmed = false;
  return account.rows(COUNT).map((row) => (row as { readonly count: number }).count);
}

/** Loses each COMMIT's answer in turn, until none is left to lose. */
async function loseEach(play: (loss: Loss) => Promise<readonly unknown[]>): Promise<number> {
  for (let which = 1; ; which++) {
    const loss = new Loss(which);
    expect(await play(loss), `answer ${which} lost`).to.deep.equal(Array(BOUGHT).fill(1));
    if (!loss.hasHappened) return which - 1;
  }
}

describe('what is written with tx is there once, whichever COMMIT is not answered', () => {
  for (const [name, open] of [
    ['SQLite', openSqlite],
    ['SQLite without transaction', (loss: Loss) => withoutTransaction(openSqlite(loss))],
    ['an object', openObject],
    ['an object without transaction', (loss: Loss) => withoutTransaction(openObject(loss))],
    ['PostgreSQL', openPostgresql],
  ] as const)
    it(`in an inbox on ${name}`, async () => {
      expect(await loseEach((loss) => playInbox(open, loss))).to.be.at.least(2 * BOUGHT);
    });

  it('in the relay on rows', async () => {
    expect(await loseEach(playRows)).to.be.at.least(2 * BOUGHT);
  });

  it("in the relay's account object", async () => {
    expect(await loseEach(playObject)).to.be.at.least(2 * BOUGHT);
  });
});
