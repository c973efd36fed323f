// Clients of one service: what their calls bring, what they send, and how much of it. Each seed plays one kind of life.
import { chanceOf } from '../shared/chance.ts';
import { bodies, burst, outage } from './clients/calls.ts';
import type { Drawn } from './clients/kind.ts';
import { same } from './clients/watching.ts';
import { anyPlan, type Played, testText } from './plan.ts';
import { straysOf } from './strays.ts';

/** The kinds of lives, by the names that `--faults` takes. */
const KINDS = { bodies, burst, outage, same };
type KindName = keyof typeof KINDS;
/** Kinds that send much come seldom. */
const WEIGHTS: Readonly<Record<KindName, number>> = { bodies: 8, burst: 1, outage: 1, same: 6 };

interface ClientsSchedule {
  readonly seed: number;
  readonly kind: KindName;
  readonly drawn: Drawn;
}

/** The life of a seed, one of these kinds. */
function scheduleOf(seed: number, faults: readonly string[]): ClientsSchedule {
  const chance = chanceOf(`clients/${seed}`);
  const weights = Object.entries(WEIGHTS).filter(([kind]) => faults.includes(kind));
  if (weights.length === 0) throw new Error('--faults takes one kind of life at least');
  const kind = chance.weighed(Object.fromEntries(weights) as typeof WEIGHTS);
  return { seed, kind, drawn: KINDS[kind].draw(chance) };
}

/** Plays a schedule: what was sent, and what is wrong with it. */
export async function play({ seed, kind, drawn }: ClientsSchedule): Promise<Played> {
  const { requests, problems } = await KINDS[kind].play(seed, drawn);
  return {
    row: kind,
    counts: { requests },
    problems: [...new Set([...problems, ...(await straysOf())])],
  };
}

/** Smaller schedules: one thing less of each list, half of each number. */
function* smaller(schedule: ClientsSchedule): Iterable<ClientsSchedule> {
  const withOne = (name: string, value: unknown): ClientsSchedule => ({
    ...schedule,
    drawn: { ...schedule.drawn, [name]: value },
  });
  for (const [name, value] of Object.entries(schedule.drawn)) {
    if (Array.isArray(value))
      for (const index of value.keys()) yield withOne(name, value.toSpliced(index, 1));
    if (typeof value === 'number' && value > 1) yield withOne(name, value >> 1);
  }
}

const testOf = (schedule: ClientsSchedule, problem: string): string =>
  testText('clients of the service', 'clients', schedule, problem);

export const plan = anyPlan({
  groups: Object.keys(KINDS),
  livesEach: 1,
  shares: [],
  scheduleOf,
  play,
  smaller,
  testOf,
});
