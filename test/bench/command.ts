// npm run bench                  all of it, in one run; keeps results.json
// npm run bench -- calls growth  these parts only
// npm run bench -- --list        names the parts
// It builds the package where `src` has changed, and installs the peers in test/bench/peers.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from '../../scripts/build.ts';

interface Part {
  readonly says: string;
  measure(): Promise<object>;
}

/** Each part is loaded when it is measured, so that none loads the peers of another. */
const PARTS: Readonly<Record<string, Part>> = {
  calls: {
    says: 'a checked read and a creation, beside bare fetch, ofetch, ky, axios, stripe, openai',
    measure: async () => (await import('./calls.ts')).measureCalls(),
  },
  loopback: {
    says: 'reads a second of processor time over HTTP, at 1, 10 and 100 at once',
    measure: async () => (await import('./loopback.ts')).measureLoopback(),
  },
  start: {
    says: 'what an import, a client and a Worker take to start, beside the same peers',
    measure: async () => ({
      ...(await (await import('./start.ts')).measureStart()),
      workers: await (await import('./workers.ts')).measureWorkers(),
    }),
  },
  growth: {
    says: 'lists, names, watches, journals, orders and exports of more and more rows',
    measure: async () => (await import('./growth.ts')).measureGrowth(),
  },
  memory: {
    says: 'what a client and a watch take of the heap',
    measure: async () => (await import('./memory.ts')).measureMemory(),
  },
  money: {
    says: 'amounts and BOLT11 texts, beside big.js, decimal.js-light, bolt11, light-bolt11-decoder',
    measure: async () => (await import('./money-lightning.ts')).measureMoney(),
  },
};

const FILE = new URL('results.json', import.meta.url);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** Measures a part in a process of its own: what one leaves behind must not slow down the next. */
function measure(name: string): unknown {
  const self = fileURLToPath(import.meta.url);
  const { status, output } = spawnSync(process.execPath, [self, '--part', name], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  if (status !== 0) throw new Error(`${name} has failed`);
  return JSON.parse(output[3] ?? '');
}

/** Lists of numbers stay in one line. */
const textOf = (results: object): string =>
  `${JSON.stringify(results, undefined, 2).replace(/\[\s+([\d.]+),\s+([\d.]+)\s+\]/g, '[$1, $2]')}\n`;

function run(command: string, ...args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} has failed`);
}

async function measureAll(names: readonly string[]): Promise<void> {
  await ensureBuilt();
  run('npm', '--prefix', 'test/bench/peers', 'install', '--no-package-lock', '--silent');
  const results = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, unknown>;
  results['node'] = process.versions.node.split('.')[0];
  for (const name of names) results[name] = measure(name);
  writeFileSync(FILE, textOf(results));
}

const [first, ...rest] = process.argv.slice(2);
const names = first === undefined ? Object.keys(PARTS) : [first, ...rest];
const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
if (first === '--part') {
  writeFileSync(3, JSON.stringify(await PARTS[rest[0]!]!.measure()));
  process.exit();
} else if (unknown === undefined) await measureAll(names);
else {
  if (unknown !== '--list') console.error(`no part is called ${unknown}; the parts are:`);
  for (const [name, { says }] of Object.entries(PARTS)) console.log(`  ${name.padEnd(10)}${says}`);
  process.exitCode = unknown === '--list' ? 0 : 1;
}
