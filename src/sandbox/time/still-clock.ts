import type { MovableClock } from './clock.ts';

/** How long something may wait for a clock that nobody has ever moved; real milliseconds. */
const WHILE = 3_000;
const WARNING =
  'paystate: something waits for the virtual time of a sandbox, which nobody moves. Await it with sandbox.run(promise), ' +
  "move time with sandbox.advance(ms), or let it go by itself: createSandbox({ clock: 'real' }).";

/**
 * The same clock, which says once on the console that nobody moves it, where something has waited for
 * it for a while: else nothing happens, and nothing says why.
 */
export function warnWhereStill(clock: MovableClock): MovableClock {
  let isAwaited = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const moved = (): void => {
    isAwaited = true;
    clearTimeout(timer);
  };
  const awaited = (): void => {
    if (isAwaited) return;
    isAwaited = true;
    timer = setTimeout(() => console.warn(WARNING), WHILE);
  };
  return {
    ...clock,
    after(ms, ring) {
      awaited();
      return clock.after(ms, ring);
    },
    wait(ms, signal) {
      awaited();
      return clock.wait(ms, signal);
    },
    advance(duration) {
      moved();
      return clock.advance(duration);
    },
    run(promise, timeout) {
      moved();
      return clock.run(promise, timeout);
    },
  };
}
