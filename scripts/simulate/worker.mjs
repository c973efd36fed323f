// One of the threads of a simulation: plays its seeds, and tells what became of them.
import { parentPort, workerData } from 'node:worker_threads';

Error.stackTraceLimit = 0; // thousands of errors are made, and no one's place matters
delete globalThis.MessageChannel; // a step of virtual time costs less by an immediate than by a message

const { planOf } = await import('./plans.mjs');
const { add } = await import('./table.mjs');

const { name, first, count, step, faults } = workerData;
const { play, scheduleOf } = await planOf(name);
const table = {};
for (let seed = first; seed < first + count; seed += step) {
  const played = await play(scheduleOf(seed, faults));
  add(table, played);
  if (played.problems.length > 0) parentPort.postMessage({ seed, ...played });
}
parentPort.postMessage({ table });
