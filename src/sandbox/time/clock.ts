import { badInput, InputError } from '../../core/errors/index.ts';
import { type Clock, systemClock, waitOn } from '../../core/time.ts';
import {
  createQuiescence,
  type Macrotasks,
  type Quiescence,
  withMacrotasks,
} from './quiescence.ts';

/** One thing that is due. */
interface Timer {
  readonly at: number;
  readonly fire: () => void;
  isCancelled: boolean;
}

/** Timers by time, and in the order of setting where times are equal. */
class Timers {
  readonly #timers: Timer[] = [];

  /** An endless time needs no timer; what is returned takes it back. */
  after(at: number, ring: () => void): () => void {
    const timer = { at, fire: ring, isCancelled: false };
    if (at < Infinity) this.#timers.splice(this.#positionBehind(at), 0, timer);
    return () => {
      timer.isCancelled = true;
    };
  }

  /** The one that is due first; cancelled ones are dropped on the way. */
  first(): Timer | undefined {
    while (this.#timers[0]?.isCancelled) this.#timers.shift();
    return this.#timers[0];
  }

  /** Takes the first one out. */
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

/** A time at which a caller of `advance` stops. */
interface PlannedStop {
  readonly at: number;
}

/** Virtual time and what is due in it. */
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

  /** Calls `ring` after `ms`, unless what it returns was called before. */
  after(ms: number, ring: () => void): () => void {
    return this.#timers.after(this.#now + Math.ceil(Math.max(ms, 0) || 0), ring);
  }

  /** When the first timer is due; absent where there is none. */
  nextAt(): number | undefined {
    return this.#timers.first()?.at;
  }

  /**
   * Fires the first timer if it is due by `latest`; true also where another caller has to stop
   * before that.
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

  /** Time does not pass this instant before `arrive` is called for it. */
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
  /** Something of the service has changed: those who wait may get what they wait for. */
  changed?(): void;
}

/** A clock that stands still unless it is moved. */
export interface VirtualClock extends MovableClock {
  /** When the next timer is due; absent where none is set. */
  nextAt(): number | undefined;
}

/** Nothing in this clock depends on real time. */
export function createVirtualClock(start: number): VirtualClock {
  const timeline = new Timeline(start);
  return makeClock(start, timeline, createQuiescence());
}

/** A virtual clock whose time moves by itself while somebody waits for a promise of the sandbox. */
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
 * Real milliseconds that unfinished work of the runtime gets before "nothing is left to wait for"
 * is said: on a busy machine a digest or a file takes a while.
 */
const GRACE_MS = 1_000;

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
      // streams of the runtime may need tasks of their own
      if (idle > 3) await systemClock.wait(0);
      if (systemClock.monotonic() - idleFrom > GRACE_MS) return settled;
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

/** The time for which something may wait for a clock that was never moved; real milliseconds. */
const WHILE = 3_000;
const WARNING =
  "paystate: sandbox time stands still: use sandbox.run(), sandbox.advance() or clock: 'real'. " +
  'Subscriptions do not move it';

/** Warns once where something has waited for a while, and the clock was never moved. */
class StillWatch {
  readonly #warn: (message: string) => void;
  /** Absent once the clock has moved, or that was said. */
  #waits: Set<() => void> | undefined = new Set();
  #stop: (() => void) | undefined;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  /** A wait begins; what is returned ends it. */
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
 * The same clock, which says once on the console that it is never moved, where something has waited
 * for it for a while: else nothing happens, and nothing says why. What has ended before, as the
 * time limit of a call has, waits no more, and keeps no process open.
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

/** Real time that can be pushed ahead: `advance` adds to it, so that a page can skip a wait. */
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

/** Virtual time that passes without a change before an awaited promise rejects, milliseconds. */
const MAX_UNCHANGED_MS = 86_400_000;

/** One promise of this sandbox that its user waits for. */
interface AwaitedWork {
  readonly what: string;
  readonly since: number;
  readonly giveUp: (reason: InputError) => void;
}

/**
 * Moves virtual time from timer to timer while somebody waits for a promise of the sandbox. Each
 * step waits until nothing can go on without it, so that the same program sees the same times in
 * every runtime. Subscriptions set timers too, but only work that is waited for moves time.
 */
class SelfMovement {
  readonly #timeline: Timeline;
  readonly #quiescence: Quiescence;
  readonly #waits: Set<AwaitedWork> = new Set();
  /** Calls of `advance` and `run` that are moving time. */
  #movers: number = 0;
  #changedAt: number;
  #isMoving: boolean = false;
  #isWanted: boolean = false;

  constructor(timeline: Timeline, quiescence: Quiescence) {
    this.#timeline = timeline;
    this.#quiescence = quiescence;
    this.#changedAt = timeline.now();
  }

  /** Counts work that the user waits for; what it returns rejects where nothing can come of it. */
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

  /** Something of the service has changed. */
  noteChange(): void {
    this.#changedAt = this.#timeline.now();
  }

  /** Leaves time to `work`, which moves it, and goes on after it. */
  async giveWay<T>(work: () => Promise<T>): Promise<T> {
    this.#movers++;
    try {
      return await work();
    } finally {
      this.#movers--;
      this.goOn();
    }
  }

  /** Moves on if somebody waits: a timer was set, or a wait has begun. */
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
    'did not settle, and nothing has changed in the sandbox for 24 hours of its time: let what ' +
    'it waits for happen first (payer.pay, move, …), and pass work that takes real time to ' +
    'sandbox.clock.external';
  const issue = { code: 'INVALID_DATA_VALUE', message: advice, values: { field: what } };
  return new InputError(`${what}: ${advice} (INPUT_INVALID)`, {
    code: 'INPUT_INVALID',
    outcome: 'unknown',
    next: 'fix-input',
    validationErrors: { [what]: [issue] },
  });
}
