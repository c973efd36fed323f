// Measures what subscriptions leave behind on the heap. `npm run bench -- memory` measures a watch itself.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createClient, type Invoice, watchInvoice } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

/** Bytes by which the heap may seem to grow per 1,000 subscriptions; less is the noise of a heap. */
const NOISE_BYTES = 2_000;
/** Rounds until the heap of a new process has its shape, and those that are measured. */
const WARM_ROUNDS = 40;
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

/** Prints the figure; false where it is over its bound. */
export async function measureMemory(): Promise<boolean> {
  const slope = Math.round(await growth());
  const isGood = slope <= NOISE_BYTES;
  console.log(
    `${isGood ? 'ok ' : ''}memory: ${CYCLES} subscriptions leave ${slope} bytes, at most ${NOISE_BYTES}`,
  );
  return isGood;
}
