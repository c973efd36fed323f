import { systemClock } from '../../core/time/index.ts';
import type { MovableClock } from './clock.ts';

/** How long something may wait for a clock that nobody has ever moved; real milliseconds. */
const WHILE = 3_000;
const WARNING =
  "paystate: nobody moves this sandbox's time. Call sandbox.run(promise) or sandbox.advance(ms), or createSandbox({ clock: 'real' })";

/**
 * The same clock, which says once on the console that nobody moves it, where something has waited for
 * it for a while: else nothing happens, and nothing says why.
 */
export function warnWhereStill(clock: MovableClock): MovableClock {
  let stop: (() => void) | undefined;
  let isMoved = false;
  const awaited = (): void => {
    if (!isMoved) stop ??= systemClock.after(WHILE, () => console.warn(WARNING));
  };
  const moved = (): void => {
    isMoved = true;
    stop?.();
  };
  return {
    ...clock,
    after: (ms, ring) => (awaited(), clock.after(ms, ring)),
    wait: (ms, signal) => (awaited(), clock.wait(ms, signal)),
    advance: (duration) => (moved(), clock.advance(duration)),
    run: (promise, timeout) => (moved(), clock.run(promise, timeout)),
  };
}
