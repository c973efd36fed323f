// Plays one schedule and says what was wrong: [] where all is well.
import { chanceOf } from '../adversary/chance.mjs';
import { codeFaultsOf } from './codes.mjs';
import { drawSchedule } from './draw.mjs';
import { liesOf, misdatedOf, wrongEndOf } from './judge.mjs';
import { createRecord } from './listener.mjs';
import { attend } from './attend.mjs';
import { lendPage } from './page.mjs';
import { doubtsOf } from './service.mjs';
import { openStage, play } from './stage.mjs';
import { startTrouble } from './start-trouble.mjs';

const MINUTE = 60_000;
/** Everything has to be right this long after the last disturbance, milliseconds. */
const CALM = 10 * MINUTE;

const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`;

/** Makes the invoices, each at its age before the run begins. */
const createAll = async ({ service, sandbox }, watches) => {
  const ids = new Map();
  let age = 20 * MINUTE;
  for (const watch of watches.toSorted((a, b) => b.age - a.age)) {
    await sandbox.advance(age - watch.age);
    age = watch.age;
    const amount = watch.isBitcoin
      ? { amount: '0.0001', currency: 'BTC' }
      : { amount: '12.50', currency: 'EUR' };
    ids.set(watch.n, await service.create(amount));
  }
  await sandbox.advance(age);
  return ids;
};

const fateActs = ({ service }, { fate }, { invoiceId }) =>
  fate.map(({ at, act, ...how }) => ({ at, act: () => service[act](invoiceId, how) }));

/** Nothing may be left of it when nobody listens any more. */
const leftOf = async ({ sandbox, network, device }, page) => {
  await sandbox.advance(1_000);
  const before = network.log.length;
  const left = [];
  await sandbox.advance(10 * MINUTE);
  if (network.log.length > before)
    left.push(`left: ${network.log.length - before} requests after the last listener left`);
  if (device.timers() > 0) left.push(`left: ${device.timers()} timers left`);
  if (network.flying() > 0) left.push(`left: ${network.flying()} requests open`);
  if (page && page.listeners() > 0)
    left.push(`left: ${page.listeners()} listeners of the page left`);
  return left;
};

const verdictsOf = (records, history, setting) =>
  records.flatMap((record) => {
    const states = history.get(record.id);
    const { worst, isFalse } = liesOf(record, states, setting);
    const wrong = wrongEndOf(record, states, setting);
    const misdated = misdatedOf(record, states, setting);
    return [
      isFalse &&
        `false live, ${worst.said} for ${worst.was}: ${record.name}, ${seconds(worst.lie)}, until ${seconds(worst.at - setting.begin)}`,
      wrong &&
        `wrong end${wrong.startsWith('right') ? ', never live again' : ''}: ${record.name} ${wrong}`,
      misdated &&
        `misdated: ${record.name} said at ${seconds(misdated.at - setting.begin)} that ${misdated.state} was read at ${seconds(misdated.asOf - setting.begin)}`,
      record.late > 0 && `late: ${record.name} was called ${record.late} times after its end`,
      ...(record.faults ?? []),
    ].filter(Boolean);
  });

/**
 * `wrap` may put something between the SDK and its listeners, which checks the judge. Without `hasFeed` the client has no
 * events.
 */
export const runSchedule = async (
  seed,
  { wrap = (watch) => watch, strays, without = [], hasFeed = true } = {},
) => {
  const schedule = drawSchedule(seed, without);
  const stage = openStage({ seed });
  const { service, clock, device, sandbox } = stage;
  const page = schedule.page && lendPage(clock);
  try {
    const ids = await createAll(stage, schedule.watches);
    const client = stage.newClient({ feed: hasFeed });
    const begin = clock.now();
    const [acts, records, stops] = [[], [], []];
    const counted = { thrown: 0 };
    for (const watch of schedule.watches) {
      const invoice = ids.get(watch.n);
      acts.push(...fateActs(stage, watch, invoice));
      for (const [n, listener] of watch.listeners.entries()) {
        const name = `${watch.n}${'abc'[n]} ${listener.kind}`;
        const record = createRecord(name, invoice.invoiceId, listener.kind, clock);
        records.push(record);
        const attending = attend({ stage, client, invoice, listener, record, wrap, counted });
        acts.push(...attending.acts);
        stops.push(attending.leave);
      }
    }
    const chance = chanceOf(`trouble/${seed}`);
    const paid = schedule.watches.filter(({ fate }) => fate[0]?.act === 'pay');
    const target = ids.get((paid[0] ?? schedule.watches[0]).n).invoiceId;
    for (const trouble of schedule.troubles) {
      let end;
      const span = { from: begin + trouble.from, to: begin + trouble.to, paid: target };
      acts.push({
        at: trouble.from,
        act: () => void (end = startTrouble(stage, trouble, span, chance, page)),
      });
      acts.push({ at: trouble.to, act: () => end() });
    }
    if (page) {
      for (const { at, act } of schedule.page) acts.push({ at, act: () => device.use(page[act]) });
      acts.push({ at: schedule.calmAt, act: () => device.use(page.show) });
    }
    await play(stage, acts, schedule.calmAt + CALM);
    const setting = {
      begin,
      end: clock.now(),
      hasFeed,
      sleeps: device.sleeps,
      hidden: page?.hidden,
      isAhead: schedule.troubles.some(({ name }) => name === 'ahead'),
      isLagging: schedule.troubles.some(({ name }) => /behind|stale/.test(name)),
    };
    const doubts = await doubtsOf(service);
    const faults = [
      ...doubts.map((text) => `the judge is wrong: ${text}`),
      ...verdictsOf(records, service.history, setting),
      ...codeFaultsOf(records, stage.codes, setting),
      ...(sandbox.blocks > 0 ? [`blocked: by the service ${sandbox.blocks} times`] : []),
    ];
    for (const leave of stops) leave();
    faults.push(...(await leftOf(stage, page)));
    if (strays) faults.push(...(await strays(counted)));
    return { seed, faults, schedule, records, stage, begin };
  } finally {
    page?.takeAway();
  }
};
