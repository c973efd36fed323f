import { openMacrotasks, type Macrotasks } from './macrotasks.ts';

/** Takes steps one after another; before each, all work that can go on without it has run. */
export interface Quiescence {
  /** Declares work that the next step has to wait for. */
  hold<T>(work: Promise<T>): Promise<T>;
  /** Withdraws one declaration while `wait` lasts: that work waits for a step itself. */
  lend<T>(wait: Promise<T>): Promise<T>;
  /**
   * Does one step when nothing is open and no promise can go on by itself; steps of several callers
   * come one after another.
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
    if (--open <= 0) closed();
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

/** Macrotasks for as long as `work` runs. */
export async function withMacrotasks<T>(work: (macrotasks: Macrotasks) => Promise<T>): Promise<T> {
  const macrotasks = await openMacrotasks();
  try {
    return await work(macrotasks);
  } finally {
    macrotasks.close();
  }
}
