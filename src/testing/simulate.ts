import { type CrashOptions, type LifeSchedule, playLife, type PlayedLife } from './crash-life.ts';
import type { CrashWorld } from './crash-process.ts';

/** What is simulated, and how often. */
export interface SimulateOptions<World extends CrashWorld, Result>
  extends CrashOptions<World, Result> {
  /** Number of the first life: the same one draws the same; 1. */
  readonly seed?: number | undefined;
  /** How many lives; 100. */
  readonly lifetimes?: number | undefined;
  /** These lives, and no drawn ones: what an earlier report had in `failures`. */
  readonly schedules?: readonly LifeSchedule[] | undefined;
}

/** What a simulation has found. */
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
 *     ledger.postings.filter(({ why }) => why === 'payment COMPLETED').length > 1 ? ['paid twice'] : [],
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
  const random = randomOf(seed);
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

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
