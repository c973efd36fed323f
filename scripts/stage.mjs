// The stage of `npm start`: the shop in a frame, and next to it the customer's wallet. Only here, where the service is a sandbox: the shop
// itself stands in no frame, and its own page knows nothing of it.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from '../dist/cli/loopback.js';
import { tokensFor } from '../dist/elements/tokens.js';
import { startShop } from './shop.mjs';
import { openFrame } from './stage/frame.mjs';
import { OfficeDoor } from './stage/office-door.ts';
import { Story } from './stage/story.ts';

const HOLD = 8_000;
/** The story is compared with what was sent this often, while a page listens. */
const PACE = 200;
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
const TYPES = { html: 'text/html', css: 'text/css', js: 'text/javascript' };
const place = fileURLToPath(new URL('stage', import.meta.url));

/** Acts of the customer on the newest order; each returns a sentence that says what happened. */
const ACTS = {
  async pay({ payer }, { invoiceId, price }) {
    await payer.pay(invoiceId);
    return `You paid ${price}.`;
  },
  async slowly({ payer }, { invoiceId, price }) {
    void payer.pay(invoiceId, { pendingFor: HOLD });
    return `${price} is on its way. This takes eight seconds.`;
  },
  async fail({ payer }, { invoiceId }) {
    void payer.pay(invoiceId, { pendingFor: HOLD / 2, fails: true });
    return 'The payment is on its way. It will fail in four seconds.';
  },
};

/** Plays one of these acts, or a refund; resolves to a sentence that says what happened. */
export async function play({ shop, story }, act) {
  const scene = story.scene();
  if (scene.state === 'none')
    return 'There is no order yet. Press “Pay with Lightning” in the shop.';
  try {
    return await (act === 'refund' ? refundFrom(shop, scene) : ACTS[act](shop.sandbox, scene));
  } catch (error) {
    return `${error.message}.`;
  }
}

/** The customer asks for the money back, and the shop's back office sends it. */
async function refundFrom({ sandbox, worker, url, officeSecret }, { orderId, price }) {
  const answer = await fetch(`${worker}/office/refund`, {
    method: 'POST',
    headers: { origin: url, authorization: `Bearer ${officeSecret}` },
    body: JSON.stringify({
      orderId,
      to: sandbox.payer.createBolt11(),
      name: randomUUID(),
      reason: 'the customer asked for it',
    }),
  });
  const { said } = answer.ok ? await answer.json() : { said: `status ${answer.status}` };
  return said === 'paid' ? `The shop sent ${price} back.` : `The refund: ${said}.`;
}

const textOf = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** A file of the page, which shows this shop. */
export const fileOf = (name, shop) => {
  const type = TYPES[name.split('.').at(-1)];
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; frame-src ${shop.url}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  const headers = { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': policy };
  const text = (name === 'look.css' ? tokensFor(':root') : '') + textOf(join(place, name));
  return new Response(text.replaceAll('SHOP', shop.url).replaceAll('SERVICE', shop.service), {
    headers,
  });
};

const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');

/** What the Worker has said, without colours. */
const logOf = (shop) => textOf(shop.log).replace(COLOURS, '').trim();

/** The scene as server-sent events: at once, and after each change. */
const streamOf = (story, { signal }) => {
  let timer;
  const body = new ReadableStream({
    start(reader) {
      let sent = '';
      const send = () => {
        const text = JSON.stringify(story.scene());
        if (text !== sent) reader.enqueue(new TextEncoder().encode(`data: ${text}\n\n`));
        sent = text;
      };
      send();
      timer = setInterval(send, PACE);
      signal.addEventListener('abort', () => clearInterval(timer));
    },
    cancel: () => clearInterval(timer),
  });
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
  return new Response(body, { headers });
};

/**
 * Starts a shop, and serves the stage on the wished port if it is free: { url, shop, story, office, close }; the shop's address
 * is that at which the stage may show it, and `office()` makes an address that opens its back office once.
 */
export async function openStage({ port = 0 } = {}) {
  const frame = await openFrame();
  const worker = await startShop({ origin: frame.url });
  const shop = { ...worker, url: frame.url, worker: worker.url };
  const [handle] = shop.sandbox.accounts;
  shop.sandbox.fund(handle, { amount: '100.00', currency: 'EUR' }); // refunds cost a fee
  const story = new Story(shop.sandbox, () => logOf(shop));
  const door = new OfficeDoor(shop.officeSecret);
  const office = () => frame.url + door.path();
  const stage = await serveStage({ shop, story, office }, port);
  frame.to(worker.url, stage.url, door);
  const close = () => Promise.all([stage.close(), frame.close()]).then(worker.close);
  return { url: stage.url, shop, story, office, worker: worker.url, close };
}

function serveStage({ shop, story, office }, port) {
  const answer = async (request) => {
    const { pathname, hostname } = new URL(request.url);
    if (!LOOPBACK.includes(hostname)) return new Response(null, { status: 421 });
    const act = pathname.replace('/play/', '');
    if (pathname === '/') return fileOf('index.html', shop);
    if (pathname === '/look.css' || pathname === '/main.js') return fileOf(pathname.slice(1), shop);
    if (pathname === '/story') return streamOf(story, request);
    if (pathname === '/office') return Response.redirect(office(), 303);
    if (pathname === '/log') return new Response(logOf(shop) || 'Nothing yet.');
    const isOwn = request.headers.get('sec-fetch-site') === 'same-origin';
    const isAct = act === 'refund' || Object.hasOwn(ACTS, act);
    if (request.method === 'POST' && isOwn && isAct)
      return new Response(await play({ shop, story }, act));
    return new Response(null, { status: 404 });
  };
  return serve(answer, { port }).catch(() => serve(answer));
}
