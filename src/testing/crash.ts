import type { ClientOptions, Fetch } from '../core/http/index.ts';
import { seededRandom } from '../core/platform.ts';
import type { Clock } from '../core/time.ts';
import { memoryStore, type Store } from '../stores/store.ts';

/** The world in which processes live and die: a sandbox is one. */
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

/** The fate of a process. */
export interface CrashProcessOptions {
  /** The point where it dies; absent: it lives on. */
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
  /** True if it has died. */
  isDead(): boolean;
}

const never = <T>(): Promise<T> => new Promise<T>(() => {});
const ignore = (): void => {};

/**
 * Makes a process whose requests, waits and calls of the store can be counted, and that dies at one
 * of them: what it awaited never settles, and its timers do not ring. Others may use the same
 * store.
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

/** The processes that die, and the check of their world. */
export interface CrashOptions<World extends CrashWorld, Result> {
  /** A new world for each life, such as a sandbox. */
  open(): World | Promise<World>;
  /** The journal of a life; in memory when absent. */
  readonly openStore?: ((world: World) => Store) | undefined;
  /**
   * Your code, as it begins in a process: with `createClient(process.clientOptions)` and
   * `process.store`, which may hold what dead processes have begun.
   */
  run(process: CrashProcess, world: World): Promise<Result>;
  /**
   * Judges a life after its end.
   * @param results what living processes were told
   * @returns what is wrong, in words; an empty list where nothing is
   */
  check(world: World, results: readonly Result[]): readonly string[] | Promise<readonly string[]>;
  /** Time that a process and its successors get, milliseconds of the world; eight hours. */
  readonly timeout?: number | undefined;
}

/** The events of one life: plain data, which brings it back. */
export interface LifeSchedule {
  /** The deaths of the processes, one after the other; the last one lives. */
  readonly deaths: readonly CrashPoint[];
  /** Milliseconds between a death and the next start. */
  readonly pause: number;
  /** Another process does the same all the time. */
  readonly hasTwin?: boolean | undefined;
  /** The faults of requests, by their numbers in all processes. */
  readonly network?: readonly NetworkFault[] | undefined;
}

/** A fault of the network for one request. */
export interface NetworkFault {
  /** Number of the request, from 1. */
  readonly nth: number;
  /**
   * `lost-before` it has no effect · `lost-after` its response is lost · `doubled` it arrives
   * twice.
   */
  readonly action: 'lost-before' | 'lost-after' | 'doubled';
}

/** The result of a life. */
export interface PlayedLife {
  /** Its schedule; see `SimulateOptions.schedules`. */
  readonly schedule: LifeSchedule;
  /** Steps of the first process. */
  readonly steps: number;
  /** The faults that were found; empty in a good life. */
  readonly problems: readonly string[];
}

const HOURS = 3_600_000;

/** Plays processes one after the other until one of them has told its result. */
async function playLife<World extends CrashWorld, Result>(
  options: CrashOptions<World, Result>,
  schedule: LifeSchedule,
): Promise<PlayedLife> {
  const { open, openStore = () => memoryStore(), run, check, timeout = 8 * HOURS } = options;
  const world = await open();
  const store = openStore(world);
  const results: Result[] = [];
  const problems: string[] = [];
  const wire = wireOf(schedule.network);
  const start = (death?: CrashPoint): CrashProcess => {
    const running = createProcess(world, store, { death, wire });
    run(running, world).then(
      (result) => void (running.isDead() || results.push(result)),
      (thrown) => void (running.isDead() || problems.push(`rejected: ${String(thrown)}`)),
    );
    return running;
  };
  const isTold = () => results.length + problems.length > 0;
  if (schedule.hasTwin) start();
  let steps = 0;
  for (const [index, death] of [...schedule.deaths, undefined].entries()) {
    const running = start(death);
    for (let step = 1_000; step < timeout && !isTold() && !running.isDead(); step *= 2)
      await world.advance(step);
    if (index === 0) steps = running.steps();
    if (isTold()) break;
    await world.advance(schedule.pause);
  }
  if (!isTold()) problems.push('never ended');
  await world.advance(24 * HOURS); // what was on its way has ended
  problems.push(...(await check(world, results)));
  return { schedule, steps, problems };
}

type Wire = NonNullable<NonNullable<Parameters<typeof createProcess>[2]>['wire']>;

function wireOf(network: readonly NetworkFault[] = []): Wire {
  let sent = 0;
  return async (_url, _init, send) => {
    const number = ++sent;
    const action = network.find(({ nth }) => nth === number)?.action;
    if (action === 'lost-before') throw new TypeError('lost');
    const response = await send();
    if (action === 'doubled') await send();
    if (action === 'lost-after') throw new TypeError('lost');
    return response;
  };
}

/** The result of a crash matrix. */
export interface CrashReport {
  /** Steps of the flow: each was played before and after its effect. */
  readonly steps: number;
  /** Lives in which something was wrong; empty where all is well. */
  readonly failures: readonly PlayedLife[];
}

/**
 * Kills a process before and after each of its steps, starts another one with the same journal, and
 * asks you what became of it: once for each step of the flow, such as "at most one payment".
 *
 * @example
 * const play = () => crashMatrix({
 *   open: () => createSandbox(),
 *   run: ({ clientOptions, store }, { payer }) => {
 *     const client = createClient(clientOptions);
 *     const to = 'ada@wallet.example';
 *     const amount = { amount: '5.00', currency: 'EUR' };
 *     const limits = { sourceCurrency: 'EUR', maxFee: 'any' } as const;
 *     return pay(client, { intent: 'a', to, amount, ...limits, journal: store }).result;
 *   },
 *   check: ({ ledger }) =>
 *     ledger.postings.filter(({ why }) => why === 'payment COMPLETED').length > 1
 *       ? ['paid twice']
 *       : [],
 * });
 * // in a test: expect((await play()).failures).toEqual([])
 */
export async function crashMatrix<World extends CrashWorld, Result>(
  options: CrashOptions<World, Result> & {
    /** Milliseconds between a death and the next start; 1,000. */
    readonly pause?: number | undefined;
  },
): Promise<CrashReport> {
  const { pause = 1_000 } = options;
  const whole = await playLife(options, { deaths: [], pause });
  const failures: PlayedLife[] = whole.problems.length > 0 ? [whole] : [];
  for (let step = 1; step <= whole.steps; step++)
    for (const isAfter of [false, true]) {
      const life = await playLife(options, { deaths: [{ step, isAfter }], pause });
      if (life.problems.length > 0) failures.push(life);
    }
  return { steps: whole.steps, failures };
}

/** The subject of a simulation, and the number of its lives. */
export interface SimulateOptions<World extends CrashWorld, Result>
  extends CrashOptions<World, Result> {
  /** Number of the first life: the same one draws the same; 1. */
  readonly seed?: number | undefined;
  /** Number of lives; 100. */
  readonly lifetimes?: number | undefined;
  /** These lives, and no drawn ones: what an earlier report had in `failures`. */
  readonly schedules?: readonly LifeSchedule[] | undefined;
}

/** The result of a simulation. */
export interface SimulationReport {
  /** Lives that were played. */
  readonly lifetimes: number;
  /**
   * Those in which something was wrong, without what does not matter: give a `schedule` back to
   * play it again.
   */
  readonly failures: readonly PlayedLife[];
}

/** Failures that are made smaller; more say nothing new. */
const MOST_FAILURES = 5;
const ACTIONS = ['lost-before', 'lost-after', 'doubled'] as const;

/**
 * Plays random lives of your flow: processes die up to three times, another one works at the same
 * time, and the network loses or doubles requests. What goes wrong is made as small as it gets.
 *
 * @example
 * const play = () => simulate({
 *   lifetimes: 20,
 *   open: () => createSandbox(),
 *   run: ({ clientOptions, store }) => {
 *     const client = createClient(clientOptions);
 *     const to = 'ada@wallet.example';
 *     const amount = { amount: '5.00', currency: 'EUR' };
 *     const limits = { sourceCurrency: 'EUR', maxFee: 'any' } as const;
 *     return pay(client, { intent: 'a', to, amount, ...limits, journal: store }).result;
 *   },
 *   check: ({ ledger }) =>
 *     ledger.postings.filter(({ why }) => why === 'payment COMPLETED').length > 1
 *       ? ['paid twice']
 *       : [],
 * });
 * // in a test: expect((await play()).failures).toEqual([])
 */
export async function simulate<World extends CrashWorld, Result>(
  options: SimulateOptions<World, Result>,
): Promise<SimulationReport> {
  const { seed = 1, lifetimes = 100, schedules } = options;
  const all =
    schedules ?? Array.from({ length: lifetimes }, (_, index) => drawSchedule(seed + index));
  const failures: PlayedLife[] = [];
  for (const schedule of all) {
    const life = await playLife(options, schedule);
    if (life.problems.length === 0) continue;
    failures.push(failures.length < MOST_FAILURES ? await shrink(options, life) : life);
  }
  return { lifetimes: all.length, failures };
}

function drawSchedule(seed: number): LifeSchedule {
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  return {
    deaths: Array.from({ length: below(4) }, () => ({
      step: 1 + below(45),
      isAfter: random() < 0.5,
    })),
    pause: below(random() < 0.5 ? 5_000 : 900_000),
    hasTwin: random() < 0.3,
    network: Array.from({ length: below(4) }, () => ({
      nth: 1 + below(12),
      action: ACTIONS[below(ACTIONS.length)]!,
    })),
  };
}

/** Leaves out what does not matter, one thing after the other. */
async function shrink<World extends CrashWorld, Result>(
  options: CrashOptions<World, Result>,
  life: PlayedLife,
): Promise<PlayedLife> {
  for (const smaller of smallerThan(life.schedule)) {
    const played = await playLife(options, smaller);
    if (played.problems.length > 0) return shrink(options, played);
  }
  return life;
}

function smallerThan(schedule: LifeSchedule): readonly LifeSchedule[] {
  const { deaths, network = [], hasTwin, pause } = schedule;
  return [
    ...(hasTwin ? [{ ...schedule, hasTwin: false }] : []),
    ...deaths.map((_, index) => ({ ...schedule, deaths: deaths.filter((__, at) => at !== index) })),
    ...network.map((_, index) => ({
      ...schedule,
      network: network.filter((__, at) => at !== index),
    })),
    ...(pause > 0 ? [{ ...schedule, pause: 0 }] : []),
  ];
}
