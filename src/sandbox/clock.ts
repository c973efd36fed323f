import { type Clock, systemClock } from '../core/clock.ts';
import { badInput } from '../core/errors.ts';
import { createTimers, type Timers } from './timers.ts';
import { openTurns, type Turns } from './turns.ts';

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
  let now = start;
  let open = 0;
  let closed: () => void = () => {};
  let queue: Promise<unknown> = Promise.resolve();

  /** Until no promise can go on by itself: time never moves over open work. */
  async function settle(turns: Turns): Promise<void> {
    for (;;) {
      await turns.next();
      if (open === 0) return;
      await new Promise<void>((resolve) => { closed = resolve; });
    }
  }

  /** One step at a time, however many movers there are. */
  function step<T>(turns: Turns, act: () => T): Promise<T> {
    const done = queue.then(() => settle(turns)).then(act);
    queue = done.catch(() => {});
    return done;
  }

  /** Fires the first timer if it is due by `latest`. */
  function fireNext(latest: number): boolean {
    const timer = timers.first();
    if (!timer || timer.at > latest) return false;
    timers.take();
    now = Math.max(now, timer.at);
    timer.fire();
    return true;
  }

  async function advance(duration: number): Promise<void> {
    const target = now + checkDuration(duration);
    await withTurns(async (turns) => {
      while (await step(turns, () => fireNext(target)));
      await step(turns, () => { now = Math.max(now, target); });
      await step(turns, () => {});
    });
  }

  async function run<T>(promise: Promise<T>, longest: number): Promise<T> {
    const latest = now + longest;
    let settled = false;
    promise.then(() => { settled = true; }, () => { settled = true; });
    await withTurns(async (turns) => {
      for (let idle = 0; idle < GRACE && !settled; ) {
        const moved = await step(turns, () => !settled && fireNext(latest));
        if (moved || settled) idle = 0;
        else if (timers.first()) throw badInput('promise', `did not settle within ${longest} ms of virtual time`);
        else if (++idle > 3) await systemClock.wait(0); // bodies and streams of the runtime may need its own tasks
      }
    });
    if (settled) return promise;
    throw badInput('promise', 'cannot settle: no timer is set and no work is open, so nothing is left to wait for');
  }

  return {
    advance,
    run,
    now: () => Math.floor(now),
    monotonic: () => now - start,
    wait: (ms, signal) => waitOn(timers, now + Math.ceil(Math.max(ms, 0) || 0), signal),
    external(work) {
      open++;
      const end = (): void => { if (--open === 0) closed(); };
      work.then(end, end);
      return work;
    },
  };
}

/** Real time that can be pushed ahead: `advance` adds to it, so that a page can skip a wait. */
export function createRealClock(): MovableClock {
  const timers = createTimers();
  let ahead = 0;
  let pump = new AbortController();
  const monotonic = (): number => systemClock.monotonic() + ahead;

  function fireDue(): void {
    for (let timer = timers.first(); timer && timer.at <= monotonic(); timer = timers.first()) timers.take()?.fire();
  }

  /** Sleeps until the first timer; a new first one wakes it. */
  function arm(): void {
    pump.abort();
    pump = new AbortController();
    const { signal } = pump;
    const timer = timers.first();
    if (!timer) return;
    void systemClock.wait(timer.at - monotonic(), signal).then(() => {
      if (signal.aborted) return;
      fireDue();
      arm();
    });
  }

  async function advance(duration: number): Promise<void> {
    const target = ahead + checkDuration(duration);
    await withTurns(async (turns) => {
      for (let timer = timers.first(); timer && timer.at - systemClock.monotonic() <= target; timer = timers.first()) {
        ahead = Math.max(ahead, timer.at - systemClock.monotonic());
        timers.take()?.fire();
        await turns.next();
      }
      ahead = Math.max(ahead, target);
      await turns.next();
    });
    arm();
  }

  return {
    advance,
    run: (promise) => promise,
    now: () => Math.floor(systemClock.now() + ahead),
    monotonic,
    external: (work) => work,
    wait(ms, signal) {
      const waited = waitOn(timers, monotonic() + (Math.max(ms, 0) || 0), signal);
      void waited.then(arm);
      arm();
      return waited;
    },
  };
}

/** Resolves when its timer fires or the signal aborts; an endless wait needs no timer. */
function waitOn(timers: Timers, at: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      if (timer) timer.cancelled = true;
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = at < Infinity ? timers.set(at, done) : undefined;
    signal?.addEventListener('abort', done);
  });
}

async function withTurns(work: (turns: Turns) => Promise<void>): Promise<void> {
  const turns = openTurns();
  try {
    await work(turns);
  } finally {
    turns.close();
  }
}

function checkDuration(duration: number): number {
  if (Number.isFinite(duration) && duration >= 0) return Math.ceil(duration);
  throw badInput('duration', 'must be a number of milliseconds, 0 or more');
}
