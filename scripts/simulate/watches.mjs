// T1: invoices that are watched through trouble, a hundred in each world: no state goes back unless it says so, what is settled ends
// the watch, nobody hears anything after leaving, and when all is calm again everything is as the service says.
import { chanceOf } from '../adversary/chance.mjs';
import { attend, OwnError } from '../watched/attend.mjs';
import { drawSchedule } from '../watched/draw.mjs';
import { createRecord } from '../watched/listener.mjs';
import { openStage, play as playActs } from '../watched/stage.mjs';
import { startTrouble } from '../watched/start-trouble.mjs';
import { judge } from './judge-watches.mjs';
import { straysOf } from './strays.mjs';

const MINUTE = 60_000;
const LENGTH = 3 * MINUTE;
/** So long after the last disturbance everything has to be right. */
const CALM = 3 * MINUTE;

export const livesEach = 100;
export const groups = ['troubles', 'leaving', 'throwing', 'twice'];
export const shares = [];

const SHORT = ['block', 'sleep', 'sleep-ticking', 'poison'];

const drawFate = (chance) => {
  const at = chance.between(0, LENGTH);
  const pendingFor = chance.between(1, 60) * 1_000;
  return chance.pick([
    [],
    [{ at, act: 'pay' }],
    [{ at, act: 'pay' }],
    [{ at, act: 'pay', pendingFor }],
    [{ at, act: 'pay', pendingFor, fails: true }],
    [{ at, act: 'cancel' }],
  ]);
};

const drawListener = (chance, faults) => {
  const from = chance.between(0, MINUTE);
  const leaves = from + chance.between(1, LENGTH);
  const isLeaving = chance.hits(0.25) && faults.includes('leaving');
  const spans = isLeaving
    ? [
        [from, leaves],
        [leaves + chance.between(0, 20_000), Infinity],
      ]
    : [[from, Infinity]];
  const throws = chance.hits(0.05) && faults.includes('throwing');
  return { kind: chance.weighed({ watch: 8, rx: 1 }), until: 'settled', throws, spans };
};

/** A world of a seed, with these faults only; the troubles are those of `npm run schedules`. */
export const scheduleOf = (seed, faults) => {
  const chance = chanceOf(`watches/${seed}`);
  const { troubles } = drawSchedule(seed, SHORT);
  const kept = faults.includes('troubles') ? troubles : [];
  return {
    seed,
    troubles: kept.map((one) => ({
      ...one,
      from: one.from % LENGTH,
      to: Math.min(one.to - one.from + (one.from % LENGTH), 2 * LENGTH),
    })),
    watches: Array.from({ length: livesEach }, (_, n) => ({
      n,
      fate: drawFate(chance),
      listeners: Array.from({ length: chance.hits(0.1) && faults.includes('twice') ? 2 : 1 }, () =>
        drawListener(chance, faults),
      ),
    })),
  };
};

const actsOf = (stage, client, { n, fate, listeners }, invoice, records, counted) => {
  const { service, clock } = stage;
  const wrap = (watch) => watch;
  const acts = fate.map(({ at, act, ...how }) => ({
    at,
    act: () => service[act](invoice.invoiceId, how),
  }));
  const leaves = [];
  for (const [index, listener] of listeners.entries()) {
    const name = `${n}${'ab'[index]} ${listener.kind}`;
    const record = createRecord(name, invoice.invoiceId, listener.kind, clock);
    records.push(record);
    const one = attend({ stage, client, invoice, listener, record, wrap, counted });
    acts.push(...one.acts);
    leaves.push(one.leave);
  }
  return { acts, leaves };
};

/** Plays a world: how its invoices ended, and what is wrong. */
export async function play(schedule) {
  const { seed, troubles, watches } = schedule;
  const stage = openStage({ seed });
  const { sandbox, clock, service, network, device } = stage;
  const invoices = [];
  for (const _ of watches) invoices.push(await service.create());
  const client = stage.newClient({});
  const [acts, records, stops, counted] = [[], [], [], { thrown: 0 }];
  for (const watch of watches) {
    const one = actsOf(stage, client, watch, invoices[watch.n], records, counted);
    acts.push(...one.acts);
    stops.push(...one.leaves);
  }
  const begin = clock.now();
  const chance = chanceOf(`trouble/${seed}`);
  for (const trouble of troubles) {
    let end = () => {};
    const span = {
      from: begin + trouble.from,
      to: begin + trouble.to,
      paid: invoices[0].invoiceId,
    };
    const start = () => void (end = startTrouble(stage, trouble, span, chance, undefined));
    acts.push({ at: trouble.from, act: start }, { at: trouble.to, act: () => end() });
  }
  const calmAt = Math.max(2 * LENGTH, ...troubles.map(({ to }) => to));
  await playActs(stage, acts, calmAt + CALM);
  const problems = judge(records, service.history);
  for (const stop of stops) stop();
  await sandbox.advance(1_000);
  const before = network.log.length;
  await sandbox.advance(10 * MINUTE);
  if (network.log.length > before || device.timers() > 0 || network.flying() > 0)
    problems.push('something goes on after the last listener has left');
  if (sandbox.blocks > 0) problems.push(`blocked by the service ${sandbox.blocks} times`);
  problems.push(...(await straysOf(counted.thrown, (error) => error instanceof OwnError)));
  const ends = [...service.history.values()].map((states) => states.at(-1).state);
  const counts = { requests: network.log.length, troubles: troubles.length };
  for (const state of ends) counts[state] = (counts[state] ?? 0) + 1;
  return { row: 'invoices', lives: watches.length, counts, problems: [...new Set(problems)] };
}

/** Smaller worlds, the smallest steps last. */
export function* smaller(schedule) {
  const { troubles, watches } = schedule;
  for (const index of troubles.keys())
    yield { ...schedule, troubles: troubles.toSpliced(index, 1) };
  const half = watches.length >> 1;
  if (half > 0)
    for (const some of [watches.slice(0, half), watches.slice(half)])
      yield { ...schedule, watches: some.map((watch, n) => ({ ...watch, n })) };
}

/** A test that brings it back; it belongs into test/long/. */
export const testOf = (schedule, problem) => `
import { expect } from 'chai';
import { describe, it } from '#test';
import { play } from '../../scripts/simulate/watches.mjs';

describe('invoices that are watched', () => {
  it('do not end with: ${problem}', async () => {
    const { problems } = await play(${JSON.stringify(schedule)});
    expect(problems).to.deep.equal([]);
  });
});
`;
