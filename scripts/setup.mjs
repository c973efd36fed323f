// Makes a bare checkout ready: packages first, then browsers and PostgreSQL. Needs Node 18 or newer and no package.
// A Node new enough for every tool comes with the packages; npm puts it first on PATH for scripts.
import { fileURLToPath } from 'node:url';
import { ensureBrowsers } from './browsers.mjs';
import { linkPackage } from './link-package.mjs';
import { ensurePackages } from './packages.mjs';
import { ensurePostgresql } from './postgresql.mjs';

if (!(await ensurePackages(fileURLToPath(new URL('..', import.meta.url))))) {
  console.error(
    'The packages could not be installed. Check the network and npm, then run the command again.',
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
