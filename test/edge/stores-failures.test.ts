// Protects: a store whose file or database fails says why, at once; silence of PostgreSQL ends, and is not taken for a "no".
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  type ReceivedEvent,
  type SqlDriver,
  SqlError,
  sqlInboxStore,
  sqlStore,
} from 'paystate/stores';
import { fileDriver, fileInboxStore, fileStore } from 'paystate/stores/file';
import { describe, it } from '#test';
import { openPostgresql } from '../runners/stores/postgresql.ts';
import { withPlace } from '../runners/stores/run.ts';

const failureOf = async (work: () => Promise<unknown>): Promise<SqlError> => {
  const thrown = await work().then(
    () => 'nothing',
    (error: unknown) => error,
  );
  if (thrown instanceof SqlError) return thrown;
  throw new Error(`no SqlError: ${String(thrown)}`);
};

const inFolder = async (use: (folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'stores-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

describe('a store in a file', () => {
  it('is not in memory', () => {
    for (const path of [':memory:', '', 'file::memory:?cache=shared', 'FILE:a.db'])
      for (const open of [fileStore, fileInboxStore, fileDriver])
        expect(() => open(path), path).to.throw('memory is lost when the process ends');
  });

  it('is not the folder of an earlier version, nor another one', () =>
    inFolder(async (folder) => {
      const log = join(folder, 'journal');
      mkdirSync(log);
      const plain = await failureOf(() => fileStore(log).get('a'));
      expect(plain.message).to.equal(`"${log}" is a folder; use a file path`);
      writeFileSync(join(log, '000000000001.entry'), '{}');
      const old = await failureOf(() => fileStore(log).put('a', 1));
      expect(old.message).to.contain('is a folder from an earlier version');
    }));

  it('is no file of something else', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'notes.txt');
      writeFileSync(path, 'a text that is long enough to be read as a header. '.repeat(40));
      const { message, outcome } = await failureOf(() => fileStore(path).get('a'));
      expect(message).to.contain(`"${path}" cannot be used: the file is not an SQLite database`);
      expect(outcome).to.equal('not-done');
    }));

  it('says what the file system refuses, and works once that is mended', () =>
    inFolder(async (folder) => {
      const blocked = join(folder, 'blocked');
      writeFileSync(blocked, ''); // a file where a folder is needed
      const store = fileStore(join(blocked, 'journal.db'));
      const { message } = await failureOf(() => store.put('a', 1));
      expect(message).to.match(/cannot be used: E(NOTDIR|EXIST|NOENT)/);
      rmSync(blocked);
      expect(await store.put('a', 1)).to.equal(1);
    }));

  it('says that the disk is full, and keeps what it had', () =>
    inFolder(async (folder) => {
      const driver = fileDriver(join(folder, 'journal.db'));
      const store = sqlStore(driver);
      expect(await store.put('a', 1)).to.equal(1);
      // SQLite's own limit: the error is that of a disk without room
      await driver.batch([{ sql: 'PRAGMA max_page_count = 1', values: [] }]);
      const { message } = await failureOf(() => store.put('b', 'x'.repeat(1_000_000)));
      expect(message).to.contain('cannot be used: the disk is full');
      expect((await store.get('a'))!.value).to.equal(1);
      expect(await store.get('b')).to.equal(undefined);
    }));

  it('that was removed or replaced while it was open takes nothing more', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'journal.db');
      const store = fileStore(path);
      await store.put('a', 1);
      renameSync(path, join(folder, 'elsewhere.db'));
      const removed = await failureOf(() => store.put('a', 2));
      expect(removed.message).to.contain('was removed or replaced');
      await fileStore(path).put('a', 3);
      const replaced = await failureOf(() => store.get('a'));
      expect(replaced.message).to.contain('was removed or replaced');
    }));
});

describe('an inbox whose database has been away', () => {
  it('gives back all leases whose commit was not answered, however many', () =>
    inFolder(async (folder) => {
      const driver = fileDriver(join(folder, 'inbox.db'));
      let isAway = false;
      const batch: SqlDriver['batch'] = async (statements) => {
        if (isAway) throw new SqlError('no answer', 'unknown');
        return driver.batch(statements);
      };
      const inbox = sqlInboxStore({ dialect: 'sqlite', durable: true, batch });
      const times = { createdAt: 1, receivedAt: 1 };
      const events = Array.from({ length: 45 }, (_, n): ReceivedEvent => {
        return { kind: 'event', id: `e${n}`, subject: `s${n}`, body: '', ...times };
      });
      await inbox.add(events);
      const leases = await inbox.lease(1, 60_000, 100);
      isAway = true;
      for (const lease of leases)
        await failureOf(() => inbox.commit(lease, { state: 1, done: lease.events }));
      await failureOf(() => inbox.lease(2, 60_000, 100));
      isAway = false;
      const again: unknown[] = [];
      for (let round = 0; round < 3; round += 1)
        again.push(...(await inbox.lease(2, 60_000, 100)).map(({ subject }) => subject));
      expect(again).to.have.members(events.map(({ subject }) => subject));
    }));
});

/** PostgreSQL behind a way that can fall silent: nothing is forwarded and nothing is closed. */
async function openWay(url: string) {
  const { port, hostname } = new URL(url);
  const sockets = new Set<Socket>();
  let isSilent = false;
  let isMuteAfter: RegExp | undefined;
  const server: Server = createServer((client) => {
    const target = connect(Number(port), hostname);
    for (const socket of [client, target]) sockets.add(socket.on('error', () => {}));
    client.on('data', (bytes) => {
      if (isSilent) return;
      target.write(bytes);
      if (isMuteAfter?.test(bytes.toString('latin1'))) isSilent = true;
    });
    target.on('data', (bytes) => void (isSilent || client.write(bytes)));
    client.on('close', () => target.destroy());
    target.on('close', () => void (isSilent || client.destroy()));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const way = new URL(url);
  way.port = String((server.address() as { readonly port: number }).port);
  return {
    url: way.href,
    silence: (now: boolean) => void (isSilent = now),
    /** The statement reaches the server, its response does not come back. */
    muteAfter: (text: RegExp | undefined) => void (isMuteAfter = text),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const TIMEOUT = 400;
const say = (sql: string, ...values: readonly (string | number)[]) => ({ sql, values });
const numberIn = async (driver: SqlDriver): Promise<unknown> =>
  (await driver.batch([say('SELECT n FROM counted')]))[0]![0]!['n'];

for (const kind of ['postgresql', 'postgres'] as const)
  describe(`the driver of PostgreSQL over ${kind === 'postgres' ? kind : 'pg'}`, () => {
    const withWay = (
      context: Parameters<typeof withPlace>[0],
      use: (driver: SqlDriver, way: Awaited<ReturnType<typeof openWay>>) => Promise<void>,
    ): Promise<void> =>
      withPlace(context, kind, 'way', async (place) => {
        const way = await openWay(place);
        const driver = await openPostgresql(way.url, kind, {
          timeoutMs: TIMEOUT,
          lockTimeoutMs: 100,
        });
        try {
          await driver.batch([say('CREATE TABLE counted (n INTEGER)')]);
          await driver.batch([say('INSERT INTO counted VALUES (0)')]);
          await use(driver, way);
        } finally {
          await driver.end();
          await way.close();
        }
      });
    const count = (driver: SqlDriver) => driver.batch([say('UPDATE counted SET n = n + 1')]);

    it('passes values on as they are, whatever the database takes them for', (context) =>
      withWay(context, async (driver) => {
        const text = `SELECT CAST($1 AS json) ->> 'a' AS member, CAST($2 AS boolean) AS truth,
          CAST($3 AS timestamptz) = '2026-11-26T12:00:00Z' AS time, CAST($4 AS bigint) + 1 AS sum`;
        const values = ['{"a":"b"}', 'true', '2026-11-26T12:00:00Z', 1];
        const [[row]] = (await driver.batch([say(text, ...values)])) as [[object]];
        expect(row).to.deep.equal({ member: 'b', truth: true, time: true, sum: '2' });
      }));

    it('replaces connections that have fallen silent', (context) =>
      withWay(context, async (driver, way) => {
        await Promise.all([count(driver), count(driver)]);
        way.silence(true);
        const failures = await Promise.all([1, 2, 3].map(() => failureOf(() => count(driver))));
        expect(failures.map(({ outcome }) => outcome)).to.deep.equal(Array(3).fill('not-done'));
        way.silence(false);
        await count(driver);
        expect(await numberIn(driver)).to.equal(3);
      }));

    it('tells a commit without an answer from a statement that was refused', (context) =>
      withWay(context, async (driver, way) => {
        const refused = await failureOf(() =>
          driver.batch([say('UPDATE counted SET n = 9'), say('SELECT 1 / 0')]),
        );
        expect([refused.outcome, refused.code]).to.deep.equal(['not-done', '22012']);
        way.muteAfter(/COMMIT\0/);
        const lost = await failureOf(() => count(driver));
        expect([lost.outcome, lost.message]).to.deep.equal([
          'unknown',
          `PostgreSQL: no response within ${TIMEOUT} ms; the transaction may have been committed`,
        ]);
        way.muteAfter(undefined);
        way.silence(false);
        expect(await numberIn(driver)).to.equal(1);
      }));

    it('hears notifications on a connection of its own, and says that it was lost', (context) =>
      withWay(context, async (driver, way) => {
        const own = await driver.openConnection!();
        const heard: string[] = [];
        let lost = 0;
        own.onLost(() => void (lost += 1));
        const first = new Promise<void>((resolve) => {
          void own.listen('words', (text) => {
            heard.push(text);
            resolve();
          });
        });
        await own.batch([say('SELECT 1')]); // after it has begun to listen
        await driver.batch([say("SELECT pg_notify('words', 'a b')")]);
        await first;
        expect(heard).to.deep.equal(['a b']);
        way.silence(true);
        const { outcome } = await failureOf(() => own.batch([say('SELECT 1')]));
        expect([outcome, lost]).to.deep.equal(['not-done', 1]);
        own.onLost(() => void (lost += 10));
        own.close();
        expect(lost).to.equal(11);
      }));

    it('waits for a locked row for its time, and not longer', (context) =>
      withWay(context, async (driver, way) => {
        const patient = { timeoutMs: 60_000, lockTimeoutMs: 60_000 };
        const slow = await openPostgresql(way.url, kind, patient);
        const gate = await slow.openConnection!();
        await gate.batch([say('SELECT pg_advisory_lock(7)')]); // until the connection ends
        const held = slow.batch([
          say('UPDATE counted SET n = 5'),
          say('SELECT pg_advisory_xact_lock(7)'),
        ]);
        const waiting = say("SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
        while ((await gate.batch([waiting]))[0]!.length === 0);
        const { code, outcome } = await failureOf(() => count(driver));
        expect([code, outcome]).to.deep.equal(['55P03', 'not-done']);
        gate.close();
        await held;
        expect(await numberIn(driver)).to.equal(5);
        await slow.end();
      }));
  });
