import { systemClock, waitOn } from '../../core/time.ts';
import type { MovableClock } from './clock.ts';

/** How long something may wait for a clock that was never moved; real milliseconds. */
const WHILE = 3_000;
const WARNING =
  "paystate: sandbox time stands still: use sandbox.run(), sandbox.advance() or clock: 'real'";

/**
 * The same clock, which says once on the console that it is never moved, where something has waited
 * for it for a while: else nothing happens, and nothing says why. What has ended before, as the
 * time limit of a call has, waits no more, and keeps no process open.
 */
export function warnWhereStill(clock: MovableClock): MovableClock {
  let waiting: Set<unknown> | undefined = new Set(); // until it has moved, or that was said
  let stop: (() => void) | undefined;
  const rest = (): void => {
    stop = void stop?.();
  };
  const move = (): void => {
    waiting = undefined;
    rest();
  };
  const after: MovableClock['after'] = (ms, ring) => {
    const end = (): void => {
      waiting?.delete(end);
      if (!waiting?.size) rest();
    };
    if (waiting?.add(end)) stop ??= systemClock.after(WHILE, () => (move(), console.warn(WARNING)));
    const cancel = clock.after(ms, () => (end(), ring()));
    return () => (end(), cancel());
  };
  return {
    ...clock,
    after,
    wait: (ms, signal) => waitOn({ after }, ms, signal),
    advance: (duration) => (move(), clock.advance(duration)),
    run: (promise, timeout) => (move(), clock.run(promise, timeout)),
  };
}
