// The checks of stores in real SQLite: a Worker with a Durable Object, run by workerd.
import '../runners/quiet-tools.ts';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createTestHarness } from 'wrangler';
import { describe, it } from '#test';
import { bundleTests } from '../runners/one-file.mjs';
import { COMPATIBILITY_DATE } from '../runners/workerd.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, '.cache', `stores-${process.pid}`);
const WORKER = 'test/runners/stores-durable-object/worker.ts';

const CONFIG = {
  name: 'stores',
  main: 'worker.js',
  compatibility_date: COMPATIBILITY_DATE,
  send_metrics: false,
  no_bundle: true,
  durable_objects: { bindings: [{ name: 'KEEPER', class_name: 'Keeper' }] },
  exports: {
    Keeper: { type: 'durable-object', storage: 'sqlite' },
  },
};

type Ask = <T>(path: string) => Promise<T>;

const inWorker = async (use: (ask: Ask) => Promise<void>): Promise<void> => {
  mkdirSync(folder, { recursive: true });
  const after = `export { default, Keeper } from './${WORKER}';`;
  await bundleTests({
    root,
    files: [join(root, WORKER)],
    after,
    outfile: join(folder, 'worker.js'),
    conditions: ['workerd', 'worker', 'browser'],
  });
  const configPath = join(folder, 'wrangler.json');
  writeFileSync(configPath, JSON.stringify(CONFIG));
  const server = createTestHarness({ root: folder, workers: [{ configPath }] });
  try {
    await server.listen();
    await use(
      async <T>(path: string) =>
        ((await (await server.fetch(path)).json()) as { readonly result: T }).result,
    );
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

describe('the stores in a Durable Object', () => {
  it('pass the checks, and find what was kept before', () =>
    inWorker(async (ask) => {
      expect(await ask('/store')).to.equal(null);
      expect(await ask('/inbox')).to.equal(null);
      expect(await ask('/rates')).to.equal(null);
      expect(await ask('/leave')).to.deep.equal(['new']);
      expect(await ask('/find')).to.deep.equal([
        { floor: 3 },
        [
          {
            subject: 's',
            number: 1,
            events: [
              { kind: 'event', id: 'kept', subject: 's', body: 'b', createdAt: 1, receivedAt: 2 },
            ],
          },
        ],
        true,
      ]);
    }));
});
