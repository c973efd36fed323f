// Protects: stores that last keep what they have to keep, in every runtime that has them, and beside other processes.
import '../../scripts/quiet-tools.mjs';
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createTestHarness } from 'wrangler';
import { describe, it } from '#test';
import { bundleTests } from '../runners/one-file.mjs';
import { type Kind, openPlace } from '../runners/stores/places.ts';
import { startPostgresql } from '../runners/stores/postgresql.ts';
import { COMPATIBILITY_DATE } from '../runners/workerd.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, '.cache', `lasting-${process.pid}`);
const PROGRAMS = 'test/runners/stores';

const bin = (name: string): string => join(root, 'node_modules/.bin', name);
const PERMISSIONS = ['--allow-read', '--allow-write', '--allow-env', '--allow-net=127.0.0.1'];
const RUNTIMES: Readonly<Record<string, readonly string[]>> = {
  Node: [process.execPath],
  Deno: [
    bin('deno'),
    'run',
    '--quiet',
    '--no-check',
    '--no-prompt',
    '--no-remote',
    '--allow-sys',
    ...PERMISSIONS,
  ],
  Bun: [bin('bun')],
};

/** What a program says, all of it, when it has ended. */
const run = (runtime: string, ...args: readonly string[]): Promise<string> => {
  const [command, ...flags] = RUNTIMES[runtime]!;
  const child = spawn(command!, [...flags, ...args], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1' },
    timeout: 60_000,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: string) => void (said += text));
  return new Promise((resolve) => child.on('close', () => resolve(said.trim())));
};

/** Uses a place of the kind; PostgreSQL where it is installed, which a line says. */
const withPlace = async (
  kind: Kind,
  name: string,
  use: (place: string) => Promise<void>,
): Promise<void> => {
  mkdirSync(folder, { recursive: true });
  const server = kind === 'postgresql' ? await startPostgresql() : undefined;
  if (kind === 'postgresql')
    console.log(server ? `tested with ${server.version}` : 'not run: PostgreSQL is not installed');
  try {
    if (kind !== 'postgresql' || server) await use(server?.url ?? join(folder, name));
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

const SUBJECTS = 12;
const PROCESSES = 4;
const SUMS = 20;

const race = async (kind: Kind, place: string): Promise<void> => {
  const { store, inbox, beside, end } = await openPlace(kind, place);
  const events = Array.from({ length: 3 * SUBJECTS }, (_, n) => ({
    kind: 'event' as const,
    id: `e${n}`,
    subject: `s${n % SUBJECTS}`,
    body: '{}',
    createdAt: n,
    receivedAt: n,
  }));
  await inbox.add(events);
  const names = Array.from({ length: PROCESSES }, (_, n) => `p${n}`);
  const said = await Promise.all(
    names.map((name) => run('Node', `${PROGRAMS}/work.ts`, kind, place, name, `${SUMS}`)),
  );
  expect(said.join('')).to.equal('');
  expect(await store.get('sum')).to.deep.equal({
    value: PROCESSES * SUMS,
    version: PROCESSES * SUMS,
  });
  const workers = await Promise.all(events.map(({ id }) => beside.read(id)));
  expect(workers.every((name) => names.includes(name ?? ''))).to.equal(true);
  expect(await inbox.counts()).to.deep.equal({ open: 0, deadLetters: 0 });
  await end();
};

describe('stores that last', () => {
  for (const runtime of Object.keys(RUNTIMES))
    for (const kind of ['sqlite', 'file'] as const)
      it(`pass the checks: ${kind} in ${runtime}`, () =>
        withPlace(kind, runtime, async (place) => {
          const said = await run(runtime, `${PROGRAMS}/check.ts`, kind, place);
          expect(said).to.equal('fit for use');
        }));

  it('pass the checks: PostgreSQL in Node, Deno and Bun', async () => {
    for (const runtime of Object.keys(RUNTIMES))
      await withPlace('postgresql', runtime, async (place) => {
        const said = await run(runtime, `${PROGRAMS}/check.ts`, 'postgresql', place);
        expect(said).to.equal('fit for use');
      });
  });

  it('pass the checks: D1 in workerd', async () => {
    const place = join(folder, 'd1');
    mkdirSync(place, { recursive: true });
    const outfile = join(place, 'worker.js');
    const worker = join(root, PROGRAMS, 'd1-worker.ts');
    const after = `export { default } from './${PROGRAMS}/d1-worker.ts';`;
    const conditions = ['workerd', 'worker', 'browser'];
    await bundleTests({ root, files: [worker], after, outfile, conditions });
    const config = {
      name: 'd1',
      main: 'worker.js',
      compatibility_date: COMPATIBILITY_DATE,
      send_metrics: false,
      no_bundle: true,
      d1_databases: [{ binding: 'DB', database_name: 'db', database_id: 'db' }],
    };
    const configPath = join(place, 'wrangler.json');
    writeFileSync(configPath, JSON.stringify(config));
    const server = createTestHarness({ root: place, workers: [{ configPath }] });
    try {
      await server.listen();
      expect(await (await server.fetch('/')).json()).to.deep.equal({ result: 'fit for use' });
    } finally {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  for (const kind of ['sqlite', 'postgresql', 'file'] as const)
    it(`lose and double nothing between four processes: ${kind}`, () =>
      withPlace(kind, 'race', (place) => race(kind, place)));
});
