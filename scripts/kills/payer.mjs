// A process that pays and, at the point of the task's number, kills itself; for Node and Deno.
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

async function openSqlite(sqlStore) {
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(task.place);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 10000');
  const step = (name, work) => {
    point(`before ${name}`);
    const found = work();
    point(`after ${name}`);
    return found;
  };
  return sqlStore({
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
  });
}

async function openPostgresql(sqlStore) {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: task.place, max: 2 });
  const driver = {
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
  return sqlStore(driver, { prefix: task.prefix });
}

async function openJournal() {
  if (task.kind === 'file') {
    gateFiles();
    return (await import('paystate/stores/file')).fileStore(task.place);
  }
  const { sqlStore } = await import('paystate/stores');
  return task.kind === 'sqlite' ? openSqlite(sqlStore) : openPostgresql(sqlStore);
}

const journal = await openJournal();
const { live } = await import('./life.mjs');
say({ ends: await live(task, journal, point), points });
process.exit(0);
