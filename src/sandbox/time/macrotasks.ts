import { systemClock } from '../../core/time/index.ts';

/** Waits for macrotasks: before each ends, all promise callbacks have run. */
export interface Macrotasks {
  next(): Promise<void>;
  close(): void;
}

/**
 * A message to oneself is a macrotask without the delay of a timer. Where it is none, or the
 * runtime has no messages, the machine's timer serves.
 */
export async function openMacrotasks(): Promise<Macrotasks> {
  const byTimer: Macrotasks = { next: () => systemClock.wait(0), close() {} };
  if (typeof MessageChannel === 'undefined') return byTimer;
  const byMessage = openMessages();
  if (await isTask(byMessage.next())) return byMessage;
  byMessage.close();
  return byTimer;
}

function openMessages(): Macrotasks {
  const { port1, port2 } = new MessageChannel();
  let wake: () => void = () => {};
  port1.onmessage = () => wake();
  return {
    next: () =>
      new Promise((resolve) => {
        wake = resolve;
        port2.postMessage(0);
      }),
    close: () => port1.close(),
  };
}

/**
 * No task comes between promise callbacks, however many follow each other; some runtimes deliver
 * messages there.
 */
async function isTask(task: Promise<void>): Promise<boolean> {
  let came = false;
  const arrival = task.then(() => {
    came = true;
  });
  for (let hop = 0; hop < 100; hop++) await undefined;
  const waited = !came;
  await arrival;
  return waited;
}
