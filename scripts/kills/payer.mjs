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

/** Points around the member of a class, which returns at once or promises. */
function gate(prototype, member, nameOf = () => member) {
  const real = prototype[member];
  prototype[member] = function gated(...given) {
    const name = nameOf(...given);
    point(`before ${name}`);
    const found = real.apply(this, given);
    if (typeof found?.then !== 'function') return point(`after ${name}`), found;
    return found.then((value) => (point(`after ${name}`), value));
  };
}

/** Points around each statement of SQLite, and around each call of the file system. */
async function gateFile() {
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(':memory:');
  gate(DatabaseSync.prototype, 'exec', (text) => text.slice(0, 40));
  gate(Object.getPrototypeOf(db.prepare('SELECT 1')), 'all', () => 'a statement');
  const files = createRequire(import.meta.url)('node:fs/promises');
  for (const name of ['open', 'stat', 'mkdir']) gate(files, name);
  syncBuiltinESMExports();
}

async function openDriver() {
  if (task.kind === 'file') {
    await gateFile();
    const { fileDriver } = await import('paystate/stores/file');
    return fileDriver(task.place);
  }
  const { default: pg } = await import('pg');
  const { postgresqlDriver } = await import('paystate/stores');
  gate(pg.Client.prototype, 'query', (text) => String(text.text ?? text).slice(0, 20));
  return postgresqlDriver(new pg.Pool({ connectionString: task.place, max: 2 }));
}

async function openStores() {
  const { sqlInboxStore, sqlStore } = await import('paystate/stores');
  const driver = await openDriver();
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
  const gated = [...names, 'counts'].map((name) => [
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
