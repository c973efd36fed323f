// Builds, then runs a whole shop until Ctrl-C, with a sandbox of the service, a Worker, its page,
// and a wallet for its customer.
//   npm start       the shop
//   npm run demo    the demo page alone, with the service inside it
import { createInterface } from 'node:readline';
import { build } from './build.ts';

const port = Number(process.env['PORT'] ?? 8787);

/** Closes everything on Ctrl-C and on `kill`, then ends the process. */
function stopWith({ close }: { close(): Promise<void> }): void {
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => void close().then(() => process.exit(0)));
}

async function startDemo(): Promise<void> {
  const { serveDemo } = await import('../demo/serve/demo.ts');
  const demo = await serveDemo({ port });
  stopWith(demo);
  console.log(`The demo is at ${demo.url}`);
}

async function startStage(): Promise<void> {
  console.log('Starting the service, the shop and its page …');
  const { openStage, play } = await import('../demo/serve/stage.ts');
  const stage = await openStage({ port });
  stopWith(stage);
  console.log(`The shop and its customer's wallet: ${stage.url}`);
  console.log(`The back office, by a link that works once: ${stage.office()}`);
  console.log(`The workbench of the service: ${stage.shop.service}`);
  console.log('Enter pays the newest order. Ctrl-C stops everything.');
  for await (const _ of createInterface({ input: process.stdin }))
    console.log(await play(stage, 'pay'));
}

console.log('Building the package …');
const { bundled, output } = await build();
if (bundled) await (process.argv[2] === 'page' ? startDemo() : startStage());
else {
  console.error(output);
  process.exitCode = 1;
}
