// Kills the relay's account object in real workerd at numbered steps: each order that is paid is packed exactly once.
// The steps are before and after each request to the service, each message to a room and each handler; events come lost,
// doubled and in any order. Each order is packed under one key, and each page says paid.
//   npm run prove -- edge-kills             50 steps, at which the object is aborted
//   npm run prove -- edge-kills 5           so many
//   npm run prove -- edge-kills 50 process  the process of workerd is killed by SIGKILL, and started again
import '../../runners/quiet-tools.ts';
import { setTimeout as wait } from 'node:timers/promises';
import type { ServiceEvent } from 'paystate';
import { makeEvent } from 'paystate/testing';
import { openRelay, type PageSocket } from '../../edge/relay-harness.ts';
import { until } from '../../edge/until.ts';
import { chanceOf } from '../shared/chance.ts';
import { Processes } from './processes.ts';

const COUNT = Number(process.argv[2] ?? 50);
const ORDERS = 3;
const LOST = 0.3;
const DOUBLED = 0.3;
/**
 * The feed finds what no webhook tells; an object that was killed while it read the feed reads it
 * again a minute later: here it is due sooner. Each read takes places of the rate limit.
 */
const FEED_AFTER_MS = 500;
const FEED_EVERY_MS = 15_000;
const AGAIN_MS = 20;
const SNAPSHOT_MS = 100;
const DRAFT = { amount: { amount: '7.20', currency: 'EUR' }, description: 'Two cups' };

const chance = chanceOf('edge-kills');
const processes = process.argv[3] === 'process' ? new Processes() : undefined;
const { world, close } = await openRelay(
  processes && ((folder, vars) => processes.start(folder, vars)),
);
/** Ids of events that were acknowledged. */
const acknowledged = new Set<string>();

interface KeyRow {
  readonly key: string;
}

/** Asks the database of the account object. */
const sql = <Row>(query: string, ...bindings: readonly string[]): Promise<readonly Row[]> =>
  world.call<readonly Row[]>('account/sql', [query, ...bindings]);

/** Asks until there is an answer: the process may be starting again. */
async function again<T>(call: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const done = await call().catch(() => undefined);
    if (done !== undefined) return done;
    await wait(AGAIN_MS);
  }
}

interface Order {
  readonly orderId: string;
  readonly invoiceId: string;
  socket: PageSocket;
}

const openSocket = (invoiceId: string): Promise<PageSocket> =>
  again(async () => world.socket(await world.token(invoiceId)));

async function openOrder(): Promise<Order> {
  const { orderId, orderSecret } = await again(() =>
    world.call<{ orderId: string; orderSecret: string }>('order', DRAFT),
  );
  const invoiceId = await again(async () => {
    const response = await world.ask('/pay/token', {
      method: 'POST',
      headers: { authorization: `Bearer ${orderSecret}` },
      body: JSON.stringify({ orderId }),
    });
    return ((await response.json()) as { readonly invoiceId?: string }).invoiceId;
  });
  return { orderId, invoiceId, socket: await openSocket(invoiceId) };
}

/** Delivers until it is acknowledged, as the service does. */
async function deliver(event: ServiceEvent): Promise<void> {
  while ((await world.deliver(event).catch(() => 503)) !== 200) {
    await processes?.restarted();
    await wait(AGAIN_MS);
  }
  acknowledged.add(event.id);
}

/** Delivers each event not at all, once or twice, in any order; resolves to how many were acknowledged. */
async function deliverAll(orders: readonly Order[]): Promise<number> {
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
    .filter(() => !chance.hits(LOST))
    .flatMap((event) => (chance.hits(DOUBLED) ? [event, event] : [event]))
    .map((event) => ({ event, place: chance.next() }))
    .sort((one, other) => one.place - other.place);
  await Promise.all(sent.map(({ event }) => deliver(event)));
  return sent.length;
}

const goodsOf = ({ orderId }: Order): Promise<readonly KeyRow[]> =>
  sql('SELECT key FROM goods WHERE order_id = ?', orderId);

/** Returns the rows that the object has kept of orders whose goods did not come. */
async function keptOf(orders: readonly Order[]): Promise<string> {
  const rows: (readonly unknown[])[] = [await sql('SELECT * FROM paystate_account')];
  for (const { invoiceId } of orders)
    for (const table of ['event', 'subject'])
      rows.push(
        await sql(`SELECT * FROM paystate_${table} WHERE subject = ?`, `invoice:${invoiceId}`),
      );
  return JSON.stringify([Date.now(), ...rows]);
}

const ring = (): Promise<unknown> => world.call('account/ring', {}).catch(() => {});

async function untilPacked(orders: readonly Order[]): Promise<void> {
  let feedAt = performance.now() + FEED_AFTER_MS;
  const arePacked = async (): Promise<boolean> => {
    if (performance.now() >= feedAt) {
      feedAt += FEED_EVERY_MS;
      await sql('UPDATE paystate_account SET feed_at = 0').catch(() => {});
    }
    await ring();
    const packed = await Promise.all(orders.map((order) => goodsOf(order).catch(() => [])));
    return packed.every((rows) => rows.length > 0);
  };
  await until('the goods', arePacked).catch(async (thrown: unknown) => {
    throw new Error(`${thrown}: ${await keptOf(orders)}`);
  });
}

async function untilShown(order: Order): Promise<void> {
  await until('the page', async () => {
    await ring();
    if (processes) {
      // the process of its socket is gone: it opens another one, as a page does
      order.socket.close();
      order.socket = await openSocket(order.invoiceId);
      await wait(SNAPSHOT_MS);
    }
    return order.socket.messages.at(-1)?.value?.state === 'PAID';
  });
}

/** Packed once, with one effect, and all runs of its handler had its key. */
async function isRight(order: Order): Promise<boolean> {
  const key = `invoice:${order.invoiceId}:PAID`;
  const goods = await goodsOf(order);
  const effects = await sql('SELECT key FROM shipped WHERE key = ?', key);
  const runs = processes?.runs.filter(({ orderId }) => orderId === order.orderId);
  const isRunRight = !runs || (runs.length > 0 && runs.every((run) => run.key === key));
  return goods.length === 1 && goods[0]!.key === key && effects.length === 1 && isRunRight;
}

interface Life {
  readonly steps: number;
  readonly killedAt: string | undefined;
  /** Deliveries that were acknowledged. */
  readonly deliveries: number;
  readonly isRight: boolean;
}

/** Plays one life, killed at this step; 0 for none. */
async function play(step: number): Promise<Life> {
  const orders: Order[] = [];
  for (let n = 0; n < ORDERS; n++) orders.push(await openOrder());
  await again(() => world.call('kill-at', { step }));
  const killsBefore = processes?.kills.length ?? 0;
  for (const { invoiceId } of orders) await world.sandbox.payer.pay(invoiceId);
  const deliveries = await deliverAll(orders);
  await untilPacked(orders);
  for (const order of orders) await untilShown(order);
  await processes?.restarted();
  const told = await again(() =>
    world.call<{ steps: number; killedAt?: string }>('kill-at', { step: 0 }),
  );
  const killedAt = processes ? processes.kills[killsBefore] : told.killedAt;
  const right: boolean[] = [];
  for (const order of orders) {
    right.push(await isRight(order));
    order.socket.close();
  }
  return { steps: told.steps, killedAt, deliveries, isRight: right.every(Boolean) };
}

/** Acknowledged events that the object has not kept. */
async function countLost(): Promise<number> {
  const rows = await again(() =>
    sql<{ id: string }>("SELECT id FROM paystate_event WHERE kind = 'event'"),
  );
  const stored = new Set(rows.map(({ id }) => id));
  return [...acknowledged].filter((id) => !stored.has(id)).length;
}

const failures: string[] = [];
const undisturbed = await play(0);
if (!undisturbed.isRight) failures.push('undisturbed');
let [killed, deliveries] = [0, 0];
const places = new Map<string | undefined, number>();
for (let n = 0; n < COUNT; n++) {
  const step = 1 + Math.floor((n * undisturbed.steps) / COUNT);
  const life = await play(step).catch((thrown: unknown) => `${thrown}`);
  if (typeof life === 'string') {
    failures.push(`step ${step}: ${life}`);
    continue;
  }
  if (life.killedAt) killed++;
  deliveries += life.deliveries;
  places.set(life.killedAt, (places.get(life.killedAt) ?? 0) + 1);
  if (!life.isRight) failures.push(`step ${step}, ${life.killedAt}`);
}
if (killed === 0) failures.push('nothing was killed');
const lost = await countLost();
if (lost > 0) failures.push(`${lost} acknowledged events are not kept`);
const runs = processes?.runs.length ?? 'an unknown number of';
console.log(`${acknowledged.size} events acknowledged, ${lost} of them lost; ${runs} runs`);
const lives = `${COUNT} lives of ${ORDERS} orders, ${undisturbed.steps} steps in an undisturbed one`;
console.log(`${lives}: ${killed} kills, ${deliveries} deliveries, ${failures.length} wrong`);
for (const [place, count] of places) console.log(`  ${count} ${place ?? 'not reached'}`);
for (const failure of failures) console.log(`wrong: ${failure}`);
await close();
process.exit(failures.length === 0 ? 0 : 1);
