// The shop's server. compose.yaml starts two processes of it, and Node 24 runs this file as it is.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { isPaystateError } from 'paystate';
import {
  createHostedRelay,
  forwardedAddress,
  nodeHandler,
  nodeUpgrade,
  type RequestHandler,
} from 'paystate/host';
import { postgresqlDriver } from 'paystate/stores';
import { WebSocketServer } from 'ws';
import { client, log, openConnection, ORIGIN, pool, PORT } from './settings.ts';
import { TOKEN_SECRET, WEBHOOK_SECRET } from './settings.ts';

/** The goods, with prices in euros. A page sends the name of a good and never a price. */
const PRICES: ReadonlyMap<string, string> = new Map([
  ['Morning Blend, 250 g', '9.50'],
  ['Tasting box', '38.00'],
]);
/** A process that stops goes on serving for this long, until the proxy has seen it in /health. */
const DRAIN_MS = 4_000;
/** After this time, connections that clients haven't closed are closed. */
const LAST_RESPONSES_MS = 5_000;
/** Longer than the proxy keeps an idle connection, so that it never writes into a closed one. */
const KEEP_ALIVE_MS = 150_000;

const driver = postgresqlDriver(pool, { openConnection });
const relay = createHostedRelay({
  driver,
  origin: ORIGIN,
  tokenSecret: TOKEN_SECRET,
  webhookUrl: `${ORIGIN}/hooks/main`,
  account: (name) =>
    name === 'main'
      ? {
          client,
          secrets: WEBHOOK_SECRET,
          on: {
            // The parcel is written in the transaction that ends the event, so there's only one,
            // even after a kill.
            orderPaid: ({ orderId, draft }, { tx }) =>
              tx((sql) =>
                sql.run(
                  'INSERT INTO parcels (order_id, content) VALUES ($1, $2) ON CONFLICT DO NOTHING',
                  ...[orderId, draft.description ?? ''],
                ),
              ),
          },
          onProblem: (problem) => {
            // A handler's error may hold anything, so it's not logged.
            const { kind, invoiceId, reason, key } = problem as Partial<Record<string, string>>;
            const error = problem.kind === 'store-failed' ? String(problem.error) : undefined;
            log('problem', { kind, invoiceId, reason, key, error });
          },
        }
      : undefined,
});

/**
 * Derives an order's number and secret from the key that its page has drawn. The same key again is
 * the same order.
 */
const derive = (purpose: string, key: string): string =>
  createHmac('sha256', TOKEN_SECRET).update(`${purpose} ${key}`).digest('hex');

async function createOrder(request: Request): Promise<Response> {
  if (request.headers.get('origin') !== ORIGIN) return new Response(null, { status: 403 });
  const { key, good } = Object((await request.json().catch(() => ({}))) as unknown);
  const amount = PRICES.get(good);
  if (amount === undefined || typeof key !== 'string' || !/^[\w-]{36}$/.test(key))
    return new Response(null, { status: 400 });
  const draft = { amount: { amount, currency: 'EUR' }, description: good as string };
  const own = { orderId: derive('number', key).slice(0, 20), orderSecret: derive('secret', key) };
  try {
    return Response.json(await relay.createOrder('main', draft, own), { status: 201 });
  } catch (thrown) {
    const code = isPaystateError(thrown) ? thrown.code : 'UNKNOWN';
    log('no-order', { orderId: own.orderId, code });
    return new Response(null, { status: code === 'PROCESSING_CONFLICT' ? 409 : 503 });
  }
}

const CHECKOUT_FILE = 'paystate-checkout.min.js';
const fileOf = (url: string, type: string) => {
  const body = readFileSync(new URL(url));
  return () =>
    new Response(body, { headers: { 'content-type': type, 'cache-control': 'no-cache' } });
};
const files: ReadonlyMap<string, () => Response> = new Map([
  ['/', fileOf(import.meta.resolve('./page.html'), 'text/html; charset=utf-8')],
  ['/page.js', fileOf(import.meta.resolve('./page.js'), 'text/javascript')],
  [
    `/${CHECKOUT_FILE}`,
    fileOf(import.meta.resolve(`paystate/${CHECKOUT_FILE}`), 'text/javascript'),
  ],
]);

let isEnding = false;

const respond: RequestHandler = async (request) => {
  const { pathname } = new URL(request.url);
  if (pathname === '/health')
    return new Response(null, { status: !isEnding && relay.health().ok ? 200 : 503 });
  if (pathname === '/hooks/main') return relay.handleWebhook('main', request);
  if (pathname.startsWith('/pay/'))
    return relay.handle(request, { address: forwardedAddress(request, 1) }); // one proxy is in front
  if (pathname === '/orders' && request.method === 'POST') return createOrder(request);
  return files.get(pathname)?.() ?? new Response(null, { status: 404 });
};

await relay.ready; // rejects with the reason if this process may not use the database
const server = createServer(nodeHandler(respond));
server.keepAliveTimeout = KEEP_ALIVE_MS;
server.on('upgrade', nodeUpgrade(WebSocketServer, respond)).listen(PORT);
await once(server, 'listening');
log('listening', { port: PORT });

process.once('SIGTERM', async () => {
  isEnding = true;
  log('ending');
  await wait(DRAIN_MS);
  await relay.close(); // pages reconnect to the other process, which has the work at once
  server.close();
  server.closeIdleConnections();
  await Promise.race([once(server, 'close'), wait(LAST_RESPONSES_MS)]);
  await driver.close();
  log('ended');
  process.exit();
});
