import { systemClock } from '../../core/time.ts';

/** Waits for macrotasks: before each ends, all promise callbacks have run. */
export interface Macrotasks {
  next(): Promise<void>;
  close(): void;
}

/**
 * The fastest macrotasks of the runtime: messages to oneself or immediates have no delay. Some
 * runtimes lack one of them, or deliver it between promise callbacks; the machine's timer serves
 * everywhere.
 */
export async function openMacrotasks(): Promise<Macrotasks> {
  const known = fastest?.();
  if (known) return known;
  for (const open of [openMessages, openImmediates]) {
    const macrotasks = open();
    if (macrotasks && (await isTask(macrotasks.next()))) {
      fastest = open;
      return macrotasks;
    }
    macrotasks?.close();
  }
  return { next: () => systemClock.wait(0), close() {} };
}

/** What was found to be fastest here: a runtime does not change. */
let fastest: (() => Macrotasks | undefined) | undefined;

function openMessages(): Macrotasks | undefined {
  if (typeof MessageChannel === 'undefined') return;
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

function openImmediates(): Macrotasks | undefined {
  const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => unknown };
  if (!setImmediate) return;
  return { next: () => new Promise((resolve) => void setImmediate(resolve)), close() {} };
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
