// The shop on Node with PostgreSQL. `index.ts` is the same shop on Cloudflare's runtime. Any number
// of processes can share one database.
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from 'paystate';
import {
  createHostedRelay,
  forwardedAddress,
  nodeHandler,
  type NodeSocketsOptions,
  nodeUpgrade,
  type RequestHandler,
  type ServerSocket,
} from 'paystate/host';
import { postgresqlDriver } from 'paystate/stores';
import postgres from 'postgres';
import { WebSocketServer } from 'ws';
import { Till } from '../till/till.ts';
import { Books } from './books.ts';
import { Desk } from './desk.ts';
import { follow } from './follow.ts';
import { Live } from './live.ts';
import { log } from './log.ts';
import { accountOf, respond, type Shop, webhookUrlOf } from './shop.ts';
import { Visitors } from './visitor.ts';

/**
 * Returns a setting of the environment, or the content of the file in `<name>_FILE`, which
 * containers use for secrets.
 */
function setting(name: string, usual?: string): string {
  const file = process.env[`${name}_FILE`];
  const value = (file ? readFileSync(file, 'utf8').trim() : process.env[name]) || usual;
  if (value === undefined) throw new Error(`the environment has no ${name}`);
  return value;
}

const SERVICE = setting('SERVICE');
const ORIGIN = setting('ORIGIN');
const PORT = Number(setting('PORT', '8787'));
const HOST = setting('HOST', '127.0.0.1');
/** The number of your own proxies in front. The first of them records the client's address. */
const PROXIES = Number(setting('PROXIES', '0'));
/**
 * A process without this key pays nothing back. It keeps refunds for a process that has the key,
 * which strangers needn't reach.
 */
const PAY_KEY = setting('PAY_KEY', '');

const MINUTE = 60_000;
const CRON_MS = 5 * MINUTE;
/** How often we look for work. Refunds that other processes have kept should not wait for long. */
const WORK_MS = PAY_KEY ? 10_000 : MINUTE;
/**
 * How often we read the books while a back office is open, because other processes write them too.
 */
const READ_MS = 1_000;
/** A process that stops goes on serving for this long, until the proxy has seen it in /health. */
const DRAIN_MS = PROXIES > 0 ? 4_000 : 0;
/** After this time, connections that clients haven't closed are closed. */
const LAST_RESPONSES_MS = 5_000;

const DATABASE_URL = setting('DATABASE_URL');
const driver = postgresqlDriver(() => postgres(DATABASE_URL, { max: 1, onnotice() {} }));
const client = createClient({ baseUrl: SERVICE, apiKey: setting('API_KEY') });

const books = new Books(driver);
const visitors = new Visitors(driver);
const till = PAY_KEY
  ? new Till({
      driver,
      client: createClient({ baseUrl: SERVICE, apiKey: PAY_KEY }),
      isAlone: false,
    })
  : undefined;
const desk = new Desk({
  client,
  books,
  refund: async (wish) =>
    till ? till.refund(wish) : { phase: 'kept for the process that pays', note: '' },
});
const offices = new Set<ServerSocket>();
const live = new Live({
  books,
  sockets: () => offices,
  follow: (...told) => follow(client, books, ...told),
  readEvery: READ_MS,
});
const account = accountOf(client, books, setting('WEBHOOK_SECRET'));
const relay = createHostedRelay({
  driver,
  origin: ORIGIN,
  tokenSecret: setting('TOKEN_SECRET'),
  webhookUrl: webhookUrlOf(ORIGIN),
  account: (name) => (name === 'main' ? account : undefined),
});

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** Serves the pages with the headers of `_headers`, which Cloudflare's runtime reads by itself. */
function readFiles(folder: string): Shop['file'] {
  const lines = readFileSync(join(folder, '_headers'), 'utf8').matchAll(/^ +(\S+): (.+)$/gm);
  const common = Object.fromEntries([...lines].map(([, name, value]) => [name!, value!]));
  const files = new Map<string, () => Response>();
  for (const name of readdirSync(folder)) {
    const type = TYPES[extname(name)];
    if (!type) continue;
    const body = readFileSync(join(folder, name));
    const headers = { ...common, 'content-type': type, 'cache-control': 'no-cache' };
    files.set(`/${name}`, () => new Response(body, { headers }));
  }
  return async ({ url, method }) => {
    const { pathname } = new URL(url);
    const respondWith = files.get(pathname === '/' ? '/index.html' : pathname);
    if (!respondWith) return new Response(null, { status: 404 });
    return method === 'GET' ? respondWith() : new Response(null, { status: 405 });
  };
}

/** Returns a response that `nodeUpgrade` turns into a socket of the back office. */
function openOffice(): Response {
  const connect = (socket: ServerSocket) => {
    offices.add(socket);
    socket.addEventListener('message', () => live.heard(socket));
    socket.addEventListener('error', () => {}); // without a listener an error would end the process
    socket.addEventListener('close', () => {
      offices.delete(socket);
      live.closed(socket);
    });
    live.opened(socket);
  };
  const members = { status: { value: 101 }, connect: { value: connect } };
  return Object.defineProperties(new Response(null), members);
}

const shop: Shop = {
  origin: ORIGIN,
  tokenSecret: setting('TOKEN_SECRET'),
  officeSecret: setting('OFFICE_SECRET', ''),
  relay: {
    createOrder: (draft, own) => relay.createOrder('main', draft, own),
    handleWebhook: (request) => relay.handleWebhook('main', request),
    handle: (request, from) => relay.handle(request, from),
  },
  countOrder: (visitor) => visitors.order(visitor),
  ask: (act, wish) =>
    desk.answer(
      new Request(`https://desk/shop/${act}`, { method: 'POST', body: JSON.stringify(wish) }),
    ),
  openOffice: async () => openOffice(),
  file: readFiles(join(import.meta.dirname, '../public')),
};

let isEnding = false;

const answer: RequestHandler = async (request, from) => {
  if (new URL(request.url).pathname === '/health')
    return new Response(null, { status: !isEnding && relay.health().ok ? 200 : 503 });
  const address = PROXIES > 0 ? forwardedAddress(request, PROXIES) : from.address;
  return respond(request, shop, address);
};

/** Gives each socket the first protocol that its page names, the relay's or the back office's. */
class Sockets extends WebSocketServer {
  constructor(options: NodeSocketsOptions) {
    super({ ...options, handleProtocols: ([first]: Iterable<string>) => first ?? false });
  }
}

/**
 * Does the work of the alarm and the cron on Cloudflare's runtime. One of the processes compares
 * the books with the service.
 */
async function work(): Promise<void> {
  try {
    await till?.work();
    if (till) await desk.payBack();
    await visitors.forget();
    if (await books.takeTurn('reconcile', CRON_MS)) await desk.reconcile();
  } catch (thrown) {
    log('no-cron', { code: (thrown as { readonly code?: string }).code }); // the next run retries
  }
}

async function workOn(): Promise<void> {
  for (; !isEnding; await wait(WORK_MS, undefined, { ref: false })) await work();
}

await relay.ready; // rejects with the reason if this process may not use the database
const server = createServer(nodeHandler(answer));
server.on('upgrade', nodeUpgrade(Sockets, answer)).listen(PORT, HOST);
await once(server, 'listening');
log('listening', { port: PORT });
void workOn();

async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  log('ending');
  await wait(DRAIN_MS);
  await relay.close(); // pages reconnect to another process, which has the work at once
  for (const socket of offices) socket.close();
  server.close();
  server.closeIdleConnections();
  await Promise.race([once(server, 'close'), wait(LAST_RESPONSES_MS)]);
  await driver.close();
  log('ended');
  process.exit();
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void end());
