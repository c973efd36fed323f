import { systemClock } from '../../core/time.ts';

/**
 * Runs a clock's steps one after another. Before each step, it waits until all other work is done.
 */
export interface Quiescence {
  /** Makes the next step wait for this work. */
  hold<T>(work: Promise<T>): Promise<T>;
  /** Lets steps run during `wait`, because work passed to `hold` is itself waiting for a step. */
  lend<T>(wait: Promise<T>): Promise<T>;
  /**
   * Runs one step after all work passed to `hold` has finished and no promise callbacks are left.
   * Steps from concurrent callers run one after another.
   */
  take<T>(macrotasks: Macrotasks, act: () => T): Promise<T>;
}

export function createQuiescence(): Quiescence {
  let open = 0;
  let closed: () => void = () => {};
  let last: Promise<unknown> = Promise.resolve();

  async function settle(macrotasks: Macrotasks): Promise<void> {
    for (;;) {
      await macrotasks.next();
      if (open <= 0) return;
      await new Promise<void>((resolve) => {
        closed = resolve;
      });
    }
  }

  function leave(): void {
    open--;
    if (open <= 0) closed();
  }

  return {
    hold(work) {
      open++;
      work.then(leave, leave);
      return work;
    },
    lend(wait) {
      leave();
      const back = (): void => {
        open++;
      };
      wait.then(back, back);
      return wait;
    },
    take(macrotasks, act) {
      const done = last.then(() => settle(macrotasks)).then(act);
      last = done.catch(() => {});
      return done;
    },
  };
}

export async function withMacrotasks<T>(work: (macrotasks: Macrotasks) => Promise<T>): Promise<T> {
  const macrotasks = await openMacrotasks();
  try {
    return await work(macrotasks);
  } finally {
    macrotasks.close();
  }
}

/** A source of macrotasks. When `next` resolves, all earlier promise callbacks have run. */
export interface Macrotasks {
  next(): Promise<void>;
  close(): void;
}

/**
 * Chooses the runtime's fastest source of macrotasks, a message channel or `setImmediate`. Falls
 * back to timers, which work everywhere, if the runtime has neither or runs them between promise
 * callbacks.
 */
async function openMacrotasks(): Promise<Macrotasks> {
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

/** Fastest source of macrotasks, cached because it's constant for a runtime. */
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
 * Checks that a task doesn't run between promise callbacks, because some runtimes deliver messages
 * there.
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
