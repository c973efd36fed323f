// `orders`: a process starts where a million orders are kept.
import { judge, type Proof } from './proof.ts';
import { makeOrder } from './pages-of.ts';
import { seedRows } from './seed.ts';
import { openStage, type Shop } from './stage.ts';

const MB = 1_048_576;
const FIRST_PAGE_MS = 1_000;
const MOST_GROWN_MB = 8;

const heapOf = async ({ port }: Shop): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${port}/memory`);
  return ((await response.json()) as { readonly heapUsed: number }).heapUsed / MB;
};

export const orders: Proof = {
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
