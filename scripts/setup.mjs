// Makes a bare checkout ready: packages first, then browsers and PostgreSQL.
// It needs Node 18 or newer and no package, and stays JavaScript: the machine's own Node runs it,
// which may be too old to read TypeScript. A Node new enough for every tool comes with the
// packages; npm puts it first on PATH for scripts.
import { fileURLToPath } from 'node:url';
import { ensureBrowsers } from './browsers.mjs';
import { linkPackage } from './link-package.mjs';
import { ensurePackages } from './packages.mjs';
import { ensurePostgresql } from './postgresql.mjs';

if (!(await ensurePackages(fileURLToPath(new URL('..', import.meta.url))))) {
  console.error(
    'npm could not install the packages. Check the network, then run `npm ci` to see why.',
  );
  process.exit(1);
}

linkPackage();
const { generate } = await import('./generate.mjs'); // needs the packages
generate();

if (!process.argv.includes('--no-browsers')) {
  ensureBrowsers();
  ensurePostgresql();
}
