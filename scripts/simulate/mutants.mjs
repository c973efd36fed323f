// Plays the mutants, each in a process of its own: every one of them has to be noticed.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { MUTANTS } from './mutant-list.mjs';

/** Lives that a search may play. */
const MOST = 3_000;

function run(mutant, more) {
  const script = fileURLToPath(new URL('./mutant.mjs', import.meta.url));
  const { name, plan = 'payments' } = mutant;
  const { stdout, stderr, status } = spawnSync(process.execPath, [script], {
    encoding: 'utf8',
    env: { ...process.env, MUTANT: JSON.stringify({ ...mutant, plan, ...more }) },
    timeout: 300_000,
  });
  if (status !== 0) throw new Error(`${name}: ${stderr}${stdout}`);
  return stdout.trim();
}

/** Whether every mutant is noticed; `isSearch`: by any seed, to write it down. */
export function playMutants(isSearch, only = '') {
  const chosen = MUTANTS.filter(({ name }) => name.includes(only));
  const rows = chosen.map((mutant) => {
    const { name, invariant, plan = 'payments', seed = 1 } = mutant;
    const told = run(mutant, { seed: isSearch ? 1 : seed, most: isSearch ? MOST : 1 });
    const { caught = 'NOT NOTICED', problem } = JSON.parse(told.split('\n').at(-1));
    return { mutant: name, invariant, plan, seed: caught, noticed: problem };
  });
  console.table(rows);
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
