// This measures what watches take of the heap, and what subscriptions leave behind.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createClient, type Invoice, watchInvoice } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { USUAL } from './cells.ts';
import { World } from './world.ts';

const MINUTE = 60_000;
/** Bytes that a watch may take without its value. */
const MOST_BYTES = 1_200;
/** Bytes by which the heap may seem to grow per 1,000 subscriptions; less is the noise of a heap. */
const NOISE_BYTES = 2_000;
/** Watches are measured when they have been read for some minutes. */
const SETTLED_MS = 5 * MINUTE;
/** After the last watch has left, all requests under way have ended by then. */
const ENDED_MS = 5_000;
/** Rounds until the heap of a new process has its shape, and those that are measured. */
const WARM_ROUNDS = 10;
const ROUNDS = 12;
const CYCLES = 1_000;
const COLLECTIONS = 4;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of the heap after everything that can go has gone. */
async function heapNow(): Promise<number> {
  for (let turn = 0; turn < COLLECTIONS; turn++) {
    await new Promise((resolve) => void setTimeout(resolve, 5));
    collect();
  }
  return process.memoryUsage().heapUsed;
}

/** The median of all slopes between two values, which a single jump does not move. */
function slopeOf(values: readonly number[]): number {
  const slopes = values.flatMap((value, n) =>
    values.slice(n + 1).map((later, more) => (later - value) / (more + 1)),
  );
  return slopes.sort((a, b) => a - b)[slopes.length >> 1]!;
}

/** Answers each read of an invoice, a list or the events with the same text. */
function answering(invoice: Invoice): (url: string | URL | Request) => Promise<Response> {
  const page = (items: readonly unknown[]): string =>
    JSON.stringify({ items, count: items.length });
  const texts: readonly (readonly [RegExp, string])[] = [
    [/\/v1\/events/, page([])],
    [/\/v1\/invoices\?/, page([invoice])],
    [/./, JSON.stringify(invoice)],
  ];
  return async (url) =>
    new Response(texts.find(([path]) => path.test(String(url)))![1], {
      headers: { 'content-type': 'application/json' },
    });
}

/** Bytes by which the heap grows over 1,000 subscriptions: half of one watch, half of a new one each. */
async function growth(): Promise<number> {
  const sandbox = createSandbox({ signed: false });
  const maker = createClient(sandbox.clientOptions);
  const invoice = await sandbox.run(
    maker.invoices.create({ amount: { amount: '1.00', currency: 'EUR' } }),
  );
  const client = createClient({ ...sandbox.clientOptions, fetch: answering(invoice) });
  const same = watchInvoice(client, invoice);
  let emitted = 0;
  const points: number[] = [];
  for (let round = 0; round < WARM_ROUNDS + ROUNDS; round++) {
    for (let n = 0; n < CYCLES; n++) {
      const watch = n % 2 === 0 ? same : watchInvoice(client, invoice.invoiceId);
      const stop = watch.subscribe(() => void emitted++);
      await sandbox.advance(n % 10 === 0 ? 5_000 : 100);
      stop();
      await sandbox.advance(10);
    }
    points.push(await heapNow());
  }
  if (emitted < WARM_ROUNDS * CYCLES) throw new Error('nothing was emitted: nothing was measured');
  return slopeOf(points.slice(WARM_ROUNDS));
}

interface Heap {
  /** Bytes of a watch before anyone has subscribed. */
  readonly cold: number;
  /** Bytes of a watch that is subscribed, with its value. */
  readonly whole: number;
  readonly value: number;
}

async function heapOf(count: number): Promise<Heap> {
  const world = new World('memory', USUAL);
  const { sandbox } = world;
  const subjects = await world.fill(count);
  const client = createClient(sandbox.clientOptionsFor({ address: '203.0.113.9' }));
  const nothing = (): void => {};
  const before = await heapNow();
  let watches = subjects.map((subject) => subject.watch(client, false));
  const cold = ((await heapNow()) - before) / count;
  let stops = watches.map((watch) => watch.subscribe(nothing));
  while (watches.some((watch) => watch.current().value === undefined))
    await sandbox.advance(MINUTE);
  await sandbox.advance(SETTLED_MS);
  let values: readonly unknown[] = watches.map((watch) => watch.current().value);
  const full = await heapNow();
  for (const stop of stops) stop();
  watches = [];
  stops = [];
  await sandbox.advance(ENDED_MS);
  client.forget(); // a value outlives its last watch
  const withValues = await heapNow();
  if (values.length !== count) throw new Error('the values are gone');
  values = [];
  const empty = await heapNow();
  return { cold, whole: (full - empty) / count, value: (withValues - empty) / count };
}

/** Prints the figures; false where one is over its bound. */
export async function measureMemory(count: number): Promise<boolean> {
  const slope = await growth(); // first: a heap that was large moves more
  const { cold, whole, value } = await heapOf(count);
  console.table({
    [`heap of a watch of ${count}, bytes`]: Math.round(whole),
    '  of this its value': Math.round(value),
    [`  without its value (at most ${MOST_BYTES})`]: Math.round(whole - value),
    '  of this before anyone has subscribed': Math.round(cold),
    [`heap left by ${CYCLES} subscriptions, bytes (at most ${NOISE_BYTES})`]: Math.round(slope),
  });
  const isGood = whole - value <= MOST_BYTES && slope <= NOISE_BYTES;
  console.log(isGood ? 'ok memory' : 'memory: over its bounds');
  return isGood;
}
