// Loses webhooks, sockets, attention and the Worker while orders are paid: a page in a real browser still says paid by itself.
// The page of the example's shop shows its code; then the webhook, the socket, the page's attention or the Worker is lost, the
// order is paid meanwhile, and the page says so by itself: it is never loaded again. Prints the worst time of each.
//   npm run prove -- mishaps                     20 runs of each mishap in each engine
//   npm run prove -- mishaps 3 webkit socket     so many, in these engines, of these mishaps
import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from 'paystate';
import { startShop } from '../../demo/serve/shop.ts';
import { type Engine, openEngine, type Tab } from '../e2e/engines.ts';
import { openFront } from '../e2e/front.ts';

const words = process.argv.slice(2);
const RUNS = Number(words.find((word) => /^\d+$/.test(word)) ?? 20);
const LONGEST_MS = 120_000;
const CARD = "document.querySelector('paystate-checkout')?.shadowRoot?";
const ENGINES: readonly Engine[] = ['chromium', 'firefox', 'webkit'];
const KINDS = ['socket', 'sleep', 'killed', 'webhook'] as const;
type Mishap = (typeof KINDS)[number];

function chosen<T extends string>(all: readonly T[]): readonly T[] {
  const named = all.filter((word) => words.includes(word));
  return named.length > 0 ? named : all;
}

const front = await openFront();
const shop = await startShop({ origin: front.url });
front.to(shop.url);

const see = (tab: Tab, hidden: boolean): Promise<void> =>
  tab.run(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${hidden ? 'hidden' : 'visible'}' });
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));`);

/** Mishaps while the customer pays. */
const MISHAPS: Readonly<
  Record<Mishap, (tab: Tab, pay: () => Promise<unknown>) => Promise<unknown>>
> = {
  async socket(_, pay) {
    front.loseSockets();
    await pay();
  },
  async sleep(tab, pay) {
    await see(tab, true);
    front.silenceSockets();
    await pay();
    await see(tab, false);
  },
  async killed(_, pay) {
    await shop.kill();
    await pay();
    await shop.start();
  },
  webhook: (_, pay) => pay(),
};

async function waitFor<T>(tab: Tab, expression: string): Promise<T> {
  for (const start = performance.now(); performance.now() - start < LONGEST_MS; ) {
    const found = await tab.run<T | undefined>(`return ${expression}`).catch(() => undefined);
    if (found) return found;
    await wait(20);
  }
  const text = await tab.run<string>(`return ${CARD}.textContent ?? document.body.innerText`);
  throw new Error(`never came: ${expression}: ${text.replace(/\s+/g, ' ').slice(0, 200)}`);
}

/** Milliseconds from the end of the mishap to the page that says paid. */
async function play(tab: Tab, mishap: Mishap): Promise<number> {
  await tab.run('sessionStorage.clear(); localStorage.clear()').catch(() => {}); // another customer
  await tab.go(front.url);
  await waitFor(tab, "document.querySelector('#form button') !== null");
  await tab.run("document.querySelector('#form button').click()");
  await waitFor(tab, `${CARD}.querySelector("[data-phase='awaiting']") && true`);
  const code = await waitFor<string>(tab, `${CARD}.querySelector('[part=code]').value`);
  await tab.run('window.isTheSame = true');
  await MISHAPS[mishap](tab, () => shop.sandbox.payer.pay(code));
  const start = performance.now();
  await waitFor(tab, `${CARD}.querySelector("[data-phase='paid']") && true`);
  if (!(await tab.run<boolean>('return window.isTheSame === true')))
    throw new Error('it was loaded again');
  return performance.now() - start;
}

let failures = 0;

async function series(engine: Engine, tab: Tab, mishap: Mishap): Promise<void> {
  const times: number[] = [];
  for (let n = 0; n < RUNS; n += 1)
    try {
      times.push(await play(tab, mishap));
    } catch (thrown) {
      failures += 1;
      console.log(`  ${engine} ${mishap}: ${(thrown as Error).message}`);
    }
  times.sort((a, b) => a - b);
  const [median, worst] = [times[times.length >> 1] ?? NaN, times.at(-1) ?? NaN];
  const figures = `median ${median.toFixed(0)} ms, worst ${worst.toFixed(0)} ms`;
  console.log(`${engine} ${mishap}: ${times.length} of ${RUNS} right, ${figures}`);
}

async function inAll(mishaps: readonly Mishap[]): Promise<void> {
  for (const engine of chosen(ENGINES)) {
    const door = await openEngine(engine);
    if (!door) {
      console.log(`not run: ${engine} is not installed`);
      continue;
    }
    const tab = await door.tab();
    for (const mishap of mishaps) await series(engine, tab, mishap);
    await door.close();
  }
}

const wanted = chosen(KINDS);
try {
  await inAll(wanted.filter((mishap) => mishap !== 'webhook'));
  if (wanted.includes('webhook')) {
    const { subscriptions } = createClient(shop.sandbox.clientOptions);
    for (const { id } of await subscriptions.list()) await subscriptions.remove(id);
    await inAll(['webhook']);
  }
} finally {
  await shop.close();
  await front.close();
}
process.exit(failures === 0 ? 0 : 1);
