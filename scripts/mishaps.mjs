// `npm run mishaps`: the example's shop in real browsers before real workerd. The customer's page shows its code; then the
// webhook, the socket, the page's attention or the Worker is lost, the order is paid meanwhile, and the page says so by itself:
// it is never loaded again. Prints the worst time of each.
//   npm run mishaps                          20 runs of each mishap in each engine
//   npm run mishaps -- 3 webkit socket       so many, in these engines, of these mishaps
import { openEngine } from '../test/e2e/engines.ts';
import { openFront } from '../test/e2e/front.ts';
import { startShop } from './shop.mjs';

const words = process.argv.slice(2);
const RUNS = Number(words.find((word) => /^\d+$/.test(word)) ?? 20);
const chosen = (all) => {
  const named = all.filter((word) => words.includes(word));
  return named.length > 0 ? named : all;
};
const LONGEST = 120_000;
const CARD = "document.querySelector('paystate-checkout')?.shadowRoot?";

const front = await openFront();
const shop = await startShop({ origin: front.url });
front.to(shop.url);

const see = (tab, hidden) =>
  tab.run(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${hidden ? 'hidden' : 'visible'}' });
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));`);

/** What happens while the customer pays. */
const MISHAPS = {
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

async function waitFor(tab, expression) {
  for (const start = performance.now(); performance.now() - start < LONGEST; ) {
    const found = await tab.run(`return ${expression}`).catch(() => undefined);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const text = await tab.run(`return ${CARD}.textContent ?? document.body.innerText`);
  throw new Error(`never came: ${expression}: ${text.replace(/\s+/g, ' ').slice(0, 200)}`);
}

/** Milliseconds from the end of the mishap to the page that says paid. */
async function play(tab, mishap) {
  await tab.run('sessionStorage.clear(); localStorage.clear()').catch(() => {}); // another customer
  await tab.go(front.url);
  await waitFor(tab, "document.querySelector('#form button') !== null");
  await tab.run("document.querySelector('#form button').click()");
  await waitFor(tab, `${CARD}.querySelector("[data-phase='awaiting']") && true`);
  const code = await waitFor(tab, `${CARD}.querySelector('[part=code]').value`);
  await tab.run('window.isTheSame = true');
  await MISHAPS[mishap](tab, () => shop.sandbox.payer.pay(code));
  const start = performance.now();
  await waitFor(tab, `${CARD}.querySelector("[data-phase='paid']") && true`);
  if (!(await tab.run('return window.isTheSame === true'))) throw new Error('it was loaded again');
  return performance.now() - start;
}

let failures = 0;
async function series(engine, tab, mishap) {
  const times = [];
  for (let n = 0; n < RUNS; n += 1)
    await play(tab, mishap).then(
      (time) => times.push(time),
      (error) => {
        failures += 1;
        console.log(`  ${engine} ${mishap}: ${error.message}`);
      },
    );
  times.sort((a, b) => a - b);
  const [median, worst] = [times[times.length >> 1] ?? NaN, times.at(-1) ?? NaN];
  console.log(
    `${engine} ${mishap}: ${times.length} of ${RUNS} right, median ${median.toFixed(0)} ms, worst ${worst.toFixed(0)} ms`,
  );
}

async function inAll(mishaps) {
  for (const engine of chosen(['chromium', 'firefox', 'webkit'])) {
    const door = await openEngine(engine);
    if (!door) console.log(`not run: ${engine} is not installed`);
    else {
      const tab = await door.tab();
      for (const mishap of mishaps) await series(engine, tab, mishap);
      await door.close();
    }
  }
}

const wanted = chosen(Object.keys(MISHAPS));
try {
  await inAll(wanted.filter((mishap) => mishap !== 'webhook'));
  if (wanted.includes('webhook')) {
    const { createClient } = await import('../dist/index.js');
    const { subscriptions } = createClient(shop.sandbox.clientOptions);
    for (const { id } of await subscriptions.list()) await subscriptions.remove(id);
    await inAll(['webhook']);
  }
} finally {
  await shop.close();
  await front.close();
}
process.exit(failures === 0 ? 0 : 1);
