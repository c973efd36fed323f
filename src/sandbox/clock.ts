import { type Clock, systemClock } from '../core/clock.ts';
import { badInput } from '../core/errors.ts';
import { createSteps, withTurns } from './steps.ts';
import { createTimers, waitOn } from './timers.ts';

/** A clock that somebody moves. */
export interface MovableClock extends Clock {
  /** Moves time by `duration` ms; what falls due runs at its own time, and promises settle in between. */
  advance(duration: number): Promise<void>;
  /** Moves time by itself, timer by timer, until `promise` settles; see `Sandbox.run`. */
  run<T>(promise: Promise<T>, longest: number): Promise<T>;
}

/** Turns that unfinished work of the runtime gets before "nothing is left to wait for" is said. */
const GRACE = 50;

/** A clock that stands still unless it is moved. Nothing in it depends on real time. */
export function createVirtualClock(start: number): MovableClock {
  const timers = createTimers();
  const steps = createSteps();
  let now = start;

  /** Fires the first timer if it is due by `latest`. */
  function fireNext(latest: number): boolean {
    const timer = timers.first();
    if (!timer || timer.at > latest) return false;
    timers.take();
    now = Math.max(now, timer.at);
    timer.fire();
    return true;
  }

  /** Fires timer after timer until `promise` has settled; false when that cannot be. */
  function drive(promise: Promise<unknown>, latest: number): Promise<boolean> {
    let settled = false;
    promise.then(() => { settled = true; }, () => { settled = true; });
    return withTurns(async (turns) => {
      for (let idle = 0; idle < GRACE && !settled; idle++) {
        if (await steps.take(turns, () => !settled && fireNext(latest))) idle = 0;
        else if (timers.first() && !settled) return false;
        else if (idle > 3) await systemClock.wait(0); // streams of the runtime may need tasks of their own
      }
      return settled;
    });
  }

  return {
    now: () => now,
    monotonic: () => now - start,
    wait: (ms, signal) => waitOn(timers, now + Math.ceil(Math.max(ms, 0) || 0), signal),
    external(work) {
      steps.hold(work);
      return work;
    },
    async advance(duration) {
      const target = now + checkDuration(duration);
      await withTurns(async (turns) => {
        while (await steps.take(turns, () => fireNext(target)));
        await steps.take(turns, () => { now = Math.max(now, target); });
        await steps.take(turns, () => {});
      });
    },
    async run(promise, longest) {
      if (await drive(promise, now + longest)) return promise;
      throw badInput('promise', timers.first()
        ? `did not settle within ${longest} ms of virtual time`
        : 'cannot settle: no timer is set and no work is open, so nothing is left to wait for');
    },
  };
}

/** Whole milliseconds to move by. */
export function checkDuration(duration: number): number {
  if (Number.isFinite(duration) && duration >= 0) return Math.ceil(duration);
  throw badInput('duration', 'must be a number of milliseconds, 0 or more');
}
