import { badInput, InputError } from '../../core/errors/index.ts';
import { type Clock, systemClock, waitOn } from '../../core/time.ts';
import {
  createQuiescence,
  type Macrotasks,
  type Quiescence,
  withMacrotasks,
} from './quiescence.ts';

interface Timer {
  readonly at: number;
  readonly fire: () => void;
  isCancelled: boolean;
}

class Timers {
  readonly #timers: Timer[] = [];

  /** Sets a timer, unless the time is infinite. Returns a function that cancels it. */
  after(at: number, ring: () => void): () => void {
    const timer = { at, fire: ring, isCancelled: false };
    if (at < Infinity) this.#timers.splice(this.#positionBehind(at), 0, timer);
    return () => {
      timer.isCancelled = true;
    };
  }

  /** Returns the next timer. Drops any cancelled timers before it. */
  first(): Timer | undefined {
    while (this.#timers[0]?.isCancelled) this.#timers.shift();
    return this.#timers[0];
  }

  take(): Timer | undefined {
    return this.first() && this.#timers.shift();
  }

  #positionBehind(at: number): number {
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#timers[middle]!.at > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Time at which a call to `advance` ends. */
interface PlannedStop {
  readonly at: number;
}

class Timeline {
  readonly #timers = new Timers();
  readonly #stops = new Set<PlannedStop>();
  #now: number;

  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  /** Sets a timer. Returns a function that cancels it. */
  after(ms: number, ring: () => void): () => void {
    return this.#timers.after(this.#now + Math.ceil(Math.max(ms, 0) || 0), ring);
  }

  nextAt(): number | undefined {
    return this.#timers.first()?.at;
  }

  /**
   * Runs the next timer if it's not after `latest`. Returns whether there may be more to do, which
   * is also the case if another call to `advance` ends first.
   */
  fireNext(latest: number): boolean {
    const bound = Math.min(latest, ...Array.from(this.#stops, (stop) => stop.at));
    const timer = this.#timers.first();
    if (!timer || timer.at > bound) return bound < latest;
    this.#timers.take();
    this.#now = Math.max(this.#now, timer.at);
    timer.fire();
    return true;
  }

  /** Prevents the clock from passing this time until you call `arrive`. */
  stopAt(at: number): PlannedStop {
    const stop = { at };
    this.#stops.add(stop);
    return stop;
  }

  arrive(stop: PlannedStop): void {
    this.#stops.delete(stop);
    this.#now = Math.max(this.#now, stop.at);
  }
}

export interface MovableClock extends Clock {
  /** Advances time. Each timer runs at its scheduled time, and promises settle in between. */
  advance(duration: number): Promise<void>;
  /** Advances time from timer to timer until `promise` settles. See `Sandbox.run`. */
  run<T>(promise: Promise<T>, timeout: number): Promise<T>;
  /** Marks a wait on this clock inside external work, so time may advance during the wait. */
  inside<T>(wait: Promise<T>): Promise<T>;
  /**
   * Records that the service's state has changed, which resets the 24-hour limit on time without a
   * change.
   */
  changed?(): void;
}

/** A clock with simulated time. */
export interface VirtualClock extends MovableClock {
  nextAt(): number | undefined;
}

/** Creates a clock that only moves when you call `advance` or `run`. */
export function createVirtualClock(start: number): VirtualClock {
  const timeline = new Timeline(start);
  return makeClock(start, timeline, createQuiescence());
}

/**
 * Creates a clock that jumps to the next timer while a caller awaits a promise from the sandbox.
 */
export function createSelfMovingClock(start: number): VirtualClock {
  const timeline = new Timeline(start);
  const quiescence = createQuiescence();
  const movement = new SelfMovement(timeline, quiescence);
  const clock = makeClock(start, timeline, quiescence);
  const after: VirtualClock['after'] = (ms, ring) => {
    const cancel = clock.after(ms, ring);
    movement.goOn();
    return cancel;
  };
  return {
    ...clock,
    after,
    wait: (ms, signal) => waitOn({ after }, ms, signal),
    countWait: (work, what) => movement.countWait(work, what),
    changed: () => movement.noteChange(),
    advance: (duration) => movement.giveWay(() => clock.advance(duration)),
    run: (promise, timeout) => movement.giveWay(() => clock.run(promise, timeout)),
  };
}

function makeClock(start: number, timeline: Timeline, quiescence: Quiescence): VirtualClock {
  const after: VirtualClock['after'] = (ms, ring) => timeline.after(ms, ring);
  return {
    now: () => timeline.now(),
    monotonic: () => timeline.now() - start,
    after,
    wait: (ms, signal) => waitOn({ after }, ms, signal),
    nextAt: () => timeline.nextAt(),
    external: quiescence.hold,
    inside: quiescence.lend,
    advance: async (duration) =>
      advance(timeline, quiescence, checkDuration(duration, timeline.now())),
    async run(promise, timeout) {
      if (await drive(timeline, quiescence, promise, timeline.now() + timeout)) return promise;
      throw badInput(
        'promise',
        timeline.nextAt() === undefined
          ? 'cannot settle, because no timer of the sandbox is running'
          : `did not settle within ${timeout} ms of sandbox time`,
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
 * Real time in milliseconds that `run` waits for other work before it fails because there are no
 * timers. On a busy machine, hashing or reading a file takes a while.
 */
const GRACE_MS = 3_000;

/** Runs timers until `promise` settles. Returns false if it can't settle. */
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
    let idle = 0;
    let idleFrom = 0;
    while (!settled) {
      if (await quiescence.take(macrotasks, () => !settled && timeline.fireNext(latest))) {
        idle = 0;
        continue;
      }
      if (timeline.nextAt() !== undefined && !settled) return false;
      if (idle === 0) idleFrom = systemClock.monotonic();
      idle++;
      // the runtime's streams may need their own macrotasks
      if (idle > 3) await systemClock.wait(0);
      if (systemClock.monotonic() - idleFrom > GRACE_MS) return settled;
    }
    return settled;
  });
}

/**
 * Latest time that a sandbox's clock can reach, which is in the year 3000. BOLT11 invoices can't
 * have dates after 3058.
 */
export const LATEST_TIME = 32_503_680_000_000;

/** Checks a duration and rounds it up to whole milliseconds. */
export function checkDuration(duration: number, now: number): number {
  if (!Number.isFinite(duration) || duration < 0)
    throw badInput('duration', 'must be a number of milliseconds, 0 or more');
  if (now + duration > LATEST_TIME)
    throw badInput(
      'duration',
      'must not go beyond the year 3000, because BOLT11 has no later dates',
    );
  return Math.ceil(duration);
}

/** Real time before the warning, in milliseconds. */
const WHILE = 3_000;
const WARNING = `paystate: sandbox time stands still: use sandbox.run(), sandbox.advance() or clock: 'real'. Subscriptions don't advance it`;

class StillWatch {
  readonly #warn: (message: string) => void;
  /** Waits in progress. Absent after the clock has moved or the warning has been printed. */
  #waits: Set<() => void> | undefined = new Set();
  #stop: (() => void) | undefined;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  /** Records a wait. Returns a function that ends it. */
  begin(): () => void {
    const end = (): void => {
      this.#waits?.delete(end);
      if (!this.#waits?.size) this.#rest();
    };
    if (!this.#waits) return end;
    this.#waits.add(end);
    this.#stop ??= systemClock.after(WHILE, () => {
      this.noteMove();
      this.#warn(WARNING);
    });
    return end;
  }

  noteMove(): void {
    this.#waits = undefined;
    this.#rest();
  }

  #rest(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}

/**
 * Prints a warning if a caller waits on a clock that never moves, because the program would
 * otherwise hang without an explanation. Waits that have ended, such as the timeout of a finished
 * request, don't count and don't keep the process alive.
 */
export function warnWhereStill(clock: MovableClock, warn: (message: string) => void): MovableClock {
  const watch = new StillWatch(warn);
  const after: MovableClock['after'] = (ms, ring) => {
    const end = watch.begin();
    const cancel = clock.after(ms, () => {
      end();
      ring();
    });
    return () => {
      end();
      cancel();
    };
  };
  const { countWait } = clock;
  return {
    ...clock,
    after,
    wait: (ms, signal) => waitOn({ after }, ms, signal),
    advance(duration) {
      watch.noteMove();
      return clock.advance(duration);
    },
    run(promise, timeout) {
      watch.noteMove();
      return clock.run(promise, timeout);
    },
    ...(countWait && {
      countWait(work, what) {
        watch.noteMove();
        return countWait(work, what);
      },
    }),
  };
}

/**
 * Creates a clock that follows the system clock. You can advance it further, for example to skip a
 * wait in the browser.
 */
export function createRealClock(): MovableClock {
  const timers = new Timers();
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
 * Returns a function that schedules the next timer on the system clock. Call the function whenever
 * a timer is added or cancelled.
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

/** Virtual time without a change after which an awaited promise rejects, in milliseconds. */
const MAX_UNCHANGED_MS = 86_400_000;

interface AwaitedWork {
  readonly what: string;
  readonly since: number;
  readonly giveUp: (reason: InputError) => void;
}

/**
 * Moves virtual time from timer to timer while a caller awaits a promise from the sandbox. Before
 * each step, it waits until no other work can continue, so the same program sees the same times in
 * every runtime. Subscriptions set timers too, but they don't move time.
 */
class SelfMovement {
  readonly #timeline: Timeline;
  readonly #quiescence: Quiescence;
  readonly #waits: Set<AwaitedWork> = new Set();
  /** Number of `advance` and `run` calls in progress. */
  #movers: number = 0;
  #changedAt: number;
  #isMoving: boolean = false;
  #isWanted: boolean = false;

  constructor(timeline: Timeline, quiescence: Quiescence) {
    this.#timeline = timeline;
    this.#quiescence = quiescence;
    this.#changedAt = timeline.now();
  }

  /** Counts `work` as awaited. The returned promise rejects if the work can't finish. */
  countWait<T>(work: Promise<T>, what: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const wait: AwaitedWork = { what, since: this.#timeline.now(), giveUp: reject };
      this.#waits.add(wait);
      const end = () => void this.#waits.delete(wait);
      work.then(end, end);
      work.then(resolve, reject);
      this.goOn();
    });
  }

  noteChange(): void {
    this.#changedAt = this.#timeline.now();
  }

  /** Pauses while `work` moves the clock itself, then continues. */
  async giveWay<T>(work: () => Promise<T>): Promise<T> {
    this.#movers++;
    try {
      return await work();
    } finally {
      this.#movers--;
      this.goOn();
    }
  }

  /** Starts advancing time if a caller is waiting. Call it after each new timer or wait. */
  goOn(): void {
    if (this.#waits.size === 0 || this.#movers > 0) return;
    this.#isWanted = true;
    if (this.#isMoving) return;
    this.#isMoving = true;
    void withMacrotasks((macrotasks) => this.#move(macrotasks));
  }

  async #move(macrotasks: Macrotasks): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false;
      while (await this.#quiescence.take(macrotasks, () => this.#step()));
    }
    this.#isMoving = false;
  }

  #step(): boolean {
    const next = this.#timeline.nextAt();
    if (this.#movers > 0 || next === undefined) return false;
    for (const wait of this.#waits) this.#giveUpInVain(wait, next);
    return this.#waits.size > 0 && this.#timeline.fireNext(Infinity);
  }

  #giveUpInVain(wait: AwaitedWork, next: number): void {
    if (next <= Math.max(this.#changedAt, wait.since) + MAX_UNCHANGED_MS) return;
    this.#waits.delete(wait);
    wait.giveUp(vainWait(wait));
  }
}

function vainWait({ what }: AwaitedWork): InputError {
  const advice =
    'did not settle, and nothing has changed for 24 hours of sandbox time: first trigger the event it waits for (payer.pay, move, …), and pass work that takes real time to sandbox.clock.external';
  const issue = { code: 'INVALID_DATA_VALUE', message: advice, values: { field: what } };
  return new InputError(`${what}: ${advice} (INPUT_INVALID)`, {
    code: 'INPUT_INVALID',
    outcome: 'unknown',
    next: 'fix-input',
    validationErrors: { [what]: [issue] },
  });
}
