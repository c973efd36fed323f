// `npm run edge-kills`: the relay's account object in real workerd, killed at numbered steps (before and after each request
// to the service, each message to a room and each handler) while orders are paid and their events come lost, doubled and in
// any order. Each order is packed exactly once, under one key, and each page says paid.
//   npm run edge-kills                 50 steps, at which the object is aborted
//   npm run edge-kills -- 5            so many
//   npm run edge-kills -- 50 process   the process of workerd is killed by SIGKILL, and started again
import './quiet-tools.mjs';
import { makeEvent } from 'paystate/testing';
import { openRelay, until } from '../test/edge/relay-harness.ts';
import { openProcesses } from './kills/edge-process.mjs';

const COUNT = Number(process.argv[2] ?? 50);
const ORDERS = 3;
const LOST = 0.3;
const DOUBLED = 0.3;
/**
 * What no webhook tells is found by the feed, which an object that was killed while it read it reads
 * again a minute later: here it is due sooner, milliseconds. Each read takes places of the rate limit.
 */
const FEED_AFTER = 500;
const FEED_EVERY = 15_000;
const DRAFT = { amount: { amount: '7.20', currency: 'EUR' }, description: 'Two cups' };

/** The same numbers in each run. */
let seed = 1;
const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;

const processes = process.argv[3] === 'process' ? await openProcesses() : undefined;
const { world, close } = await openRelay(processes?.start);
/** Events that were acknowledged. */
const kept = new Set();
const sql = (query, ...bindings) => world.call('account/sql', [query, ...bindings]);
/** Asks until there is an answer: the process may be starting again. */
const again = async (call) => {
  for (;;) {
    const done = await call().catch(() => undefined);
    if (done !== undefined) return done;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

async function openOrder() {
  const order = await again(() => world.call('order', DRAFT));
  const invoiceId = await again(async () => {
    const answer = await world.ask('/pay/token', {
      method: 'POST',
      headers: { authorization: `Bearer ${order.orderSecret}` },
      body: JSON.stringify({ orderId: order.orderId }),
    });
    return (await answer.json()).invoiceId;
  });
  const socket = await again(async () => world.socket(await world.token(invoiceId)));
  return { ...order, invoiceId, socket };
}

/** Deliveries as they come: of each event none, one or two, in any order; and how many were acknowledged. */
async function deliverAll(orders) {
  const events = orders.flatMap(({ invoiceId }) =>
    ['PENDING', 'PAID'].map(() =>
      makeEvent({
        id: crypto.randomUUID(),
        data: { entityId: invoiceId },
        created: new Date().toISOString(),
      }),
    ),
  );
  const sent = events
    .filter(() => random() >= LOST)
    .flatMap((event) => (random() < DOUBLED ? [event, event] : [event]))
    .sort(() => random() - 0.5);
  // what is not acknowledged comes again
  const deliver = async (event) => {
    for (;;) {
      const status = await world.deliver(event).catch(() => 503);
      if (status === 200) return kept.add(event.id);
      await processes?.restarted();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await Promise.all(sent.map(deliver));
  return sent.length;
}

const isPacked = async ({ orderId }) =>
  (await sql('SELECT key FROM goods WHERE order_id = ?', orderId)).length > 0;

/** What the object has kept of orders whose goods did not come. */
async function said(orders) {
  const rows = [await sql('SELECT * FROM notes')];
  for (const { invoiceId } of orders)
    for (const table of ['events', 'leases'])
      rows.push(
        await sql(`SELECT * FROM paystate_${table} WHERE subject = ?`, `invoice:${invoiceId}`),
      );
  return JSON.stringify([Date.now(), ...rows]);
}

async function openSocket(invoiceId, last) {
  last.close();
  const socket = await again(async () => world.socket(await world.token(invoiceId)));
  await new Promise((resolve) => setTimeout(resolve, 100));
  return socket;
}

/** One life: what was wrong in its end. */
async function play(step) {
  const orders = [];
  for (let n = 0; n < ORDERS; n++) orders.push(await openOrder());
  await again(() => world.call('kill-at', { step }));
  const killsBefore = processes?.told.kills.length ?? 0;
  for (const { invoiceId } of orders) await world.sandbox.payer.pay(invoiceId);
  const acknowledged = await deliverAll(orders);
  let feedAt = performance.now() + FEED_AFTER;
  await until('the goods', async () => {
    if (performance.now() >= feedAt) {
      feedAt += FEED_EVERY;
      await sql("DELETE FROM notes WHERE name = 'reconciled'").catch(() => {});
    }
    await world.call('account/ring', {}).catch(() => {});
    const packed = await Promise.all(orders.map((order) => isPacked(order).catch(() => false)));
    return packed.every(Boolean);
  }).catch(async (error) => {
    throw new Error(`${error.message}: ${await said(orders)}`);
  });
  for (const order of orders)
    await until('the page', async () => {
      await world.call('account/ring', {}).catch(() => {});
      // the process of its socket is gone: it opens another one, as a page does
      if (processes) order.socket = await openSocket(order.invoiceId, order.socket);
      return order.socket.messages.at(-1)?.value?.state === 'PAID';
    });
  await processes?.restarted();
  const told = await again(() => world.call('kill-at', { step: 0 }));
  const { steps } = told;
  const killedAt = processes ? processes.told.kills[killsBefore] : told.killedAt;
  const rows = [];
  for (const { orderId, invoiceId, socket } of orders) {
    const found = await sql('SELECT key FROM goods WHERE order_id = ?', orderId);
    const key = `invoice:${invoiceId}:PAID`;
    rows.push(found.length === 1 && found[0].key === key);
    const effects = await sql('SELECT key FROM shipped WHERE key = ?', key);
    rows.push(effects.length === 1);
    const runs = processes?.told.runs.filter(({ ran }) => ran === orderId);
    rows.push(!runs || (runs.length > 0 && runs.every((run) => run.key === key)));
    socket.close();
  }
  return { steps, killedAt, acknowledged, isRight: rows.every(Boolean) };
}

const failures = [];
const undisturbed = await play(0);
if (!undisturbed.isRight) failures.push('undisturbed');
let killed = 0;
let acknowledged = 0;
const places = new Map();
for (let n = 0; n < COUNT; n++) {
  const step = 1 + Math.floor((n * undisturbed.steps) / COUNT);
  const life = await play(step).catch((error) => ({
    killedAt: `${step}: ${error.message}`,
    isRight: false,
  }));
  if (life.killedAt) killed++;
  acknowledged += life.acknowledged ?? 0;
  places.set(life.killedAt, (places.get(life.killedAt) ?? 0) + 1);
  if (!life.isRight) failures.push(`step ${step}, ${life.killedAt}`);
}
const stored = new Set(
  (await again(() => sql("SELECT id FROM paystate_events WHERE kind = 'event'"))).map(
    ({ id }) => id,
  ),
);
const lost = [...kept].filter((id) => !stored.has(id));
if (lost.length > 0) failures.push(`${lost.length} acknowledged events are not kept`);
console.log(
  `${kept.size} events acknowledged, ${lost.length} of them lost; ${processes?.told.runs.length ?? 'an unknown number of'} runs of handlers`,
);
console.log(
  `${COUNT} lives of ${ORDERS} orders, ${undisturbed.steps} steps in an undisturbed one: ${killed} kills, ${acknowledged} deliveries acknowledged, ${failures.length} wrong`,
);
for (const [place, count] of places) console.log(`  ${count} ${place ?? 'not reached'}`);
for (const failure of failures) console.log(`wrong: ${failure}`);
await close();
process.exit(failures.length === 0 ? 0 : 1);
