// A browser's own cache between a page and the service: whatever the answers allow it to keep, no value is live by a
// request that the service never saw.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { createClient } from 'paystate';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { describe } from '#test';
import { root } from '../house/source.ts';
import { engines, it, openEngine, until } from './engines.ts';

/** What a proxy or a careless server adds to answers, by the first part of their path. */
const ALLOWING: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  modified: { 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' },
  'max-age': { 'cache-control': 'public, max-age=300' },
  tagged: { 'cache-control': 'max-age=300, immutable', etag: '"one"' },
};
const CASES = Object.keys(ALLOWING);

const PAGE = `
import { allowSecretInBrowser, createClient, watchInvoice } from '/paystate.min.js';
const { key: apiKey, id } = Object.fromEntries(new URLSearchParams(location.search));
const pages = ${JSON.stringify(CASES)}.map((name) => {
  const baseUrl = location.origin + '/' + name;
  const client = createClient({ baseUrl, apiKey, [allowSecretInBrowser]: true });
  const watch = watchInvoice(client, id, { until: 'never' });
  const shown = [];
  const note = () => {
    const { checkedAt, freshness, value } = watch.current();
    shown.push({ checkedAt, freshness, state: value?.state });
  };
  watch.subscribe(note);
  const plain = async () => {
    const headers = { authorization: 'Bearer ' + apiKey };
    for (let at = 0; at < 3; at++) await (await fetch(baseUrl + '/v1/invoices/' + id, { headers })).text();
  };
  return { name, shown, plain, refresh: () => watch.refresh().then(note) };
});
const all = (what) => pages.every(({ shown }) => shown.some(what));
const plain = () => Promise.all(pages.map((one) => one.plain())).then(() => { window.isDone = true; });
const refresh = () => { for (const one of pages) one.refresh(); };
Object.assign(window, { pages, all, plain, refresh });`;

const HTML = '<!doctype html><title>x</title><script type="module" src="/page.js"></script>';

const FILES: Readonly<Record<string, readonly [type: string, body: () => string | Buffer]>> = {
  '/': ['text/html', () => HTML],
  '/page.js': ['text/javascript', () => PAGE],
  '/paystate.min.js': ['text/javascript', () => readFileSync(join(root, 'dist/paystate.min.js'))],
};

interface Seen {
  readonly at: number;
  readonly name: string;
  readonly path: string;
}

/** Serves the page, and the service under the name of each case; notes when it saw which request. */
async function serve({ clientOptions, fetch }: Sandbox) {
  const seen: Seen[] = [];
  const answer = async (url: string, authorization: string, response: ServerResponse) => {
    const [, name = '', path = ''] = /^\/([\w-]+)(\/.*)/.exec(url) ?? [];
    seen.push({ at: Date.now(), name, path });
    const address = new URL(path, clientOptions.baseUrl).href;
    const { status, headers, body } = await fetch(address, { headers: { authorization } }).then(
      async (one) => ({ status: one.status, headers: one.headers, body: await one.text() }),
    );
    const date = new Date().toUTCString(); // the sandbox has a calendar of its own
    response.writeHead(status, { ...Object.fromEntries(headers), date, ...ALLOWING[name] });
    response.end(body);
  };
  const server = createServer((request, response) => {
    const url = request.url!;
    const file = FILES[url.split('?')[0]!];
    if (!file) return void answer(url, request.headers.authorization ?? '', response);
    response.writeHead(200, { 'content-type': file[0] });
    response.end(file[1]());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, seen, close };
}

interface Shown {
  readonly checkedAt?: number;
  readonly freshness: string;
  readonly state?: string;
}

/** Clocks of two processes of one machine differ by less than this, milliseconds. */
const SLACK = 100;

describe("a browser's cache", () => {
  for (const engine of engines)
    it(`answers no read of a watch: ${engine}`, async (context) => {
      const door = await openEngine(engine);
      if (!door) return context.skip(`${engine} is not installed`);
      const sandbox = createSandbox({ signed: false, clock: 'real' });
      const { apiKey } = sandbox.clientOptions;
      const amount = { amount: '12.50', currency: 'EUR' };
      const { invoiceId } = await createClient(sandbox.clientOptions).invoices.create({ amount });
      const server = await serve(sandbox);
      try {
        const tab = await door.tab();
        await tab.go(`${server.url}/?id=${invoiceId}&key=${apiKey}`);
        await until(tab, "window.all?.(({ freshness }) => freshness === 'live')");
        await sandbox.payer.pay(invoiceId);
        await tab.run('refresh()');
        await until(tab, "all(({ state }) => state === 'PAID')");
        const pages = await tab.run<{ readonly name: string; readonly shown: readonly Shown[] }[]>(
          'return pages.map(({ name, shown }) => ({ name, shown }))',
        );
        const reads = server.seen.filter(({ path }) => path.startsWith('/v1/invoices'));
        for (const { name, shown } of pages)
          for (const { checkedAt, freshness } of shown) {
            const isSeen = reads.some((one) => one.name === name && one.at >= checkedAt! - SLACK);
            expect(freshness !== 'live' || isSeen, `${name}: read at ${checkedAt}`).to.equal(true);
          }
        const before = server.seen.length;
        await tab.run('plain()');
        await until(tab, 'window.isDone');
        // the cache is there and answers those who do not forbid it; the driver's WebKit keeps nothing
        if (engine !== 'webkit')
          for (const name of CASES) {
            const asked = server.seen.slice(before).filter((one) => one.name === name);
            expect(asked.length, name).to.be.below(3);
          }
      } finally {
        server.close();
        await door.close();
      }
    });
});
