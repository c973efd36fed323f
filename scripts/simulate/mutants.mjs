// Plays the mutants, each in a process of its own: every one of them has to be noticed.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { MUTANTS, TESTED } from './mutant-list.mjs';

/** Lives that a search may play. */
const MOST = 3_000;

function run(mutant, more) {
  const script = fileURLToPath(new URL('./mutant.mjs', import.meta.url));
  const { plan = 'payments' } = mutant;
  const { stdout, stderr, status } = spawnSync(process.execPath, [script], {
    encoding: 'utf8',
    env: { ...process.env, MUTANT: JSON.stringify({ ...mutant, plan, ...more }) },
    timeout: 300_000,
  });
  // errors that are thrown are caught by the plan, which counts them
  if (status !== 0) return JSON.stringify({ caught: `${stderr}${stdout}`.slice(0, 300) });
  return stdout.trim();
}

/**
 * Whether every mutant is noticed; `isSearch`: by any seed, to write it down; `isQuick`: without those that take long;
 * `every`: only each third of the rest, for instance.
 */
export function playMutants({ isSearch, only = '', isQuick = false, every = 1 }) {
  const chosen = MUTANTS.filter(
    ({ name, isSlow }) => name.includes(only) && !(isQuick && isSlow),
  ).filter((_, at) => at % every === 0);
  const rows = chosen.map((mutant) => {
    const { name, invariant, plan = 'payments', seed = 1 } = mutant;
    const told = run(mutant, { seed: isSearch ? 1 : seed, most: isSearch ? MOST : 1 });
    const { caught = 'NOT NOTICED', problem } = JSON.parse(told.split('\n').at(-1));
    return { mutant: name, invariant, plan, seed: caught, noticed: problem };
  });
  const tested = only
    ? []
    : TESTED.map(({ invariant, file, title }) => ({ mutant: title, invariant, noticed: file }));
  const byInvariant = (a, b) => Number.parseInt(a.invariant, 10) - Number.parseInt(b.invariant, 10);
  console.table([...rows, ...tested].toSorted(byInvariant));
  const noticed = rows.filter(({ noticed }) => noticed !== undefined).length;
  const count = chosen.length;
  console.log(`${noticed === count ? 'ok ' : ''}mutants: ${noticed} of ${count} noticed`);
  return noticed === count;
}

/** Prints what is left of the life that notices the first mutant. */
export function shrinkOne() {
  const [mutant] = MUTANTS;
  console.log(run(mutant, { most: 1, shrinks: true }));
  return true;
}
