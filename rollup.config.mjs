// One run for all entries, files kept apart: one copy of every class, and bundlers take only what is used.
// The same in few files for Node, Deno and Bun. In addition self-contained files: two for <script type="module"> and
// Deno's URL imports, one for the command's page.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import resolve from '@rollup/plugin-node-resolve';
import esbuild, { minify } from 'rollup-plugin-esbuild';
import { lateFiles, pureCalls, thirdPartyNotices, withoutUnused } from './scripts/plugins.ts';

const manifest = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
const folder = process.env.PAYSTATE_OUT ?? 'dist';

const sourceOf = (target) => target.replace('./dist/', 'src/').replace(/\.js$/, '.ts');

const entries = Object.values(manifest.exports)
  .flatMap((target) => target.default ?? [])
  .map(sourceOf);

/** Entries of types alone, written as `.d.ts`, have no code: the build copies them. */
const isOfTypes = (file) => existsSync(file.replace(/\.ts$/, '.d.ts'));

const missing = entries.filter((file) => !existsSync(file) && !isOfTypes(file));
if (missing.length > 0)
  throw new Error(`package.json exports what src does not have: ${missing.join(', ')}`);

/** Files for pages without a bundler, by their sources. The first has all that the others have. */
const pageFiles = {
  'src/bundle.ts': 'paystate.min.js',
  'src/bundle-checkout.ts': 'paystate-checkout.min.js',
};

// Every file is built, also one of types alone or of re-exports alone: Deno looks for the JavaScript
// beside each declaration before it looks at the declaration.
const files = readdirSync('src', { recursive: true })
  .map((file) => `src/${file.replaceAll('\\', '/')}`)
  .filter((file) => /(?<!\.d)\.ts$/.test(file) && !(file in pageFiles));

const external = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).map(
  (name) => new RegExp(`^${name}(/|$)`),
);

const typescript = () => [esbuild({ target: 'es2022', tsconfig: 'tsconfig.json' }), pureCalls()];

// Who imports a file by path or URL (Deno) finds its types by this comment.
// The command is run, not imported, and has no types; nor has what only this package loads.
const selfTypes = (file) =>
  /^(cli|late)\//.test(file)
    ? ''
    : `/* @ts-self-types="./${file.split('/').pop().replace(/\.js$/, '.d.ts')}" */`;

// Frameworks with server components run a file that begins so in the page: its hooks and its context need one.
const clientOnly = (file) => (file === 'react/index.js' ? "\n'use client';" : '');

// A warning is an error, but for files of types alone, of which nothing is left. (Circles fail a house test.)
const HARMLESS = ['EMPTY_BUNDLE', 'CIRCULAR_DEPENDENCY'];
const onwarn = ({ code, id, message }) => {
  if (code === 'INVALID_ANNOTATION' && id?.includes('node_modules')) return; // a comment of a package that speaks of such marks
  if (!HARMLESS.includes(code)) throw new Error(message);
};

// Node, Deno and Bun load each file by itself, which takes longer than to run it. For them (the condition `node` of
// package.json) the same code is in few files: what webhooks and operations need is apart from the transport, which
// loads the platform's `fetch`. Workers (the condition `workerd`) take these files, too: a Worker is one file, so what
// pages load later would be in it twice.
const CHUNKS = [
  ['connect', /^core\/http\/(index|create-connection|transport)\.ts$/],
  ['core', /^(core|money)\//],
  ['resources', /^(resources\/(?!drift|events\.feed)|generated\/(operations|endpoints)\/)/],
];
const chunkOf = (id) => {
  const [, file = ''] = id.split('/src/');
  return CHUNKS.find(([, files]) => files.test(file))?.[0];
};

export default [
  {
    input: files,
    external: [...external, /^node:/],
    onwarn,
    // Else files repeat the packages of files below them as bare imports, which bundlers warn about.
    treeshake: { moduleSideEffects: 'no-external' },
    plugins: [...typescript(), lateFiles(folder, typescript)],
    output: {
      dir: folder,
      hoistTransitiveImports: false,
      preserveModules: true,
      preserveModulesRoot: 'src',
      banner: ({ fileName }) => selfTypes(fileName) + clientOnly(fileName),
    },
  },
  {
    input: Object.fromEntries(
      entries
        .filter((file) => !(file in pageFiles) && !isOfTypes(file))
        .map((file) => [file.replace(/^src\/|\.ts$/g, ''), file]),
    ),
    external: [...external, /^node:/],
    onwarn,
    treeshake: { moduleSideEffects: 'no-external' },
    plugins: typescript(),
    output: {
      dir: `${folder}/node`,
      chunkFileNames: 'chunks/[name].js',
      manualChunks: chunkOf,
      hoistTransitiveImports: false,
      banner: ({ fileName }) => clientOnly(fileName).trim(),
    },
  },
  ...Object.entries(pageFiles).map(([input, file], at) => ({
    input,
    onwarn,
    plugins: [
      withoutUnused(),
      resolve({ exportConditions: ['es2015', 'browser', 'import', 'default'] }),
      typescript(),
      minify({ target: 'es2022', banner: selfTypes(input.replace(/ts$/, 'js')) }),
      thirdPartyNotices({ isListed: at > 0 }),
    ],
    // The maps, with all sources, go with a release and not into the package.
    output: { file: `${folder}/${file}`, inlineDynamicImports: true, sourcemap: 'hidden' },
  })),
  {
    input: 'src/cli/page/devtools.ts', // pages find no package by its name
    onwarn,
    plugins: [
      withoutUnused(),
      resolve({ exportConditions: ['es2015', 'browser', 'import', 'default'] }),
      typescript(),
      minify({ target: 'es2022' }),
      thirdPartyNotices(),
    ],
    output: { file: `${folder}/cli/page/devtools-bundle.js`, inlineDynamicImports: true },
  },
];
