// Adds other platforms' optional packages to package-lock.json when the registry in use did not list them.
// Without these entries `npm ci` refuses the lock. Run after every change of dependencies.
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));

const systems = {
  darwin: 'darwin',
  linux: 'linux',
  win32: 'win32',
  windows: 'win32',
  android: 'android',
  freebsd: 'freebsd',
  openbsd: 'openbsd',
  openharmony: 'openharmony',
};
const processors = {
  x64: 'x64',
  64: 'x64',
  arm64: 'arm64',
  arm: 'arm',
  ia32: 'ia32',
  ppc64: 'ppc64',
  riscv64: 'riscv64',
  s390x: 's390x',
  loong64: 'loong64',
};

// Such packages carry their platform in their name: @scope/tool-linux-arm64-musl.
const platformOf = (name) => {
  const words = name.split('/').pop().split('-');
  const pick = (table) =>
    words.filter((word) => Object.hasOwn(table, word)).map((word) => table[word]);
  return { os: pick(systems).slice(0, 1), cpu: pick(processors).slice(0, 1) };
};

const isLocked = (owner, name) =>
  lock.packages[`${owner}/node_modules/${name}`] ?? lock.packages[`node_modules/${name}`];

for (const [owner, entry] of Object.entries(lock.packages))
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isLocked(owner, name)) continue;
    const { os, cpu } = platformOf(name);
    if (!os.length || !cpu.length) throw new Error(`No platform in the name ${name}`);
    lock.packages[`node_modules/${name}`] = {
      version,
      cpu,
      ...(entry.dev && { dev: true }),
      optional: true,
      os,
    };
  }

const inOrder = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(
  file,
  `${JSON.stringify({ ...lock, packages: Object.fromEntries(inOrder) }, null, 2)}\n`,
);
