import type { Store } from '../stores/store.ts';
import { memoryStore } from '../stores/memory.ts';
import {
  type CrashPoint,
  type CrashProcess,
  type CrashWorld,
  createProcess,
} from './crash-process.ts';

/** What dies, and how it is judged. */
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

/** What happens in one life: plain data, which brings it back. */
export interface LifeSchedule {
  /** Where the processes die, one after the other; the last one lives. */
  readonly deaths: readonly CrashPoint[];
  /** Milliseconds between a death and the next start. */
  readonly pause: number;
  /** Another process does the same all the time. */
  readonly hasTwin?: boolean | undefined;
  /** What happens to requests, by their numbers in all processes. */
  readonly network?: readonly NetworkFault[] | undefined;
}

/** What the network does to one request. */
export interface NetworkFault {
  /** Number of the request, from 1. */
  readonly nth: number;
  /** `lost-before` it has no effect · `lost-after` its response is lost · `doubled` it arrives twice. */
  readonly action: 'lost-before' | 'lost-after' | 'doubled';
}

/** What became of a life. */
export interface PlayedLife {
  /** What happened in it; see `SimulateOptions.schedules`. */
  readonly schedule: LifeSchedule;
  /** Steps of the first process. */
  readonly steps: number;
  /** What is wrong; empty in a good life. */
  readonly problems: readonly string[];
}

const HOURS = 3_600_000;

/** Plays processes one after the other until one of them has told its result. */
export async function playLife<World extends CrashWorld, Result>(
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
