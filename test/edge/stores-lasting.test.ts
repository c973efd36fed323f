// Protects: stores that last keep what they have to keep, in every runtime that has them, and beside other processes.
import '../../scripts/quiet-tools.mjs';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createTestHarness } from 'wrangler';
import { describe, it } from '#test';
import { bundleTests } from '../runners/one-file.mjs';
import { type Kind, openPlace } from '../runners/stores/places.ts';
import { PROGRAMS, root, run, RUNTIMES, withPlace } from '../runners/stores/run.ts';
import { COMPATIBILITY_DATE } from '../runners/workerd.mjs';

const folder = join(root, '.cache', `d1-${process.pid}`);

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
