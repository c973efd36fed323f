// A process that pays, or handles events, and at the point of the task's number kills itself; for Node and Deno.
import * as fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import process from 'node:process';

const task = JSON.parse(process.argv[2]);
let points = 0;

const say = (said) => fs.writeSync(1, `${JSON.stringify(said)}\n`);

/** Says its number, and does not return from the last one. */
function point(name) {
  points += 1;
  if (points !== task.killAt) return;
  say({ point: points, name });
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

/** Points around each call of the file system, where the runtime lets it be replaced. */
function gateFiles() {
  const files = createRequire(import.meta.url)('node:fs/promises');
  for (const name of ['open', 'link', 'unlink', 'readdir', 'readFile', 'mkdir']) {
    const real = files[name];
    files[name] = async (...given) => {
      point(`before ${name}`);
      const found = await real(...given);
      point(`after ${name}`);
      if (name === 'open') gateHandle(found);
      return found;
    };
  }
  syncBuiltinESMExports();
}

function gateHandle(handle) {
  for (const name of ['writeFile', 'sync', 'close']) {
    const real = handle[name].bind(handle);
    handle[name] = async (...given) => {
      point(`before ${name} of a file`);
      await real(...given);
      point(`after ${name} of a file`);
    };
  }
}

async function openSqlite() {
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(task.place);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 10000');
  const step = (name, work) => {
    point(`before ${name}`);
    const found = work();
    point(`after ${name}`);
    return found;
  };
  return {
    dialect: 'sqlite',
    async batch(statements) {
      step('BEGIN', () => db.exec('BEGIN IMMEDIATE'));
      try {
        const rows = statements.map(({ sql, values }) =>
          step('a statement', () => db.prepare(sql).all(...values)),
        );
        step('COMMIT', () => db.exec('COMMIT'));
        return rows;
      } catch (error) {
        db.exec('ROLLBACK');
        throw error;
      }
    },
  };
}

async function openPostgresql() {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: task.place, max: 2 });
  return {
    dialect: 'postgresql',
    async batch(statements) {
      const connection = await pool.connect();
      const query = async (sql, values) => {
        point('before a statement');
        const { rows } = await connection.query(sql, values);
        point('after a statement');
        return rows;
      };
      try {
        await query('BEGIN');
        const rows = [];
        for (const { sql, values } of statements) rows.push(await query(sql, values));
        await query('COMMIT');
        connection.release();
        return rows;
      } catch (error) {
        connection.release(true);
        throw error;
      }
    },
  };
}

async function openStores() {
  if (task.kind === 'file') {
    gateFiles();
    const { fileStore, fileInboxStore } = await import('paystate/stores/file');
    return { journal: fileStore(task.place), inbox: fileInboxStore(`${task.place}-inbox`) };
  }
  const { sqlInboxStore, sqlStore } = await import('paystate/stores');
  const driver = await (task.kind === 'sqlite' ? openSqlite() : openPostgresql());
  const { prefix } = task;
  return {
    journal: sqlStore(driver, { prefix }),
    inbox: sqlInboxStore(driver, { prefix }),
    driver,
  };
}

/** Points around each operation of an inbox. */
function gateInbox(inbox) {
  const names = ['add', 'cursor', 'lease', 'commit', 'deadLetter', 'deadLetters', 'requeue'];
  const gated = [...names, 'counts', 'valueOf'].map((name) => [
    name,
    async (...given) => {
      point(`before ${name}`);
      const found = await inbox[name](...given);
      point(`after ${name}`);
      return found;
    },
  ]);
  return Object.fromEntries(gated);
}

const stores = await openStores();
if (task.work === 'events') {
  const { handleEvents } = await import('./events.mjs');
  const gated = { ...stores, inbox: gateInbox(stores.inbox) };
  const found = await handleEvents(task, gated, (id) => say({ kept: id }));
  say({ found, points });
} else {
  const { live } = await import('./life.mjs');
  say({ ends: await live(task, stores.journal, point), points });
}
process.exit(0);
