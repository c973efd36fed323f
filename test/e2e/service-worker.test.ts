// Protects: watches in a service worker, where `import()` is forbidden: a member of a client says at once what to import
// in its place, and works where the page has the engine already.
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { expect } from 'chai';
import { createClient } from 'paystate';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { describe } from '#test';
import { bundleSplit } from '../house/bundle.ts';
import { engines, it, openEngine, until } from './engines.ts';

const WORKER = `
import { allowSecretInBrowser, createClient, watchInvoice } from 'paystate';
const shown = async (watch) => {
  try {
    for await (const { value, freshness } of watch) if (freshness === 'live') return value.state;
  } catch ({ name, message }) {
    return name + ': ' + message;
  }
};
self.addEventListener('message', async ({ data: { apiKey, id }, source }) => {
  const options = { baseUrl: location.origin + '/service', apiKey, [allowSecretInBrowser]: true };
  const client = createClient(options);
  const late = await shown(client.invoices.watch(id));
  const direct = await shown(watchInvoice(client, id));
  source.postMessage([late, direct, await shown(client.invoices.watch(id))]);
});`;

const PAGE = `<!doctype html><title>x</title><script type="module">
await navigator.serviceWorker.register('/stdin.js', { type: 'module' });
const { active } = await navigator.serviceWorker.ready;
navigator.serviceWorker.onmessage = ({ data }) => { window.said = data; };
navigator.serviceWorker.startMessages();
const { key: apiKey, id } = Object.fromEntries(new URLSearchParams(location.search));
active.postMessage({ apiKey, id });
</script>`;

/** Serves the page, the files of its worker, and the service. */
async function serve({ clientOptions, fetch }: Sandbox): Promise<Server> {
  const { outputFiles } = await bundleSplit(WORKER);
  const files = new Map(outputFiles.map(({ path, text }) => [`/${basename(path)}`, text]));
  const answer = async (path: string, authorization: string, response: ServerResponse) => {
    const url = new URL(path, clientOptions.baseUrl).href;
    const answered = await fetch(url, { headers: { authorization } });
    response.writeHead(answered.status, { 'content-type': 'application/json' });
    response.end(await answered.text());
  };
  const server = createServer(({ url, headers }, response) => {
    const [path = ''] = url!.split('?');
    if (path.startsWith('/service'))
      return void answer(url!.slice('/service'.length), headers.authorization ?? '', response);
    const script = files.get(path);
    response.writeHead(200, { 'content-type': script ? 'text/javascript' : 'text/html' });
    response.end(script ?? PAGE);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe('a service worker', () => {
  for (const engine of engines.filter((one) => one === 'chromium'))
    it(`watches with the function that brings the engine, and says so: ${engine}`, async (context) => {
      const door = await openEngine(engine);
      if (!door) return context.skip(`${engine} is not installed`);
      const sandbox = createSandbox({ signed: false, clock: 'real' });
      const { apiKey } = sandbox.clientOptions;
      const amount = { amount: '12.50', currency: 'EUR' };
      const { invoiceId } = await createClient(sandbox.clientOptions).invoices.create({ amount });
      const server = await serve(sandbox);
      try {
        const tab = await door.tab();
        const { port } = server.address() as AddressInfo;
        await tab.go(`http://127.0.0.1:${port}/?key=${apiKey}&id=${invoiceId}`);
        await until(tab, 'window.said');
        const [late, ...others] = await tab.run<string[]>('return window.said');
        expect(late)
          .to.match(/^InputError: watch: the watch engine cannot be loaded here: .*import\(\)/)
          .and.include('watchInvoice(client, …) from paystate');
        expect(others).to.deep.equal(['UNPAID', 'UNPAID']);
      } finally {
        await door.close();
        server.closeAllConnections();
        server.close();
      }
    });
});
