// The demo page: its scripts bundled, everything beside them copied, served on the loopback.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { serve } from '../dist/cli/loopback.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'demo');

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
};

const NOT_SERVED = /\.ts$|[\\/]tsconfig\.json$|[\\/](deno|site)$/;

const SCRIPT = /(<script[^>]*\bsrc="\.?\/?)([^"]+)\.ts(")/g;

const bundleScripts = (html, folder) =>
  build({
    entryPoints: [...html.matchAll(SCRIPT)].map(([, , name]) => join(source, `${name}.ts`)),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    sourcemap: true,
    conditions: ['browser', 'es2015'],
    logLevel: 'error',
  });

/** Writes the page, ready to be served, into `folder`. */
export async function buildDemo(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(source, folder, { recursive: true, filter: (path) => !NOT_SERVED.test(path) });
  const html = readFileSync(join(source, 'index.html'), 'utf8');
  await bundleScripts(html, folder);
  writeFileSync(join(folder, 'index.html'), html.replace(SCRIPT, '$1$2.js$3'));
}

const fileFrom = (folder) => async (request) => {
  const path = normalize(decodeURIComponent(new URL(request.url).pathname));
  const file = path.endsWith('/') ? `${path}index.html` : path;
  try {
    const headers = {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      'cache-control': 'no-store',
      'content-security-policy': "frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    };
    return new Response(await readFile(join(folder, file)), { headers });
  } catch {
    return new Response('Not found', { status: 404 });
  }
};

/** Builds the page and serves it, on the wished port if it is free: { url, close }. */
export async function serveDemo({ port = 0, folder = join(root, '.cache/demo') } = {}) {
  await buildDemo(folder);
  return serve(fileFrom(folder), { port }).catch(() => serve(fileFrom(folder)));
}
