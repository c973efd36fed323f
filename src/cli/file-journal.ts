import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { DurableStorage, SqlValue } from '../core/platform.ts';
import { type Journal, journalIn } from '../sandbox/host/hosted-sandbox.ts';
import type { Assumptions, SandboxAccount, Strictness } from '../sandbox/index.ts';

/**
 * Options that a state file was created with. Its journal only replays correctly with the same
 * options.
 */
interface Making {
  readonly version: string;
  readonly seed: string;
  readonly rateLimits: 'production' | 'test';
  readonly accounts?: readonly SandboxAccount[];
  readonly strict?: Strictness;
  readonly assume?: Assumptions;
}

/**
 * Returns a random seed. With a fixed seed, the next sandbox would repeat the same ids, which would
 * collide with ids that clients have stored.
 */
export function newSeed(): string {
  return randomBytes(8).toString('hex');
}

/** Error for a state file that can't be used. */
class UnfitFile extends Error {}

/** Settings that lock the file for one process and write every commit to disk before it returns. */
const SETTINGS = [
  'PRAGMA locking_mode = EXCLUSIVE',
  'PRAGMA synchronous = FULL',
  'PRAGMA fullfsync = 1',
  'BEGIN EXCLUSIVE',
  'COMMIT',
];

/**
 * Opens or creates a SQLite file with a sandbox's journal. Only its owner can read it. Options that
 * aren't in `wished` come from the file.
 * @throws UnfitFile if the file isn't a state file, is in use, or was created with other options
 * than those in `wished`
 */
export function openFileJournal(
  path: string,
  version: string,
  wished: Partial<Omit<Making, 'version'>>,
): Journal & { readonly making: Making } {
  closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path);
  const sql: DurableStorage['sql'] = {
    exec<Row extends Record<string, SqlValue>>(text: string, ...values: unknown[]) {
      const rows = database.prepare(text).all(...(values as never[])) as Row[];
      return Object.assign(rows, { toArray: () => rows });
    },
  };
  const tables = tablesIn(sql, path);
  if (tables.length > 0 && !tables.includes('paystate_making')) throw notOurs(path);
  const [row] =
    tables.length > 0 ? sql.exec<{ facts: string }>('SELECT facts FROM paystate_making') : [];
  const making: Making = row
    ? fitting(JSON.parse(row.facts) as Making, path, { version, ...wished })
    : { version, seed: newSeed(), rateLimits: 'production', ...wished };
  chmodSync(path, 0o600);
  if (!row) {
    sql.exec('CREATE TABLE IF NOT EXISTS paystate_making (facts TEXT NOT NULL)');
    sql.exec('INSERT INTO paystate_making VALUES (?)', JSON.stringify(making));
  }
  return { making, ...journalIn({ sql }) };
}

function tablesIn(sql: DurableStorage['sql'], path: string): readonly string[] {
  try {
    for (const setting of SETTINGS) sql.exec(setting);
    const tables = sql.exec<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table'",
    );
    return tables.toArray().map(({ name }) => name);
  } catch (thrown) {
    if (/locked/.test(String(thrown))) throw new UnfitFile(`${path} is in use by another sandbox`);
    throw notOurs(path);
  }
}

function notOurs(path: string): UnfitFile {
  return new UnfitFile(
    `${path} is not a sandbox's state file, or is damaged. It was not changed; choose another one`,
  );
}

function fitting(making: Making, path: string, wished: Partial<Making>): Making {
  for (const [name, value] of Object.entries(wished)) {
    const kept = making[name as keyof Making];
    if (JSON.stringify(kept) === JSON.stringify(value)) continue;
    const isAssumption = name === 'strict' || name === 'assume';
    const difference =
      typeof value === 'string'
        ? `was created with ${name} "${String(kept)}" instead of "${value}"`
        : `was created with different ${isAssumption ? 'assumptions' : name}`;
    const option = name === 'rateLimits' ? 'rate-limits' : name;
    const advice = name === 'version' ? 'use that version' : `leave --${option} out`;
    throw new UnfitFile(
      `${path} ${difference}, so the result would differ; ${advice}, or choose another file`,
    );
  }
  return making;
}
