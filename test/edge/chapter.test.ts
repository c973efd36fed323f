// Protects: whoever follows the relay's chapter from an empty folder has a Worker and a page that take an order and are paid.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ClientOptions, type Connection, createConnection, watchInvoice } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { createTestHarness } from 'wrangler';
import { after, describe, it } from '#test';
import '../runners/quiet-tools.ts';
import { serve } from '../../dist/cli/loopback.js';
import { textOfDocument } from '../house/documents.ts';
import { fencesOf } from '../house/fences.ts';
import { root } from '../house/source.ts';
import { bundleTests } from '../runners/one-file.mjs';
import {} from './relay-harness.ts';
import { until } from './until.ts';

const ORIGIN = 'https://shop.example';
const folder = join(root, '.cache', `chapter-${process.pid}`);
const fences = fencesOf(textOfDocument('src/relay/README.md'));
const codeOf = (language: string, among = fences): string =>
  among.find((fence) => fence.language === language)!.code;
const pageWithElement = codeOf('html');
const pageOfItsOwn = codeOf('html', fencesOf(textOfDocument('src/relay/in-detail.md')));

const sandbox = createSandbox({
  clock: 'real',
  deliver: (hook) => fetch(new URL(new URL(hook.url).pathname, url), hook),
});
const service = await serve((request: Request) => sandbox.fetch(request));

/** The chapter's Worker and its configuration; its secrets are what the reader chooses. */
async function writeProject(): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const shop = join(folder, 'shop.ts');
  writeFileSync(shop, codeOf('ts'));
  const { assets: _, ...chapter } = JSON.parse(codeOf('json'));
  const names = ['API_KEY', 'TOKEN_SECRET', 'WEBHOOK_SECRET'];
  expect(
    names.filter(
      (name) =>
        !codeOf('text').includes(name) && !fences.some(({ code }) => code.includes(`${name}=`)),
    ),
  ).to.deep.equal([]);
  await bundleTests({
    root,
    files: [],
    after: `export * from ${JSON.stringify(shop)}; export { default } from ${JSON.stringify(shop)};`,
    outfile: join(folder, 'worker.js'),
    conditions: ['workerd', 'worker', 'browser'],
  });
  const vars = {
    SERVICE: service.url,
    ORIGIN,
    API_KEY: sandbox.clientOptions.apiKey,
    TOKEN_SECRET: 'a secret for the tokens of this test',
    WEBHOOK_SECRET: 'a secret for its webhooks',
  };
  const configPath = join(folder, 'wrangler.json');
  const config = { ...chapter, main: 'worker.js', no_bundle: true, send_metrics: false, vars };
  writeFileSync(configPath, JSON.stringify(config));
  return configPath;
}

const server = createTestHarness({ root: folder, workers: [{ configPath: await writeProject() }] });
const { url } = await server.listen();
after(async () => {
  await server.close();
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What a page sends: its addresses are those of the shop. */
const send = (path: string | URL | Request, init: RequestInit = {}): Promise<Response> =>
  fetch(new URL(String(path), url), { ...init, headers: { ...init.headers, origin: ORIGIN } });

/** Runs the script of a page; gives what its element has got. */
async function openPage<T extends object>(html: string): Promise<T> {
  const [, script = ''] = /<script type="module">([\s\S]*?)<\/script>/.exec(html)!;
  const element = {} as T;
  const inPage = {
    createConnection: (options: ClientOptions) =>
      createConnection({ ...options, baseUrl: new URL('/pay', url).href, fetch: send }),
    defineElements: () => {},
    fetch: send,
    document: { querySelector: () => element },
  };
  const program = `return (async () => {${script.replace(/^\s*import .*$/m, '')}})();`;
  await new Function(...Object.keys(inPage), program)(...Object.values(inPage));
  return element;
}

describe("the relay's chapter", () => {
  it('gives the element of its page an order that opens', async () => {
    const order = await openPage<{ baseUrl: string; orderId: string; orderSecret: string }>(
      pageWithElement,
    );
    const { baseUrl, orderId, orderSecret } = order;
    const opened = await send(`${baseUrl}/token`, {
      method: 'POST',
      headers: { authorization: `Bearer ${orderSecret}` },
      body: JSON.stringify({ orderId }),
    });
    expect(await opened.json()).to.include.keys('invoiceId', 'token', 'expiresIn');
  });

  it('leads to an order that is paid, and seen by a page of its own', async () => {
    type Shown = { client: Connection; invoiceId: string };
    const { client, invoiceId } = await openPage<Shown>(pageOfItsOwn);
    const states: (string | undefined)[] = [];
    const stop = watchInvoice(client, invoiceId).subscribe(({ value }) =>
      states.push(value?.state),
    );
    await until('the invoice', () => states.includes('UNPAID'));
    await sandbox.payer.pay(invoiceId);
    await until('the payment', () => states.includes('PAID'));
    stop();
  });
});
