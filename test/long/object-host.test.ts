// Protects: objects in one process keep what Durable Objects promise: an alarm that outlives failures and the process,
// transactions within transactions, an end of all that was kept.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { createObjectHost, type MakeObject } from 'paystate/host';
import type { DurableObjectContext } from 'paystate/relay';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';

const { clock, advance } = createSandbox();

/** A place for databases that outlives hosts. */
function openPlace() {
  const databases = new Map<string, DatabaseSync>();
  const start = (make: MakeObject) => {
    const open = (name: string) => {
      const database = databases.get(name) ?? new DatabaseSync(':memory:');
      databases.set(name, database);
      return database;
    };
    const { THINGS } = createObjectHost({ open, clock, classes: { THINGS: make } }).objects;
    return THINGS.get(THINGS.idFromName('a/b'));
  };
  return { start, names: () => [...databases.keys()] };
}

const nothing = async () => new Response('');

/** Writes a note when it is asked and when its alarm rings, and says how many it has. */
const noteTaker: MakeObject = ({ storage }) => {
  storage.sql.exec('CREATE TABLE IF NOT EXISTS notes (text TEXT)');
  const write = () => void storage.sql.exec("INSERT INTO notes VALUES ('here')");
  return {
    async fetch() {
      storage.transactionSync(write);
      await storage.setAlarm(clock.now() + 30_000);
      return new Response(`${storage.sql.exec('SELECT text FROM notes').toArray().length}`);
    },
    alarm: async () => write(),
  };
};

/** Asks one of many objects that take notes. */
function askerOf(open: (name: string) => DatabaseSync): (name: string) => Promise<string> {
  const { THINGS } = createObjectHost({ open, clock, classes: { THINGS: noteTaker } }).objects;
  return async (name) => {
    const response = await THINGS.get(THINGS.idFromName(name)).fetch('https://object/');
    return response.text();
  };
}

describe('objects of one process', () => {
  it('ring until it went well, also after a restart, and then no more', async () => {
    const { start } = openPlace();
    const rings: number[] = [];
    const began = clock.now();
    let works = false;
    const make: MakeObject = ({ storage }) => ({
      async fetch() {
        await storage.setAlarm(clock.now() + 5_000);
        return new Response(`${await storage.getAlarm()}`);
      },
      async alarm() {
        expect(await storage.getAlarm()).to.equal(null);
        rings.push(clock.now() - began);
        if (!works) throw new Error('not yet');
      },
    });
    const answer = await start(make).fetch('https://object/');
    expect(await answer.text()).to.equal(`${began + 5_000}`);
    await advance(12_000);
    expect(rings).to.deep.equal([5_000, 7_000, 11_000]);
    works = true;
    await advance(8_000);
    expect(rings).to.deep.equal([5_000, 7_000, 11_000, 19_000]);
    await advance(3_600_000);
    expect(rings).to.have.length(4);
  });

  it('ring in the next process where the first one ended before', async () => {
    const { start, names } = openPlace();
    await start(({ storage }) => ({
      async fetch() {
        await storage.setAlarm(clock.now() + 5_000);
        return new Response('');
      },
      alarm: () => new Promise(() => {}), // the process ends here
    })).fetch('https://object/');
    await advance(6_000);
    let rang = 0;
    start(() => ({ fetch: nothing, alarm: async () => void rang++ }));
    await advance(1);
    expect(rang).to.equal(1);
    expect(names()).to.deep.equal(['host', 'THINGS.2f.a.2f.b']);
  });

  it('take back a part of a transaction, or all of it, and forget everything', async () => {
    const { start } = openPlace();
    let kept: DurableObjectContext['storage'] | undefined;
    await start(({ storage }) => ((kept = storage), { fetch: nothing })).fetch('https://object/');
    const { sql, transactionSync, deleteAll } = {
      sql: kept!.sql,
      transactionSync: kept!.transactionSync.bind(kept),
      deleteAll: kept!.deleteAll.bind(kept),
    };
    sql.exec('CREATE TABLE notes (text TEXT)');
    const write = (text: string) => void sql.exec('INSERT INTO notes VALUES (?)', text);
    const notes = () => sql.exec<{ text: string }>('SELECT text FROM notes').toArray();
    const fail = (): never => {
      throw new Error('taken back');
    };
    transactionSync(() => {
      write('stays');
      expect(() => transactionSync(() => (write('goes'), fail()))).to.throw('taken back');
    });
    expect(() => transactionSync(() => (write('goes too'), fail()))).to.throw('taken back');
    expect(notes().map(({ text }) => text)).to.deep.equal(['stays']);
    await deleteAll();
    expect(() => notes()).to.throw(/no such table/);
  });

  it('have at most a hundred files open, whatever their number, and lose nothing of what they wrote', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'objects-'));
    const opened: DatabaseSync[] = [];
    const open = (name: string) => {
      opened.push(new DatabaseSync(join(folder, name)));
      opened.at(-1)!.exec('PRAGMA synchronous = OFF'); // nothing of the test depends on power cuts
      return opened.at(-1)!;
    };
    const ask = askerOf(open);
    const names = Array.from({ length: 150 }, (_, at) => `${at}`);
    for (const name of names) expect(await ask(name)).to.equal('1');
    const isOpen = () => opened.filter((database) => database.isOpen).length;
    expect(isOpen()).to.equal(101); // and that of the alarms
    expect(await Promise.all(names.map(ask))).to.deep.equal(names.map(() => '2'));
    expect(isOpen()).to.equal(101);
    await advance(60_000); // each of them has set its alarm
    expect(await Promise.all(names.map(ask))).to.deep.equal(names.map(() => '4'));
    rmSync(folder, { recursive: true });
  });

  it('keep a database that is in memory alone, however long nothing asks for it', async () => {
    const ask = askerOf(() => new DatabaseSync(':memory:'));
    for (let at = 0; at < 120; at++) await ask(`${at}`);
    expect(await ask('0')).to.equal('2');
  });

  it('are refused without a database or a class', () => {
    expect(() => createObjectHost({ open: undefined as never, classes: {} })).to.throw(/open/);
    const open = () => new DatabaseSync(':memory:');
    expect(() => createObjectHost({ open, classes: {} })).to.throw(/classes/);
  });
});
