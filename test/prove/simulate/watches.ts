// T1: invoices that are watched through trouble, a hundred in each world.
// No state goes back unless it says so, what is settled ends the watch, nobody hears anything after leaving, and when all is
// calm again everything is as the service says.
import type { Client, Invoice } from 'paystate';
import { type Chance, chanceOf } from '../shared/chance.ts';
import { attend, OwnError, type Thrown } from '../shared/watched/attend.ts';
import {
  drawSchedule,
  type DrawnTrouble,
  type FateAct,
  type Listener,
  meet,
} from '../shared/watched/draw.ts';
import { createRecord, type WatchRecord } from '../shared/watched/listener.ts';
import { type Act, Stage } from '../shared/watched/stage.ts';
import { startTrouble } from '../shared/watched/start-trouble.ts';
import { judge } from './judge-watches.ts';
import { anyPlan, type Played, testText } from './plan.ts';
import { straysOf } from './strays.ts';

const MINUTE_MS = 60_000;
const LENGTH_MS = 3 * MINUTE_MS;
/** Time after the last disturbance from which everything has to be right. */
const CALM_MS = 3 * MINUTE_MS;
const QUIET_MS = 10 * MINUTE_MS;
const LIVES_EACH = 100;
const groups = ['troubles', 'leaving', 'throwing', 'twice'];
/** Troubles that are left out: they are too long, or nothing of a world with one client. */
const LEFT_OUT = ['block', 'sleep', 'sleep-ticking', 'poison'];

interface SimulatedWatch {
  readonly n: number;
  readonly fate: readonly FateAct[];
  readonly listeners: readonly Listener[];
}

interface WatchesSchedule {
  readonly seed: number;
  readonly troubles: readonly DrawnTrouble[];
  readonly watches: readonly SimulatedWatch[];
}

function drawFate(chance: Chance): readonly FateAct[] {
  const at = chance.between(0, LENGTH_MS);
  const pendingFor = chance.between(1, 60) * 1_000;
  return chance.pick<readonly FateAct[]>([
    [],
    [{ at, act: 'pay' }],
    [{ at, act: 'pay' }],
    [{ at, act: 'pay', pendingFor }],
    [{ at, act: 'pay', pendingFor, fails: true }],
    [{ at, act: 'cancel' }],
  ]);
}

function drawListener(chance: Chance, faults: readonly string[]): Listener {
  const from = chance.between(0, MINUTE_MS);
  const leaves = from + chance.between(1, LENGTH_MS);
  const isLeaving = chance.hits(0.25) && faults.includes('leaving');
  const spans: Listener['spans'] = isLeaving
    ? [
        [from, leaves],
        [leaves + chance.between(0, 20_000), Infinity],
      ]
    : [[from, Infinity]];
  const throws = chance.hits(0.05) && faults.includes('throwing');
  return { kind: chance.weighed({ watch: 8, rx: 1 }), until: 'settled', throws, spans };
}

/** A world of a seed, with these faults only; the troubles are those of `npm run prove -- schedules`. */
function scheduleOf(seed: number, faults: readonly string[]): WatchesSchedule {
  const chance = chanceOf(`watches/${seed}`);
  const { troubles } = drawSchedule(seed, LEFT_OUT);
  const kept = faults.includes('troubles') ? troubles : [];
  return {
    seed,
    troubles: kept.map(({ name, from, to }) => ({
      name,
      from: from % LENGTH_MS,
      to: Math.min(to - from + (from % LENGTH_MS), 2 * LENGTH_MS),
    })),
    watches: Array.from({ length: LIVES_EACH }, (_, n) => ({
      n,
      fate: drawFate(chance),
      listeners: Array.from({ length: chance.hits(0.1) && faults.includes('twice') ? 2 : 1 }, () =>
        drawListener(chance, faults),
      ),
    })),
  };
}

/** A world with its events and their record. */
class World {
  readonly acts: Act[] = [];
  readonly records: WatchRecord[] = [];
  readonly leaves: (() => void)[] = [];
  readonly counted: Thrown = { thrown: 0 };
  readonly stage: Stage;
  readonly client: Client;

  constructor(stage: Stage) {
    this.stage = stage;
    this.client = stage.newClient({});
  }

  addWatch({ n, fate, listeners }: SimulatedWatch, invoice: Invoice): void {
    const { stage, client, counted } = this;
    const { invoiceId } = invoice;
    for (const one of fate)
      this.acts.push({ at: one.at, act: () => meet(stage.service, invoiceId, one) });
    for (const [index, listener] of listeners.entries()) {
      const name = `${n}${'ab'[index]} ${listener.kind}`;
      const record = createRecord(name, invoiceId, listener.kind, stage.clock);
      this.records.push(record);
      const one = attend({ stage, client, invoice, listener, record, counted });
      this.acts.push(...one.acts);
      this.leaves.push(one.leave);
    }
  }

  addTrouble({ name, from, to }: DrawnTrouble, chance: Chance, paid: string): void {
    const { stage } = this;
    const begin = stage.clock.now();
    const span = { from: begin + from, to: begin + to, paid };
    let end = (): void => {};
    const start = (): void => void (end = startTrouble(name, { stage, span, chance }));
    this.acts.push({ at: from, act: start }, { at: to, act: () => end() });
  }

  /** Lets everybody leave; resolves to what goes on. */
  async leftOf(): Promise<readonly string[]> {
    const { sandbox, network, device } = this.stage;
    for (const leave of this.leaves) leave();
    await sandbox.advance(1_000);
    const before = network.log.length;
    await sandbox.advance(QUIET_MS);
    const isLeft = network.log.length > before || device.timers() > 0 || network.flying() > 0;
    const { blocks } = sandbox;
    return [
      ...(isLeft ? ['something goes on after the last listener has left'] : []),
      ...(blocks > 0 ? [`blocked by the service ${blocks} times`] : []),
    ];
  }
}

/** Plays a world: how its invoices ended, and what is wrong. */
export async function play({ seed, troubles, watches }: WatchesSchedule): Promise<Played> {
  const stage = new Stage({ seed });
  const { service, network } = stage;
  const invoices: Invoice[] = [];
  for (const _ of watches) invoices.push(await service.create());
  const world = new World(stage);
  for (const watch of watches) world.addWatch(watch, invoices[watch.n]!);
  const chance = chanceOf(`trouble/${seed}`);
  for (const one of troubles) world.addTrouble(one, chance, invoices[0]!.invoiceId);
  const calmAt = Math.max(2 * LENGTH_MS, ...troubles.map(({ to }) => to));
  await stage.play(world.acts, calmAt + CALM_MS);
  const problems = [...judge(world.records, service.history), ...(await world.leftOf())];
  const isOwn = (error: unknown): boolean => error instanceof OwnError;
  problems.push(...(await straysOf(world.counted.thrown, isOwn)));
  const counts: Record<string, number> = {
    requests: network.log.length,
    troubles: troubles.length,
  };
  for (const states of service.history.values()) {
    const { state } = states.at(-1)!;
    counts[state] = (counts[state] ?? 0) + 1;
  }
  return { row: 'invoices', lives: watches.length, counts, problems: [...new Set(problems)] };
}

function* smaller(schedule: WatchesSchedule): Iterable<WatchesSchedule> {
  const { troubles, watches } = schedule;
  for (const index of troubles.keys())
    yield { ...schedule, troubles: troubles.toSpliced(index, 1) };
  const half = watches.length >> 1;
  if (half === 0) return;
  for (const some of [watches.slice(0, half), watches.slice(half)])
    yield { ...schedule, watches: some.map((watch, n) => ({ ...watch, n })) };
}

const testOf = (schedule: WatchesSchedule, problem: string): string =>
  testText('invoices that are watched', 'watches', schedule, problem);

export const plan = anyPlan({
  groups,
  livesEach: LIVES_EACH,
  shares: [],
  scheduleOf,
  play,
  smaller,
  testOf,
});
