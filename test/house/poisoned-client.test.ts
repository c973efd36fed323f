// Protects: nothing that requests share holds a promise or a lock. A request that ends with its calls
// in flight leaves promises behind that never settle; whoever waits for one of them waits for ever.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { bundleTests } from '../runners/one-file.mjs';
import { withWorker } from '../runners/workerd.mjs';
import { root } from './source.ts';

interface Server {
  fetch(
    path: string,
    init?: { signal: AbortSignal },
  ): Promise<{ status: number; text(): Promise<string> }>;
}

// More than any limit of requests in flight.
const ABANDONED = 30;
const LONGEST_ANSWER = 5_000;

const folder = join(root, '.cache', `poisoned-${process.pid}`);

const inWorker = async (use: (server: Server) => Promise<void>): Promise<void> => {
  mkdirSync(folder, { recursive: true });
  try {
    const files = [join(root, 'test/runners/poisoned-client/worker.ts')];
    const after = `export { default } from './test/runners/poisoned-client/worker.ts';`;
    await bundleTests({
      root,
      files,
      after,
      outfile: join(folder, 'worker.js'),
      conditions: ['workerd', 'worker', 'browser'],
    });
    await withWorker({ folder, main: 'worker.js', use });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const get = async (server: Server, path: string): Promise<string> => {
  const response = await server.fetch(path, { signal: AbortSignal.timeout(LONGEST_ANSWER) });
  const text = await response.text();
  expect(response.status, `${path}: ${text}`).to.equal(200);
  return text;
};

describe('a client shared by the requests of a Worker', () => {
  it('serves later requests after calls were abandoned in flight', () =>
    inWorker(async (server) => {
      await get(server, '/prepare');
      for (let round = 0; round < ABANDONED; round++) await get(server, '/abandon');
      for (const path of ['/find', '/create', '/list', '/events']) await get(server, path);
      await Promise.all(['/find', '/find', '/list', '/create'].map((path) => get(server, path)));
    }));
});
