// `npm run docs` builds the manual as a site and serves it on this machine; `npm run docs -- check` builds it and tests it in a browser.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { ensurePackages } from './packages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const site = join(root, 'demo/site');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** The files of a folder, as any static host serves them. */
export const filesFrom =
  (folder: string) =>
  async (request: Request): Promise<Response> => {
    const path = normalize(decodeURIComponent(new URL(request.url).pathname));
    const file = path.endsWith('/') ? `${path}index.html` : path;
    try {
      const type = TYPES[extname(file)] ?? 'application/octet-stream';
      return new Response(await readFile(join(folder, file)), {
        headers: { 'content-type': type },
      });
    } catch {
      const page = await readFile(join(folder, '404.html')).catch(() => 'Not found');
      return new Response(page, { status: 404, headers: { 'content-type': TYPES['.html']! } });
    }
  };

/** Whether the package was built after the last change of its source. */
function isBuilt(): boolean {
  const file = join(root, 'dist/integrity.json');
  if (!existsSync(file)) return false;
  const sources = globSync('src/**/*.ts', { cwd: root });
  const changed = Math.max(...sources.map((source) => statSync(join(root, source)).mtimeMs));
  return statSync(join(root, 'dist/paystate.min.js')).mtimeMs > changed;
}

async function buildPackage(): Promise<void> {
  if (isBuilt()) return;
  console.log('Building the package …');
  const { bundled, output } = await build();
  if (!bundled) throw new Error(output);
}

async function main(): Promise<void> {
  if (!(await ensurePackages(site))) throw new Error('The packages of demo/site are missing.');
  await buildPackage();
  console.log('Building the site …');
  const begun = performance.now();
  const { buildSite, built } = await import('../demo/site/make/build.ts');
  await buildSite();
  const bytes = globSync('**/*', { cwd: built })
    .map((file) => statSync(join(built, file)))
    .filter((found) => found.isFile())
    .reduce((sum, { size }) => sum + size, 0);
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  console.log(`Built in ${seconds} s: ${(bytes / 1_000_000).toFixed(1)} MB in ${built}`);
  if (process.argv[2] === 'check') return check();
  if (process.argv[2] === 'build') return;
  const { serve } = await import('../dist/cli/loopback.js');
  const port = Number(process.env['PORT'] ?? 8788);
  const served = await serve(filesFrom(built), { port }).catch(() => serve(filesFrom(built)));
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => void served.close().then(() => process.exit(0)));
  console.log(`The manual is at ${served.url}`);
}

function check(): void {
  const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
  const { status } = spawnSync(process.execPath, [mocha, 'test/site/**/*.test.ts'], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}

if (import.meta.main) await main();
