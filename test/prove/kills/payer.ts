// A process that pays, or handles events, and at the point of the task's number kills itself; for Node and Deno.
import * as fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import process from 'node:process';
import type { SqlDriver } from 'paystate/stores';
import type { Inbox } from './events.ts';
import type { Said, Task } from './task.ts';

const task = JSON.parse(process.argv[2]!) as Task;
let points = 0;

const say = (said: Said): void => void fs.writeSync(1, `${JSON.stringify(said)}\n`);

/** Counts the points, and does not return from the last one. */
function point(name: string): void {
  points += 1;
  if (points !== task.killAt) return;
  say({ said: 'killed', point: points, name });
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

type Method = (this: unknown, ...given: readonly unknown[]) => unknown;

/** Puts points around the member of a class, which returns at once or promises. */
function gate(
  prototype: object,
  member: string,
  nameOf: (...given: readonly unknown[]) => string = () => member,
): void {
  const methods = prototype as Record<string, Method>;
  const real = methods[member]!;
  methods[member] = function gated(...given) {
    const name = nameOf(...given);
    point(`before ${name}`);
    const found = real.call(this, ...given);
    const close = <T>(value: T): T => {
      point(`after ${name}`);
      return value;
    };
    return found instanceof Promise ? found.then(close) : close(found);
  };
}

/** Puts points around each statement of SQLite, and around each call of the file system. */
async function gateFile(): Promise<void> {
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(':memory:');
  gate(DatabaseSync.prototype, 'exec', (text) => String(text).slice(0, 40));
  gate(Object.getPrototypeOf(db.prepare('SELECT 1')) as object, 'all', () => 'a statement');
  const files = createRequire(import.meta.url)('node:fs/promises') as object;
  for (const name of ['open', 'stat', 'mkdir']) gate(files, name);
  syncBuiltinESMExports();
}

async function openDriver(): Promise<SqlDriver> {
  if (task.store === 'file') {
    await gateFile();
    const { fileDriver } = await import('paystate/stores/file');
    return fileDriver(task.place);
  }
  const { default: pg } = await import('pg');
  const { postgresqlDriver } = await import('paystate/stores');
  const textOf = (query: unknown): string =>
    typeof query === 'string' ? query : (query as { readonly text: string }).text;
  gate(pg.Client.prototype, 'query', (query) => textOf(query).slice(0, 20));
  return postgresqlDriver(new pg.Pool({ connectionString: task.place, max: 2 }));
}

/** Puts points around each operation of an inbox. */
function gatedInbox(inbox: Inbox): Inbox {
  const around = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    point(`before ${name}`);
    const found = await work();
    point(`after ${name}`);
    return found;
  };
  return {
    durable: inbox.durable,
    add: (events, cursor) => around('add', () => inbox.add(events, cursor)),
    cursor: () => around('cursor', () => inbox.cursor()),
    lease: (now, duration, limit) => around('lease', () => inbox.lease(now, duration, limit)),
    commit: (lease, commit, write) => around('commit', () => inbox.commit(lease, commit, write)),
    deadLetter: (lease, commit, letter) =>
      around('deadLetter', () => inbox.deadLetter(lease, commit, letter)),
    deadLetters: () => around('deadLetters', () => inbox.deadLetters()),
    requeue: (key, event) => around('requeue', () => inbox.requeue(key, event)),
    counts: () => around('counts', () => inbox.counts()),
    forget: (before) => inbox.forget(before),
  };
}

const { sqlInboxStore, sqlStore } = await import('paystate/stores');
const driver = await openDriver();
const { prefix, isRestart, restoredFrom, money } = task;
if (money) {
  const { live } = await import('./life.ts');
  const journal = sqlStore(driver, { prefix });
  say({
    said: 'moved',
    ends: await live(money, { isRestart, restoredFrom, journal, point }),
    points,
  });
} else {
  const { handleEvents } = await import('./events.ts');
  const inbox = gatedInbox(sqlInboxStore(driver, { prefix }));
  const found = await handleEvents(task, { inbox, driver }, (id) => say({ said: 'kept', id }));
  say({ said: 'handled', found, points });
}
process.exit(0);
