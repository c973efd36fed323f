// Processes that share the rows of one store and nothing else: each has clocks, a line and a way to the store of its own.
import { createLogin, type Login, type LoginOptions } from 'paystate/oauth';
import type { Sandbox } from 'paystate/sandbox';
import type { Store } from 'paystate/stores';

type Clock = NonNullable<LoginOptions['clock']>;

export const HOUR = 3_600_000;

/** A number below `below`, the same ones for the same seed. */
export const dice =
  (seed: number) =>
  (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };

/** Clocks of a process. What the others would make of them is nobody's business. */
interface Clocks {
  /** How far its wall clock is off; may be changed. */
  skew: number;
  /** How long its monotonic clock stood still, as it does on a machine that sleeps. */
  slept: number;
  /** Timers that fall due now are lost. */
  isAsleep: boolean;
}

export interface Process {
  readonly login: Login;
  readonly clocks: Clocks;
}

export interface Way {
  readonly clocks?: Partial<Clocks>;
  /** Before and after each operation of the store so many milliseconds pass. */
  readonly delay?: () => number;
  /** What is done instead of an operation, or around it. */
  readonly around?: <T>(
    operation: 'get' | 'put' | 'compareAndSet',
    act: () => Promise<T>,
  ) => Promise<T>;
  readonly more?: Partial<LoginOptions>;
}

/** A process, with a way to the store. */
export const processOn = (
  sandbox: Sandbox,
  options: LoginOptions,
  store: Store,
  way: Way = {},
): Process => {
  const { delay = () => 0, around = (_, act) => act(), more } = way;
  const clocks: Clocks = { skew: 0, slept: 0, isAsleep: false, ...way.clocks };
  const waits = new WeakSet<Promise<unknown>>();
  const clock: Clock = {
    ...sandbox.clock,
    now: () => sandbox.clock.now() + clocks.skew,
    monotonic: () => sandbox.clock.monotonic() - clocks.slept,
    after: (ms, ring) => sandbox.clock.after(ms, () => void (clocks.isAsleep || ring())),
    external: (work) => (waits.has(work) ? work : sandbox.clock.external(work)), // the way to the store takes time of this clock
  };
  const slow = <T>(
    operation: 'get' | 'put' | 'compareAndSet',
    act: () => Promise<T>,
  ): Promise<T> => {
    const done = around(operation, async () => {
      await sandbox.clock.wait(delay());
      const found = await act();
      await sandbox.clock.wait(delay());
      return found;
    });
    waits.add(done);
    return done;
  };
  const own: Store = {
    ...store,
    get: (key) => slow('get', () => store.get(key)),
    put: (key, value) => slow('put', () => store.put(key, value)),
    compareAndSet: (key, version, value) =>
      slow('compareAndSet', () => store.compareAndSet(key, version, value)),
  };
  return {
    clocks,
    login: createLogin({ ...options, store: own, clock, lock: (_, work) => work(), ...more }),
  };
};
