// Plays the faults, each in a process of its own: every one of them has to be noticed.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BrokenSaid, BrokenTask } from './broken.ts';
import { type Fault, FAULTS, TESTED } from './fault-list.ts';

/** Lives that a search may play. */
const MOST = 3_000;
const LONGEST_MS = 300_000;
const SCRIPT = fileURLToPath(new URL('./broken.ts', import.meta.url));

function run(fault: Fault, more: Pick<BrokenTask, 'seed' | 'most' | 'shrinks'>): string {
  const { plan = 'payments', file, from, to } = fault;
  const task: BrokenTask = { plan, file, from, to, ...more };
  const { stdout, stderr, status } = spawnSync(process.execPath, [SCRIPT], {
    encoding: 'utf8',
    env: { ...process.env, FAULT: JSON.stringify(task) },
    timeout: LONGEST_MS,
  });
  // errors that are thrown are caught by the plan, which counts them
  if (status !== 0) return JSON.stringify({ caught: `${stderr}${stdout}`.slice(0, 300) });
  return stdout.trim();
}

export interface FaultOptions {
  /** By any seed, to write it down. */
  readonly isSearch: boolean;
  /** Only those with this word in their names. */
  readonly only: string;
  /** Without those that take long. */
  readonly isQuick: boolean;
  /** Only each third of the rest, for instance. */
  readonly every: number;
}

/** Returns true if every fault is noticed. */
export function playFaults({ isSearch, only, isQuick, every }: FaultOptions): boolean {
  const chosen = FAULTS.filter(
    ({ name, isSlow }) => name.includes(only) && !(isQuick && isSlow),
  ).filter((_, at) => at % every === 0);
  const rows = chosen.map((fault) => {
    const { name, invariant, plan = 'payments', seed } = fault;
    const told = run(fault, isSearch ? { seed: 1, most: MOST } : { seed, most: 1 });
    const { caught = 'NOT NOTICED', problem } = JSON.parse(told.split('\n').at(-1)!) as BrokenSaid;
    return { fault: name, invariant, plan, seed: caught, noticed: problem };
  });
  const tested = only
    ? []
    : TESTED.map(({ invariant, file, title }) => ({ fault: title, invariant, noticed: file }));
  const numberOf = ({ invariant }: { invariant: string }): number => Number.parseInt(invariant, 10);
  console.table([...rows, ...tested].toSorted((a, b) => numberOf(a) - numberOf(b)));
  const noticed = rows.filter((row) => row.noticed !== undefined).length;
  const count = chosen.length;
  console.log(`${noticed === count ? 'ok ' : ''}faults: ${noticed} of ${count} noticed`);
  return noticed === count;
}

/** Prints what is left of the life that notices the first fault. */
export function shrinkOne(): true {
  const [fault] = FAULTS;
  if (fault) console.log(run(fault, { seed: fault.seed, most: 1, shrinks: true }));
  return true;
}
