// Protects: objects that several processes share live in one of them at a time: what reaches the database late, from one that
// has lost them, is refused; their log is replayed as it was written, and goes when they have forgotten everything.
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import {
  createObjectHost,
  type MakeObject,
  type ObjectHost,
  type PostgresqlDriver,
  postgresqlOf,
} from 'paystate/host';
import { after, before, describe, it } from '#test';
import { until } from '../edge/until.ts';
import { type Postgresql, startPostgresql } from '../runners/stores/postgresql.ts';
import { openPostgresql } from './host/postgresql.mjs';

let postgresql: Postgresql | undefined;
let driver: PostgresqlDriver & { end(): Promise<void> };
const hosts: ObjectHost<never>[] = [];
before(async () => {
  postgresql = await startPostgresql();
  if (postgresql) driver = await openPostgresql(postgresql.url);
});
after(async () => {
  for (const host of hosts) await host.close();
  await driver?.end();
  await postgresql?.stop();
});

const rows = async (sql: string) => (await driver.batch([{ sql, values: [] }]))[0]!;

/** A host as a process of its own would have it; what it sends to the database can be held back. */
function openHost(make: MakeObject, prefix: string) {
  let held: Promise<void> | undefined;
  let release = (): void => {};
  const postgresql: PostgresqlDriver = {
    ...driver,
    async batch(statements) {
      await held;
      return driver.batch(statements);
    },
  };
  const host = createObjectHost({
    ...{ postgresql, prefix, ownerTimeout: 1_000, classes: { THINGS: make } },
    open: () => new DatabaseSync(':memory:'),
  });
  hosts.push(host);
  const { THINGS } = host.objects;
  return {
    close: () => host.close(),
    async ask(path: string): Promise<string> {
      const thing = THINGS.get(THINGS.idFromName('one'));
      const response = await thing.fetch(`https://object/${path}`);
      if (response.ok) return response.text();
      throw new Error(`${response.status}`);
    },
    hold: () => (held = new Promise((resolve) => (release = resolve))),
    release: () => ((held = undefined), release()),
  };
}

/** Counts how often it was asked, in a database. */
const counter: MakeObject = ({ storage }) => {
  const tables = storage.sql.exec('SELECT name FROM sqlite_master').toArray();
  if (tables.length === 0) storage.sql.exec('CREATE TABLE counts (number INTEGER)');
  const write = () => void storage.sql.exec('INSERT INTO counts SELECT count(*) + 1 FROM counts');
  const count = () => storage.sql.exec<{ n: number }>('SELECT count(*) AS n FROM counts').toArray();
  return {
    async fetch(request) {
      const path = new URL(request.url).pathname;
      if (path === '/write') write();
      if (path === '/forget') return await storage.deleteAll(), new Response('gone');
      if (path === '/alarm') await storage.setAlarm(Date.now() + 500);
      if (path === '/refused')
        storage.transactionSync(() => {
          write();
          const run = (text: string) => void storage.sql.exec(text);
          postgresqlOf({ run }).run('INSERT INTO nowhere VALUES (1)');
        });
      if (path === '/back')
        try {
          storage.transactionSync(() => {
            write();
            throw new Error('taken back');
          });
        } catch {}
      return new Response(`${count()[0]?.n}`);
    },
    alarm: async () => write(),
  };
};

function itShared(title: string, test: () => Promise<void>): void {
  it(title, ({ skip }) => (postgresql ? test() : skip('PostgreSQL is not installed')));
}

describe('objects of several processes', () => {
  itShared('are written by the process that has them, and by none that had them', async () => {
    const [one, other] = [openHost(counter, 'fence'), openHost(counter, 'fence')];
    expect(await one.ask('write')).to.equal('1');
    expect(await other.ask('write')).to.equal('2'); // passed on
    one.hold();
    const late = one.ask('write').then(
      () => 'confirmed',
      () => 'refused',
    );
    await until('the takeover', async () => (await other.ask('read').catch(() => '')) === '2');
    one.release();
    expect(await late).to.equal('refused');
    expect(await other.ask('write')).to.equal('3');
    await until('the way back', async () => (await one.ask('read').catch(() => '')) === '3');
  });

  itShared('are what they were in the next process, though the log was written anew', async () => {
    const one = openHost(counter, 'log');
    for (let n = 1; n <= 1_200; n += 1) await one.ask(n % 100 === 0 ? 'back' : 'write');
    const before = await one.ask('read');
    expect(before).to.equal('1188');
    const [{ n = 0 } = {}] = await rows(
      'SELECT CAST(count(*) AS INTEGER) AS n FROM log_object_log',
    );
    expect(n).to.be.lessThan(1_000);
    await one.close();
    const other = openHost(counter, 'log');
    expect(await other.ask('read')).to.equal(before);
  });

  itShared('ring in the next process, and leave nothing where they forgot everything', async () => {
    const one = openHost(counter, 'ring');
    await one.ask('alarm');
    await one.close();
    const other = openHost(counter, 'ring');
    await until('the alarm', async () => (await rows('SELECT * FROM ring_object_log')).length > 1);
    expect(await other.ask('read')).to.equal('1');
    expect(await other.ask('forget')).to.equal('gone');
    expect(await rows('SELECT * FROM ring_object_log')).to.deep.equal([]);
    await until('nothing', async () => (await rows('SELECT * FROM ring_objects')).length === 0);
    await until('another', async () => (await other.ask('write').catch(() => '')) === '1');
  });

  itShared('begin again from what is written, where the database refuses a statement', async () => {
    const one = openHost(counter, 'refused');
    await one.ask('write');
    const end = await one.ask('refused').then(
      () => 'confirmed',
      () => 'refused',
    );
    expect(end).to.equal('refused');
    expect(await one.ask('read')).to.equal('1');
  });
});
