// Plays one schedule and says what was wrong.
import type { Client, Invoice } from 'paystate';
import { chanceOf } from '../shared/chance.ts';
import { attend, type Thrown, type Wrap } from '../shared/watched/attend.ts';
import { drawSchedule, type DrawnWatch, meet, type Schedule } from '../shared/watched/draw.ts';
import { liesOf, misdatedOf, type Setting, wrongEndOf } from '../shared/watched/judge.ts';
import { createRecord, type WatchRecord } from '../shared/watched/listener.ts';
import { LentPage } from '../shared/watched/page.ts';
import { doubtsOf, type History, statesOf } from '../shared/watched/service.ts';
import { type Act, Stage } from '../shared/watched/stage.ts';
import { startTrouble } from '../shared/watched/start-trouble.ts';
import { codeFaultsOf } from './codes.ts';

const MINUTE_MS = 60_000;
/** Everything has to be right this long after the last disturbance. */
const CALM_MS = 10 * MINUTE_MS;
/** Time for which nothing may happen when nobody listens any more. */
const QUIET_MS = 10 * MINUTE_MS;
const OLDEST_MS = 20 * MINUTE_MS;

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** A run that has been played. */
export interface Run {
  readonly seed: number;
  readonly faults: readonly string[];
  readonly schedule: Schedule;
  readonly records: readonly WatchRecord[];
  readonly stage: Stage;
  readonly begin: number;
}

export interface RunOptions {
  /** Puts something between the SDK and its listeners, which checks the judge. */
  readonly wrap?: Wrap | undefined;
  /** Says what nobody has caught. */
  readonly strays?: ((counted: Thrown) => Promise<readonly string[]>) | undefined;
  /** Names of troubles that are left out, or `never`. */
  readonly without?: readonly string[];
  /** Without it the client has no events. */
  readonly hasFeed?: boolean;
}

/** Makes the invoices, each at its age before the run begins. */
async function createAll(
  { service, sandbox }: Stage,
  watches: readonly DrawnWatch[],
): Promise<ReadonlyMap<number, Invoice>> {
  const invoices = new Map<number, Invoice>();
  let age = OLDEST_MS;
  for (const watch of watches.toSorted((a, b) => b.age - a.age)) {
    await sandbox.advance(age - watch.age);
    age = watch.age;
    const amount = watch.isBitcoin
      ? { amount: '0.0001', currency: 'BTC' }
      : { amount: '12.50', currency: 'EUR' };
    invoices.set(watch.n, await service.create(amount));
  }
  await sandbox.advance(age);
  return invoices;
}

/** Nothing may be left of it when nobody listens any more. */
async function leftOf(
  { sandbox, network, device }: Stage,
  page: LentPage | undefined,
): Promise<readonly string[]> {
  await sandbox.advance(1_000);
  const before = network.log.length;
  await sandbox.advance(QUIET_MS);
  const counts = {
    'requests after the last listener left': network.log.length - before,
    'timers left': device.timers(),
    'requests open': network.flying(),
    'listeners of the page left': page?.listeners() ?? 0,
  };
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `left: ${count} ${what}`);
}

function verdictsOf(
  record: WatchRecord,
  history: History,
  setting: Setting,
  begin: number,
): readonly string[] {
  const { name, late } = record;
  const states = statesOf(history, record.id);
  const faults: string[] = [];
  const { worst, isFalse } = liesOf(record, states, setting);
  if (worst && isFalse)
    faults.push(
      `false live, ${worst.said} for ${worst.was}: ${name}, ${seconds(worst.lie)}, until ${seconds(worst.at - begin)}`,
    );
  const wrong = wrongEndOf(record, states, setting);
  const isDull = wrong?.startsWith('right') ? ', never live again' : '';
  if (wrong) faults.push(`wrong end${isDull}: ${name} ${wrong}`);
  const misdated = misdatedOf(record, states, setting);
  if (misdated) {
    const [at, asOf] = [seconds(misdated.at - begin), seconds(misdated.asOf - begin)];
    faults.push(`misdated: ${name} said at ${at} that ${misdated.state} was read at ${asOf}`);
  }
  if (late > 0) faults.push(`late: ${name} was called ${late} times after its end`);
  return [...faults, ...record.faults];
}

/** The parts that all watches of a run need. */
interface Playing {
  readonly schedule: Schedule;
  readonly stage: Stage;
  readonly page: LentPage | undefined;
  readonly client: Client;
  readonly invoices: ReadonlyMap<number, Invoice>;
  readonly wrap: Wrap | undefined;
  readonly counted: Thrown;
}

interface Planned {
  readonly acts: Act[];
  readonly records: WatchRecord[];
  readonly leaves: (() => void)[];
}

/** Plans the events of the invoices, and their listeners. */
function planWatches({ schedule, stage, client, invoices, wrap, counted }: Playing): Planned {
  const planned: Planned = { acts: [], records: [], leaves: [] };
  for (const { n, fate, listeners } of schedule.watches) {
    const invoice = invoices.get(n)!;
    for (const one of fate)
      planned.acts.push({
        at: one.at,
        act: () => meet(stage.service, invoice.invoiceId, one),
      });
    for (const [index, listener] of listeners.entries()) {
      const name = `${n}${'abc'[index]} ${listener.kind}`;
      const record = createRecord(name, invoice.invoiceId, listener.kind, stage.clock);
      planned.records.push(record);
      const one = attend({ stage, client, invoice, listener, record, wrap, counted });
      planned.acts.push(...one.acts);
      planned.leaves.push(one.leave);
    }
  }
  return planned;
}

/** The troubles, and what the page does. */
function planTroubles({ schedule, stage, page, invoices }: Playing, begin: number): readonly Act[] {
  const { watches, troubles } = schedule;
  const chance = chanceOf(`trouble/${schedule.seed}`);
  const target = watches.find(({ fate }) => fate[0]?.act === 'pay') ?? watches[0]!;
  const paid = invoices.get(target.n)!.invoiceId;
  const acts: Act[] = [];
  for (const { name, from, to } of troubles) {
    const span = { from: begin + from, to: begin + to, paid };
    let end = (): void => {};
    const start = (): void => void (end = startTrouble(name, { stage, span, chance, page }));
    acts.push({ at: from, act: start }, { at: to, act: () => end() });
  }
  if (!page) return acts;
  const use = (act: 'hide' | 'show' | 'focus') => () => stage.device.use(() => page[act]());
  for (const { at, act } of schedule.page ?? []) acts.push({ at, act: use(act) });
  return [...acts, { at: schedule.calmAt, act: use('show') }];
}

export async function runSchedule(seed: number, options: RunOptions = {}): Promise<Run> {
  const { wrap, strays, without = [], hasFeed = true } = options;
  const schedule = drawSchedule(seed, without);
  const stage = new Stage({ seed });
  const { service, clock, device, sandbox } = stage;
  const page = schedule.page && new LentPage(clock);
  try {
    const invoices = await createAll(stage, schedule.watches);
    const client = stage.newClient({ feed: hasFeed });
    const begin = clock.now();
    const counted = { thrown: 0 };
    const playing: Playing = { schedule, stage, page, client, invoices, wrap, counted };
    const { acts, records, leaves } = planWatches(playing);
    acts.push(...planTroubles(playing, begin));
    await stage.play(acts, schedule.calmAt + CALM_MS);
    const { sleeps } = device;
    const isLagging = schedule.troubles.some(({ name }) => /behind|stale/.test(name));
    const isAhead = schedule.troubles.some(({ name }) => name === 'ahead');
    const end = clock.now();
    const setting: Setting = { end, hasFeed, sleeps, hidden: page?.hidden, isAhead, isLagging };
    const doubts = await doubtsOf(service);
    const faults = [
      ...doubts.map((text) => `the judge is wrong: ${text}`),
      ...records.flatMap((record) => verdictsOf(record, service.history, setting, begin)),
      ...codeFaultsOf(records, stage.codes, { end, sleeps }),
      ...(sandbox.blocks > 0 ? [`blocked: by the service ${sandbox.blocks} times`] : []),
    ];
    for (const leave of leaves) leave();
    faults.push(...(await leftOf(stage, page)));
    if (strays) faults.push(...(await strays(counted)));
    return { seed, faults, schedule, records, stage, begin };
  } finally {
    page?.takeAway();
  }
}
