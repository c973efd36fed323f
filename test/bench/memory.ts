// What a client and a watch take of the heap.
import {
  type Client,
  createClient,
  createConnection,
  productionRateLimits,
  watchInvoice,
} from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { collect, rounded } from './measure.ts';

const CLIENTS = 2_000;
const WATCHES = 2_000;
const MINUTE = 60_000;

/** Bytes of the heap after everything that can go has gone. */
async function heapNow(): Promise<number> {
  for (let turn = 0; turn < 4; turn++) {
    await new Promise((resolve) => void setTimeout(resolve, 5));
    collect();
  }
  return process.memoryUsage().heapUsed;
}

/** Bytes that each of these takes. */
async function bytesOf(count: number, make: (n: number) => unknown): Promise<number> {
  const kept: unknown[] = new Array<unknown>(count);
  const before = await heapNow();
  for (let n = 0; n < count; n++) kept[n] = make(n);
  const bytes = ((await heapNow()) - before) / count;
  if (kept.length !== count) throw new Error('what was made is gone');
  return bytes;
}

const options = { baseUrl: 'https://service.invalid', apiKey: 'KEY' };

/** Bytes of a watch that is subscribed and has been read for some minutes, its value included. */
async function watchBytes(): Promise<number> {
  const rateLimits = productionRateLimits;
  const wide = Object.fromEntries(
    Object.entries(rateLimits).map(([bucket, limit]) => [bucket, { ...limit, limit: 1e8 }]),
  ) as unknown as typeof rateLimits;
  const sandbox = createSandbox({ signed: false, rateLimits: wide, seed: 'memory' });
  const maker = createClient({ ...sandbox.clientOptions, rateLimits: wide });
  const ids: string[] = [];
  for (let n = 0; n < WATCHES; n++) {
    const draft = { amount: { amount: '1.00', currency: 'EUR' } };
    ids.push((await sandbox.run(maker.invoices.create(draft))).invoiceId);
    await sandbox.advance(100);
  }
  const client: Client = createClient({ ...sandbox.clientOptions, rateLimits: wide });
  const watches = ids.map((id) => watchInvoice(client, id));
  const stops = watches.map((watch) => watch.subscribe(() => {}));
  while (watches.some((watch) => watch.current().value === undefined))
    await sandbox.advance(MINUTE);
  await sandbox.advance(5 * MINUTE);
  const full = await heapNow();
  for (const stop of stops.splice(0)) stop();
  watches.length = 0;
  await sandbox.advance(MINUTE);
  client.forget();
  return (full - (await heapNow())) / WATCHES;
}

export async function measureMemory(): Promise<Readonly<Record<string, number>>> {
  const found = {
    'a connection': await bytesOf(CLIENTS, () => createConnection(options)),
    'a client': await bytesOf(CLIENTS, () => createClient(options)),
    'a client of which one resource is used': await bytesOf(CLIENTS, () => {
      const client = createClient(options);
      return client.invoices && client;
    }),
    'a watch with its value': await watchBytes(),
  };
  console.log('bytes of the heap');
  for (const [name, bytes] of Object.entries(found))
    console.log(`  ${name.padEnd(42)}${bytes.toFixed(0).padStart(8)}`);
  return Object.fromEntries(
    Object.entries(found).map(([name, bytes]) => [name, rounded(bytes, 0)]),
  );
}
