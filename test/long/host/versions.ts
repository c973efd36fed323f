// A later version of the package, made of this one: with one more step of the tables, whose column it writes, and with
// more in what its objects tell each other.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../../house/source.ts';

const CHUNK = 'dist/node/chunks/sql-relay-store.js';
const STEP = 'ALTER TABLE {}_order ADD COLUMN later_added TEXT';

type Changes = readonly (readonly [text: string, becomes: string])[];

const TABLES: Changes = [['STEPS = [TABLES]', `STEPS = [TABLES, ["${STEP}"]]`]];
const WRITES: Changes = [
  ['INSERT INTO {}_order (account,', 'INSERT INTO {}_order (later_added, account,'],
  ['VALUES (${account}, ${orderId}, ${hash}, ', "VALUES ('new', ${account}, ${orderId}, ${hash}, "],
];
const ASKS: Changes = [
  ['body: JSON.stringify(request)', 'body: JSON.stringify({ ...request, laterAdded: [1] })'],
];
const SHOWS: Changes = [
  ['seenFor: now - seen }', 'seenFor: now - seen, laterAdded: { of: "a later version" } }'],
];

function change(folder: string, file: string, changes: Changes): void {
  let text = readFileSync(join(folder, file), 'utf8');
  for (const [from, to] of changes) {
    if (text.split(from).length !== 2) throw new Error(`${file} has no single "${from}"`);
    text = text.replace(from, () => to);
  }
  writeFileSync(join(folder, file), text);
}

/** Makes the folder of a later version; the test takes it away. */
export function makeLaterVersion(): string {
  const folder = mkdtempSync(join(tmpdir(), 'later-'));
  for (const part of [
    'package.json',
    'dist/node',
    'test/long/host/shop.ts',
    'test/long/host/serve.ts',
  ]) {
    mkdirSync(dirname(join(folder, part)), { recursive: true });
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  change(folder, CHUNK, [...TABLES, ...WRITES, ...ASKS]);
  change(folder, 'dist/node/relay/index.js', SHOWS);
  return folder;
}
