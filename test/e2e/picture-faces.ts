// Everything that people see, each face with the states that it can be brought to, always the same ones.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Page } from 'puppeteer-core';
import { partOf } from '../../demo/serve/stage.ts';
import { serve } from '../../dist/cli/loopback.js';
import { serveSandbox } from '../../dist/cli/serve-sandbox.js';
import { createClient } from '../../dist/index.js';
import { createSandbox } from '../../dist/sandbox/index.js';
import { root } from '../house/source.ts';

type Served = Awaited<ReturnType<typeof serve>>;

interface Stage extends Served {
  readonly states: readonly string[];
  /** Brings a page to a state. */
  show(page: Page, state: string): Promise<void>;
}

/** A page or an element. */
export interface Face {
  readonly widths: readonly number[];
  /** It shows times and durations of this machine. */
  readonly isMoving?: boolean;
  /** It is a tool in English, and is never turned. */
  readonly isEnglish?: boolean;
  open(): Promise<Stage>;
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const scriptOf = async (path: string): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [join(root, path)],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
  });
  return outputFiles[0]!.text;
};

/** A page whose own script has `states`, and brings itself to each by `show`. */
const byItself = async (served: Served, states: readonly string[]): Promise<Stage> => ({
  ...served,
  states,
  show: (page, state) =>
    page.evaluate((name) => (window as unknown as { show(name: string): void }).show(name), state),
});

const CHECKOUT = [
  ...['loading', 'awaiting', 'renewed', 'stale', 'offline', 'blocked', 'onchain', 'renewing'],
  ...['paused', 'pending', 'unconfirmed', 'partial', 'less', 'paid', 'late', 'over', 'cancelled'],
  ...['reversed', 'unsafe', 'details', 'unknown', 'failed', 'notFound'],
];

const BUTTON = ['idle', 'disabled', 'busy', 'failed', 'awaiting', 'pending', 'paid', 'cancelled'];

const OFFICE = ['door', 'empty', 'orders', 'old', 'packed', 'held'];

/** Serves texts of these types under their paths. */
const serveFiles = (
  files: Readonly<Record<string, readonly [type: string, text: string]>>,
): Promise<Served> =>
  serve(async ({ url }: Request) => {
    const [type, text] = files[new URL(url).pathname] ?? [];
    return type
      ? new Response(text, { headers: { 'content-type': `${type}; charset=utf-8` } })
      : new Response(null, { status: 404 });
  });

/** A page of the example with its style sheet and a script. */
const servePage = async (
  page: string,
  look: string,
  name: string,
  script: string,
): Promise<Served> =>
  serveFiles({
    '/': ['text/html', read(`worker-example/page/${page}`)],
    [`/${look}`]: ['text/css', read(`worker-example/page/${look}`)],
    [`/${name}`]: ['text/javascript', await scriptOf(script)],
  });

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; require-trusted-types-for 'script'";
const ELEMENT_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>Pictures</title><link rel="stylesheet" href="/page.css"><script type="module" src="/page.js"></script><main></main></html>`;

/** An empty page with an element alone, under the strictest policy. */
const openElement = async (script: string, states: readonly string[]): Promise<Stage> =>
  byItself(
    await serveFiles({
      '/': ['text/html', ELEMENT_PAGE],
      '/page.js': ['text/javascript', await scriptOf(script)],
      '/page.css': ['text/css', ':root{color-scheme:light dark}body{margin:0;padding:1rem}'],
    }),
    states,
  );
const openCheckout = (): Promise<Stage> => openElement('test/e2e/picture-checkout.ts', CHECKOUT);
const openButton = (): Promise<Stage> => openElement('test/e2e/picture-button.ts', BUTTON);

const openOffice = async (): Promise<Stage> =>
  byItself(
    await servePage('office.html', 'office.css', 'office.js', 'test/e2e/picture-office.ts'),
    OFFICE,
  );

/** The page of the shop before an order; the checkout in it is a face of its own. */
async function openShop(): Promise<Stage> {
  const served = await servePage(
    'index.html',
    'look.css',
    'main.js',
    'worker-example/page/main.ts',
  );
  const show = async (page: Page): Promise<void> =>
    void (await page.waitForSelector('#goods input'));
  return { ...served, states: ['goods'], show };
}

const AT = Date.UTC(2026, 10, 22, 14, 5);
const order = {
  orderId: 'QK-7F3A-91C2-0HQ3',
  price: '€16.80',
  what: '1 × Harbour Espresso, 500 g',
};
const step = (name: string, after?: string, more: object = {}) => ({
  name,
  at: AT,
  place: '#r1',
  ...(after && { after }),
  ...more,
});
const ordered = [step(`Order ${order.orderId}`), step('Code shown', '118 ms')];
const packed = [step('Paid', '4.2 s'), step('Webhook', '3 ms'), step('Parcel packed', '81 ms')];
const ahead = (...names: readonly string[]) => names.map((name) => ({ name }));
const REST = ['Paid', 'Webhook', 'Parcel packed'];

const SCENES: Readonly<Record<string, object>> = {
  none: { state: 'none', steps: ahead('Order', 'Code shown', ...REST) },
  open: { state: 'open', ...order, steps: [...ordered, ...ahead(...REST)] },
  pending: {
    state: 'pending',
    ...order,
    steps: [...ordered, step('Payment on its way', '2.1 s'), ...ahead(...REST)],
  },
  failed: {
    state: 'open',
    ...order,
    steps: [...ordered, step('Payment failed', '4.0 s', { isBad: true }), ...ahead(...REST)],
  },
  packed: { state: 'refundable', ...order, steps: [...ordered, ...packed] },
  refunded: {
    state: 'over',
    ...order,
    steps: [...ordered, ...packed, step('Refunded', '1.7 s')],
  },
};

/** The stage of `npm start` with scenes that do not change, and an empty frame in the place of the shop. */
async function openStage(): Promise<Stage> {
  let send = (_scene: object): void => {};
  const served = await serve(async ({ url }: Request) => {
    const { pathname } = new URL(url);
    const place = { url: `${served.url}/shop`, service: `${served.url}/service` };
    const part = partOf(pathname, place);
    if (part) return part;
    if (pathname !== '/story') return new Response('');
    const body = new ReadableStream<Uint8Array>({
      start(reader) {
        send = (scene) =>
          reader.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(scene)}\n\n`));
        send(SCENES['none']!);
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  return {
    ...served,
    states: Object.keys(SCENES),
    async show(page, state) {
      const scene = SCENES[state] as { readonly steps: readonly { readonly name: string }[] };
      send(scene);
      const names = scene.steps.map(({ name }) => name).join();
      await page.waitForFunction(
        (wanted) =>
          [...document.querySelectorAll('#steps .name')].map((one) => one.textContent).join() ===
          wanted,
        {},
        names,
      );
    },
  };
}

/** A page that has not changed for this long has settled. */
const SETTLE_MS = 400;

const SECOND = 1_000;

const WORKBENCH = ['rows', 'invoice', 'list'];

/** The workbench of a sandbox whose time stands still: all that happens has happened before the page is opened. */
async function openWorkbench(states: readonly string[]): Promise<Stage> {
  const sandbox = createSandbox({ seed: 'pictures' });
  const served = await serveSandbox(sandbox);
  const { apiKey } = sandbox.clientOptions;
  const client = createClient({ baseUrl: served.url, apiKey });
  const amount = { amount: '16.80', currency: 'EUR' };
  const pay = async (): Promise<string> => {
    const draft = { amount, description: 'Harbour Espresso', correlationId: 'QK-7F3A-91C2-0HQ3' };
    const { invoiceId } = await client.invoices.create(draft);
    await sandbox.advance(SECOND);
    await client.invoices.quote(invoiceId);
    await sandbox.advance(SECOND);
    await sandbox.payer.pay(invoiceId, { pendingFor: SECOND });
    return invoiceId;
  };
  const bring = async (page: Page, state: string, invoiceId: string): Promise<void> => {
    await page.waitForFunction(() =>
      document.querySelector('[part=rows]')?.textContent?.includes('→ PAID'),
    );
    if (state === 'list')
      await page.$eval('[data-place=invoices]', (one) => (one as HTMLElement).click());
    if (state !== 'invoice') return;
    await page.evaluate((id) => void (location.hash = `#invoice/${id}`), invoiceId);
    await page.waitForSelector('#inspector [part=related]');
  };
  const made = states === WORKBENCH ? await pay() : undefined;
  return {
    ...served,
    states,
    async show(page, state) {
      await page.waitForFunction(() => document.querySelector('#key')?.textContent);
      if (made) await bring(page, state, made);
      await settle(page);
    },
  };
}

/** Waits until a page that is told of everything has nothing more to show. */
async function settle(page: Page): Promise<void> {
  const read = (): Promise<string> => page.evaluate(() => document.body.innerText);
  for (let before = '', now = await read(); before !== now; ) {
    before = now;
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    now = await read();
  }
}

/** Of a page in English with times and durations. */
const TOOL = { widths: [390, 768, 1_280], isMoving: true, isEnglish: true };

export const FACES: Readonly<Record<string, Face>> = {
  checkout: { widths: [390, 768, 1_280], open: openCheckout },
  button: { widths: [390, 768, 1_280], open: openButton },
  office: { widths: [390, 768, 1_280], open: openOffice },
  shop: { widths: [390, 768, 1_280], open: openShop },
  stage: { widths: [390, 768, 1_280], open: openStage },
  workbench: { ...TOOL, open: () => openWorkbench(WORKBENCH) },
  'workbench-empty': { ...TOOL, open: () => openWorkbench(['empty']) },
};
