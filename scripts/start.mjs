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
  console.log('Starting the service, the shop and its page …');
  const { openStage, play } = await import('./stage.mjs');
  const stage = await openStage({ port });
  stopWith(stage);
  console.log(`The shop and its customer's wallet: ${stage.url}`);
  console.log(`The back office, by a link that works once: ${stage.office()}`);
  console.log(`The workbench of the service: ${stage.shop.service}`);
  console.log('Enter pays the newest order. Ctrl-C stops everything.');
  for await (const _ of createInterface({ input: process.stdin }))
    console.log(await play(stage, 'pay'));
}
