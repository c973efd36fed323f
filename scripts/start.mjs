// `npm start`: builds, then a whole shop: the service in a box, a Worker before it, its page, and a wallet for its customer.
// `npm run demo`: the page alone, with the service inside it. Both print one address and end cleanly on Ctrl-C.
import { createInterface } from 'node:readline';
import { build } from './build.mjs';

console.log('Building the package …');
const { bundled, output } = await build();
if (!bundled) {
  console.error(output);
  process.exit(1);
}

const port = Number(process.env.PORT ?? 8787);
const stopWith = (...servers) => {
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(
      signal,
      () => void Promise.all(servers.map(({ close }) => close())).then(() => process.exit(0)),
    );
};

if (process.argv[2] === 'page') {
  const { serveDemo } = await import('./demo.mjs');
  const demo = await serveDemo({ port });
  stopWith(demo);
  console.log(`The demo is at ${demo.url}`);
} else {
  console.log('Starting the service, the Worker and the page …');
  const { openStage, play } = await import('./stage.mjs');
  const stage = await openStage({ port });
  const { shop, client } = stage;
  stopWith(stage);
  console.log(`The shop and its customer's wallet are at ${stage.url}`);
  console.log(
    `The back office is at ${shop.url}/office.html; its secret here: ${shop.officeSecret}`,
  );
  console.log('Enter pays the newest order; Ctrl-C ends it all.');
  for await (const _ of createInterface({ input: process.stdin }))
    console.log(await play({ sandbox: shop.sandbox, client }, 'pay'));
}
