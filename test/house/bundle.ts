// A user's bundler in one function.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
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

/** The same as `bundle`, with files of their own for what is loaded by `import()`; the first is `stdin.js`. */
export const bundleSplit = (code: string): Promise<Files> =>
  build({
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

/** Names of the files that are loaded together with the one that a page names, itself first. */
function filesAtOnce({ metafile }: Files): ReadonlySet<string> {
  const isMain = ([, { entryPoint }]: [string, { entryPoint?: string }]) =>
    entryPoint === '<stdin>';
  const loaded = new Set(
    Object.entries(metafile.outputs)
      .filter(isMain)
      .map(([name]) => name),
  );
  for (const name of loaded) {
    const imports = metafile.outputs[name]?.imports ?? [];
    for (const { kind, path } of imports) if (kind === 'import-statement') loaded.add(path);
  }
  return loaded;
}

/** The size of some files of a bundle, kB gzip. */
function sizeOf({ outputFiles }: Files, names: ReadonlySet<string>): number {
  const texts = outputFiles.filter(({ path }) => names.has(basename(path)));
  return texts.reduce((sum, { text }) => sum + gzipped(text), 0) / 1000;
}

/**
 * Measures all that a page loads before its first line runs, kB gzip: the file that it names, and
 * that file's imports. Files that wait for an `import()` come later.
 */
export async function firstLoad(code: string): Promise<number> {
  const files = await bundleSplit(code);
  return sizeOf(files, filesAtOnce(files));
}

/** The source of each file that waits for an `import()`, and that file's name. */
export function lateFilesOf({ metafile }: Files): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(metafile.outputs).flatMap(([name, { entryPoint = '<stdin>' }]) =>
      entryPoint === '<stdin>' ? [] : [[entryPoint, name]],
    ),
  );
}

/** Measures all that a page loads at once and by these late files, kB gzip. */
export async function loadWith(code: string, late: readonly string[]): Promise<number> {
  const files = await bundleSplit(code);
  const loaded = new Set(filesAtOnce(files));
  for (const source of late) loaded.add(lateFilesOf(files).get(source)!);
  for (const name of loaded)
    for (const { kind, path } of files.metafile.outputs[name]!.imports)
      if (kind === 'import-statement') loaded.add(path);
  return sizeOf(files, loaded);
}

/**
 * Runs a bundle whose code exports `play`, with `world` as its argument; resolves to the size of the late files that
 * were loaded until `play` resolved, kB gzip.
 */
export async function loadedLater(code: string, world: unknown): Promise<number> {
  const files = await bundleSplit(code);
  const folder = await mkdtemp(join(tmpdir(), 'paystate-size-'));
  const atOnce = filesAtOnce(files);
  const [main] = atOnce;
  // each file says that it runs
  const loaded = new Set<string>();
  const key = `loaded by ${folder}`;
  Object.assign(globalThis, { [key]: loaded });
  try {
    for (const { path, text } of files.outputFiles) {
      const says = `globalThis[${JSON.stringify(key)}].add(${JSON.stringify(basename(path))});`;
      await writeFile(join(folder, basename(path).replace(/js$/, 'mjs')), says + toModules(text));
    }
    const file = pathToFileURL(join(folder, main!.replace(/js$/, 'mjs'))).href;
    const { play } = (await import(file)) as { play: (world: unknown) => Promise<void> };
    await play(world);
    return sizeOf(files, loaded.difference(atOnce));
  } finally {
    Reflect.deleteProperty(globalThis, key);
    await rm(folder, { recursive: true });
  }
}

/** Node takes files for modules by their names. */
const toModules = (text: string): string =>
  text.replace(/((?:from|import)\s*\(?\s*"\.\/[\w.-]+)\.js"/g, '$1.mjs"');

export const gzipped = (text: string): number => gzipSync(text, { level: 9 }).length;
