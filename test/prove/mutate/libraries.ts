// The tests of the hooks for React and Vue in a page, as tests of mocha: one for each room. Stryker's runner starts a
// process for each mutant, for it cannot see what a page comes by.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import { findBrowsers } from '../../../scripts/browsers.mjs';
import { runBrowsers } from '../../runners/browsers.mjs';

interface Failed {
  readonly name: string;
  readonly message: string;
}

interface Outcomes {
  readonly chromium: { readonly passed: number; readonly failures: readonly Failed[] };
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const place = join(root, 'test/libraries');
const folder = join(root, '.cache/libraries');

/** The hooks use the libraries of these tests, as they would those of a project. */
const ownLibraries: Plugin = {
  name: 'own-libraries',
  setup(build) {
    build.onResolve({ filter: /^#test$/ }, () => ({ path: join(root, 'test/api/mocha.ts') }));
    build.onResolve({ filter: /^(react|vue)$/ }, ({ path, resolveDir, kind }) =>
      resolveDir === place ? undefined : build.resolve(path, { resolveDir: place, kind }),
    );
  },
};

/** Runs tests of `test/libraries` in Chromium; throws the first failure. */
export async function playInPage(names: readonly string[]): Promise<void> {
  const { activeMutant } =
    (globalThis as { __stryker__?: { activeMutant?: string } }).__stryker__ ?? {};
  mkdirSync(folder, { recursive: true });
  const active = join(folder, 'active.ts');
  writeFileSync(active, `globalThis.__stryker__ = ${JSON.stringify({ activeMutant })};\n`);
  const { chromium } = findBrowsers();
  const outcomes = (await runBrowsers({
    root,
    files: names.map((name) => `test/libraries/${name}`),
    first: "import './.cache/libraries/active.ts'; import './test/libraries/copies.ts';",
    file: join(folder, 'page.js'),
    found: { chromium },
    plugins: [ownLibraries],
  })) as Outcomes;
  const { passed, failures } = outcomes.chromium;
  const [first] = failures;
  if (first) throw new Error(`${first.name}: ${first.message}`);
  if (passed === 0) throw new Error('no test has run');
}
