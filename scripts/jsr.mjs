// Writes jsr.json from package.json, and tries what publishing there would do. Needs no network and sends nothing.
//   npm run jsr             writes and tries
//   npm run jsr -- --check  only tries
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const readJson = (name) => JSON.parse(readFileSync(join(root, name), 'utf8'));

/** JSR takes no module that adds to the types of everybody, as the custom elements do. */
const NOT_THERE = /^\.\/elements(\/|$)/;

/** The sources behind each entry: there TypeScript itself is published. */
export function createJsr() {
  const { version, license, exports } = readJson('package.json');
  const sources = Object.entries(exports)
    .filter(([entry, { default: target }]) => target && !NOT_THERE.test(entry))
    .map(([entry, { default: target }]) => [
      entry,
      target.replace('./dist/', './src/').replace(/\.js$/, '.ts'),
    ]);
  return { ...readJson('jsr.json'), version, license, exports: Object.fromEntries(sources) };
}

/** What Deno says to it; every way to the network leads nowhere. */
export function tryPublishing() {
  const nowhere = 'http://127.0.0.1:9';
  return spawnSync(
    join(root, 'node_modules/.bin/deno'),
    ['publish', '--dry-run', '--allow-dirty', '--no-check'],
    {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1', HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere },
    },
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (!process.argv.includes('--check'))
    writeFileSync(join(root, 'jsr.json'), `${JSON.stringify(createJsr(), undefined, 2)}\n`);
  const { status, stdout, stderr } = tryPublishing();
  console.log(stdout + stderr);
  process.exitCode = status ?? 1;
}
