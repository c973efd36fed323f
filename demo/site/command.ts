// Builds the manual as a site.
//   npm run docs             serves it on this machine
//   npm run docs -- check    tests it in a browser
//   npm run docs -- build    only builds it
import { spawnSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from '../../scripts/build.ts';
import { ensurePackages } from '../../scripts/packages.mjs';
import { filesFrom } from '../serve/files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

async function buildSite(): Promise<string> {
  if (!(await ensurePackages(join(root, 'demo/site'))))
    throw new Error('The packages of demo/site are missing.');
  await ensureBuilt();
  console.log('Building the site …');
  const startedAt = performance.now();
  const site = await import('./make/build.ts');
  await site.buildSite();
  const bytes = globSync('**/*', { cwd: site.built })
    .map((file) => statSync(join(site.built, file)))
    .filter((found) => found.isFile())
    .reduce((sum, { size }) => sum + size, 0);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`Built in ${seconds} s: ${(bytes / 1_000_000).toFixed(1)} MB in ${site.built}`);
  return site.built;
}

function check(): void {
  const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
  const { status } = spawnSync(process.execPath, [mocha, 'test/site/**/*.test.ts'], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}

async function serveSite(folder: string): Promise<void> {
  const { serve } = await import('../../dist/cli/loopback.js');
  const port = Number(process.env['PORT'] ?? 8788);
  const served = await serve(filesFrom(folder), { port }).catch(() => serve(filesFrom(folder)));
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => void served.close().then(() => process.exit(0)));
  console.log(`The manual is at ${served.url}`);
}

const folder = await buildSite();
if (process.argv[2] === 'check') check();
else if (process.argv[2] !== 'build') await serveSite(folder);
