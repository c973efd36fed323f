// Builds dist/: JavaScript by rollup, declarations by tsc (which is the type check at the same time). Makes src/generated first.
// Works in a folder beside dist and then moves over only what differs, so that whoever is
// reading dist meanwhile (a running test, an open page) never sees half a file or an empty folder.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
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
import { createOpenApi } from './openapi.ts';
import { generate } from './operations.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
// As deep as dist itself: source maps point to ../src from there.
const staging = join(root, `.dist-${process.pid}`);
const target = join(root, 'dist');

const run = (command, ...args) =>
  new Promise((resolve) => {
    const child = spawn(join(root, 'node_modules/.bin', command), args, {
      cwd: root,
      env: { ...process.env, PAYSTATE_OUT: staging },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => (output += text));
    child.on('close', (code) => resolve({ ok: code === 0, output }));
  });

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true }).filter((file) => statSync(join(folder, file)).isFile());

// Deno does not accept the .ts specifiers that tsc leaves in declarations.
const SPECIFIER = /((?:from|import)\s*\(?\s*['"]\.{1,2}\/[^'"]+?)\.ts(['"])/g;
const pointDeclarationsToJavaScript = () => {
  for (const file of filesIn(staging).filter((name) => name.endsWith('.d.ts'))) {
    const path = join(staging, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(SPECIFIER, '$1.js$2'));
  }
};

/**
 * Entries of types alone, for frameworks that only their own tests install. The compiler does not emit
 * declarations that are written by hand. Their JavaScript is empty: who imports it loads nothing.
 */
const writeTypeEntries = () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const { types, default: code } of Object.values(exports)) {
    const source = types && join(root, types.replace('./dist/', 'src/'));
    if (!source || !existsSync(source)) continue;
    writeFileSync(join(staging, relative('dist', types)), readFileSync(source));
    const comment = `/* @ts-self-types="./${basename(types)}" */`;
    writeFileSync(join(staging, relative('dist', code)), `${comment}\nexport {};\n`);
  }
};

const contentOf = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

const writeOpenApi = async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const value = await createOpenApi({ root, folder: staging, version });
  writeFileSync(join(staging, 'openapi.json'), `${JSON.stringify(value, undefined, 1)}\n`);
};

/** The files for pages without a bundler, and the declarations that they have. */
const PAGE_FILES = { paystate: 'bundle', 'paystate-checkout': 'bundle-checkout' };

/** Writes the hashes for `integrity` of a page's script, and the types of its files. */
const writeAroundPageFiles = () => {
  const integrity = {};
  for (const [name, declarations] of Object.entries(PAGE_FILES)) {
    const hash = createHash('sha384').update(readFileSync(join(staging, `${name}.min.js`)));
    integrity[`${name}.min.js`] = `sha384-${hash.digest('base64')}`;
    const types = `export * from './${declarations}.js';\n`;
    writeFileSync(join(staging, `${name}.min.d.ts`), types);
  }
  writeFileSync(join(staging, 'integrity.json'), `${JSON.stringify(integrity, undefined, 2)}\n`);
};

const publish = () => {
  const fresh = new Set(filesIn(staging));
  for (const file of fresh) {
    if (contentOf(join(staging, file)) === contentOf(join(target, file))) continue;
    mkdirSync(dirname(join(target, file)), { recursive: true });
    renameSync(join(staging, file), join(target, file));
  }
  for (const file of filesIn(target)) if (!fresh.has(file)) rmSync(join(target, file));
};

/** Builds; says whether there is something to run, whether its types are right, and what the tools said. */
export async function build() {
  try {
    generate();
    const [bundled, typed] = await Promise.all([
      run('rollup', '-c', '--configPlugin', 'esbuild', '--silent'),
      run(
        'tsc',
        '-p',
        '.',
        '--emitDeclarationOnly',
        '--declarationMap',
        '--outDir',
        relative(root, staging),
      ),
    ]);
    if (bundled.ok) {
      writeTypeEntries();
      pointDeclarationsToJavaScript();
      await writeOpenApi();
      writeAroundPageFiles();
      mkdirSync(target, { recursive: true });
      publish();
    }
    return { bundled: bundled.ok, typed: typed.ok, output: (bundled.output + typed.output).trim() };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { bundled, typed, output } = await build();
  if (output) console.error(output);
  process.exitCode = bundled && typed ? 0 : 1;
}
