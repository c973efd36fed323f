// The stage of `npm start`: the shop's page in a frame, and beside it who plays its customer. Only here, where the
// service is a sandbox; the shop's own page knows nothing of it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from '../dist/cli/loopback.js';

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
  const text = textOf(join(place, name));
  return new Response(text.replaceAll('SHOP', shop.url).replaceAll('SERVICE', shop.service), {
    headers,
  });
};

/** Serves the stage on the wished port if it is free: { url, close }. */
export function serveStage(shop, client, { port = 0 } = {}) {
  const answer = async (request) => {
    const { pathname } = new URL(request.url);
    const act = pathname.replace('/play/', '');
    if (pathname === '/') return fileOf('index.html', shop);
    if (pathname === '/look.css' || pathname === '/main.js') return fileOf(pathname.slice(1), shop);
    if (pathname === '/log') return new Response(textOf(shop.log) || 'Nothing yet.');
    const isOwn = request.headers.get('sec-fetch-site') === 'same-origin';
    if (request.method === 'POST' && isOwn && Object.hasOwn(ACTS, act))
      return new Response(await play({ sandbox: shop.sandbox, client }, act));
    return new Response(null, { status: 404 });
  };
  return serve(answer, { port }).catch(() => serve(answer));
}
