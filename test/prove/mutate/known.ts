// Puts each known fault into a copy of the project and runs the tests of its room there, until one
// fails. The copy's `dist` leads to its sources, which Node runs as they are; only a suite of
// test/e2e gets a built package.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Fault, knownFaults } from './known-faults.ts';
import { pathsOf, ROOMS } from './rooms.ts';
import { makeStage } from './stage.ts';

/** Faults whose code is not in their file exactly once. */
const outdatedFaults = (root: string): readonly Fault[] =>
  knownFaults.filter(
    ({ file, from }) => readFileSync(join(root, file), 'utf8').split(from).length !== 2,
  );

interface Failure {
  readonly fullTitle: string;
  readonly file: string;
}

const REPORT = 'mocha.json';

/** The first failure of these files of tests; `undefined` where all of them pass. */
function firstFailureOf(folder: string, files: readonly string[]): string | undefined {
  rmSync(join(folder, REPORT), { force: true });
  const options = ['--bail', '--reporter', 'json', '--reporter-option', `output=${REPORT}`];
  const mocha = join(folder, 'node_modules/mocha/bin/mocha.js');
  const { status } = spawnSync(process.execPath, [mocha, ...options, ...files], { cwd: folder });
  if (status === 0) return undefined;
  try {
    const text = readFileSync(join(folder, REPORT), 'utf8');
    const [first] = (JSON.parse(text) as { readonly failures: readonly Failure[] }).failures;
    return first?.fullTitle ?? 'an error that no test has thrown';
  } catch {
    return 'the tests could not be loaded';
  }
}

const isBuilt = ({ suite }: Fault): boolean => !!suite?.startsWith('test/e2e/');

function testsOf(root: string, { file, suite }: Fault): readonly string[] {
  if (suite) return [suite];
  const room = ROOMS.find(({ name }) => file.startsWith(`src/${name}/`))!;
  return pathsOf(root, room.parts.at(-1)!.tests);
}

/** Makes of each built file one that leads to its source. */
function pointToSources(root: string, folder: string): void {
  for (const file of pathsOf(root, ['src/**/*.ts'])) {
    const path = join(folder, file.replace(/^src/, 'dist').replace(/ts$/, 'js'));
    const source = relative(dirname(path), join(folder, file)).replaceAll('\\', '/');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `export * from '${source}';\n`);
  }
}

function build(folder: string): void {
  const rollup = join(folder, 'node_modules/rollup/dist/bin/rollup');
  const { status } = spawnSync(
    process.execPath,
    [rollup, '-c', '--configPlugin', 'esbuild', '--silent'],
    { cwd: folder },
  );
  if (status !== 0) throw new Error('a known fault cannot be built');
}

/** The test that notices a fault. */
function noticedBy(folder: string, fault: Fault, tests: readonly string[]): string | undefined {
  const path = join(folder, fault.file);
  const whole = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    whole.replace(fault.from, () => fault.to),
  );
  try {
    if (isBuilt(fault)) build(folder);
    return firstFailureOf(folder, tests);
  } finally {
    writeFileSync(path, whole);
  }
}

/** Plays faults in a copy; gives those that no test noticed. */
function playIn(root: string, folder: string, faults: readonly Fault[]): readonly Fault[] {
  if (faults.length === 0) return [];
  makeStage(root, folder);
  if (isBuilt(faults[0]!)) build(folder);
  else pointToSources(root, folder);
  const broken = new Map<string, string | undefined>();
  return faults.filter((fault) => {
    const tests = testsOf(root, fault);
    const key = tests.join();
    if (!broken.has(key)) broken.set(key, firstFailureOf(folder, tests));
    const isBroken = broken.get(key);
    const by = isBroken ? undefined : noticedBy(folder, fault, tests);
    const missed = isBroken ? `its tests fail without it: ${isBroken}` : 'NOT noticed';
    console.log(by ? `noticed: ${fault.says} (${by})` : `${missed}: ${fault.says}`);
    return !by;
  });
}

/** Plays the known faults of the files whose paths have this text; gives the exit code. */
export async function playKnown(root: string, part: string): Promise<number> {
  const outdated = outdatedFaults(root);
  for (const { file, says } of outdated) console.log(`outdated: ${file}: ${says}`);
  const faults = knownFaults.filter((one) => one.file.includes(part) && !outdated.includes(one));
  const folder = join(root, '.cache/known');
  const missed = [
    ...playIn(
      root,
      `${folder}-sources`,
      faults.filter((one) => !isBuilt(one)),
    ),
    ...playIn(root, `${folder}-built`, faults.filter(isBuilt)),
  ];
  console.log(`${faults.length - missed.length} of ${faults.length} noticed`);
  return missed.length + outdated.length === 0 ? 0 : 1;
}
