// `orders`, `pages` and `lock`: a million orders, thousands of pages at once, and a row that nobody
// can write.
import { judge, type Proof } from './proof.ts';
import { partOf } from './bare.ts';
import { deliver, type LightPage, makeOrder, type Order } from './pages-of.ts';
import { seedRows } from './seed.ts';
import { openPool, openStage, type Shop } from './stage.ts';

const MB = 1_048_576;
const FIRST_PAGE_MS = 1_000;
const ALL_PAGES_MS = 8_000;
const MOST_GROWN_MB = 8;
const LOCKED_MS = 9_000;
const MOST_LATER_MS = 300;

const heapOf = async ({ port }: Shop): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${port}/memory`);
  return ((await response.json()) as { readonly heapUsed: number }).heapUsed / MB;
};

const orders: Proof = {
  name: 'orders',
  shows: 'a process starts where a million orders are kept: its first page, and its memory',
  async play(postgresql, { orders: count = 1_000_000 }) {
    const { faults, check } = judge();
    const stage = await openStage(postgresql);
    const first = await stage.start();
    const order = await makeOrder(first.port);
    await stage.pages.open(first.port, order);
    const few = await heapOf(first);
    await first.kill();
    await seedRows(stage, count);
    const starting = performance.now();
    const shop = await stage.start();
    const since = performance.now();
    await stage.pages.open(shop.port, order);
    const page = performance.now() - since;
    const many = await heapOf(shop);
    const figure = { orders: count, 'start ms': Math.round(since - starting) };
    const heap = { 'heap MB, one order': few.toFixed(1), 'heap MB, all': many.toFixed(1) };
    await stage.close();
    check(page <= FIRST_PAGE_MS, `the first page after ${page.toFixed(0)} ms`);
    check(many - few <= MOST_GROWN_MB, `the heap grew from ${few} to ${many} MB`);
    return { figures: [{ ...figure, 'first page ms': Math.round(page), ...heap }], faults };
  },
};

/** Runs the work of all, a number at a time. */
export async function together<T>(
  count: number,
  atOnce: number,
  work: (n: number) => Promise<T>,
): Promise<T[]> {
  const done: T[] = [];
  let next = 0;
  const run = async (): Promise<void> => {
    while (next < count) {
      const n = next++;
      done[n] = await work(n);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  return done;
}

const pages: Proof = {
  name: 'pages',
  shows: 'thousands of pages with real sockets at once over three processes; their invoices exist',
  async play(postgresql, { pages: count = 5_000 }) {
    const { faults, check } = judge();
    const stage = await openStage(postgresql, { raised: 1_000 });
    const shops = [await stage.start(), await stage.start(), await stage.start()];
    const portOf = (n: number): number => shops[n % shops.length]!.port;
    const made = await together<Order>(count, 100, async (n) => {
      const order = await makeOrder(portOf(n));
      (await stage.pages.open(portOf(n), order)).stop();
      return order;
    });
    const since = performance.now();
    const times: number[] = [];
    const why = new Map<string, number>();
    const opening = made.map(async (order, n) => {
      try {
        await stage.pages.open(portOf(n + 1), order);
        times.push(performance.now() - since);
      } catch (thrown) {
        const { message } = thrown as Error;
        why.set(message, (why.get(message) ?? 0) + 1);
      }
    });
    await Promise.all(opening);
    await stage.close();
    const failed = count - times.length;
    const last = Math.max(...times);
    check(failed === 0, `${failed} failed: ${[...why].join(' · ')}`);
    check(last <= ALL_PAGES_MS, `the last page after ${last.toFixed(0)} ms`);
    const p50 = Math.round(partOf(times, 0.5));
    return { figures: [{ pages: count, failed, p50, 'last ms': Math.round(last) }], faults };
  },
};

/** Locks all rows of the account `main`; resolves to what unlocks them. */
async function lockRows(url: string): Promise<() => Promise<void>> {
  const pool = openPool(url, 1);
  const holder = await pool.connect();
  await holder.query('BEGIN');
  for (const table of ['account', 'order', 'invoice', 'follow', 'subject', 'share'])
    await holder.query(`SELECT 1 FROM paystate_${table} WHERE account = 'main' FOR UPDATE`);
  return async () => {
    await holder.query('ROLLBACK');
    holder.release();
    await pool.end();
  };
}

const lock: Proof = {
  name: 'lock',
  shows: "one account's rows are locked for nine seconds: what others notice",
  async play(postgresql, { seconds = LOCKED_MS / 1_000 }) {
    const ms = seconds * 1_000;
    const { faults, check } = judge();
    const stage = await openStage(postgresql, { raised: 30 });
    const shop = await stage.start();
    const open = async (account: string): Promise<LightPage[]> =>
      together(20, 4, async () =>
        stage.pages.open(shop.port, await makeOrder(shop.port, account), account),
      );
    const [locked, other] = [await open('main'), await open('other')];
    let failed = 0;
    const playOther = async (): Promise<number> => {
      const times: number[] = [];
      for (const end = performance.now() + ms; performance.now() < end; ) {
        const since = performance.now();
        const page = other[times.length % other.length]!;
        const [status] = await deliver(shop.port, page.invoiceId, { account: 'other' });
        const again = await stage.pages.open(shop.port, page, 'other').catch(() => undefined);
        if (status !== 200 || !again) failed += 1;
        again?.stop();
        times.push(performance.now() - since);
      }
      return partOf(times, 0.99);
    };
    const before = await playOther();
    const unlock = await lockRows(stage.url);
    const end = performance.now() + ms;
    const busy = together(20, 20, async (n) => {
      while (performance.now() < end) {
        await deliver(shop.port, locked[n]!.invoiceId).catch(() => []);
        await stage.pages.open(shop.port, locked[n]!).then(
          (page) => page.stop(),
          () => {},
        );
      }
    });
    const during = await playOther();
    await unlock();
    await busy;
    const closed = locked.reduce((sum, page) => sum + page.closed, 0);
    await stage.close();
    check(failed === 0, `${failed} of the other account failed`);
    check(closed === 0, `${closed} pages of the locked account were closed`);
    check(during - before <= MOST_LATER_MS, `p99 of others: ${before} ms, then ${during} ms`);
    const p99 = { 'p99 before ms': Math.round(before), 'p99 locked ms': Math.round(during) };
    return { figures: [{ ...p99, failed, closed }], faults };
  },
};

export const many: readonly Proof[] = [orders, pages, lock];
