// Bundles the scripts of the demo page, copies everything else, and serves it on the loopback.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { serve } from '../../dist/cli/loopback.js';
import { filesFrom } from './files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = join(root, 'demo');

const NOT_SERVED = /\.ts$|[\\/]tsconfig\.json$|[\\/](deno|site|serve)$/;

const SCRIPT = /(<script[^>]*\bsrc="\.?\/?)([^"]+)\.ts(")/g;

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const bundleScripts = (html: string, folder: string) =>
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

/** Writes the page into `folder`, ready to be served. */
export async function buildDemo(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(source, folder, { recursive: true, filter: (path) => !NOT_SERVED.test(path) });
  const html = readFileSync(join(source, 'index.html'), 'utf8');
  await bundleScripts(html, folder);
  writeFileSync(join(folder, 'index.html'), html.replace(SCRIPT, '$1$2.js$3'));
}

interface DemoOptions {
  /** Used if it's free. */
  readonly port?: number;
  readonly folder?: string;
}

export async function serveDemo({
  port = 0,
  folder = join(root, '.cache/demo'),
}: DemoOptions = {}): Promise<Awaited<ReturnType<typeof serve>>> {
  await buildDemo(folder);
  const answer = filesFrom(folder, HEADERS);
  return serve(answer, { port }).catch(() => serve(answer));
}
