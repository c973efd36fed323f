// A process that dies where a test says: what a crash leaves is in the journal, and nothing else.
import type { Sandbox } from 'paystate/sandbox';
import type { Store } from 'paystate/stores';

type Clock = Sandbox['clock'];

/** A process dies at this step, before its effect or after it. */
export interface Death {
  /** Number of the step, from 1: calls of the store, requests and waits are steps. */
  readonly step: number;
  /** The step has its effect, and the process does not hear of it. */
  readonly isAfter: boolean;
}

/** The fate of a process. */
export interface ProcessOptions {
  /** The point where it dies; absent: it lives on. */
  readonly death?: Death | undefined;
  /** Changes what its requests meet: `send` lets one through. */
  readonly wire?:
    | ((url: string, init: RequestInit, send: () => Promise<Response>) => Promise<Response>)
    | undefined;
  /**
   * The machine sleeps: timers ring and responses come when it wakes. Milliseconds of the world's
   * monotonic clock.
   */
  readonly sleep?: { readonly from: number; readonly to: number } | undefined;
}

/** A process: after its death nothing that it has begun is heard of again. */
export interface MortalProcess {
  /** Give them to `createClient`. */
  readonly clientOptions: Sandbox['clientOptions'];
  /** The journal as it reaches it. */
  readonly store: Store;
  /** Steps so far. */
  steps(): number;
  /** True if it has died. */
  isDead(): boolean;
  /** It dies now, wherever it is. */
  kill(): void;
}

const never = <T>(): Promise<T> => new Promise<T>(() => {});
const ignore = (): void => {};

/**
 * Makes a process whose requests, waits and calls of the store can be counted, and that dies at one
 * of them: what it awaited never settles, and its timers do not ring. Others may use the same
 * store.
 */
export function createProcess(
  { clientOptions, clock: time }: Pick<Sandbox, 'clientOptions' | 'clock'>,
  store: Store,
  { death, wire = (_url, _init, send) => send(), sleep }: ProcessOptions = {},
): MortalProcess {
  const { fetch: send } = clientOptions;
  const { gate, steps, isDead, died, kill } = createGate(death);
  const asleepFor = (): number => {
    const now = time.monotonic();
    return sleep && now >= sleep.from ? Math.max(0, sleep.to - now) : 0;
  };
  /** A store works outside of the clock: it is not late, and what follows it is. */
  const awake = async <T>(work: () => Promise<T>): Promise<T> => {
    const done = await work();
    if (asleepFor() > 0) await time.wait(asleepFor());
    return done;
  };
  const ring = (act: () => void): void => {
    if (isDead()) return;
    if (asleepFor() > 0) time.after(asleepFor(), () => ring(act));
    else act();
  };
  const clock: Clock = {
    ...time,
    after: (ms, act) => time.after(ms, () => ring(act)),
    wait: (ms, signal) => gate(() => awake(() => time.wait(ms, signal))),
    external(work) {
      void time.external(Promise.race([work.then(ignore, ignore), died]));
      return work;
    },
  };
  const fetch: typeof send = (url, init = {}) =>
    gate(() => awake(() => wire(String(url), init, () => send(url, init))));
  return {
    clientOptions: { ...clientOptions, clock, fetch },
    store: gatedStore(store, gate),
    steps,
    isDead,
    kill,
  };
}

type Gate = <T>(work: () => Promise<T>) => Promise<T>;

/** Counts steps, and ends everything at one of them. */
function createGate(death: Death | undefined): {
  readonly gate: Gate;
  readonly steps: () => number;
  readonly isDead: () => boolean;
  readonly died: Promise<void>;
  readonly kill: () => void;
} {
  let steps = 0;
  let isDead = false;
  let die = ignore;
  const died = new Promise<void>((resolve) => void (die = resolve));
  const kill = (): void => {
    isDead = true;
    die();
  };
  const end = (): Promise<never> => {
    kill();
    return never();
  };
  const gate: Gate = async (work) => {
    if (isDead) return never();
    const isLast = ++steps === death?.step;
    if (isLast && !death.isAfter) return end();
    const done = await work();
    return isDead || isLast ? end() : done;
  };
  return { gate, steps: () => steps, isDead: () => isDead, died, kill };
}

function gatedStore(store: Store, gate: Gate): Store {
  return {
    durable: store.durable,
    get: (key) => gate(() => store.get(key)),
    put: (key, value) => gate(() => store.put(key, value)),
    compareAndSet: (...given) => gate(() => store.compareAndSet(...given)),
    listOpen: (prefix) => gate(() => store.listOpen(prefix)),
  };
}
