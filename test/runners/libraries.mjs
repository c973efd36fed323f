// The page's libraries: their packages, the recipes of the manual as files, types, and a run in a browser.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ensurePackages } from '../../scripts/packages.mjs';
import { runBrowsers } from './browsers.mjs';
import { runOldNode, runToEnd } from './native.mjs';
import { bundleSuite } from './one-file.mjs';

/** The chapters that have recipes. */
const CHAPTERS = ['src/state/README.md', 'src/react/README.md', 'src/vue/README.md'];
const RECIPE = /^```(\w+) (\w+)\n([\s\S]*?)^```$/gm;

/** Writes each recipe of the chapters into a file that the tests import. */
function writeRecipes(root, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const chapter of CHAPTERS)
    for (const [, language, library, code] of readFileSync(join(root, chapter), 'utf8').matchAll(
      RECIPE,
    ))
      writeFileSync(join(folder, `${library}.${language}`), code);
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

async function typeErrors(root) {
  const tsc = join(root, 'node_modules/.bin/tsc');
  const { code, output } = await runToEnd(root, tsc, ['-p', 'test/libraries']);
  return code === 0 ? [] : [{ name: 'types', message: output }];
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

/** The outcome of the tests that run in Node. */
async function runServers({ root, place, files }) {
  const outfile = join(place, '.cache/server.test.mjs');
  await bundleSuite({
    root,
    files,
    outfile,
    conditions: ['es2015'],
    first: "import { report } from './test/runners/bundled.ts';",
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
  const outcomes = await runBrowsers({
    root,
    files,
    first: "import './test/libraries/copies.ts';",
    file,
    found,
    plugins: [svelteComponents(place), ownLibraries(place)],
  });
  const servers = all.filter(isServers);
  if (servers.length > 0) outcomes.node = await runServers({ root, place, files: servers });
  const failures = Object.entries(outcomes).flatMap(([engine, { failures }]) =>
    failures.map((failure) => ({ ...failure, name: `${engine}: ${failure.name}` })),
  );
  const passed = Object.values(outcomes).reduce((sum, outcome) => sum + outcome.passed, 0);
  const skipped = Object.values(outcomes).flatMap((outcome) => outcome.skipped);
  return { passed, failures: [...(await typeErrors(root)), ...failures], skipped };
}
