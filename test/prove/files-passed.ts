// Counts the files of dist in which a function runs, for a call, a hint and a webhook.
//   npm run prove -- files-passed --list   names them, too
// V8 counts the calls of each function; files of the sandbox are the service's side and are not counted.
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import './shared/bundler-build.ts';

// The files of the build for bundlers are those of src; Node itself loads fewer.
const { createClient, invalidate, watchInvoice } = await import('paystate');
const { createSandbox } = await import('paystate/sandbox');
const { openObjects } = await import('../long/relay-objects.ts');

const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const DRAFT = { amount: { amount: '12.50', currency: 'EUR' } };
const SANDBOX = /^(sandbox|testing|lightning|money|paystate\.min)\b/; // the last two are the sandbox's own here

/** Plays the story once to load and compile everything, then counts while it is played again. */
async function filesPassed(
  play: (counting: Counting) => Promise<void>,
): Promise<readonly string[]> {
  await play({ start: async () => {}, stop: async () => {} });
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  let files: readonly string[] = [];
  await play({
    async start() {
      await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    },
    async stop() {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      await session.post('Profiler.stopPreciseCoverage');
      files = result
        .filter(({ url }) => url.startsWith('file:'))
        .filter(({ functions }) =>
          functions.some(({ functionName, ranges }) => functionName && ranges[0]!.count > 0),
        )
        .map(({ url }) => relative(dist, fileURLToPath(url)))
        .filter((file) => !file.startsWith('..') && !SANDBOX.test(file))
        .sort();
    },
  });
  session.disconnect();
  return files;
}

interface Counting {
  start(): Promise<void>;
  stop(): Promise<void>;
}

const stories: Readonly<Record<string, (counting: Counting) => Promise<void>>> = {
  async 'a call'({ start, stop }) {
    const sandbox = createSandbox();
    const client = createClient(sandbox.clientOptions);
    await start();
    const call = client.invoices.create(DRAFT);
    await sandbox.advance(1_000);
    await call;
    await stop();
  },
  async 'a hint to an emission'({ start, stop }) {
    const sandbox = createSandbox();
    const client = createClient(sandbox.clientOptions);
    const creation = client.invoices.create(DRAFT);
    await sandbox.advance(1_000);
    const invoice = await creation;
    const states: unknown[] = [];
    const end = watchInvoice(client, invoice).subscribe(({ value }) => states.push(value?.state));
    await sandbox.advance(5_000);
    const quote = client.invoices.quote(invoice.invoiceId);
    await sandbox.advance(1_000);
    await sandbox.payer.pay((await quote).lnInvoice);
    await start();
    invalidate(client, 'invoice', invoice.invoiceId);
    await sandbox.advance(5_000);
    await stop();
    if (states.at(-1) !== 'PAID') throw new Error(`the watch shows ${String(states.at(-1))}`);
    end();
  },
  async 'a webhook to a page'({ start, stop }) {
    const shipped: unknown[] = [];
    const world = openObjects(undefined, {
      secrets: 'a secret for the webhooks of tests',
      webhookUrl: 'https://shop.example/hooks/main',
      on: { orderPaid: ({ orderId }) => void shipped.push(orderId) },
    });
    const draft = { ...DRAFT, description: 'tea' };
    const order = await world.sandbox.run(world.relay.createOrder(draft));
    const { body } = await world.exchange(order.orderId, order.orderSecret);
    const invoice = { invoiceId: body.invoiceId as string };
    const { client } = world.page(invoice.invoiceId);
    const states: unknown[] = [];
    const end = watchInvoice(client, invoice.invoiceId).subscribe(({ value }) =>
      states.push(value?.state),
    );
    await world.sandbox.advance(5_000);
    await start();
    await world.sandbox.payer.pay(invoice.invoiceId);
    await world.sandbox.advance(5_000);
    await stop();
    if (states.at(-1) !== 'PAID' || shipped.length !== 1)
      throw new Error(`the page shows ${String(states.at(-1))}; handled: ${shipped.length}`);
    end();
  },
};

for (const [name, play] of Object.entries(stories)) {
  const files = await filesPassed(play);
  console.log(`${name}: ${files.length} files`);
  if (process.argv.includes('--list')) for (const file of files) console.log(`  ${file}`);
}
