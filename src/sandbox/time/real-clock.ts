import { systemClock, waitOn } from '../../core/time.ts';
import { checkDuration, type MovableClock } from './clock.ts';
import { createQuiescence, withMacrotasks } from './quiescence.ts';
import { createTimers, type Timers } from './timers.ts';

/** Real time that can be pushed ahead: `advance` adds to it, so that a page can skip a wait. */
export function createRealClock(): MovableClock {
  const timers = createTimers();
  const quiescence = createQuiescence();
  let ahead = 0;
  const monotonic = (): number => systemClock.monotonic() + ahead;
  const arm = alarmFor(timers, monotonic);
  const after = (ms: number, ring: () => void): (() => void) => {
    const cancel = timers.after(monotonic() + (Math.max(ms, 0) || 0), ring);
    arm();
    return () => {
      cancel();
      arm();
    };
  };
  /** Fires the first timer if it is due before `target`, and moves time to it. */
  const step = (target: number): boolean => {
    const due = (timers.first()?.at ?? Infinity) - systemClock.monotonic();
    ahead = Math.max(ahead, Math.min(due, target));
    if (due > target) return false;
    timers.take()?.fire();
    return true;
  };
  return {
    external: quiescence.hold,
    inside: quiescence.lend,
    run: (promise) => promise,
    now: () => Math.floor(systemClock.now() + ahead),
    monotonic,
    after,
    wait: (ms, signal) => waitOn({ after }, ms, signal),
    async advance(duration) {
      const target = ahead + checkDuration(duration, systemClock.now() + ahead);
      await withMacrotasks(async (macrotasks) => {
        while (await quiescence.take(macrotasks, () => step(target)));
      });
      arm();
    },
  };
}

/**
 * Sleeps until the first timer is due and fires it; called again whenever another one may be first.
 */
function alarmFor(timers: Timers, now: () => number): () => void {
  let sleep = new AbortController();
  return function arm(): void {
    sleep.abort();
    sleep = new AbortController();
    const { signal } = sleep;
    const first = timers.first();
    if (!first) return;
    void systemClock.wait(first.at - now(), signal).then(() => {
      if (signal.aborted) return;
      for (let timer = timers.first(); timer && timer.at <= now(); timer = timers.first())
        timers.take()?.fire();
      arm();
    });
  };
}
