// Protects: the programs of the documents print the same in Deno, Bun, workerd and a browser as in
// Node. readme.test.ts runs each in a process of Node; here one process of a runtime runs all.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import { after, describe, it } from '#test';
import { browserHints, findBrowsers } from '../../scripts/browsers.mjs';
import type { Outcome } from '../api/strict.ts';
import { runBrowsers } from '../runners/browsers.mjs';
import { runBun, runToEnd } from '../runners/native.mjs';
import { bundleReporting } from '../runners/one-file.mjs';
import { runWorkerd } from '../runners/workerd.mjs';
import { fencesOfDocuments, type PlacedFence } from './fences.ts';
import { expectNone } from './none.ts';
import { root } from './source.ts';

const folder = join(root, '.cache', `fences-${process.pid}`);
mkdirSync(folder, { recursive: true });
after(() => rmSync(folder, { recursive: true, force: true }));

const programs = fencesOfDocuments.filter(({ language }) => ['ts', 'js'].includes(language));

// Some programs name what only one runtime has, which tells where they run: the others run
// everywhere.
const FOR_NODE = /'node:|'msw\/node'|\bprocess\./;
const FOR_FILES = /'paystate\/stores\/file'/;
/** A page is refused an API key. */
const FOR_SERVERS = /\bapiKey\b|\bAPI_KEY\b/;

const withFiles = programs.filter(({ code }) => !FOR_NODE.test(code));
const portable = withFiles.filter(({ code }) => !FOR_FILES.test(code));
const forPages = portable.filter(({ code }) => !FOR_SERVERS.test(code));

/** Writes the programs, and a test that loads one after the other. */
function write(name: string, fences: readonly PlacedFence[]): string {
  const tests = fences.map(({ place, language, code }) => {
    const file = `${place.replace(/[^\w-]+/g, '-')}.${language === 'js' ? 'mjs' : 'ts'}`;
    writeFileSync(join(folder, file), code);
    return `  it('${place}', () => runFence(${JSON.stringify(code)}, () => import('./${file}')));`;
  });
  const lines = [
    "import { describe, it } from '#test';",
    "import { runFence } from '../../test/house/fence-run.ts';",
    "describe('programs', () => {",
    ...tests,
    '});',
  ];
  writeFileSync(join(folder, `${name}.test.ts`), lines.join('\n'));
  return relative(root, join(folder, `${name}.test.ts`));
}

function expectAll({ passed, failures = [] }: Partial<Outcome>, fences: readonly unknown[]): void {
  expectNone(failures.map(({ name, message }) => `${name}\n${message}`));
  expect(passed).to.equal(fences.length);
}

describe('the programs of the documents', () => {
  it('are for every runtime, but for a few', () => {
    expect(programs.length).to.be.above(80);
    expect(portable.length).to.be.above(programs.length * 0.9);
    expect(forPages.length).to.be.above(programs.length * 0.7);
  });

  it('run in Deno', async () => {
    const files = [write('deno', withFiles)];
    const conditions = ['deno', 'node'];
    const { file, report } = await bundleReporting({
      root,
      folder,
      files,
      name: 'deno-all',
      conditions,
    });
    // React and Vue read NODE_ENV; a store writes files.
    const may = ['--allow-env=NODE_ENV', '--allow-read', `--allow-write=${join(root, '.cache')}`];
    const args = ['run', '--quiet', '--no-check', '--no-prompt', '--no-remote', ...may];
    const deno = join(root, 'node_modules/.bin/deno');
    const { output } = await runToEnd(root, deno, [...args, file, report]);
    expect(existsSync(report), output).to.equal(true);
    expectAll(JSON.parse(readFileSync(report, 'utf8')), withFiles);
  });

  it('run in Bun', async () => {
    const report = join(folder, 'bun.json');
    const files = [write('bun', withFiles)];
    expectAll(await runBun({ root, files, report }), withFiles);
  });

  it('run in workerd', async () => {
    const files = [write('workerd', portable)];
    expectAll(await runWorkerd({ root, files, folder: join(folder, 'workerd') }), portable);
  });

  it('run in a page', async ({ skip }) => {
    const { chromium } = findBrowsers();
    if (!chromium) return skip(browserHints.chromium);
    const task = { root, files: [write('page', forPages)], file: join(folder, 'page.js') };
    const { chromium: outcome } = await runBrowsers({ ...task, found: { chromium }, plugins: [] });
    expectAll(outcome, forPages);
  });
});
