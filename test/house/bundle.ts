// A user's bundler in one function.
import { gzipSync } from 'node:zlib';
import { build, type BuildResult } from 'esbuild';
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

type Files = BuildResult<{ readonly write: false; readonly metafile: true }>;

/** The same with a file of its own for what is loaded by `import()`; the first is `stdin.js`. */
export function bundleSplit(code: string): Promise<Files> {
  return build({
    stdin: { contents: code, resolveDir: root, loader: 'ts' },
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    outdir: root,
    format: 'esm',
    target: 'es2022',
    conditions: ['es2015', 'browser'],
    logLevel: 'error',
  });
}

/**
 * What a page loads before its first line runs, kB gzip: the file that it names, and what that imports. Files that wait
 * for an `import()` come later.
 */
export async function firstLoad(code: string): Promise<number> {
  const { outputFiles, metafile } = await bundleSplit(code);
  const outputs = Object.entries(metafile.outputs);
  const isMain = ([, { entryPoint }]: (typeof outputs)[number]) => entryPoint === '<stdin>';
  const loaded = new Set(outputs.filter(isMain).map(([name]) => name));
  for (const name of loaded) {
    const imports = metafile.outputs[name]?.imports ?? [];
    for (const { kind, path } of imports) if (kind === 'import-statement') loaded.add(path);
  }
  const sizes = outputFiles.flatMap(({ path, text }) =>
    [...loaded].some((name) => path.endsWith(`/${name}`)) ? gzipped(text) : [],
  );
  return sizes.reduce((sum, size) => sum + size) / 1000;
}

export const gzipped = (text: string): number => gzipSync(text, { level: 9 }).length;
