// Draws a world by a seed.
import { chanceOf } from '../shared/chance.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

export interface DrawnWorld {
  readonly seed: number;
  /** Watches. */
  readonly count: number;
  /** The caller's own reads, a minute. */
  readonly ownReads: number;
  /** This many of a hundred responses are a 429 of something before the service. */
  readonly strays: number;
  /** Events are so late at most, milliseconds. */
  readonly lateness: number;
  /** A replica is so far behind at most, milliseconds. */
  readonly lag: number;
  readonly hasFeed: boolean;
  readonly hasLists: boolean;
  /** All were made in one second; otherwise over a quarter of an hour. */
  readonly isAtOnce: boolean;
  /** Watched by ids alone. */
  readonly isById: boolean;
  /** The clock on the wall jumps ahead by this number of milliseconds. */
  readonly jump: number;
  readonly length: number;
  readonly payments: number;
}

export function drawWorld(
  seed: number,
  counts: readonly number[] = [1, 60, 300, 1_000],
): DrawnWorld {
  const chance = chanceOf(`world/${seed}`);
  return {
    seed,
    count: chance.pick(counts),
    ownReads: chance.pick([0, 40, 80]),
    strays: chance.pick([0, 0, 1, 5]),
    lateness: chance.pick([0, 0, 10 * SECOND_MS, 5 * MINUTE_MS]),
    lag: chance.pick([0, 0, 10 * SECOND_MS, 30 * SECOND_MS]),
    hasFeed: chance.hits(0.75),
    hasLists: chance.hits(0.85),
    isAtOnce: chance.hits(0.25),
    isById: chance.hits(0.2),
    jump: chance.pick([0, 0, 0, 40 * SECOND_MS, 11 * MINUTE_MS]),
    length: chance.between(3, 6) * MINUTE_MS,
    payments: chance.between(1, 12),
  };
}

export const textOf = (world: DrawnWorld): string =>
  Object.entries(world)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
