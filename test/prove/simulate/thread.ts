// One of the threads of a simulation: plays its seeds, and tells what became of them.
import { parentPort, workerData } from 'node:worker_threads';
import type { Played } from './plan.ts';
import type { Table } from './table.ts';

export interface ThreadData {
  readonly name: string;
  readonly first: number;
  readonly count: number;
  readonly step: number;
  readonly faults: readonly string[];
}

/** A thread's message: a life that went wrong, or what it counted since the last time. */
export type Told =
  | ({ readonly told: 'wrong'; readonly seed: number } & Played)
  | { readonly told: 'table'; readonly table: Table; readonly isLast: boolean };

const TELLS_EVERY_MS = 5_000;

Error.stackTraceLimit = 0; // thousands of errors are made, and no one's place matters
Reflect.deleteProperty(globalThis, 'MessageChannel'); // a step of virtual time costs less by an immediate than by a message

const { planOf } = await import('./plans.ts');
const { add } = await import('./table.ts');

const tell = (told: Told): void => parentPort!.postMessage(told);
const { name, first, count, step, faults } = workerData as ThreadData;
const plan = await planOf(name);
let table: Table = {};
let toldAt = performance.now();
for (let seed = first; seed < first + count; seed += step) {
  const played = await plan.begin(seed, faults).play();
  add(table, played);
  if (played.problems.length > 0) tell({ told: 'wrong', seed, ...played });
  if (performance.now() < toldAt + TELLS_EVERY_MS) continue;
  tell({ told: 'table', table, isLast: false });
  table = {};
  toldAt = performance.now();
}
tell({ told: 'table', table, isLast: true });
