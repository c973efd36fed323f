// The same command in several threads: each asks for the next job until there is none.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** This thread plays what another one hands out. */
export const isWorker = !isMainThread && workerData?.isAdversary === true;

/** Plays all jobs in so many threads of `script`; answers their results in the order of the jobs. */
export const inWorkers = (script, argv, count, jobs) => {
  const results = [];
  let next = 0;
  const work = () =>
    new Promise((resolve, reject) => {
      const worker = new Worker(script, { argv, workerData: { isAdversary: true } });
      let at = -1;
      const hand = () => {
        at = next++;
        worker.postMessage(jobs[at] ?? null);
      };
      worker.on('message', (result) => {
        results[at] = result;
        hand();
      });
      worker.on('error', reject);
      worker.on('exit', resolve);
      hand();
    });
  return Promise.all(Array.from({ length: count }, work)).then(() => results);
};

/** Plays jobs until there are no more. */
export const serve = (play) =>
  new Promise((resolve, reject) => {
    parentPort.on('message', (job) => {
      if (job === null) {
        parentPort.close();
        return resolve();
      }
      play(job).then((result) => parentPort.postMessage(result), reject);
    });
  });
