// Makes a bare checkout ready: packages first, then browsers and PostgreSQL.
// It needs Node 18 or newer and no package, and stays JavaScript: the machine's own Node runs it,
// which may be too old to read TypeScript. A Node new enough for every tool comes with the
// packages; npm puts it first on PATH for scripts.
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBrowsers } from './browsers.mjs';
import { ensurePackages } from './packages.mjs';
import { ensurePostgresql } from './postgresql.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The example finds the package by its name, as after `npm install` there, without the tools that
 * are here already.
 */
const linkPackage = () => {
  const packages = join(root, 'worker-example/node_modules');
  const place = join(packages, 'paystate');
  if (existsSync(place)) return;
  mkdirSync(packages, { recursive: true });
  symlinkSync('../..', place, 'junction');
};

if (!(await ensurePackages(root))) {
  console.error(
    'npm could not install the packages. Check the network, then run `npm ci` to see why.',
  );
  process.exit(1);
}

linkPackage();

if (!process.argv.includes('--no-browsers')) {
  ensureBrowsers();
  ensurePostgresql();
}
