// The relay in real workerd, before a sandbox that is served on the loopback.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestHarness } from 'wrangler';
import {
  createClient,
  type Client,
  type Invoice,
  type InvoiceQuote,
  type ServiceEvent,
} from 'paystate';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { makeDelivery } from 'paystate/testing';
import '../runners/quiet-tools.ts';
import { serve } from '../../dist/cli/loopback.js';
import { root } from '../house/source.ts';
import { bundleTests } from '../runners/one-file.mjs';
import { COMPATIBILITY_DATE } from '../runners/workerd.mjs';
import { until } from './until.ts';

export const ORIGIN = 'https://shop.example';
export const TOKEN_SECRET = 'a secret for the tokens of tests, long enough';

export const WEBHOOK_SECRET = 'a secret for the webhooks of tests';

export interface RelayWorld {
  readonly sandbox: Sandbox;
  /** The shop's own client, beside the relay. */
  readonly client: Client;
  readonly apiKey: string;
  readonly worker: ReturnType<ReturnType<typeof createTestHarness>['getWorker']>;
  /** Everything that the relay has said to pages, as text. */
  readonly heard: string[];
  invoice(): Promise<Invoice>;
  /** Pays an invoice by a new code. */
  pay(invoice: Invoice): Promise<void>;
  /** Where a path of the relay is. */
  at(path: string): URL;
  /** Asks the relay as a page of the shop does. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  token(invoiceId: string): Promise<string>;
  /** Delivers a webhook as the service does. */
  deliver(event: ServiceEvent, secret?: string): Promise<number>;
  /** What the hook answers to another method. */
  hookStatus(method: string): Promise<number>;
  /** Asks an object itself. */
  call<T = unknown>(path: string, body: unknown): Promise<T>;
  /** The SDK as a page of the shop uses it; `lose` breaks its socket off, `opened` says how many are open. */
  page(token: string): {
    readonly client: Client;
    readonly requests: string[];
    lose(): void;
    opened(): number;
  };
  socket(token: string, resume?: { epoch: string; seq: number }): Promise<PageSocket>;
  /** Requests of the service since the last time this was asked. */
  requests(): string[];
}

/** What a room says. */
interface Said {
  readonly epoch: string;
  readonly seq: number;
  readonly value?: Invoice;
  readonly quote?: InvoiceQuote;
  readonly secondsLeft?: number;
}

/** A page's end of a socket, with all that it has heard. */
export interface PageSocket {
  readonly messages: Said[];
  readonly texts: string[];
  /** The code that it was closed with. */
  closed(): Promise<number>;
  readonly protocol: string;
  send(message: unknown): void;
  close(): void;
}

async function bundled(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const after = `export * from './test/edge/relay-worker.ts'; export { default } from './test/edge/relay-worker.ts';`;
  await bundleTests({
    root,
    files: [],
    after,
    outfile: join(folder, 'worker.js'),
    conditions: ['workerd', 'worker', 'browser'],
  });
}

const config = (vars: Record<string, string>) => ({
  name: 'relay',
  main: 'worker.js',
  compatibility_date: COMPATIBILITY_DATE,
  send_metrics: false,
  no_bundle: true,
  vars,
  durable_objects: {
    bindings: [
      { name: 'ACCOUNT', class_name: 'Account' },
      { name: 'ROOMS', class_name: 'Room' },
    ],
  },
  exports: {
    Account: { type: 'durable-object', storage: 'sqlite' },
    Room: { type: 'durable-object', storage: 'sqlite' },
  },
});

function openSocket(
  url: URL,
  token: string,
  heard: string[],
  resume?: unknown,
): Promise<PageSocket> {
  const socket = new WebSocket(url.href.replace('http', 'ws'), {
    protocols: ['paystate.v1', token],
    headers: { origin: ORIGIN },
  } as never);
  const messages: Said[] = [];
  const texts: string[] = [];
  socket.addEventListener('message', ({ data }) => {
    texts.push(data);
    heard.push(data);
    if (data.startsWith('{')) messages.push(JSON.parse(data));
  });
  let closedWith: number | undefined;
  socket.addEventListener('close', ({ code }) => void (closedWith = code));
  return new Promise((resolve, reject) => {
    socket.addEventListener('error', () => reject(new Error('the socket did not open')));
    socket.addEventListener('open', () => {
      socket.send(JSON.stringify({ resume: resume ?? null }));
      resolve({
        messages,
        texts,
        protocol: socket.protocol,
        send: (message) =>
          socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
        close: () => socket.close(),
        closed: () => until('the end of the socket', () => closedWith),
      });
    });
  });
}

/** What runs the Worker `worker.js` of a folder. */
export interface WorkerServer {
  readonly url: string;
  /** The handle of the test harness; a process of workerd has none. */
  readonly worker?: RelayWorld['worker'] | undefined;
  close(): Promise<void>;
}

async function inWrangler(folder: string, vars: Record<string, string>): Promise<WorkerServer> {
  const configPath = join(folder, 'wrangler.json');
  writeFileSync(configPath, JSON.stringify(config(vars)));
  const server = createTestHarness({ root: folder, workers: [{ configPath }] });
  const { url } = await server.listen();
  return { url: `${url}`, worker: server.getWorker(), close: () => server.close() };
}

/** Opens a shop with its relay. */
export async function openRelay(
  start: (folder: string, vars: Record<string, string>) => Promise<WorkerServer> = inWrangler,
): Promise<{ readonly world: RelayWorld; close(): Promise<void> }> {
  const folder = join(
    root,
    '.cache',
    `relay-${process.pid}-${Math.random().toString(36).slice(2)}`,
  );
  const sandbox = createSandbox({
    seed: 'relay',
    clock: 'real',
    accounts: [{ handle: 'shop' }, { handle: 'mallory' }],
  });
  const service = await serve((request: Request) => sandbox.fetch(request));
  const { apiKey } = sandbox.clientOptions as { apiKey: string };
  await bundled(folder);
  const vars = { SERVICE: service.url, API_KEY: apiKey, ORIGIN, TOKEN_SECRET, WEBHOOK_SECRET };
  const server = await start(folder, vars);
  const client = createClient(sandbox.clientOptionsFor({ address: '203.0.113.9' }));
  const heard: string[] = [];
  let counted = 0;
  const at = (path: string) => new URL(path, server.url);
  const world: RelayWorld = {
    sandbox,
    client,
    apiKey,
    heard,
    at,
    get worker() {
      if (!server.worker) throw new Error('a process of workerd has no handle');
      return server.worker;
    },
    invoice: () => client.invoices.create({ amount: { amount: '12.50', currency: 'EUR' } }),
    async pay({ invoiceId }) {
      await sandbox.payer.pay((await client.invoices.quote(invoiceId)).lnInvoice);
    },
    async ask(path, init = {}) {
      const answer = await fetch(at(path), {
        ...init,
        headers: { origin: ORIGIN, ...init.headers },
      });
      heard.push(JSON.stringify([...answer.headers]), await answer.clone().text());
      return answer;
    },
    token: async (id) => (await fetch(at(`/token/${id}`))).text(),
    async deliver(event, secret = WEBHOOK_SECRET) {
      const url = at('/hooks/main').href;
      return (await fetch(await makeDelivery(event, secret, { url }))).status;
    },
    hookStatus: async (method) => (await fetch(at('/hooks/main'), { method })).status,
    call: async (path, body) =>
      (await fetch(at(`/${path}`), { method: 'POST', body: JSON.stringify(body) })).json(),
    page(token) {
      const requests: string[] = [];
      const sockets: WebSocket[] = [];
      const client = createClient({
        baseUrl: at('/pay').href,
        token,
        fetch: (input, init) =>
          fetch(input, { ...init, headers: { ...init.headers, origin: ORIGIN } }),
        WebSocket: class extends WebSocket {
          constructor(to: string, protocols: string[]) {
            super(to, { protocols, headers: { origin: ORIGIN } } as never);
            sockets.push(this);
          }
        },
        onRequest: ({ method, path }) => void requests.push(`${method} ${path}`),
      });
      return {
        client,
        requests,
        lose: () => sockets.at(-1)!.close(),
        opened: () => sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length,
      };
    },
    socket: (token, resume) => openSocket(at('/pay/live'), token, heard, resume),
    requests() {
      const fresh = sandbox.log.slice(counted).filter(({ address }) => address === '203.0.113.1');
      counted = sandbox.log.length;
      return fresh.map(({ method, path }) => `${method} ${path}`);
    },
  };
  return {
    world,
    async close() {
      await server.close();
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
