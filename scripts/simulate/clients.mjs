// Clients of one service: what their calls bring, what they send, and how much of it. Each seed plays one kind of life.
import { chanceOf } from '../adversary/chance.mjs';
import { bodies, burst, outage } from './clients/calls.mjs';
import { same } from './clients/watching.mjs';
import { straysOf } from './strays.mjs';

/** The kinds of lives, by the names that `--faults` takes; what sends much comes seldom. */
const KINDS = { bodies, burst, outage, same };
const WEIGHTS = { bodies: 8, burst: 1, outage: 1, same: 6 };

export const livesEach = 1;
export const groups = Object.keys(KINDS);
export const shares = [];

/** The life of a seed, one of these kinds. */
export const scheduleOf = (seed, faults) => {
  const chance = chanceOf(`clients/${seed}`);
  const weights = Object.entries(WEIGHTS).filter(([kind]) => faults.includes(kind));
  if (weights.length === 0) throw new Error('--faults takes one kind of life at least');
  const kind = chance.weighed(Object.fromEntries(weights));
  return { seed, kind, ...KINDS[kind].draw(chance) };
};

/** Plays a schedule: what was sent, and what is wrong with it. */
export async function play(schedule) {
  const { requests, problems } = await KINDS[schedule.kind].play(schedule);
  const found = [...new Set([...problems, ...(await straysOf())])];
  return { row: schedule.kind, counts: { requests }, problems: found };
}

/** Smaller schedules: one thing less of each list, half of each number. */
export function* smaller(schedule) {
  for (const [name, value] of Object.entries(schedule)) {
    if (Array.isArray(value))
      for (const index of value.keys()) yield { ...schedule, [name]: value.toSpliced(index, 1) };
    if (name !== 'seed' && typeof value === 'number' && value > 1)
      yield { ...schedule, [name]: value >> 1 };
  }
}

/** A test that brings it back; it belongs into test/long/. */
export const testOf = (schedule, problem) => `
import { expect } from 'chai';
import { describe, it } from '#test';
import { play } from '../../scripts/simulate/clients.mjs';

describe('clients of the service', () => {
  it('do not end with: ${problem}', async () => {
    const { problems } = await play(${JSON.stringify(schedule)});
    expect(problems).to.deep.equal([]);
  });
});
`;
