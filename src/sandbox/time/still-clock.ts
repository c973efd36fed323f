import { systemClock } from '../../core/time/index.ts';
import type { MovableClock } from './clock.ts';

/** How long something may wait for a clock that was never moved; real milliseconds. */
const WHILE = 3_000;
const WARNING =
  "paystate: nobody moves this sandbox's time. Call sandbox.run(promise) or sandbox.advance(ms), " +
  "or createSandbox({ clock: 'real' })";

/**
 * The same clock, which says once on the console that it is never moved, where something has waited
 * for it for a while: else nothing happens, and nothing says why. What has ended before, as the time
 * limit of a call has, waits no more, and keeps no process open.
 */
export function warnWhereStill(clock: MovableClock): MovableClock {
  let waiting = 0;
  let stop: (() => void) | undefined;
  let isDone = false;
  const warn = (): void => {
    isDone = true;
    console.warn(WARNING);
  };
  const begin = (): (() => void) => {
    let isWaiting = true;
    waiting++;
    if (!isDone) stop ??= systemClock.after(WHILE, warn);
    return () => {
      if (isWaiting && --waiting === 0) {
        stop?.();
        stop = undefined;
      }
      isWaiting = false;
    };
  };
  const move = (): void => {
    isDone = true;
    stop?.();
  };
  return {
    ...clock,
    after(ms, ring) {
      const end = begin();
      const cancel = clock.after(ms, () => (end(), ring()));
      return () => (end(), cancel());
    },
    wait(ms, signal) {
      const waited = clock.wait(ms, signal);
      void waited.then(begin());
      return waited;
    },
    advance: (duration) => (move(), clock.advance(duration)),
    run: (promise, timeout) => (move(), clock.run(promise, timeout)),
  };
}
