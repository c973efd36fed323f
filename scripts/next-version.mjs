// Prepares a release: the version that the changesets ask for, in package.json, its lock, jsr.json and CHANGELOG.md.
//   npm run next-version
// The words of CHANGELOG.md stay by hand: what stood under "Unreleased" gets the number and the date.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const UNRELEASED = '## [Unreleased]';
const CHANGESETS = '@changesets/cli@3.0.3';
const KINDS = ['patch', 'minor', 'major'];

/** What the changesets say: the file, and how much of the version it changes. */
export function readChangesets(folder = join(root, '.changeset')) {
  const files = readdirSync(folder).filter((file) => file.endsWith('.md') && file !== 'README.md');
  return files.map((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    const [, name, kind] = /^---\n['"]?([^'"\n:]+)['"]?: (\w+)\n---\n\n\S/.exec(text) ?? [];
    if (!KINDS.includes(kind)) throw new Error(`.changeset/${file} has no form that is known`);
    return { file, name, kind };
  });
}

/** The changelog with what was unreleased under this version. */
export function releaseChangelog(text, version, date) {
  if (!text.includes(`${UNRELEASED}\n`)) throw new Error('CHANGELOG.md has nothing unreleased');
  const heading = `## [${version}] - ${date}`;
  return text.replace(`${UNRELEASED}\n`, `${UNRELEASED}\n\n${heading}\n`);
}

const jsonOf = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'));

function run(command, ...args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

function prepare() {
  if (readChangesets().length === 0) throw new Error('no changeset: there is nothing to release');
  run('npx', '--yes', CHANGESETS, 'version');
  const { version } = jsonOf('package.json');
  const lock = jsonOf('package-lock.json');
  lock.version = lock.packages[''].version = version;
  writeFileSync(join(root, 'package-lock.json'), `${JSON.stringify(lock, undefined, 2)}\n`);
  const changelog = join(root, 'CHANGELOG.md');
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(changelog, releaseChangelog(readFileSync(changelog, 'utf8'), version, date));
  run(process.execPath, 'scripts/jsr.mjs');
  console.log(`${version}: read the changes, run the tests, commit, tag v${version}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) prepare();
