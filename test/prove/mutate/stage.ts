// A copy of the project in which Stryker changes the sources. Its packages are those of the
// project, but for mocha: version 10.0.0 of Stryker's runner loads `lib/cli/run-helpers`, which
// mocha 12 calls `run-helpers.cjs` (pull request 6205 of stryker-js), so it gets mocha 11. The
// tests need no more than its `describe`, `it`, `before` and `after`.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const TRACKED = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];

function filesOf(root: string): readonly string[] {
  const { stdout } = spawnSync('git', TRACKED, { cwd: root, encoding: 'utf8' });
  const generated = globSync('src/generated/**/*.ts', { cwd: root });
  return [...stdout.split('\0'), ...generated].filter(
    (file) => file && existsSync(join(root, file)),
  );
}

function linkPackages(root: string, folder: string, mocha: string | undefined): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(modules, { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    const target = name === 'mocha' && mocha ? mocha : join(root, 'node_modules', name);
    symlinkSync(target, join(modules, name), 'junction');
  }
  const worker = join(folder, 'worker-example/node_modules');
  mkdirSync(worker, { recursive: true });
  symlinkSync('../..', join(worker, 'paystate'), 'junction');
  const libraries = 'test/libraries/node_modules';
  if (existsSync(join(root, libraries)))
    symlinkSync(join(root, libraries), join(folder, libraries), 'junction');
}

/**
 * Takes the conditions `node` and `workerd` out of the copy's package.json: the larger files that
 * they lead to hold the same code, and without them there is less to build.
 */
function useSeparateFiles(folder: string): void {
  const file = join(folder, 'package.json');
  const text = readFileSync(file, 'utf8');
  const changed = text.replace(/^ *"(node|workerd)": "\.\/dist\/node\/.*\n/gm, '');
  if (changed === text) throw new Error('package.json has no condition `node` for dist/node');
  writeFileSync(file, changed);
}

/** Copies what git knows of the project, and links its packages. */
export function makeStage(root: string, folder: string, mocha?: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const file of filesOf(root)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  mkdirSync(join(folder, '.cache')); // tests write there
  useSeparateFiles(folder);
  linkPackages(root, folder, mocha);
}
