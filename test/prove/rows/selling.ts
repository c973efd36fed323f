// `sales` and `accounts`: from a payment to the page that shows it, where much is sold and half of the events come twice.
import { setTimeout as wait } from 'node:timers/promises';
import { deliver, type LightPage, makeOrder } from './pages-of.ts';
import { judge, partOf, type Proof } from './proof.ts';
import { openStage, type Stage } from './stage.ts';

const MINUTE_MS = 60_000;
/** Orders that pages may open in a minute: a part of the service's limit. */
const OPENED_A_MINUTE = 180;
const SHOWN_WITHIN_MS = 60_000;
const SHIPPED_WITHIN_MS = 30_000;
const UNDER_LIMITS_MS = 1_800;
const RAISED_MS = 250;
const ACCOUNTS_MS = 2_000;

/** Runs the work of all, a number at a time. */
async function together<T>(
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

interface Sold {
  readonly paid: number;
  readonly shown: number;
  readonly parcels: number;
  readonly twice: number;
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
}

interface Selling {
  readonly ports: readonly number[];
  readonly accounts: readonly string[];
  /** Paid orders of an account in a minute. */
  readonly rate: number;
  readonly minutes: number;
  readonly raised: number;
}

/** Opens the pages of all orders, no faster than the service lets an account make invoices. */
async function openPages(stage: Stage, selling: Selling): Promise<readonly LightPage[]> {
  const { ports, accounts, rate, minutes, raised } = selling;
  const each = Math.round(rate * minutes);
  const apart = MINUTE_MS / (OPENED_A_MINUTE * raised);
  const started = performance.now();
  return together(each * accounts.length, 12, async (n) => {
    await wait(Math.max(0, started + n * apart - performance.now()));
    const [port, other] = [ports[n % ports.length]!, ports[(n + 1) % ports.length]!];
    const account = accounts[n % accounts.length]!;
    return stage.pages.open(other, await makeOrder(port, account), account);
  });
}

/** Pays all at even times; half of the events come twice, at any process. */
async function sell(stage: Stage, selling: Selling): Promise<Sold> {
  const { ports, accounts, rate } = selling;
  const pages = await openPages(stage, selling);
  const apart = MINUTE_MS / (rate * accounts.length);
  const started = performance.now();
  const waits: number[] = [];
  const paying = pages.map(async (page, n) => {
    await wait(n * apart);
    const since = performance.now();
    const shown = page.when('PAID').then(() => void waits.push(performance.now() - since));
    await stage.sandbox.payer.pay(page.invoiceId);
    const { invoiceId, account } = page;
    await deliver(ports[n % ports.length]!, invoiceId, { account, times: 1 + (n % 2) });
    await Promise.race([shown, wait(SHOWN_WITHIN_MS, undefined, { ref: false })]);
  });
  await Promise.all(paying);
  const taken = (performance.now() - started) / MINUTE_MS;
  const { one, all } = await parcelsOf(stage, pages.length);
  const times = [0.5, 0.99, 1].map((part) => Math.round(partOf(waits, part)));
  const [p50 = Infinity, p99 = Infinity, worst = Infinity] = times;
  const rated = `paid ${Math.round(pages.length / taken)} orders a minute`; // fewer than asked: the machine is busy
  console.log(`${rated}, ${ports.length} processes: p50 ${p50} ms, p99 ${p99} ms`);
  const counts = { paid: pages.length, shown: waits.length, parcels: one, twice: all - one };
  return { ...counts, p50, p99, worst };
}

/** Counts parcels and the orders that have one; a handler may end after the page is shown. */
async function parcelsOf(
  stage: Stage,
  wanted: number,
): Promise<{ readonly one: number; readonly all: number }> {
  const end = performance.now() + SHIPPED_WITHIN_MS;
  for (;;) {
    const [row] = await stage.query(`SELECT count(DISTINCT order_id)::int AS one,
      count(*)::int AS all FROM parcels`);
    const [one, all] = [Number(row!['one']), Number(row!['all'])];
    if (one >= wanted || performance.now() > end) return { one, all };
    await wait(200);
  }
}

const sales: Proof = {
  name: 'sales',
  shows:
    '250 paid orders a minute, half of the events twice; then with limits thirty times as wide',
  async play(postgresql, { minutes = 2, rate = 250 }) {
    const { faults, check } = judge();
    const figures = [];
    for (const [raised, most] of [
      [1, UNDER_LIMITS_MS],
      [30, RAISED_MS],
    ] as const) {
      const stage = await openStage(postgresql, { raised });
      const shops = [await stage.start(), await stage.start(), await stage.start()];
      const ports = shops.map(({ port }) => port);
      const sold = await sell(stage, { ports, accounts: ['main'], rate, minutes, raised });
      await stage.close();
      figures.push({ 'limits times': raised, ...sold });
      check(sold.shown === sold.paid, `${sold.paid - sold.shown} pages show no payment`);
      check(sold.twice === 0, `${sold.twice} parcels twice`);
      check(sold.p99 <= most, `limits times ${raised}: p99 ${sold.p99} ms`);
    }
    return { figures, faults };
  },
};

const accounts: Proof = {
  name: 'accounts',
  shows: 'thirty accounts, 250 paid orders a minute each, in one, two and three processes',
  async play(postgresql, { accounts: count = 30, minutes = 0.5, rate = 250, processes }) {
    const { faults, check } = judge();
    const names = Array.from({ length: count }, (_, n) => `shop${n}`);
    const figures = [];
    for (const many of processes ? [processes] : [1, 2, 3]) {
      // One address is that of all, because `egress` is one for a relay: its limits are as many times as wide.
      const stage = await openStage(postgresql, { raised: count });
      const ports: number[] = [];
      for (let n = 0; n < many; n += 1) ports.push((await stage.start()).port);
      const sold = await sell(stage, { ports, accounts: names, rate, minutes, raised: count });
      await stage.close();
      figures.push({ processes: many, accounts: count, ...sold });
      check(sold.shown === sold.paid, `${many}: ${sold.paid - sold.shown} show no payment`);
      check(sold.twice === 0, `${many}: ${sold.twice} parcels twice`);
      check(sold.p99 <= ACCOUNTS_MS, `${many} processes: p99 ${sold.p99} ms`);
    }
    return { figures, faults };
  },
};

export const selling: readonly Proof[] = [sales, accounts];
