// The steps of a release; RELEASING.md says when each is taken. Without a name it lists them.
//   npm run release -- version
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nearestTo } from '../test/runners/choice.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const CHANGESETS = '@changesets/cli@3.0.3';
const UNRELEASED = '## [Unreleased]';
const KINDS = ['patch', 'minor', 'major'];
/** JSR takes no module that adds to the types of everybody, as the custom elements do. */
const NOT_AT_JSR = /^\.\/elements(\/|$)/;

interface Lock {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

interface LockEntry {
  readonly version?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly peer?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));
const writeJson = (file: string, value: unknown): void =>
  writeFileSync(join(root, file), `${JSON.stringify(value, undefined, 2)}\n`);

function run(command: string, ...args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

interface Changeset {
  readonly file: string;
  /** The package that it is for. */
  readonly name: string;
  /** The part of the version that it changes. */
  readonly kind: string;
}

/** The changesets that wait for a release. */
export function readChangesets(folder: string = join(root, '.changeset')): readonly Changeset[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.md') && file !== 'README.md');
  return files.map((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    const [, name, kind = ''] = /^---\n['"]?([^'"\n:]+)['"]?: (\w+)\n---\n\n\S/.exec(text) ?? [];
    if (!name || !KINDS.includes(kind))
      throw new Error(`.changeset/${file} has no form that is known`);
    return { file, name, kind };
  });
}

/** The changelog in which the unreleased changes have this version. */
export function releaseChangelog(text: string, version: string, date: string): string {
  if (!text.includes(`${UNRELEASED}\n`)) throw new Error('CHANGELOG.md has nothing unreleased');
  const heading = `## [${version}] - ${date}`;
  return text.replace(`${UNRELEASED}\n`, `${UNRELEASED}\n\n${heading}\n`);
}

/** The right `jsr.json`. It leads to the sources, as JSR publishes TypeScript itself. */
export function createJsr(): Readonly<Record<string, unknown>> {
  const { version, license, exports } = readJson('package.json');
  const sources = Object.entries<{ readonly default?: string }>(exports).flatMap(
    ([entry, { default: target }]) =>
      target && !NOT_AT_JSR.test(entry)
        ? [[entry, target.replace('./dist/', './src/').replace(/\.js$/, '.ts')] as const]
        : [],
  );
  return { ...readJson('jsr.json'), version, license, exports: Object.fromEntries(sources) };
}

/** Lets Deno try the publication; it reaches no network. */
export function tryPublishing(): SpawnSyncReturns<string> {
  const nowhere = 'http://127.0.0.1:9';
  return spawnSync(
    join(root, 'node_modules/.bin/deno'),
    ['publish', '--dry-run', '--allow-dirty', '--no-check'],
    {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1', HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere },
    },
  );
}

/**
 * The list of what an installation brings, by npm itself. It reads a lock without development
 * tools: with them it leaves out a dependency that a tool has as a peer.
 */
export function createSbom(): string {
  const { devDependencies: _, ...manifest } = readJson('package.json');
  const lock: Lock = readJson('package-lock.json');
  const packages = Object.entries(lock.packages)
    .filter(([place, { dev, devOptional, peer }]) => place === '' || !(dev || devOptional || peer))
    .map(([place, entry]) => [place, place === '' ? manifest : entry]);
  const place = mkdtempSync(join(tmpdir(), 'paystate-sbom-'));
  const folder = join(place, manifest.name); // npm takes the name from the folder
  try {
    mkdirSync(folder);
    const write = (file: string, value: unknown): void =>
      writeFileSync(join(folder, file), JSON.stringify(value));
    write('package.json', manifest);
    write('package-lock.json', { ...lock, packages: Object.fromEntries(packages) });
    const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'peer'];
    const { status, stdout, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return stdout;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

const SYSTEMS: Readonly<Record<string, string>> = {
  darwin: 'darwin',
  linux: 'linux',
  win32: 'win32',
  windows: 'win32',
  android: 'android',
  freebsd: 'freebsd',
  openbsd: 'openbsd',
  openharmony: 'openharmony',
};
const PROCESSORS: Readonly<Record<string, string>> = {
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

/** Packages for one platform have it in their name, as `@scope/tool-linux-arm64-musl`. */
function platformOf(name: string): { readonly os: string[]; readonly cpu: string[] } {
  const words = name.split('/').at(-1)!.split('-');
  const pick = (table: Readonly<Record<string, string>>): string[] =>
    words.flatMap((word) => (Object.hasOwn(table, word) ? [table[word]!] : [])).slice(0, 1);
  const [os, cpu] = [pick(SYSTEMS), pick(PROCESSORS)];
  if (os.length === 0 || cpu.length === 0) throw new Error(`No platform in the name ${name}`);
  return { os, cpu };
}

/**
 * Adds the optional packages of other platforms that the registry in use did not list; without
 * these entries `npm ci` refuses the lock.
 */
export function completeLock(lock: Lock): Lock {
  const packages: Record<string, LockEntry> = { ...lock.packages };
  for (const [owner, { dev, optionalDependencies = {} }] of Object.entries(lock.packages))
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (packages[`${owner}/node_modules/${name}`] ?? packages[`node_modules/${name}`]) continue;
      const { os, cpu } = platformOf(name);
      const entry = { version, cpu, ...(dev && { dev }), optional: true, os };
      packages[`node_modules/${name}`] = entry;
    }
  const inOrder = Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...lock, packages: Object.fromEntries(inOrder) };
}

function prepareVersion(): void {
  if (readChangesets().length === 0) throw new Error('no changeset: there is nothing to release');
  run('npx', '--yes', CHANGESETS, 'version');
  const { version } = readJson('package.json');
  const lock: Lock = readJson('package-lock.json');
  const packages = { ...lock.packages, '': { ...lock.packages[''], version } };
  writeJson('package-lock.json', { ...lock, version, packages });
  const changelog = join(root, 'CHANGELOG.md');
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(changelog, releaseChangelog(readFileSync(changelog, 'utf8'), version, date));
  publishDry();
  console.log(`${version}: read the changes, run the tests, commit, tag v${version}`);
}

function publishDry(): void {
  writeJson('jsr.json', createJsr());
  const { status, stdout, stderr } = tryPublishing();
  console.log(stdout + stderr);
  if (status !== 0) throw new Error('JSR would refuse it');
}

const STEPS: Readonly<Record<string, readonly [says: string, take: () => void]>> = {
  changeset: [
    'asks what changed, and writes a file into .changeset',
    () => run('npx', '--yes', CHANGESETS, 'add'),
  ],
  version: [
    'gives the unreleased changes their version and date, in every file that has it',
    prepareVersion,
  ],
  jsr: ['writes jsr.json from package.json, and tries the publication there', publishDry],
  sbom: ['prints the dependencies as CycloneDX, by npm', () => console.log(createSbom())],
  lock: [
    'adds the packages of other platforms to package-lock.json, after a change of dependencies',
    () => writeJson('package-lock.json', completeLock(readJson('package-lock.json'))),
  ],
};

/** The names of the steps. */
export const steps: readonly string[] = Object.keys(STEPS);

function main([name]: readonly string[]): number {
  const [, take] = (name !== undefined && STEPS[name]) || [];
  if (take) {
    take();
    return 0;
  }
  for (const [step, [says]] of Object.entries(STEPS)) console.log(`${step.padEnd(11)}${says}`);
  if (name === undefined) return 0;
  const [nearest] = nearestTo(name, steps, 1);
  console.error(`There is no step "${name}". Did you mean ${nearest}?`);
  return 2;
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
