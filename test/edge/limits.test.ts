// Protects: a Worker with a client for each request keeps the limits of its address, in real workerd.
import '../runners/quiet-tools.ts';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createTestHarness } from 'wrangler';
import { testRateLimits } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { after, describe, it } from '#test';
import { serve } from '../../dist/cli/loopback.js';
import { root } from '../house/source.ts';
import { bundleTests } from '../runners/one-file.mjs';
import { COMPATIBILITY_DATE } from '../runners/workerd.mjs';

const WINDOW = 5_000;
const RATE_LIMITS = {
  ...testRateLimits,
  invoices: { limit: 240, window: WINDOW, block: 60_000 },
  others: { limit: 100, window: 600_000, block: 3_600_000 },
};
/** The service refuses nothing: what left in time may come late to it, and in heaps, on a busy machine. */
const ENOUGH = { limit: 100_000, window: 1_000, block: 1_000 };

interface Said {
  readonly code: string;
  readonly kind?: string;
  readonly outcome?: string;
  readonly retryAt?: number;
}

async function openWorker() {
  const folder = join(root, '.cache', `limits-${process.pid}`);
  const sandbox = createSandbox({
    seed: 'limits',
    clock: 'real',
    rateLimits: { ...testRateLimits, invoices: ENOUGH, others: ENOUGH, execute: ENOUGH },
  });
  const service = await serve((request: Request) => sandbox.fetch(request));
  mkdirSync(folder, { recursive: true });
  const file = './test/edge/limits-worker.ts';
  await bundleTests({
    root,
    files: [],
    after: `export * from '${file}'; export { default } from '${file}';`,
    outfile: join(folder, 'worker.js'),
    conditions: ['workerd', 'worker', 'browser'],
  });
  const configPath = join(folder, 'wrangler.json');
  const { apiKey } = sandbox.clientOptions as { apiKey: string };
  writeFileSync(
    configPath,
    JSON.stringify({
      name: 'limits',
      main: 'worker.js',
      compatibility_date: COMPATIBILITY_DATE,
      send_metrics: false,
      no_bundle: true,
      vars: { SERVICE: service.url, API_KEY: apiKey, RATE_LIMITS: JSON.stringify(RATE_LIMITS) },
      durable_objects: { bindings: [{ name: 'LIMITS', class_name: 'Limits' }] },
      exports: {
        Limits: { type: 'durable-object', storage: 'sqlite' },
      },
    }),
  );
  const server = createTestHarness({ root: folder, workers: [{ configPath }] });
  const { url } = await server.listen();
  return {
    sandbox,
    ask: async (path: string) => (await (await fetch(new URL(path, url))).json()) as Said,
    /** When the object gave places, in its bucket. */
    places: async (bucket: string) => {
      const rows = await (await fetch(new URL('/places', url))).json();
      return (rows as { readonly bucket: string; readonly at: number }[])
        .filter((row) => row.bucket === bucket)
        .map(({ at }) => at);
    },
    evict: () => server.getWorker().evictDurableObject('Limits', { name: 'main' }),
    async close() {
      await server.close();
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const { sandbox, ask, places, evict, close } = await openWorker();
after(close);

const flood = (count: number, path: string) =>
  Promise.all(Array.from({ length: count }, () => ask(path)));
const countsOf = (all: readonly Said[]) => {
  const counts: Record<string, number> = {};
  for (const { code } of all) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
};
const limitedOf = () => sandbox.log.filter(({ status }) => status === 429).length;

describe('a Worker with a client for each request', () => {
  it('makes 420 creations at once wait for their places: all are done, and none too early', async () => {
    const all = await flood(420, '/create');
    expect(countsOf(all)).to.deep.equal({ DONE: 420 });
    expect([sandbox.blocks, limitedOf()]).to.deep.equal([0, 0]);
    const times = await places('invoices');
    expect(times).to.have.length(420);
    for (const at of times)
      expect(times.filter((other) => other >= at && other < at + WINDOW).length).to.be.at.most(
        RATE_LIMITS.invoices.limit,
      );
  });

  it('refuses by itself what has no place in time, and serves lists last and payouts first', async () => {
    const lists = countsOf(await flood(100, '/list?queueTimeout=1'));
    const reads = await flood(40, '/read?queueTimeout=1');
    const payouts = countsOf(await flood(5, '/initiate?queueTimeout=1'));
    expect(lists).to.deep.equal({ DONE: 80, QUEUE_TIMEOUT: 20 });
    expect(countsOf(reads)).to.deep.equal({ NOT_FOUND: 15, QUEUE_TIMEOUT: 25 });
    expect(payouts).to.deep.equal({ NOT_FOUND: 5 });
    expect(reads.find(({ code }) => code === 'QUEUE_TIMEOUT')).to.include({
      kind: 'limited',
      outcome: 'not-done',
    });
    expect([sandbox.blocks, limitedOf()]).to.deep.equal([0, 0]);
  });

  it('knows of what was sent, and of a block, after the object that counts was evicted', async () => {
    await evict();
    expect((await ask('/read?queueTimeout=1')).code).to.equal('QUEUE_TIMEOUT');
    sandbox.fault({
      method: 'POST',
      nth: 1,
      action: { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers: { 'retry-after': '600' } },
    });
    const first = await ask('/create');
    expect([first.code, first.kind, limitedOf()]).to.deep.equal([
      'RATE_LIMIT_EXCEEDED',
      'limited',
      1,
    ]);
    await evict();
    const sent = sandbox.log.length;
    const second = await ask('/create');
    expect([second.code, second.outcome, sandbox.log.length]).to.deep.equal([
      'QUEUE_TIMEOUT',
      'not-done',
      sent,
    ]);
    expect(second.retryAt! - Date.now()).to.be.within(1, 600_000); // a block of its own would be an hour
    expect(first.retryAt! - Date.now()).to.be.within(1, 600_000);
  });
});
