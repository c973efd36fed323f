// Finds PostgreSQL on this machine, and installs it if it's missing. The tests of stores start
// their own server.
// Stays JavaScript, because `setup.mjs` runs it on the machine's own Node, which may be too old to
// read TypeScript.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { adviceFor, tryInstalling } from './browsers.mjs';

const FOLDERS = ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt'];

/**
 * Returns the folder with the programs of the newest version, or `undefined` if none is installed.
 */
export function findPostgresql() {
  return FOLDERS.filter(existsSync)
    .flatMap((folder) => readdirSync(folder).map((name) => ({ folder, name })))
    .map((place) => ({
      ...place,
      version: Number(/^(?:postgresql@)?(\d+)$/.exec(place.name)?.[1]),
    }))
    .filter(({ version }) => version > 0)
    .sort((a, b) => b.version - a.version)
    .map(({ folder, name }) => join(folder, name, 'bin'))
    .find((bin) => ['initdb', 'postgres'].every((name) => existsSync(join(bin, name))));
}

/** Advice to a person if it's missing. */
export const postgresqlHint = adviceFor(
  ['postgresql'],
  'install PostgreSQL 16 or newer (Homebrew: `brew install postgresql@17`)',
);

/** Installs it if possible, and otherwise prints what to run. */
export function ensurePostgresql() {
  if (!findPostgresql()) tryInstalling('postgresql', ['postgresql']);
  if (!findPostgresql())
    console.log(`postgresql is missing, so its tests will not run: ${postgresqlHint}`);
}
