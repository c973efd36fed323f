// `npm start`: builds, then a whole shop: the service in a box, a Worker before it, its page. Enter pays as the customer.
// `npm run demo`: the page alone, with the service inside it. Both print one address and end cleanly on Ctrl-C.
import { createInterface } from 'node:readline';
import { build } from './build.mjs';

const { bundled, output } = await build();
if (!bundled) {
  console.error(output);
  process.exit(1);
}

const port = Number(process.env.PORT ?? 8787);
const stopWith = ({ close }) => {
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => void close().then(() => process.exit(0)));
};

/** Pays what the newest page shows. */
const payNewest = async ({ sandbox, client }) => {
  const open = await client.invoices.list({ state: 'UNPAID' }).toArray({ limit: 1_000 });
  const newest = open.at(-1);
  if (!newest) return 'There is no open order.';
  const failed = await sandbox.payer.pay(newest.invoiceId).then(
    () => undefined,
    (error) => error.message,
  );
  return failed ?? `Paid ${newest.amount.amount} ${newest.amount.currency}.`;
};

if (process.argv[2] === 'page') {
  const { serveDemo } = await import('./demo.mjs');
  const demo = await serveDemo({ port });
  stopWith(demo);
  console.log(`The demo is at ${demo.url}`);
} else {
  const { startShop } = await import('./shop.mjs');
  const { createClient } = await import('../dist/index.js');
  const shop = await startShop({ port });
  stopWith(shop);
  const client = createClient(shop.sandbox.clientOptionsFor({ address: '203.0.113.7' }));
  console.log(`The shop is at ${shop.url}\nPress Enter to pay the newest order.`);
  for await (const _ of createInterface({ input: process.stdin }))
    console.log(await payNewest({ sandbox: shop.sandbox, client }));
}
