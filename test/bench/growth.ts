// How work grows with what there is of it: its time beside ten, a hundred, … a million. The times of one row should stay
// alike: the time of each item, where all of them are worked on, or of one step beside that many others.
import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Client,
  createClient,
  productionRateLimits,
  type RateLimits,
  watchInvoice,
} from 'paystate';
import { pay, resume } from 'paystate/flows';
import { createHostedRelay } from 'paystate/host';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { memoryStore, sqliteDriver, type Store } from 'paystate/stores';
import { fileDriver, fileStore } from 'paystate/stores/file';
import { withPriority } from '../../src/core/http/connection.ts';
import * as source from '../../src/index.ts';
import { get as getInvoice } from '../../src/resources/invoices.ts';
import { readAccount } from '../../src/cli/export/read-account.ts';
import { csvLine } from '../../src/cli/export/lines.ts';
import { beginLife } from '../house/export-life.ts';
import { median, processorTime, rounded } from './measure.ts';

export interface Growth {
  readonly what: string;
  /** Of one item of the work, or of one step beside so many others. */
  readonly is: 'item' | 'step';
  readonly points: readonly Point[];
}

type Point = readonly [size: number, microseconds: number];

const EUR = { amount: '1.00', currency: 'EUR' } as const;

/** Limits that nothing here reaches: waiting is not work. */
const rateLimits = Object.fromEntries(
  Object.entries(productionRateLimits).map(([bucket, limit]) => [
    bucket,
    { ...limit, limit: 1e8, window: 1_000 },
  ]),
) as unknown as RateLimits;

function world(): { readonly sandbox: Sandbox; readonly client: Client } {
  const sandbox = createSandbox({ signed: false, rateLimits, seed: 'growth' });
  return { sandbox, client: createClient({ ...sandbox.clientOptions, rateLimits }) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = processorTime();
  await work();
  return processorTime() - begun;
}

/** The middle of some single steps. */
async function stepTime(step: () => Promise<unknown>, steps = 15): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < steps; n++) times.push(await timed(step));
  return median(times);
}

function growth(what: string, is: Growth['is'], points: readonly Point[]): Growth {
  const short = points.map(([n, time]): Point => [n, rounded(time, time < 10 ? 1 : 0)]);
  const cells = short.map(([n, time]) => `${n}: ${time}`);
  console.log(`  ${what.padEnd(52)}${`µs a ${is}`.padEnd(12)}${cells.join('   ')}`);
  return { what, is, points: short };
}

/** The first runs of a program are slower; nobody is to take them for growth. */
async function warmUp(): Promise<void> {
  const { sandbox, client } = world();
  for (let n = 0; n < 1_500; n++)
    await sandbox.run(client.invoices.create({ amount: EUR, correlationId: `warm-${n}` }));
}

/** Accounts with more and more invoices: walks their list, then creates, reads and pays one more. */
async function lists(): Promise<readonly Growth[]> {
  const [walks, creations, reads, payments]: [Point[], Point[], Point[], Point[]] = [
    [],
    [],
    [],
    [],
  ];
  for (const size of [10, 100, 1_000, 10_000, 100_000]) {
    const { sandbox, client } = world();
    const { run, payer } = sandbox;
    let made = 0;
    const create = () =>
      run(client.invoices.create({ amount: EUR, correlationId: `order-${made++}` }));
    const walk = async (): Promise<void> => {
      let rows = 0;
      for await (const _ of client.invoices.list()) rows++;
      if (rows !== size) throw new Error(`${rows} of ${size} rows`);
    };
    const { invoiceId } = await create();
    while (made < size) await create();
    walks.push([size, (await stepTime(() => run(walk()), size > 1_000 ? 3 : 15)) / size]);
    creations.push([size, await stepTime(create, 100)]);
    reads.push([size, await stepTime(() => run(client.invoices.get(invoiceId)), 100)]);
    payments.push([size, await stepTime(async () => run(payer.pay((await create()).invoiceId)))]);
  }
  return [
    growth('a list of invoices, walked', 'item', walks),
    growth('an invoice created', 'step', creations),
    growth('an invoice read', 'step', reads),
    growth('an invoice created and paid in a sandbox', 'step', payments),
  ];
}

/**
 * Reads of the shop's own after more and more requests at the priority of watches. A watch of the same client is
 * subscribed, so part of the rate limit is reserved.
 */
async function ownReads(): Promise<Growth> {
  const sandbox = createSandbox({ signed: false, rateLimits, seed: 'growth' });
  const { baseUrl, apiKey, fetch, clock } = sandbox.clientOptions;
  const others = { ...productionRateLimits.others, limit: 1e8 };
  const limits = { ...rateLimits, others };
  const client = source.createClient({ baseUrl, apiKey, fetch, clock, rateLimits: limits });
  const { invoiceId } = await sandbox.run(client.invoices.create({ amount: EUR }));
  const stop = source.watchInvoice(client, invoiceId).subscribe(() => {});
  const normal = withPriority(client, 'normal');
  const points: Point[] = [];
  let sent = 0;
  for (const size of [10, 100, 1_000, 10_000, 100_000]) {
    const reads = () => Array.from({ length: size - sent }, () => getInvoice(normal, invoiceId));
    await sandbox.run(Promise.all(reads()));
    sent = size;
    points.push([size, await stepTime(() => sandbox.run(client.invoices.get(invoiceId)), 100)]);
  }
  stop();
  return growth('an own read, after requests of watches', 'step', points);
}

const MINUTE = 60_000;

/** Watches more and more invoices that were made a second apart: their first minute, and one without a change. */
async function watches(): Promise<readonly Growth[]> {
  const [begins, minutes]: [Point[], Point[]] = [[], []];
  for (const size of [10, 100, 1_000, 10_000, 30_000]) {
    const { sandbox, client: maker } = world();
    const client = createClient({ ...sandbox.clientOptions, rateLimits: productionRateLimits });
    const watched: ReturnType<typeof watchInvoice>[] = [];
    for (let n = 0; n < size; n++) {
      const invoice = await sandbox.run(maker.invoices.create({ amount: EUR }));
      watched.push(watchInvoice(client, invoice));
      await sandbox.advance(1_000);
    }
    let stops: readonly (() => void)[] = [];
    const begin = async (): Promise<void> => {
      stops = watched.map((watch) => watch.subscribe(() => {}));
      await sandbox.advance(MINUTE);
    };
    begins.push([size, (await timed(begin)) / size]);
    await sandbox.advance(3 * MINUTE);
    minutes.push([size, (await timed(() => sandbox.advance(3 * MINUTE))) / 3 / size]);
    for (const stop of stops) stop();
  }
  return [
    growth('watches, their first minute', 'item', begins),
    growth('watches, a minute without a change', 'item', minutes),
  ];
}

interface Journal {
  readonly name: string;
  /** Each process opens it. */
  readonly isKept: boolean;
  open(): Store;
  /** Adds copies of the row with this key until there are so many. */
  fill(key: string, value: unknown, size: number): Promise<void>;
}

function memoryJournal(): Journal {
  const store = memoryStore();
  let filled = 0;
  return {
    name: 'in memory',
    isKept: false,
    open: () => store,
    async fill(key, value, size) {
      for (; filled < size; filled++) await store.put(`${key}-${filled}`, value);
    },
  };
}

function fileJournal(folder: string): Journal {
  const file = join(folder, 'journal.db');
  let filled = 0;
  return {
    name: 'in a file',
    isKept: true,
    open: () => fileStore(file),
    async fill(key, _value, size) {
      const copies = `WITH RECURSIVE n (i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i < ?)
        INSERT INTO paystate_rows (key, value, version, open)
        SELECT key || '-' || i, value, version, 0 FROM paystate_rows, n WHERE key = ?`;
      await fileDriver(file).batch([{ sql: copies, values: [filled + 1, size, key] }]);
      filled = size;
    },
  };
}

/** Pays where more and more ended payments are kept: opening the journal, `resume`, one more payment. */
async function journals({ name, isKept, open, fill }: Journal): Promise<readonly Growth[]> {
  const { sandbox, client } = world();
  const { run, payer } = sandbox;
  const written = new Map<string, unknown>();
  let journal = open();
  const noting = (store: Store): Store => ({
    ...bound(store),
    compareAndSet(key, version, value, isOpen) {
      written.set(key, value);
      return store.compareAndSet(key, version, value, isOpen);
    },
  });
  let paid = 0;
  const payOnce = async (store = journal): Promise<void> => {
    const limits = { sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any' } as const;
    const to = payer.createBolt11({ sat: '1000' });
    const started = pay(client, { to, ...limits, journal: store, intent: `order ${paid++}` });
    const { phase } = await run(started.result);
    if (phase !== 'paid') throw new Error(`the payment is ${phase}`);
    await run(started.ack());
  };
  await payOnce(noting(journal));
  const [key, value] = [...written].at(-1)!;
  const [openings, resumes, payments]: [Point[], Point[], Point[]] = [[], [], []];
  for (let n = 0; n < 30; n++) await payOnce();
  for (const size of [10, 100, 1_000, 10_000, 100_000, 1_000_000]) {
    await fill(key, value, size);
    const opening = async (): Promise<void> => {
      journal = open();
      await journal.get(key);
    };
    openings.push([size, await stepTime(opening)]);
    resumes.push([size, await stepTime(() => run(resume(client, { journal })))]);
    payments.push([size, await stepTime(() => payOnce())]);
  }
  return [
    ...(isKept ? [growth(`a journal ${name}, opened`, 'step', openings)] : []),
    growth(`a journal ${name}, resume()`, 'step', resumes),
    growth(`a journal ${name}, one more payment`, 'step', payments),
  ];
}

/** The members of a store as functions that keep their object. */
function bound(store: Store): Store {
  return {
    durable: store.durable,
    mayForget: store.mayForget,
    get: (key) => store.get(key),
    put: (key, value) => store.put(key, value),
    compareAndSet: (...given) => store.compareAndSet(...given),
    listOpen: (prefix) => store.listOpen(prefix),
  };
}

const SHOP = 'https://shop.example';

/** Opens a page of a new order where the relay keeps more and more orders, in SQLite. */
async function orders(): Promise<readonly Growth[]> {
  const { sandbox, client } = world();
  const database = new DatabaseSync(':memory:');
  const relay = createHostedRelay({
    clock: sandbox.clock,
    origin: SHOP,
    tokenSecret: 'a secret for the tokens of a benchmark, long enough',
    mayForget: true,
    driver: sqliteDriver(database),
    account: () => ({ client, on: { orderPaid: () => {} } }),
  });
  await relay.ready;
  const page = async (): Promise<void> => {
    const { orderId, orderSecret } = await relay.createOrder('main', {
      amount: EUR,
      description: 'tea',
    });
    const request = new Request(`${SHOP}/pay/token`, {
      method: 'POST',
      headers: { origin: SHOP, authorization: `Bearer ${orderSecret}` },
      body: JSON.stringify({ orderId }),
    });
    const response = await relay.handle(request, { address: null });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    await sandbox.advance(1_000);
  };
  for (let n = 0; n < 60; n++) await page();
  const points: Point[] = [];
  let filled = 0;
  for (const size of [10, 100, 1_000, 10_000, 100_000, 1_000_000]) {
    seedOrders(database, filled, size, Math.max(Date.now(), sandbox.clock.now()));
    filled = size;
    points.push([size, await stepTime(page, 30)]);
  }
  await relay.close();
  return [growth('an order of the relay and its page, in SQLite', 'step', points)];
}

/** Adds orders with their invoices, as they are when all is done. */
function seedOrders(database: DatabaseSync, from: number, to: number, now: number): void {
  const numbers = `WITH RECURSIVE n (i) AS (SELECT ${from + 1} UNION ALL SELECT i + 1 FROM n WHERE i < ${to})`;
  database.exec('BEGIN');
  database.exec(`${numbers} INSERT INTO paystate_order
    (account, order_id, hash, draft, until, invoice_id, receiver_id)
    SELECT 'main', 'o' || i, 'h', '{}', 9e12, 'i' || i, 'r' FROM n`);
  database.exec(`${numbers} INSERT INTO paystate_follow
    (account, invoice_id, until, since, check_at)
    SELECT 'main', 'i' || i, ${now}, ${now}, ${now + 2_592_000_000} FROM n`);
  database.exec(`${numbers} INSERT INTO paystate_subject (account, subject, number, added)
    SELECT 'main', 'invoice:i' || i, 1, 1 FROM n`);
  database.exec('COMMIT');
}

/** Exports accounts in which more and more has happened. */
async function exports(): Promise<readonly Growth[]> {
  const points: Point[] = [];
  for (const size of [10, 100, 1_000, 10_000]) {
    const { sandbox, client, step } = await beginLife(7);
    for (let done = 0; done < size; done++) await step();
    let lines = 0;
    const read = async (): Promise<void> => {
      const found = await readAccount(client as never, {
        kept: memoryStore(),
        signal: undefined,
        handle: 'shop',
        progress: () => ({ show() {}, end() {} }),
      });
      lines = found.lines.map(csvLine).length;
    };
    const time = await timed(() => sandbox.run(read()));
    points.push([lines, time / lines]);
  }
  return [growth('an export of so many lines', 'item', points)];
}

export async function measureGrowth(): Promise<readonly Growth[]> {
  console.log('growth: sizes, and the processor time of an item or a step');
  await warmUp();
  const folder = mkdtempSync(join(tmpdir(), 'paystate-bench-'));
  try {
    return [
      ...(await lists()),
      await ownReads(),
      ...(await watches()),
      ...(await journals(memoryJournal())),
      ...(await journals(fileJournal(folder))),
      ...(await orders()),
      ...(await exports()),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
