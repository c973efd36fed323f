import type { ClientOptions, Fetch } from '../core/http/index.ts';
import type { Clock } from '../core/time.ts';
import type { Store } from '../stores/store.ts';

/** Where processes live and die: a sandbox is one. */
export interface CrashWorld {
  /** Options for the client of a process. */
  readonly clientOptions: ClientOptions & { readonly fetch: Fetch };
  /** Its time. */
  readonly clock: Clock;
  /** Moves its time by milliseconds. */
  advance(duration: number): Promise<void>;
}

/** A process dies at this step, before its effect or after it. */
export interface CrashPoint {
  /** Number of the step, from 1: calls of the store, requests and waits are steps. */
  readonly step: number;
  /** The step has its effect, and the process does not hear of it. */
  readonly isAfter: boolean;
}

/** What happens to a process. */
export interface CrashProcessOptions {
  /** Where it dies; never when absent. */
  readonly death?: CrashPoint | undefined;
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
export interface CrashProcess {
  /** Give them to `createClient`. */
  readonly clientOptions: CrashWorld['clientOptions'];
  /** The journal as it reaches it. */
  readonly store: Store;
  /** Steps so far. */
  steps(): number;
  /** Whether it has died. */
  isDead(): boolean;
}

const never = <T>(): Promise<T> => new Promise<T>(() => {});
const ignore = (): void => {};

/**
 * Makes a process whose requests, waits and calls of the store can be counted, and that dies at one of
 * them: what it awaited never settles, and its timers do not ring. Others may use the same store.
 *
 * @param world a sandbox, or something like it
 * @param store the journal that outlives it
 * @example
 * const { clientOptions, store, isDead } = createProcess(sandbox, memoryStore(), {
 *   death: { step: 3, isAfter: true },
 * });
 * const client = createClient(clientOptions);
 */
export function createProcess(
  { clientOptions, clock: time }: Pick<CrashWorld, 'clientOptions' | 'clock'>,
  store: Store,
  { death, wire = (_url, _init, send) => send(), sleep }: CrashProcessOptions = {},
): CrashProcess {
  const { fetch: send } = clientOptions;
  const { gate, steps, isDead, died } = createGate(death);
  const asleepFor = (): number => {
    const now = time.monotonic();
    return sleep && now >= sleep.from ? Math.max(0, sleep.to - now) : 0;
  };
  /** What a store does is outside of the clock: it is not late, and what follows it is. */
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
  const fetch: typeof send = (url, init) =>
    gate(() => awake(() => wire(String(url), init, () => send(url, init))));
  return {
    clientOptions: { ...clientOptions, clock, fetch },
    store: gatedStore(store, gate),
    steps,
    isDead,
  };
}

type Gate = <T>(work: () => Promise<T>) => Promise<T>;

/** Counts steps, and ends everything at one of them. */
function createGate(death: CrashPoint | undefined): {
  readonly gate: Gate;
  readonly steps: () => number;
  readonly isDead: () => boolean;
  readonly died: Promise<void>;
} {
  let steps = 0;
  let isDead = false;
  let die = ignore;
  const died = new Promise<void>((resolve) => void (die = resolve));
  const kill = (): Promise<never> => {
    isDead = true;
    die();
    return never();
  };
  const gate: Gate = async (work) => {
    if (isDead) return never();
    const isLast = ++steps === death?.step;
    if (isLast && !death.isAfter) return kill();
    const done = await work();
    return isDead || isLast ? kill() : done;
  };
  return { gate, steps: () => steps, isDead: () => isDead, died };
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
