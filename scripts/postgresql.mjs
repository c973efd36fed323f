// Finds PostgreSQL on this machine, and installs it where it is missing: the tests of stores start
// one of their own.
// It stays JavaScript: `setup.mjs` runs it on the machine's own Node, which may be too old to read
// TypeScript.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { adviceFor, tryInstalling } from './browsers.mjs';

const FOLDERS = ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt'];

/** The folder of the newest version's programs; `undefined` where it is not installed. */
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

/** Advice to a person where it is missing. */
export const postgresqlHint = adviceFor(
  ['postgresql'],
  'install PostgreSQL 16 or newer (Homebrew: `brew install postgresql@17`)',
);

/** Installs it where that is possible, and says what to run where it is not. */
export function ensurePostgresql() {
  if (!findPostgresql()) tryInstalling('postgresql', ['postgresql']);
  if (!findPostgresql())
    console.log(`postgresql is missing, so its tests will not run: ${postgresqlHint}`);
}
