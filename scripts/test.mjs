// Runs everything: build, lint, the portable tests in every runtime, then the suites only Node can run.
//   npm test                          all of it
//   npm test -- node house            only legs whose names begin with one of these words
//   npm test -- deno test/unit/a.test.ts   only these files
//   npm run test:quick                lint and the portable tests in Node, without those that compute for long
import './quiet-tools.mjs';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { legs } from './test-legs.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, '.cache');
// What hundreds of processes load is compiled once.
process.env.NODE_COMPILE_CACHE ??= join(cache, 'compiled');
// Several runs may go on side by side in one checkout.
const folder = join(cache, `tests-${process.pid}`);

const given = process.argv.slice(2);
const isQuick = given.includes('--quick');
if (isQuick) process.env.QUICK_TESTS = 'yes'; // read by test/api/node.ts
const words = isQuick ? ['lint', `node ${process.versions.node.split('.')[0]}`] : given;
const onlyFiles = words.filter((word) => /\.tsx?$/.test(word));
const onlyLegs = words.filter((word) => !/\.tsx?$/.test(word));
const isWanted = (name) => onlyLegs.length === 0 || onlyLegs.some((word) => name.startsWith(word));

const sum = { passed: 0, failed: 0 };

const indent = (text) =>
  text
    .trim()
    .split('\n')
    .slice(0, 25)
    .map((line) => `      ${line}`)
    .join('\n');

const print = (name, { passed = 0, failures = [], hint }, seconds) => {
  if (hint) {
    console.log(`not run: ${name}: ${hint}`);
    if (process.env.CI === 'true') sum.failed += 1;
    return;
  }
  // A runtime that found nothing to run proves nothing.
  const all =
    passed + failures.length > 0 ? failures : [{ name, message: 'it ran without a single test' }];
  sum.passed += passed;
  sum.failed += all.length;
  console.log(
    `${all.length ? 'FAIL' : 'ok'} ${name}: ${passed} passed, ${all.length} failed (${seconds.toFixed(1)} s)`,
  );
  for (const failure of all) console.log(`    ${failure.name}\n${indent(failure.message)}`);
};

const brokenOff = (error) => ({
  failures: [{ name: 'the runner', message: error.stack ?? String(error) }],
});

const runLeg = async (leg, names) => {
  const started = performance.now();
  const outcomes = await leg
    .run(names)
    .catch((error) => Object.fromEntries(names.map((name) => [name, brokenOff(error)])));
  const seconds = (performance.now() - started) / 1000;
  for (const name of names) print(name, outcomes[name] ?? {}, seconds);
  return outcomes;
};

// As many side by side as a small machine has processors.
const SIDE_BY_SIDE = 2;

const runWanted = async (leg) => {
  const names = leg.names.filter(isWanted);
  if (names.length > 0) await runLeg(leg, names);
};

/** Lanes side by side; then one after the other what takes the whole machine by itself. */
const runAll = async (all) => {
  const queue = all.filter(({ isAlone }) => !isAlone);
  const lane = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await runWanted(next);
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
  for (const leg of all.filter(({ isAlone }) => isAlone)) await runWanted(leg);
};

const isAlive = (id) => {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
};

// What runs that were killed left behind.
const sweep = () => {
  for (const name of readdirSync(cache)) {
    const id = /^tests-(\d+)$/.exec(name)?.[1];
    if (id && !isAlive(Number(id))) rmSync(join(cache, name), { recursive: true, force: true });
  }
};

mkdirSync(folder, { recursive: true });
sweep();
try {
  const { build, others } = legs({ root, folder, onlyFiles });
  // Always built, whatever was asked for; when that fails, what follows would test an older build.
  const { build: built } = await runLeg(build, build.names);
  if (built.usable) await runAll(others);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

console.log(`${sum.passed} passed, ${sum.failed} failed`);
process.exit(sum.failed === 0 ? 0 : 1);
