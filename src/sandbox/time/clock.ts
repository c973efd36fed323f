import { type Clock, systemClock, waitOn } from '../../core/time.ts';
import { badInput } from '../../core/errors/index.ts';
import { createQuiescence, type Quiescence, withMacrotasks } from './quiescence.ts';
import { createTimeline, type Timeline } from './timeline.ts';

/** A clock that can be moved. */
export interface MovableClock extends Clock {
  /**
   * Moves time by `duration` ms; what falls due runs at its own time, and promises settle in
   * between.
   */
  advance(duration: number): Promise<void>;
  /** Moves time by itself, timer by timer, until `promise` settles; see `Sandbox.run`. */
  run<T>(promise: Promise<T>, timeout: number): Promise<T>;
  /** Declares a wait of this clock in the middle of external work, during which time may pass. */
  inside<T>(wait: Promise<T>): Promise<T>;
}

/** A clock that stands still unless it is moved. */
export interface VirtualClock extends MovableClock {
  /** When the next timer is due; absent where none is set. */
  nextAt(): number | undefined;
}

/** Nothing in this clock depends on real time. */
export function createVirtualClock(start: number): VirtualClock {
  const timeline = createTimeline(start);
  const quiescence = createQuiescence();
  return {
    now: timeline.now,
    monotonic: () => timeline.now() - start,
    after: timeline.after,
    wait: (ms, signal) => waitOn(timeline, ms, signal),
    nextAt: timeline.nextAt,
    external: quiescence.hold,
    inside: quiescence.lend,
    advance: async (duration) =>
      advance(timeline, quiescence, checkDuration(duration, timeline.now())),
    async run(promise, timeout) {
      if (await drive(timeline, quiescence, promise, timeline.now() + timeout)) return promise;
      throw badInput(
        'promise',
        timeline.isIdle()
          ? 'cannot settle: no timer is set, nothing is left to wait for'
          : `did not settle within ${timeout} ms of virtual time`,
      );
    },
  };
}

async function advance(
  timeline: Timeline,
  quiescence: Quiescence,
  duration: number,
): Promise<void> {
  const stop = timeline.stopAt(timeline.now() + duration);
  const step = (): boolean => {
    if (timeline.fireNext(stop.at)) return true;
    timeline.arrive(stop);
    return false;
  };
  await withMacrotasks(async (macrotasks) => {
    while (await quiescence.take(macrotasks, step));
  });
}

/**
 * Macrotasks that unfinished work of the runtime gets before "nothing is left to wait for" is said.
 */
const GRACE = 50;

/** Fires timer after timer until `promise` has settled; false when that cannot be. */
function drive(
  timeline: Timeline,
  quiescence: Quiescence,
  promise: Promise<unknown>,
  latest: number,
): Promise<boolean> {
  let settled = false;
  promise.then(
    () => {
      settled = true;
    },
    () => {
      settled = true;
    },
  );
  return withMacrotasks(async (macrotasks) => {
    for (let idle = 0; idle < GRACE && !settled; idle++) {
      if (await quiescence.take(macrotasks, () => !settled && timeline.fireNext(latest))) idle = 0;
      else if (!timeline.isIdle() && !settled) return false;
      // streams of the runtime may need tasks of their own
      else if (idle > 3) await systemClock.wait(0);
    }
    return settled;
  });
}

/** The year 3000: a BOLT11 text of the years after 3058 cannot say when it was made. */
export const LATEST_TIME = 32_503_680_000_000;

/** Whole milliseconds to move by. */
export function checkDuration(duration: number, now: number): number {
  if (!Number.isFinite(duration) || duration < 0)
    throw badInput('duration', 'must be a number of milliseconds, 0 or more');
  if (now + duration > LATEST_TIME)
    throw badInput(
      'duration',
      'must not lead beyond the year 3000: later a BOLT11 text has no date',
    );
  return Math.ceil(duration);
}
