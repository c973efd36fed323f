import { systemClock } from '../core/clock.ts';

/** Lets everything that only waits for promises run to its end, turn by turn. */
export interface Turns {
  next(): Promise<void>;
  close(): void;
}

/**
 * A turn is one task of the runtime: all promise callbacks run before it ends. A message to oneself is such a task
 * without the milliseconds that timers cost; where there are no message channels, the machine's timer serves.
 */
export function openTurns(): Turns {
  if (typeof MessageChannel === 'undefined') return { next: () => systemClock.wait(0), close() {} };
  const { port1, port2 } = new MessageChannel();
  let wake: () => void = () => {};
  port1.onmessage = () => wake();
  return {
    next: () => new Promise((resolve) => {
      wake = resolve;
      port2.postMessage(0);
    }),
    close: () => port1.close(),
  };
}
