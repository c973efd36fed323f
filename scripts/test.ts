// Runs the tests: build, lint, the portable tests in each runtime, then the suites that need Node.
//   npm test                          what an edit can break
//   npm run test:all                  everything: further engines, long proofs, other packages
//   npm test -- node house            only legs whose names begin with one of these words
//   npm test -- deno test/unit/a.test.ts   only these files
//   npm test -- test/unit/a.test.ts   these files, in all legs that can run them
//   npm run test:all -- node          a leg with all of its cases
//   npm test -- --times               the seconds of each file; .cache/test-times.json has them after every run
//   npm run test:quick                lint and the portable tests in Node, without those that compute for long
import '../test/runners/quiet-tools.ts';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allowedSkips } from '../test/allowed-skips.ts';
import { choose, UnknownWord } from '../test/runners/choice.ts';
import { verdictOf } from '../test/runners/verdict.ts';
import { postgresqlHint } from './postgresql.mjs';
import { ALL_TESTED, commitHere } from './release.ts';
import { type Leg, type LegOutcome, legs } from '../test/runners/legs.ts';
import type { Skip } from '../test/api/strict.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, '.cache');
// Hundreds of processes load the same code, so it's compiled once.
process.env['NODE_COMPILE_CACHE'] ??= join(cache, 'compiled');
// Several runs may share one checkout.
const folder = join(cache, `tests-${process.pid}`);
// Read by test/house/tarball.ts.
process.env['TEST_FOLDER'] = folder;

const OPTIONS = ['--quick', '--all', '--times'];
const given = process.argv.slice(2);
const [isQuick, isAll, hasTimes] = OPTIONS.map((option) => given.includes(option));
// Read by test/api/strict.ts.
process.env['TEST_SIZE'] = isQuick ? 'quick' : isAll ? 'all' : 'usual';
const words = given.filter((word) => !OPTIONS.includes(word));
if (isQuick) words.unshift('lint', `node ${process.versions.node.split('.')[0]}`);

/** Returns the legs that the words choose. Unknown words end the process before the build. */
const chosen = () => {
  const { build, others } = legs({ root, folder, onlyFiles: [] });
  try {
    return choose(words, [build, ...others], root);
  } catch (error) {
    if (!(error instanceof UnknownWord)) throw error;
    console.error(error.message);
    process.exit(2);
  }
};
const { isWanted, files: onlyFiles } = chosen();

const isCi = process.env['CI'] === 'true';
const sum = { passed: 0, failed: 0, skipped: 0 };

const indent = (text: string): string =>
  text
    .trim()
    .split('\n')
    .slice(0, 25)
    .map((line) => `      ${line}`)
    .join('\n');

const countsOf = ({ passed, failed, skipped }: typeof sum): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;

const times: Record<string, Record<string, number>> = {};

const FEW = 3;

/** Prints the slowest files, or all of them with `--times`. */
const printTimes = (name: string, seconds: Readonly<Record<string, number>>): void => {
  const files = Object.entries(seconds).sort(([, one], [, other]) => other - one);
  if (files.length < 2) return;
  times[name] = Object.fromEntries(files);
  const lines = files.map(([file, taken]) => `${taken.toFixed(1).padStart(6)} s ${file}`);
  if (hasTimes) console.log(lines.join('\n'));
  else
    console.log(
      `    slowest: ${lines
        .slice(0, FEW)
        .map((line) => line.trim())
        .join(', ')}`,
    );
};

const adviceOn = (why: string): string =>
  why.startsWith('PostgreSQL') ? `${why}: ${postgresqlHint}` : why;

/** Prints why tests were skipped, one by one if they're few. */
const printSkipped = (skipped: readonly Skip[]): void => {
  for (const [why, tests] of Map.groupBy(skipped, (skip) => adviceOn(skip.why)))
    if (tests.length > FEW)
      console.log(`    skipped: ${tests.length} tests, such as ${tests[0]!.name}: ${why}`);
    else for (const { name } of tests) console.log(`    skipped: ${name}: ${why}`);
};

const print = (name: string, outcome: LegOutcome, seconds: number): void => {
  if (outcome.hint) {
    console.log(`not run: ${name}: ${outcome.hint}`);
    if (isCi) sum.failed += 1;
    return;
  }
  const conditions = { isCi, isWhole: onlyFiles.length === 0, allowed: allowedSkips };
  const { passed, failures, skipped } = verdictOf(name, outcome, conditions);
  const counts = { passed, failed: failures.length, skipped: skipped.length };
  for (const key of ['passed', 'failed', 'skipped'] as const) sum[key] += counts[key];
  const word = failures.length ? 'FAIL' : 'ok';
  console.log(`${word} ${name}: ${countsOf(counts)} (${seconds.toFixed(1)} s)`);
  printTimes(name, outcome.seconds ?? {});
  for (const failure of failures) console.log(`    ${failure.name}\n${indent(failure.message)}`);
  printSkipped(skipped);
};

const brokenOff = (error: unknown): LegOutcome => ({
  failures: [
    { name: 'the runner', message: (error instanceof Error && error.stack) || String(error) },
  ],
});

const runLeg = async (
  leg: Leg,
  names: readonly string[],
): Promise<Readonly<Record<string, LegOutcome>>> => {
  const started = performance.now();
  const outcomes = await leg
    .run(names)
    .catch((error: unknown) => Object.fromEntries(names.map((name) => [name, brokenOff(error)])));
  const seconds = (performance.now() - started) / 1000;
  for (const name of names) print(name, outcomes[name] ?? {}, seconds);
  return outcomes;
};

// A small machine has two processors.
const SIDE_BY_SIDE = 2;

/** Runs a leg. `npm test` includes a leg of `test:all` if you name it. */
const runWanted = async (leg: Leg): Promise<void> => {
  if (leg.onlyInAll && !isAll && words.length === 0) return;
  const names = leg.names.filter(isWanted);
  if (names.length > 0) await runLeg(leg, names);
};

const runAll = async (all: readonly Leg[]): Promise<void> => {
  const queue = [...all];
  const lane = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) await runWanted(next);
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
};

const isAlive = (id: number): boolean => {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
};

// Removes the files of runs that were killed.
const sweep = (): void => {
  for (const name of readdirSync(cache)) {
    const id = /^tests-(\d+)$/.exec(name)?.[1];
    if (id && !isAlive(Number(id))) rmSync(join(cache, name), { recursive: true, force: true });
  }
};

mkdirSync(folder, { recursive: true });
sweep();
try {
  const { build, others } = legs({ root, folder, onlyFiles });
  // The build always runs. If it fails, the tests would run against an older one.
  const { build: built } = await runLeg(build, build.names);
  if (built?.usable) await runAll(others);
  writeFileSync(join(cache, 'test-times.json'), JSON.stringify(times, undefined, 2));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

if (isAll && words.length === 0)
  writeFileSync(ALL_TESTED, JSON.stringify({ commit: commitHere(), ...sum }));
console.log(countsOf(sum));
process.exit(sum.failed === 0 ? 0 : 1);
