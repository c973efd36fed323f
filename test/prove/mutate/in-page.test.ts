// Tests that run in a page alone, as one test of mocha: those of the hooks for React and Vue, of the
// elements and the devtools, and of the stores in IndexedDB. `PAYSTATE_ROOM` says of which room.
// Stryker cannot see what the page comes by.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import { findBrowsers } from '../../../scripts/browsers.mjs';
import { it } from '../../api/mocha.ts';
import { runBrowsers } from '../../runners/browsers.mjs';
import { runServers, writeRecipes } from '../../runners/libraries.mjs';

interface Failed {
  readonly name: string;
  readonly message: string;
}

interface Outcome {
  readonly passed: number;
  readonly failures: readonly Failed[];
}

interface Outcomes {
  readonly chromium: Outcome;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const place = join(root, 'test/libraries');
const folder = join(root, '.cache/in-page');

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

const FILES: Readonly<Record<string, readonly string[]>> = {
  react: ['test/libraries/react-entry.test.tsx', 'test/libraries/suspense.test.tsx'],
  vue: ['test/libraries/vue-entry.test.ts'],
  stores: ['test/unit/stores/indexed-db.test.ts'],
  elements: [
    ...['checkout', 'order', 'pay-button', 'receives', 'qr'].map(
      (name) => `test/unit/elements/${name}.test.ts`,
    ),
    'test/unit/devtools/panel.test.ts', // fills the lists of both
  ],
  devtools: ['inspect', 'panel'].map((name) => `test/unit/devtools/${name}.test.ts`),
};
/** Tests of the room that render on a server. */
const ON_SERVERS: Readonly<Record<string, readonly string[]>> = {
  react: ['test/libraries/server.test.tsx'],
};
const ACTIVE_FIRST = "import './.cache/in-page/active.ts';";

/** Writes the file that tells the page which mutant is active. */
function writeActive(): void {
  const shared = globalThis as { __stryker__?: { activeMutant?: string } };
  const active = JSON.stringify({ activeMutant: shared.__stryker__?.activeMutant });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'active.ts'), `globalThis.__stryker__ = ${active};\n`);
}

function expectPassed({ passed, failures }: Outcome): void {
  const [first] = failures;
  if (first) throw new Error(`${first.name}: ${first.message}`);
  if (passed === 0) throw new Error('no test has run');
}

const { PAYSTATE_ROOM = '' } = process.env;

it('the tests of the room pass in a page', async () => {
  writeActive();
  writeRecipes(root, join(place, '.cache'));
  const { chromium } = findBrowsers();
  const outcomes = (await runBrowsers({
    root,
    files: FILES[PAYSTATE_ROOM]!,
    first: ACTIVE_FIRST,
    file: join(folder, 'page.js'),
    found: { chromium },
    plugins: [ownLibraries],
  })) as Outcomes;
  expectPassed(outcomes.chromium);
});

const onServers = ON_SERVERS[PAYSTATE_ROOM];
if (onServers)
  it('the tests of the room pass on a server', async () => {
    writeActive();
    expectPassed(
      (await runServers({ root, place, files: onServers, first: ACTIVE_FIRST })) as Outcome,
    );
  });
