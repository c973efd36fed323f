// Builds dist/ with rollup (JavaScript) and tsc (declarations, type check). Writes src/generated
// first. A build works in a folder next to dist and then moves only the files that differ. So a
// running test or an open page that reads dist never sees half a file or an empty folder.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { llmsText } from './llms.ts';
import { createOpenApi } from './openapi.ts';
import { generate } from './operations.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const staging = join(root, `.dist-${process.pid}`);
const target = join(root, 'dist');

interface Ran {
  readonly ok: boolean;
  readonly output: string;
}

interface Manifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, { readonly types?: string; readonly default: string }>>;
}

const manifest = (): Manifest =>
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;

const run = (command: string, ...args: readonly string[]): Promise<Ran> =>
  new Promise((resolve) => {
    const child = spawn(join(root, 'node_modules/.bin', command), args, {
      cwd: root,
      env: { ...process.env, PAYSTATE_OUT: staging },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => (output += text));
    child.on('close', (code) => resolve({ ok: code === 0, output }));
  });

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    statSync(join(folder, file)).isFile(),
  );

// Deno rejects the .ts specifiers that tsc leaves in declarations.
const SPECIFIER = /((?:from|import)\s*\(?\s*['"]\.{1,2}\/[^'"]+?)\.ts(['"])/g;
function pointDeclarationsToJavaScript(): void {
  for (const file of filesIn(staging).filter((name) => name.endsWith('.d.ts'))) {
    const path = join(staging, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(SPECIFIER, '$1.js$2'));
  }
}

/**
 * Writes the entries that have types alone, for frameworks that aren't installed here. The compiler
 * doesn't emit handwritten declarations. Their JavaScript is empty.
 */
function writeTypeEntries(): void {
  const { exports } = manifest();
  for (const { types, default: code } of Object.values(exports)) {
    if (!types) continue;
    const source = join(root, types.replace('./dist/', 'src/'));
    if (!existsSync(source)) continue;
    writeFileSync(join(staging, relative('dist', types)), readFileSync(source));
    const comment = `/* @ts-self-types="./${basename(types)}" */`;
    writeFileSync(join(staging, relative('dist', code)), `${comment}\nexport {};\n`);
  }
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

async function writeOpenApi(): Promise<void> {
  const { version } = manifest();
  const value = await createOpenApi({ root, folder: staging, version });
  writeFileSync(join(staging, 'openapi.json'), `${JSON.stringify(value, undefined, 1)}\n`);
}

/** The files for pages without a bundler, and their declarations. */
const PAGE_FILES = { paystate: 'bundle', 'paystate-checkout': 'bundle-checkout' };

/** Writes the types of the page files, and their hashes for `integrity`. */
function writeAroundPageFiles(): void {
  const integrity: Record<string, string> = {};
  for (const [name, declarations] of Object.entries(PAGE_FILES)) {
    const hash = createHash('sha384').update(readFileSync(join(staging, `${name}.min.js`)));
    integrity[`${name}.min.js`] = `sha384-${hash.digest('base64')}`;
    const types = `export * from './${declarations}.js';\n`;
    writeFileSync(join(staging, `${name}.min.d.ts`), types);
  }
  writeFileSync(join(staging, 'integrity.json'), `${JSON.stringify(integrity, undefined, 2)}\n`);
}

function publish(): void {
  const fresh = new Set(filesIn(staging));
  for (const file of fresh) {
    if (contentOf(join(staging, file)) === contentOf(join(target, file))) continue;
    mkdirSync(dirname(join(target, file)), { recursive: true });
    renameSync(join(staging, file), join(target, file));
  }
  for (const file of filesIn(target)) if (!fresh.has(file)) rmSync(join(target, file));
}

interface Built {
  /** True if there's something to run. */
  readonly bundled: boolean;
  /** True if the types are right. */
  readonly typed: boolean;
  /** The output of the tools. */
  readonly output: string;
}

export async function build(): Promise<Built> {
  try {
    generate();
    const [bundled, typed] = await Promise.all([
      run('rollup', '-c', '--configPlugin', 'esbuild', '--silent'),
      run('tsc', '-p', '.', '--emitDeclarationOnly', '--outDir', relative(root, staging)),
    ]);
    if (bundled.ok) {
      writeTypeEntries();
      pointDeclarationsToJavaScript();
      await writeOpenApi();
      writeAroundPageFiles();
      mkdirSync(target, { recursive: true });
      publish();
      writeFileSync(join(root, 'llms.txt'), llmsText());
    }
    return { bundled: bundled.ok, typed: typed.ok, output: (bundled.output + typed.output).trim() };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** A build doesn't touch unchanged files, so this file keeps the time of the last build. */
const STAMP = join(root, '.cache/built');

const newest = (pattern: string): number =>
  Math.max(
    0,
    ...globSync(pattern, { cwd: root, exclude: ['src/generated/**'] }).map(
      (file) => statSync(join(root, file)).mtimeMs,
    ),
  );

/** True if `dist` is as new as `src`. */
function isBuilt(): boolean {
  if (!existsSync(join(root, 'dist/integrity.json'))) return false;
  const built = Math.max(newest('dist/**/*.{js,ts,map}'), newest('.cache/built'));
  return built > newest('{src/**/*.ts,rollup.config.mjs}');
}

/**
 * Resolves when `dist` is as new as `src`, and rejects with the compiler's output if the build
 * fails.
 */
export async function ensureBuilt(): Promise<void> {
  if (isBuilt()) return;
  console.error('Building the package …');
  const startedAt = new Date();
  const { bundled, output } = await build();
  if (!bundled) throw new Error(output);
  if (output) console.error(output);
  mkdirSync(join(root, '.cache'), { recursive: true });
  writeFileSync(STAMP, startedAt.toISOString());
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { bundled, typed, output } = await build();
  if (output) console.error(output);
  process.exitCode = bundled && typed ? 0 : 1;
}
