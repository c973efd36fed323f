// The stage of `npm start`: the shop in a frame, and next to it the customer's wallet. Only here, where the service is a sandbox: the shop
// itself stands in no frame, and its own page knows nothing of it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from '../dist/cli/loopback.js';
import { tokensFor } from '../dist/elements/tokens.js';
import { createClient } from '../dist/index.js';
import { startShop } from './shop.mjs';
import { openFrame } from './stage/frame.mjs';

const HOLD = 8_000;
const TYPES = { html: 'text/html', css: 'text/css', js: 'text/javascript' };
const place = fileURLToPath(new URL('stage', import.meta.url));

/** What can be done to the newest order. */
const ACTS = {
  pay: ({ payer }, id) => payer.pay(id),
  slowly: ({ payer }, id) => void payer.pay(id, { pendingFor: HOLD }),
  fail: ({ payer }, id) => void payer.pay(id, { pendingFor: HOLD / 2, fails: true }),
  reverse: ({ payer }, id) => payer.reverse(id),
  cancel: (_, id, client) => client.invoices.cancel(id),
};
const SAID = {
  pay: 'Paid',
  slowly: 'On its way for eight seconds',
  fail: 'On its way, and it will come back',
  reverse: 'Taken back',
  cancel: 'Cancelled by the shop',
};

/** Does it to the newest order; resolves to what came of it, as a sentence. */
export async function play({ sandbox, client }, act) {
  const newest = (await client.invoices.list().toArray({ limit: 1_000 })).at(-1);
  if (!newest) return 'There is no order yet: press "Pay with Lightning" in the shop.';
  const { invoiceId, amount } = newest;
  try {
    await ACTS[act](sandbox, invoiceId, client);
    return `${SAID[act]}: ${amount.amount} ${amount.currency}.`;
  } catch (error) {
    return `${error.message}.`;
  }
}

const textOf = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

const fileOf = (name, shop) => {
  const type = TYPES[name.split('.').at(-1)];
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; frame-src ${shop.url}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  const headers = { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': policy };
  const text = (name === 'look.css' ? tokensFor(':root') : '') + textOf(join(place, name));
  return new Response(text.replaceAll('SHOP', shop.url).replaceAll('SERVICE', shop.service), {
    headers,
  });
};

/** Lines of the log that the page shows. */
const NEWEST = 60;
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');

/** What the Worker has said, without colours. */
const logOf = (shop, { search }) => {
  const lines = textOf(shop.log).replace(COLOURS, '').trim().split('\n');
  return lines.slice(search === '?newest' ? -NEWEST : 0).join('\n') || 'Nothing yet.';
};

/**
 * Starts a shop, and serves the stage on the wished port if it is free: { url, shop, client, close }; the shop's address is
 * that at which the stage may show it.
 */
export async function openStage({ port = 0 } = {}) {
  const frame = await openFrame();
  const worker = await startShop({ origin: frame.url });
  const shop = { ...worker, url: frame.url };
  const client = createClient(shop.sandbox.clientOptionsFor({ address: '203.0.113.7' }));
  const stage = await serveStage(shop, client, port);
  frame.to(worker.url, stage.url);
  const close = () => Promise.all([stage.close(), frame.close()]).then(worker.close);
  return { url: stage.url, shop, worker: worker.url, client, close };
}

function serveStage(shop, client, port) {
  const answer = async (request) => {
    const url = new URL(request.url);
    const { pathname } = url;
    const act = pathname.replace('/play/', '');
    if (pathname === '/') return fileOf('index.html', shop);
    if (pathname === '/look.css' || pathname === '/main.js') return fileOf(pathname.slice(1), shop);
    if (pathname === '/log') return new Response(logOf(shop, url));
    const isOwn = request.headers.get('sec-fetch-site') === 'same-origin';
    if (request.method === 'POST' && isOwn && Object.hasOwn(ACTS, act))
      return new Response(await play({ sandbox: shop.sandbox, client }, act));
    return new Response(null, { status: 404 });
  };
  return serve(answer, { port }).catch(() => serve(answer));
}
