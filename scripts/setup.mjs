// Makes a bare checkout ready. Installs packages first, then browsers and PostgreSQL. Needs Node 18
// and no package. Stays JavaScript, because it runs on the machine's own Node, which may be too old
// to read TypeScript. The packages bring a newer Node, which npm puts first on PATH for scripts.
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBrowsers } from './browsers.mjs';
import { ensurePackages } from './packages.mjs';
import { ensurePostgresql } from './postgresql.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Lets the example find the package by its name, as after `npm install` there. It uses the tools of
 * this folder.
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
