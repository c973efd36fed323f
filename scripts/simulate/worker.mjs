// One of the threads of a simulation: plays its seeds, and tells what became of them.
import { parentPort, workerData } from 'node:worker_threads';
import { play, scheduleOf } from './lives.mjs';

const { first, count, step, faults } = workerData;
const ends = {};
for (let seed = first; seed < first + count; seed += step) {
  const { end, problems } = await play(scheduleOf(seed, faults));
  ends[end] = (ends[end] ?? 0) + 1;
  if (problems.length > 0) parentPort.postMessage({ seed, end, problems });
}
parentPort.postMessage({ ends });
