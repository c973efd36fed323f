import { openMacrotasks, type Macrotasks } from './macrotasks.ts';

/** Moves something step by step, and before each step lets everything run that can run without it. */
export interface Quiescence {
  /** Declares work that the next step has to wait for. */
  hold(work: Promise<unknown>): void;
  /** Takes one declaration back for as long as `wait` lasts: it waits for a step itself. */
  lend(wait: Promise<unknown>): void;
  /** Does one step when nothing is open and no promise can go on by itself; steps of several movers take turns. */
  take<T>(turns: Macrotasks, act: () => T): Promise<T>;
}

export function createQuiescence(): Quiescence {
  let open = 0;
  let closed: () => void = () => {};
  let last: Promise<unknown> = Promise.resolve();

  async function settle(turns: Macrotasks): Promise<void> {
    for (;;) {
      await turns.next();
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
    },
    lend(wait) {
      leave();
      const back = (): void => {
        open++;
      };
      wait.then(back, back);
    },
    take(turns, act) {
      const done = last.then(() => settle(turns)).then(act);
      last = done.catch(() => {});
      return done;
    },
  };
}

/** Turns for as long as `work` runs. */
export async function withMacrotasks<T>(work: (turns: Macrotasks) => Promise<T>): Promise<T> {
  const turns = await openMacrotasks();
  try {
    return await work(turns);
  } finally {
    turns.close();
  }
}
