// The steps of a release, as RELEASING.md describes them. Without a name it lists them.
//   npm run release -- version
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nearestTo } from '../test/runners/choice.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const CHANGESETS = '@changesets/cli@3.0.3';
const UNRELEASED = '## [Unreleased]';
const KINDS = ['patch', 'minor', 'major'];
/** JSR refuses modules that add to global types, as the custom elements do. */
const NOT_AT_JSR = /^\.\/elements(\/|$)/;

interface Lock {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

interface LockEntry {
  readonly version?: string;
  readonly integrity?: string;
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
  readonly name: string;
  /** The part of the version that it raises. */
  readonly kind: string;
}

/** Returns the unreleased changesets. */
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

/** Returns the changelog with the unreleased changes under this version. */
export function releaseChangelog(text: string, version: string, date: string): string {
  if (!text.includes(`${UNRELEASED}\n`)) throw new Error('CHANGELOG.md has nothing unreleased');
  const heading = `## [${version}] - ${date}`;
  return text.replace(`${UNRELEASED}\n`, `${UNRELEASED}\n\n${heading}\n`);
}

/**
 * Returns the right `jsr.json`. It leads to the sources, because JSR publishes TypeScript itself.
 */
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

/** Lets Deno try the publication, without a network. */
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
 * Returns npm's own list of the packages that an installation brings. It reads a lock without
 * development tools, because with them it leaves out a dependency that is also a tool's peer.
 */
export function createSbom(): string {
  const { devDependencies: _, ...manifest } = readJson('package.json');
  const lock: Lock = readJson('package-lock.json');
  const packages = Object.entries(lock.packages)
    .filter(([place, { dev, devOptional, peer }]) => place === '' || !(dev || devOptional || peer))
    .map(([place, entry]) => [place, place === '' ? manifest : entry]);
  const place = mkdtempSync(join(tmpdir(), 'paystate-sbom-'));
  const folder = join(place, manifest.name); // npm takes the name from the folder.
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

/** A package that the lock lacks, or that has no hash there. */
interface Unlocked {
  readonly place: string;
  readonly name: string;
  readonly version: string;
}

/**
 * Lists the packages of other platforms that an installation leaves out of the lock. `npm ci`
 * refuses a lock without them and their hashes.
 */
export function unlockedIn({ packages }: Lock): readonly Unlocked[] {
  const found = new Map<string, Unlocked>();
  for (const [owner, { optionalDependencies = {} }] of Object.entries(packages))
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const place = `node_modules/${name}`;
      if (packages[`${owner}/${place}`] ?? packages[place]) continue;
      found.set(place, { place, name, version });
    }
  for (const [place, { version, integrity }] of Object.entries(packages))
    if (place !== '' && version && !integrity)
      found.set(place, { place, name: place.replace(/^.*node_modules\//, ''), version });
  return [...found.values()];
}

const FACTS = ['license', 'engines', 'os', 'cpu', 'libc'];

/** Asks the registry for each package that the lock lacks, and writes its answer into the lock. */
function writeLock(): void {
  const lock: Lock = readJson('package-lock.json');
  const packages: Record<string, LockEntry> = { ...lock.packages };
  for (const { place, name, version } of unlockedIn(lock)) {
    const args = ['view', `${name}@${version}`, 'dist.integrity', ...FACTS, '--json'];
    const { stdout } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
    const { 'dist.integrity': integrity, ...facts } = JSON.parse(stdout || '{}');
    if (!integrity) throw new Error(`the registry has no hash of ${name} ${version}`);
    packages[place] = { version, integrity, dev: true, optional: true, ...facts };
  }
  const inOrder = Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1));
  writeJson('package-lock.json', { ...lock, packages: Object.fromEntries(inOrder) });
}

/** Lists the settings that a release still needs from the owner, one sentence each. */
export function lackingFor(
  manifest: { readonly repository?: unknown; readonly bugs?: unknown },
  security: string,
): readonly string[] {
  return [
    manifest.repository
      ? ''
      : 'package.json has no "repository". npm refuses provenance without it: write its address there.',
    manifest.bugs ? '' : 'package.json has no "bugs". Write there where people report faults.',
    security.includes('To be filled in')
      ? 'SECURITY.md has no address for reports of weaknesses. Write one where it says so.'
      : '',
  ].filter(Boolean);
}

const lacking = (): readonly string[] =>
  lackingFor(readJson('package.json'), readFileSync(join(root, '.github/SECURITY.md'), 'utf8'));

/** A complete `npm run test:all` writes its commit here. */
export const ALL_TESTED: string = join(root, '.cache/all-tested.json');

function outputOf(command: string, ...args: readonly string[]): string {
  return spawnSync(command, args, { cwd: root, encoding: 'utf8' }).stdout.trim();
}

/** Returns the commit of these files, or nothing if a file differs from it. */
export const commitHere = (): string =>
  outputOf('git', 'status', '--porcelain') === '' ? outputOf('git', 'rev-parse', 'HEAD') : '';

function refuseWith(reasons: readonly string[]): void {
  if (reasons.length > 0) throw new Error(`not ready for a release:\n- ${reasons.join('\n- ')}`);
}

function check(): void {
  const unlocked = unlockedIn(readJson('package-lock.json'));
  const tested = existsSync(ALL_TESTED) ? JSON.parse(readFileSync(ALL_TESTED, 'utf8')) : {};
  const commit = commitHere();
  const isTested = commit !== '' && tested.commit === commit && tested.failed === 0;
  refuseWith([
    ...lacking(),
    ...(unlocked.length > 0
      ? [`${unlocked.length} packages have no hash in the lock. Run \`npm run release -- lock\`.`]
      : []),
    ...(isTested ? [] : ['`npm run test:all` has not been green for this commit. Run it.']),
  ]);
}

function prepareVersion(): void {
  refuseWith(lacking());
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
  check: ['says what a release still lacks: addresses, hashes, a green `npm run test:all`', check],
  sbom: ['prints the dependencies as CycloneDX, by npm', () => console.log(createSbom())],
  lock: [
    'adds the packages of other platforms to package-lock.json, after a change of dependencies',
    writeLock,
  ],
};

export const steps: readonly string[] = Object.keys(STEPS);

function main([name]: readonly string[]): number {
  const [, take] = (name !== undefined && STEPS[name]) || [];
  try {
    take?.();
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  }
  if (take) return 0;
  for (const [step, [says]] of Object.entries(STEPS)) console.log(`${step.padEnd(11)}${says}`);
  if (name === undefined) return 0;
  const [nearest] = nearestTo(name, steps, 1);
  console.error(`There is no step "${name}". Did you mean ${nearest}?`);
  return 2;
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
