// Tables of the documents other than the root README: rooms, schedules, threats.
import { proofs } from '../prove/command.ts';
import { code, table } from './markdown.ts';
import { roomOf, rooms } from './rooms.ts';
import { citations, SCHEDULES } from './schedules.ts';
import { packagesOf, sourceFiles } from './source.ts';
import { threats } from './threats.ts';

const list = (names: readonly string[]): string => names.map(code).join(', ') || '–';
const unique = (names: readonly string[]): readonly string[] => [...new Set(names)].sort();
/** The name of a file; of the schemas of any resource: `*.schemas.ts`. */
const baseOf = (file: string): string =>
  file.replace(/^.*\//, '').replace(/^[\w-]+(?=\.schemas\.ts$)/, '*');

/** A package with the files that may import it, where that is not any file of the room. */
function packageOf(name: string, allowed: RegExp, files: readonly string[]): string {
  const own = files.filter((file) => allowed.test(file));
  if (own.length === files.length) return code(name);
  const users = own.filter((file) => packagesOf(file).some((one) => one.startsWith(name)));
  const where = users.length > 0 ? `in ${list(unique(users.map(baseOf)))} only` : 'not used yet';
  return `${code(name)} (${where})`;
}

/** A room that is one file is written as that file. */
const pathOf = (room: string): string => (sourceFiles.includes(`${room}.ts`) ? `${room}.ts` : room);

/** Writes which room may import which, as the test has it. */
export function roomTable(): string {
  const rows = Object.entries(rooms).map(([room, { imports, packages = {} }]) => {
    const files = sourceFiles.filter((file) => roomOf(file) === room);
    const taken = Object.entries(packages).map(([name, allowed]) =>
      packageOf(name, allowed, files),
    );
    const path = code(pathOf(room));
    const name = files.length > 0 ? path : `${path} (no files yet)`;
    return [name, list(imports.map(pathOf)), taken.join(', ') || '–'];
  });
  return table(['room', 'may import', 'packages'], rows);
}

/** Writes the meaning of each cited name, and the places that cite it. */
export function scheduleTable(): string {
  const cited = citations();
  return table(
    ['name', 'what happens, and what must hold', 'cited in'],
    Object.entries(SCHEDULES).map(([name, says]) => [name, says, list(cited.get(name) ?? [])]),
  );
}

/** Writes the list of `npm run prove`. */
export function proofTable(): string {
  return table(
    ['name', 'what it does'],
    proofs.map(({ name, says }) => [code(name), says]),
  );
}

/** Writes each threat with the test that covers it, or the reason why none does. */
export function threatTable(): string {
  return table(
    ['no.', 'threat', 'file', 'title of the test, or why there is none'],
    threats.map(({ number, threat, file, title }) => [
      number.replace('-', '–'),
      threat,
      file === '-' ? '–' : code(file),
      title.replaceAll('$', '\\$'),
    ]),
  );
}
