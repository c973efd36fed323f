// Says what importing something changes in a process of Node: globals, their members, and what
// keeps the process alive.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

// Read once before: Node makes many globals when they are first read.
const PROBE = `
import { writeSync } from 'node:fs';
const OWNERS = [globalThis, Object, Object.prototype, Array, Array.prototype, Promise, Promise.prototype, Error, Error.prototype, Function.prototype, String.prototype, JSON, Math];
const look = () => OWNERS.flatMap((owner, at) => Reflect.ownKeys(owner).map((key) => {
  const { value, get } = Reflect.getOwnPropertyDescriptor(owner, key);
  return [at + String(key), owner === globalThis ? owner[key] : value ?? get];
}));
const [libraries, specifiers] = process.argv.slice(1).map((text) => JSON.parse(text));
look();
for (const library of libraries) await import(library);
const changes = {};
for (const specifier of specifiers) {
  const before = new Map(look());
  const busy = process.getActiveResourcesInfo().length;
  await import(specifier);
  const after = new Map(look());
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter((key) => !Object.is(before.get(key), after.get(key)));
  if (process.getActiveResourcesInfo().length > busy) changed.push('something keeps running');
  changes[specifier] = changed;
}
writeSync(1, JSON.stringify(changes));
process.exit(0);
`;

/**
 * Lists the changes that each import makes and the ones before it have not, in one process; the
 * libraries were there before. Members are named with the number of their owner: `0name` is a
 * global.
 */
export function changesBy(
  specifiers: readonly string[],
  libraries: readonly string[] = [],
): Readonly<Record<string, readonly string[]>> {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', PROBE, JSON.stringify(libraries), JSON.stringify(specifiers)],
    { cwd: root, encoding: 'utf8', timeout: 60_000 },
  );
  return status === 0
    ? (JSON.parse(stdout) as Readonly<Record<string, readonly string[]>>)
    : { [specifiers.join()]: [stderr] };
}
