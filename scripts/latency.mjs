// `npm run latency`: how long a real page before the example's Worker takes from the payment to "paid": with webhooks,
// without any, and with the Worker's process killed on the way; before that, from a webhook to sockets: 1, 100 and 1,000 in one
// room, and 1,000 rooms. Prints what it measured; nothing is asserted.
//   npm run latency -- --rooms           the sockets only: without a browser
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openEngine, until } from '../test/e2e/engines.ts';
import { openFront } from '../test/e2e/front.ts';
import { build } from './build.mjs';
import { startShop } from './shop.mjs';

const RUNS = Number(process.env.RUNS ?? 20);
const KILLS = Number(process.env.KILLS ?? 10);
const STEP = 40;

const { bundled, output } = await build();
if (!bundled) {
  console.error(output);
  process.exit(1);
}
const { roomLatencies } = await import('./room-latency.mjs');
console.table(await roomLatencies());
if (process.argv.includes('--rooms')) process.exit(0);
const { createClient } = await import('../dist/index.js');
const { basePeriod } = await import('../dist/core/http/rate-readings.js');

const front = await openFront();
const begun = performance.now();
const shop = await startShop({ origin: front.url });
console.log(`start of sandbox, Worker and page: ${(performance.now() - begun).toFixed(0)} ms`);
front.to(shop.url);
const browser = await openEngine('chromium');
const period = basePeriod(createClient(shop.sandbox.clientOptions));

/** An order in a page of its own, up to its code. */
const ordered = async () => {
  const tab = await browser.tab();
  await tab.go(front.url);
  await until(tab, "document.querySelector('#form button')");
  await tab.run("document.querySelector('#form button').click()");
  await until(tab, "document.querySelector('#qr').dataset.code");
  return { tab, code: await tab.run("return document.querySelector('#qr').dataset.code") };
};

const isPaid = 'document.querySelector("#payment[data-phase=\'paid\']")';

/** Milliseconds from a payment to the page that says so. */
const timed = async () => {
  const { tab, code } = await ordered();
  await new Promise((resolve) => setTimeout(resolve, Math.random() * period)); // at any time of the period
  const start = performance.now();
  await shop.sandbox.payer.pay(code);
  await until(tab, isPaid);
  const time = performance.now() - start;
  await tab.page.close();
  return time;
};

const series = async (title, bound) => {
  const times = [];
  while (times.length < RUNS) times.push(await timed());
  times.sort((a, b) => a - b);
  const at = (part) =>
    times[Math.min(times.length - 1, Math.floor(part * times.length))].toFixed(0);
  console.log(
    `${title}: ${times.length} runs, median ${at(0.5)} ms, worst ${at(1)} ms (bound ${bound} ms)`,
  );
};

await series('with webhooks', 2_000);
const endLost = shop.sandbox.fault({ delivery: 'lost-before' });
await series(`without webhooks, base period ${period} ms`, 1.2 * period + 500);
endLost();

/** Rows of the Worker's own table: what its handler packed. */
const parcels = () => {
  const [file] = globSync(join(shop.folder, 'state/**/*.sqlite'))
    .filter((path) => existsSync(path))
    .filter((path) => {
      const db = new DatabaseSync(path, { readOnly: true });
      const found = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'shop_parcel'").get();
      db.close();
      return found;
    });
  const db = new DatabaseSync(file, { readOnly: true });
  const rows = db.prepare('SELECT order_id, key FROM shop_parcel').all();
  db.close();
  return rows;
};

for (let point = 0; point < KILLS; point++) {
  const { tab, code } = await ordered();
  const order = JSON.parse(await tab.run("return sessionStorage.getItem('order')"));
  await shop.sandbox.payer.pay(code);
  await new Promise((resolve) => setTimeout(resolve, point * STEP));
  await shop.kill();
  const start = performance.now();
  await shop.start();
  await until(tab, isPaid);
  const shown = performance.now() - start;
  let rows = [];
  while (rows.length === 0 && performance.now() - start < 90_000) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    rows = parcels().filter(({ order_id: id }) => id === order.orderId);
  }
  console.log(
    `killed ${point * STEP} ms after the payment: the page said paid ${shown.toFixed(0)} ms later, parcels ${rows.length}, key ${rows[0]?.key.replace(/:.*:/, ':…:') ?? 'none'}, handled after ${(performance.now() - start).toFixed(0)} ms`,
  );
  await tab.page.close();
}

await browser.close();
await shop.close();
await front.close();
