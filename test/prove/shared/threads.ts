// Several threads run one script: each asks for the next job until there is none.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

interface ThreadData {
  readonly isProof?: true;
}

/** This thread plays what another one hands out. */
export const isWorker = !isMainThread && (workerData as ThreadData | null)?.isProof === true;

/**
 * Plays all jobs in this number of threads of `script`; resolves to their results in the order of
 * the jobs.
 */
export async function inWorkers<Job, Result>(
  script: URL,
  argv: readonly string[],
  count: number,
  jobs: readonly Job[],
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const data: ThreadData = { isProof: true };
      const worker = new Worker(script, { argv: [...argv], workerData: data });
      let at = -1;
      const hand = (): void => {
        at = next++;
        worker.postMessage(jobs[at] ?? null);
      };
      worker.on('message', (result: Result) => {
        results[at] = result;
        hand();
      });
      worker.on('error', reject);
      worker.on('exit', () => resolve());
      hand();
    });
  await Promise.all(Array.from({ length: count }, work));
  return results;
}

/** Plays jobs until there are no more. */
export function serve<Job>(play: (job: Job) => Promise<unknown>): Promise<void> {
  const port = parentPort!;
  return new Promise((resolve, reject) => {
    port.on('message', (job: Job | null) => {
      if (job === null) {
        port.close();
        return resolve();
      }
      play(job).then((result) => port.postMessage(result), reject);
    });
  });
}
