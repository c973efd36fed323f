// A user's bundler in one function.
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { root } from './source.ts';

export async function bundle(code: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: root, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['es2015', 'browser'],
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}

export const gzipped = (text: string): number => gzipSync(text, { level: 9 }).length;
