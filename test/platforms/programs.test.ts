// Protects: what runs on the oldest Workers that README names and under SES. A Worker of an old compatibility date
// resembles a page, and no request of it may wait for another one; under SES all that the language brings is frozen.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { build } from 'esbuild';
import { createTestHarness } from 'wrangler';
import { describe, it } from '#test';
import { root } from '../house/source.ts';
import '../runners/quiet-tools.ts';

/** What the Worker answers to requests, one after another. */
async function answersOf(compatibilityDate: string, count: number): Promise<unknown[]> {
  const folder = mkdtempSync(join(tmpdir(), 'paystate-worker-'));
  const configPath = join(folder, 'wrangler.json');
  await build({
    entryPoints: [join(root, 'test/platforms/worker.ts')],
    outfile: join(folder, 'worker.js'),
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
  });
  const config = {
    name: 'old',
    main: 'worker.js',
    no_bundle: true,
    compatibility_date: compatibilityDate,
    send_metrics: false,
  };
  writeFileSync(configPath, JSON.stringify(config));
  const server = createTestHarness({ root: folder, workers: [{ configPath }] });
  try {
    await server.listen();
    const answers: unknown[] = [];
    for (let request = 0; request < count; request++)
      answers.push(await (await server.fetch('/')).json());
    return answers;
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('old platforms', () => {
  for (const date of ['2023-05-18', '2024-03-04'])
    it(`run a client and a sandbox in a Worker of ${date}, request after request`, async () => {
      const id = 'h-zbuhucfklvxnebcdfd5gu2l2xa';
      expect(await answersOf(date, 3)).to.deep.equal(
        [1, 2, 3].map((count) => ({ state: 'UNPAID', now: count * 1_000, id })),
      );
    });

  it('watch under SES, also by `for await`', () => {
    const file = join(root, 'test/platforms/ses.mjs');
    const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
    expect(stderr).to.equal('');
    expect(JSON.parse(stdout)).to.deep.equal(['undefined loading', 'UNPAID live']);
  });
});
