// Where PostgreSQL is on this machine, and how to get it: the tests of stores start one of their own.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { canInstall, install } from './browsers.mjs';

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

/** Installs it where that is possible, and says what to do where it is not. */
export function ensurePostgresql() {
  if (!findPostgresql() && canInstall()) {
    console.log('installing postgresql …');
    install(['postgresql']);
  }
  if (!findPostgresql())
    console.log('no postgresql: its tests do not run (Debian: apt-get install postgresql)');
}
