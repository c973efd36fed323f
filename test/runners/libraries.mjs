// The page's libraries: their packages, the recipes of the manual as files, types, and a run in a browser.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { ensurePackages } from '../../scripts/packages.mjs';
import { runBrowsers } from './browsers.mjs';
import { elementTypeErrors } from './element-types.mjs';
import { runOldNode, runToEnd } from './native.mjs';
import { bundleSuite } from './one-file.mjs';

/** The guides that have recipes, and the pages in detail beside them. */
const CHAPTERS = 'src/{state,react,vue,elements}/{README,in-detail}.md';
const RECIPE = /^```(\w+) (\w+)\n([\s\S]*?)^```$/gm;

/** A project of Solid has a configuration of its own that says whose JSX it is; here React's is usual. */
const firstLineOf = (library) =>
  library.startsWith('solid') ? '/** @jsxImportSource solid-js */\n' : '';

/** Writes each recipe of the chapters into a file that the tests import. */
export function writeRecipes(root, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const chapter of globSync(CHAPTERS, { cwd: root }))
    for (const [, language, library, code] of readFileSync(join(root, chapter), 'utf8').matchAll(
      RECIPE,
    ))
      writeFileSync(join(folder, `${library}.${language}`), firstLineOf(library) + code);
}

/** Compiles components with the installed compiler of Svelte. */
function svelteComponents(place) {
  const { compile } = createRequire(join(place, 'package.json'))('svelte/compiler');
  return {
    name: 'svelte',
    setup(build) {
      build.onLoad({ filter: /\.svelte$/ }, ({ path: filename }) => {
        const { js } = compile(readFileSync(filename, 'utf8'), { filename });
        return { contents: js.code };
      });
    },
  };
}

/** Compiles components with the installed compiler of Vue. */
function vueComponents(place) {
  const { compileScript, parse } = createRequire(join(place, 'package.json'))('vue/compiler-sfc');
  const compilerOptions = { isCustomElement: (tag) => tag.startsWith('paystate-') };
  return {
    name: 'vue',
    setup(build) {
      build.onLoad({ filter: /\.vue$/ }, ({ path: filename }) => {
        const { descriptor } = parse(readFileSync(filename, 'utf8'), { filename });
        const options = { id: 'page', inlineTemplate: true, templateOptions: { compilerOptions } };
        return { contents: compileScript(descriptor, options).content, loader: 'ts' };
      });
    },
  };
}

/** Compiles JSX with the installed compiler of Solid. */
function solidComponents(place) {
  const load = createRequire(join(place, 'package.json'));
  const presets = [load('babel-preset-solid')];
  return {
    name: 'solid',
    setup(build) {
      build.onLoad({ filter: /\/solid\w+\.tsx$/ }, async ({ path }) => {
        const code = readFileSync(path, 'utf8');
        const { code: jsx } = await transform(code, { loader: 'tsx', jsx: 'preserve' });
        const { code: contents } = load('@babel/core').transformSync(jsx, {
          presets,
          configFile: false,
        });
        return { contents };
      });
    },
  };
}

/** The package's hooks and refs use the libraries of these tests, as they would those of a project. */
const ownLibraries = (place) => ({
  name: 'own-libraries',
  setup(build) {
    // these tests have a package of their own, which does not know the project's names
    build.onResolve({ filter: /^#test$/ }, () => ({ path: join(place, '../api/mocha.ts') }));
    build.onResolve({ filter: /^(react|vue)$/ }, ({ path, resolveDir, kind }) =>
      resolveDir === place ? undefined : build.resolve(path, { resolveDir: place, kind }),
    );
  },
});

async function typeErrors(root, place) {
  const elements = await elementTypeErrors(place);
  const tsc = join(root, 'node_modules/.bin/tsc');
  const { code, output } = await runToEnd(root, tsc, ['-p', 'test/libraries', '--singleThreaded']);
  return code === 0 ? elements : [...elements, { name: 'types', message: output }];
}

/** These tests render on a server: they run in Node. */
const isServers = (file) => file.endsWith('server.test.tsx');

/** Leaves the libraries, and what Node brings, for Node to find from the folder of the tests. */
const foundByNode = {
  name: 'found-by-node',
  setup: (build) =>
    build.onResolve({ filter: /^(react|react-dom|vue|mocha|node:.*)(\/|$)/ }, ({ path }) => ({
      path,
      external: true,
    })),
};

/** The outcome of the tests that run in Node; `first` is code before all files. */
export async function runServers({ root, place, files, first = '' }) {
  const outfile = join(place, '.cache/server.test.mjs');
  await bundleSuite({
    root,
    files,
    outfile,
    conditions: ['es2015'],
    first: `${first}import { report } from './test/runners/bundled.ts';`,
    after: 'await report();',
    plugins: [foundByNode, ownLibraries(place)],
  });
  const report = join(place, '.cache/server.json');
  return runOldNode({ root, command: process.execPath, file: outfile, report });
}

/** One outcome of all engines in `found`, and of Node. */
export async function runLibraries({ root, files: all, file, found }) {
  const files = all.filter((one) => !isServers(one));
  const place = join(root, 'test/libraries');
  if (!(await ensurePackages(place)))
    return { failures: [{ name: 'packages', message: 'not installed' }] };
  writeRecipes(root, join(place, '.cache'));
  const wrong = await typeErrors(root, place); // first: the compiler of Angular writes what is run
  const outcomes = await runBrowsers({
    root,
    files,
    first: "import './test/libraries/copies.ts';",
    file,
    found,
    plugins: [
      svelteComponents(place),
      vueComponents(place),
      solidComponents(place),
      ownLibraries(place),
    ],
  });
  const servers = all.filter(isServers);
  if (servers.length > 0) outcomes.node = await runServers({ root, place, files: servers });
  const failures = Object.entries(outcomes).flatMap(([engine, { failures }]) =>
    failures.map((failure) => ({ ...failure, name: `${engine}: ${failure.name}` })),
  );
  const passed = Object.values(outcomes).reduce((sum, outcome) => sum + outcome.passed, 0);
  const skipped = Object.values(outcomes).flatMap((outcome) => outcome.skipped);
  return { passed, failures: [...wrong, ...failures], skipped };
}
