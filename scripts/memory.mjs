// What 10,000 watches take, and what subscriptions leave behind.
//   npm run memory                    heap of a watch, processor time of a minute, slope of the heap over subscriptions
//   npm run memory -- --watches 1000
// Exit code 1 where a watch without its value takes over 1,600 bytes, or subscriptions leave something behind.
import { watchInvoice } from 'paystate';
import { quietSubscriptions } from './watched/cycles.mjs';
import { heapNow } from './watched/heap.mjs';
import { createMany, openStage } from './watched/stage.mjs';

const MINUTE = 60_000;
const MINUTES = 10;
const MOST = 1_600;
/** Bytes by which the heap may seem to grow per 1,000 subscriptions; less cannot be told from the noise of a heap. */
const NOISE = 2_000;

if (!globalThis.gc) throw new Error('needs node --expose-gc');
const given = process.argv.slice(2);
const count = given.includes('--watches') ? Number(given[given.indexOf('--watches') + 1]) : 10_000;

const secondsOf = (used) => {
  const { user, system } = process.cpuUsage(used);
  return (user + system) / 1e6;
};

/** Processor time of `work`, seconds. */
const timed = async (work) => {
  const used = process.cpuUsage();
  await work();
  return secondsOf(used);
};

/** Sends the same requests once more to a service without watches: what sandbox and network take themselves. */
const replayed = (sandbox, sent, send) =>
  timed(async () => {
    for (const { request } of sent) {
      await (await send(request)).text();
      await sandbox.advance(100);
    }
  });

const measure = async () => {
  const stage = openStage({ seed: 1 });
  const { sandbox, clock, network, newClient } = stage;
  const invoices = await createMany(stage, count);
  const client = newClient();
  const nothing = () => {};
  const before = await heapNow();
  let watches = invoices.map((invoice) => watchInvoice(client, invoice));
  const cold = ((await heapNow()) - before) / count;
  let stops = watches.map((watch) => watch.subscribe(nothing));
  const isLive = (watch) => watch.current()?.freshness === 'live';
  let minutes = 0;
  while (!watches.every(isLive) && minutes++ < 60) await sandbox.advance(MINUTE);
  if (!watches.every(isLive))
    console.log(`not all live after ${minutes} min: the figures are of less`);
  await sandbox.advance(5 * MINUTE);
  const { baseUrl, fetch, apiKey } = sandbox.clientOptionsFor({ address: '203.0.113.77' });
  const headers = { authorization: `Bearer ${apiKey}` };
  const send = ({ method, path, search }) =>
    fetch(`${baseUrl}${path}${search}`, { method, headers });
  const from = clock.now();
  const cpu = await timed(() => sandbox.advance(MINUTES * MINUTE));
  const sent = network.log.filter(({ at }) => at >= from);
  const own = await replayed(sandbox, sent, send);
  let values = watches.map((watch) => watch.current()?.value);
  const full = await heapNow();
  for (const stop of stops) stop();
  watches = stops = undefined;
  await sandbox.advance(5_000);
  const withValues = await heapNow();
  const kept = values.length;
  values = undefined;
  const empty = await heapNow();
  return {
    cold,
    bytes: (full - empty) / kept,
    value: (withValues - empty) / kept,
    cpu,
    own,
    requests: sent.length,
  };
};

const slope = await quietSubscriptions(); // first: a heap that was large moves more
const { cold, bytes, value, cpu, own, requests } = await measure();
const rounded = (number, digits = 0) => number.toFixed(digits);
console.table({
  [`heap of a watch at ${count}, bytes`]: rounded(bytes),
  '  of this its value': rounded(value),
  '  without its value (at most 1,600)': rounded(bytes - value),
  '  of this before anyone has subscribed': rounded(cold),
  'processor, seconds a virtual minute': rounded(cpu / MINUTES, 3),
  '  of this sandbox and network': rounded(own / MINUTES, 3),
  '  requests a minute': rounded(requests / MINUTES, 1),
  'heap left by 1,000 subscriptions, kB': rounded(slope / 1_000, 2),
});
const isGood = bytes - value <= MOST && slope <= NOISE;
console.log(isGood ? 'ok memory' : 'memory: over its limits');
process.exitCode = isGood ? 0 : 1;
