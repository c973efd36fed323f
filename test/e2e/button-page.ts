// A shop with `<paystate-pay-button>` in plain HTML, under the strictest policy: its orders are made by a real relay over a
// sandbox. Each page says in `mode` how the shop behaves, and loads the file that has a checkout alone.
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from 'paystate';
import { createHostedRelay } from 'paystate/host';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { sqliteDriver } from 'paystate/stores';
import { after } from '#test';
import { serve } from '../../src/cli/loopback.ts';
import { root } from '../house/source.ts';
import { COMPLAINTS } from './element-page.ts';
import { until, type Tab } from './engines.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'; trusted-types 'none'";
const SECRET = 'a secret for the tokens of tests, long enough';

// All that a page author writes is `definePayButton()`; the rest is for the tests.
const PAGE = `
import { createConnection, definePayButton } from '/paystate-checkout.min.js';
definePayButton();
document.documentElement.style.background = 'Canvas'; // what a scheme without a ground shows, for those who measure contrast
const element = document.querySelector('paystate-pay-button') ?? document.querySelector('paystate-checkout');
const views = [];
element.addEventListener('paystate-change', ({ detail }) => views.push(detail));
const part = (name) => element.shadowRoot.querySelector('[part=' + name + ']');
const inner = (name) => (part('dialog')?.querySelector('paystate-checkout') ?? element).shadowRoot?.querySelector('[part=' + name + ']');
Object.assign(window, { createConnection, definePayButton, element, views, part, inner });`;

/** The way in which the shop answers a page that wants an order. */
export type Mode = 'ok' | '500' | 'html' | 'never' | 'lost-once' | 'refused' | 'slow' | 'empty';

export interface PayShop {
  readonly url: string;
  readonly sandbox: Sandbox;
  /** Keys that pages have sent, in their order, each with the body it came in. */
  readonly asked: { readonly key: string; readonly body: Record<string, unknown> }[];
  /** Numbers of the orders that the relay was asked to make. */
  readonly made: Set<string>;
  /** Serves a body in the strict page; returns its address. A page that is examined brings axe, which takes long to load. */
  add(body: string, attributes?: string, isExamined?: boolean): string;
}

/** The number and the secret of an order follow from the key that its page has drawn. */
const derive = (purpose: string, key: string): string =>
  createHmac('sha256', SECRET).update(`${purpose} ${key}`).digest('hex');

const page = (body: string, attributes: string, scripts: string): string => `<!doctype html>
<html ${attributes}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>A shop</title><link rel="icon" href="data:,">
<script src="/complaints.js"></script>${scripts}<script type="module" src="/page.js"></script></head>
<body><main><h1>The Quiet Kettle</h1>${body}</main></body></html>`;

const FILES: Readonly<Record<string, () => string>> = {
  '/page.js': () => PAGE,
  '/complaints.js': () => COMPLAINTS,
  '/paystate-checkout.min.js': () =>
    readFileSync(join(root, 'dist/paystate-checkout.min.js'), 'utf8'),
  '/axe.js': () => readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8'),
};

/** Opens a shop; ends with the tests. */
export async function openPayShop(): Promise<PayShop> {
  const sandbox = createSandbox({ seed: 'button', clock: 'real' });
  const pages: string[] = [];
  const shop = { asked: [] as PayShop['asked'], made: new Set<string>() };
  const lost = new Set<string>();
  // it has to know the address of the server, which passes it requests
  const opened = Promise.withResolvers<ReturnType<typeof createHostedRelay>>();

  async function order(request: Request, mode: Mode): Promise<Response> {
    const body = (await request.json()) as Record<string, unknown>;
    const key = String(body['key']);
    shop.asked.push({ key, body });
    if (mode === '500') return new Response(null, { status: 500 });
    if (mode === 'html')
      return new Response('<h1>Bad Gateway</h1>', {
        status: 502,
        headers: { 'content-type': 'text/html' },
      });
    if (mode === 'refused') return new Response(null, { status: 400 });
    if (mode === 'empty') return Response.json({});
    if (mode === 'never') return new Promise(() => {});
    const own = { orderId: derive('number', key).slice(0, 20), orderSecret: derive('secret', key) };
    shop.made.add(own.orderId);
    const draft = { amount: { amount: '16.80', currency: 'EUR' }, description: 'Harbour Espresso' };
    const made = await (await opened.promise).createOrder('main', draft, own);
    if (mode === 'slow') await wait(600);
    if (mode === 'lost-once' && lost.size === lost.add(key).size) return Response.json(made);
    if (mode === 'lost-once') return new Response(null, { status: 502 });
    return Response.json(made, { status: 201 });
  }

  const server = await serve(async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname.startsWith('/pay/'))
      return (await opened.promise).handle(request, { address: '127.0.0.1' });
    if (pathname === '/orders') return order(request, (searchParams.get('mode') ?? 'ok') as Mode);
    const html = pathname.startsWith('/page/') ? pages[Number(pathname.slice(6))] : undefined;
    const headers = { 'content-security-policy': POLICY };
    if (html) return new Response(html, { headers: { 'content-type': 'text/html', ...headers } });
    const text = FILES[pathname]?.();
    return text === undefined
      ? new Response(null, { status: 404 })
      : new Response(text, { headers: { 'content-type': 'text/javascript' } });
  });
  const relay = createHostedRelay({
    driver: sqliteDriver(new DatabaseSync(':memory:')),
    origin: server.url,
    tokenSecret: SECRET,
    mayForget: true,
    account: () => ({ client: createClient(sandbox.clientOptions), on: { orderPaid: () => {} } }),
  });
  await relay.ready;
  opened.resolve(relay);
  after(async () => {
    await relay.close();
    await server.close();
  });
  return {
    ...shop,
    url: server.url,
    sandbox,
    add(body, attributes = 'lang="en"', isExamined = false) {
      const scripts = isExamined ? '<script src="/axe.js"></script>' : '';
      return `${server.url}/page/${pages.push(page(body, attributes, scripts)) - 1}`;
    },
  };
}

/** A button in plain HTML. */
export const button = (mode: Mode = 'ok', more = ''): string =>
  `<paystate-pay-button base-url="/pay" orders-url="/orders?mode=${mode}" order='{"good":"espresso"}' amount="16.80" currency="EUR" ${more}></paystate-pay-button>`;

/** Waits for a phase that the page was told. */
export const told = (tab: Tab, phase: string): Promise<void> =>
  until(tab, `views.at(-1)?.phase === '${phase}'`);

/** Presses the button as a person does, and waits for its dialog. */
export async function openDialog(tab: Tab): Promise<void> {
  await tab.run('element.click()');
  await until(tab, "part('dialog').open");
}
