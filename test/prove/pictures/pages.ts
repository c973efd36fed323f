// The pages that people see, each with the states that it can be brought to.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { createClient } from 'paystate';
import { createSandbox } from '../../../dist/sandbox/index.js'; // of the same build as the command
import type { ElementHandle, Page } from 'puppeteer-core';
import { serveDemo } from '../../../demo/serve/demo.ts';
import { startShop } from '../../../demo/serve/shop.ts';
import { openStage } from '../../../demo/serve/stage.ts';
import { serve } from '../../../dist/cli/loopback.js';
import { serveSandbox } from '../../../dist/cli/serve-sandbox.js';
import { root } from '../../house/source.ts';

type Served = Awaited<ReturnType<typeof serve>>;

/** A page with its states, in the order in which they follow from each other. */
export interface PictureSet<S extends Served = Served> {
  open(): Promise<S>;
  readonly states: Readonly<Record<string, (page: Page, server: S) => Promise<unknown>>>;
  /** Width and height of the window; without it the usual widths. */
  readonly sizes?: readonly (readonly [width: number, height: number])[];
}

/** Keeps what `open` resolves to and what the states take together. */
const pictureSet = <S extends Served>(set: PictureSet<S>): PictureSet =>
  set as unknown as PictureSet;

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; require-trusted-types-for 'script'";
const LOOK = ':root{color-scheme:light dark}body{margin:0;padding:1rem}';

type Files = Readonly<Record<string, readonly [type: string, text: string]>>;

/** Serves texts under paths. */
const serveFiles = (files: Files): Promise<Served> =>
  serve(async (request: Request) => {
    const [type, text] = files[new URL(request.url).pathname] ?? [];
    return type === undefined
      ? new Response(null, { status: 404 })
      : new Response(text, { headers: { 'content-type': type } });
  });

/** An empty page with one script, under the strictest policy. */
export const serveScript = async (file: string): Promise<Served> => {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'test/prove/pictures', file)],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
  });
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>Pictures</title><link rel="stylesheet" href="/page.css"><script type="module" src="/page.js"></script><main></main></html>`;
  return serveFiles({
    '/': ['text/html', html],
    '/page.js': ['text/javascript', outputFiles[0]!.text],
    '/page.css': ['text/css', LOOK],
  });
};

/** The HTML of the manual, as somebody copies it. */
const serveSnippet = (): Promise<Served> => {
  const manual = readFileSync(join(root, 'src/flows/README.md'), 'utf8');
  const file = 'dist/paystate.min.js';
  return serveFiles({
    '/': ['text/html', /```html\n([\s\S]*?)```/.exec(manual)![1]!],
    [`/node_modules/paystate/${file}`]: ['text/javascript', readFileSync(join(root, file), 'utf8')],
  });
};

/** The sandbox's page, empty at first; webhooks reach a receiver of this machine. */
const serveCommand = async () => {
  const sandbox = createSandbox({ seed: 'pictures', clock: 'real', deliver: 'network' });
  const served = await serveSandbox(sandbox);
  const { apiKey } = sandbox.clientOptions;
  const client = createClient({ baseUrl: served.url, apiKey: apiKey! });
  const receiver = { status: 204 };
  const hooks = await serve(async () => new Response(null, { status: receiver.status }));
  return {
    ...served,
    sandbox,
    client,
    receiver,
    hooks: `${hooks.url}/hooks`,
    ask: (path: string) =>
      fetch(served.url + path, { headers: { authorization: `Bearer ${apiKey}` } }),
    control: (path: string, body: object) =>
      fetch(`${served.url}/_sandbox/${path}`, {
        method: 'POST',
        headers: { 'x-paystate-control': '1' },
        body: JSON.stringify(body),
      }),
    async close() {
      await hooks.close();
      await served.close();
    },
  };
};

type Command = Awaited<ReturnType<typeof serveCommand>>;

const EVENT_TYPES = ['invoice.created', 'invoice.updated', 'payment.updated'];

/** A shop on a good day: about 300 requests, and what follows from them. */
async function busy(
  page: Page,
  { sandbox, client, ask, hooks: webhookUrl }: Command,
): Promise<void> {
  sandbox.fund('shop', { amount: '12345678.90', currency: 'EUR' });
  const secret = 'a-secret-of-30-characters-long';
  await client.subscriptions.create({
    webhookUrl,
    webhookVersion: 'v1',
    secret,
    enabled: true,
    eventTypes: EVENT_TYPES,
  });
  for (let round = 0; round < 12; round++) {
    const amount = { amount: ['4.20', '16.80', '1234.50'][round % 3]!, currency: 'EUR' };
    const draft = { amount, description: '1 × Harbour Espresso, 500 g' };
    const { invoiceId } = await client.invoices.create(draft);
    await client.invoices.quote(invoiceId);
    if (round % 3 === 0) await sandbox.payer.pay(invoiceId);
    if (round % 6 === 4) await client.invoices.cancel(invoiceId);
    for (let reads = 0; reads < 9; reads++) await ask(`/v1/invoices/${invoiceId}`);
    for (const path of ['balances', 'rates/ticker', 'events', 'payouts', 'deposits'])
      for (let reads = 0; reads < 2; reads++) await ask(`/v1/${path}`);
  }
  await client.receiveRequests.create({
    onchain: {},
    bolt11: { amount: { amount: '0.0002', currency: 'BTC' } },
  });
  await ask('/v1/invoices/00000000-0000-4000-8000-000000000000');
  await sees(page, 'NOT_FOUND');
}

const FAULTS = [
  { subject: 'payment', state: 'FAILED' },
  { path: '/v1/events', action: { status: 503 } },
  { path: '/v1/payouts/*', action: { delay: 3_000 } },
];

/** Faults, a receiver that is away, a payment that fails, and the rate limit that blocks. */
async function trouble(
  page: Page,
  { sandbox, client, ask, control, receiver }: Command,
): Promise<void> {
  receiver.status = 503;
  for (const rule of FAULTS) await control('faults', rule);
  const draft = { amount: { amount: '9.90', currency: 'EUR' }, description: 'Filter papers' };
  const { invoiceId } = await client.invoices.create(draft);
  await sandbox.payer.pay(invoiceId);
  await ask('/v1/events');
  await sees(page, 'next in');
  for (let count = 0; (await ask('/v1/balances')).status !== 429; count++)
    if (count > 2_000) throw new Error('The rate limit never blocks.');
  await sees(page, '429');
}

const sees = (page: Page, text: string) =>
  page.waitForFunction(
    (wanted) => document.querySelector('#rows')!.textContent.includes(wanted),
    {},
    text,
  );

const order = async (page: Page): Promise<void> => {
  await page.click('#submit');
  await phase(page, 'awaiting');
};
const phase = (page: Page, name: string) =>
  page.waitForFunction(
    (wanted) => document.querySelector<HTMLElement>('#payment')!.dataset['phase'] === wanted,
    {},
    name,
  );
const press = (page: Page, id: string): Promise<void> =>
  page.$eval(id, (button) => (button as HTMLElement).click());
const element = (page: Page, name: string) =>
  page.waitForFunction(
    (wanted) =>
      document
        .querySelector('paystate-checkout')!
        .shadowRoot?.querySelector(`[data-phase=${wanted}]`),
    {},
    name,
  );
/** Something of the shop in the stage's frame. */
const inShop = async (page: Page, selector: string): Promise<ElementHandle> => {
  const frame = await page.waitForFrame((one) => one.parentFrame() !== null);
  return (await frame.waitForSelector(selector))!;
};
const inCommand = (name: string) => async (page: Page) => {
  const tab = await page.waitForSelector(`paystate-devtools >>> ::-p-text(${name})`);
  await tab!.click();
};
const inDevtools = (name: string) => (page: Page) =>
  page.evaluate((tab) => window.choose(tab), name);

export const PAGES: Readonly<Record<string, PictureSet>> = {
  demo: pictureSet({
    open: serveDemo,
    states: {
      shop: (page) => page.waitForSelector('.choice'),
      awaiting: order,
      pending: async (page) => {
        await press(page, '#pay-slowly');
        await phase(page, 'pending');
      },
      paid: async (page) => {
        await press(page, '#plus-10');
        await phase(page, 'paid');
      },
      reversed: async (page) => {
        await press(page, '#reverse');
        await phase(page, 'reversed');
      },
      devtools: async (page) => {
        await page.click('#devtools summary');
        await page.waitForFunction(() => document.querySelector('paystate-devtools')?.shadowRoot);
        await page.waitForFunction(
          () => document.querySelector<HTMLDetailsElement>('#devtools')!.open,
        );
      },
      cancelled: async (page) => {
        await press(page, '#leave');
        await order(page);
        await press(page, '#cancel');
        await phase(page, 'cancelled');
      },
    },
  }),
  sandbox: pictureSet({
    open: serveCommand,
    sizes: [
      [1_280, 800],
      [360, 740],
    ],
    states: {
      empty: (page) => page.waitForFunction(() => document.querySelector('#key')!.textContent),
      busy,
      list: async (page) => {
        await press(page, '[data-place=invoices]');
        await page.waitForSelector('[data-id] button');
      },
      item: async (page) => {
        await press(page, '[data-id]:last-child button');
        await press(page, '[data-place=""]');
        await page.waitForSelector('#inspector .states');
      },
      request: async (page) => {
        await page.$$eval('[role=option].request', (all) => (all.at(-1) as HTMLElement).click());
        await page.waitForSelector('#inspector .tabs');
      },
      trouble: async (page, server) => {
        await press(page, '#inspector .close');
        await press(page, '#kinds [data-kind=all]'); // which follows the end
        await trouble(page, server);
      },
      drawer: async (page) => {
        await press(page, '#faults-open');
        await page.waitForSelector('#faults [aria-checked=true]');
      },
      form: async (page) => {
        await press(page, '#drawer-close');
        await press(page, '#new');
      },
    },
  }),
  'sandbox-devtools': pictureSet({
    open: async () => {
      const command = await serveCommand();
      return { ...command, url: `${command.url}/devtools` };
    },
    states: {
      requests: async (page) => {
        for (const id of ['create', 'pay']) {
          await press(page, `#${id}`);
          await page.waitForFunction(() =>
            /Watches|Journal/.test(document.querySelector('#status')!.textContent),
          );
        }
      },
      watches: inCommand('Watches'),
      limits: inCommand('Rate limits'),
      journal: inCommand('Journal'),
    },
  }),
  shop: pictureSet({
    open: startShop,
    states: {
      goods: (page) => page.waitForSelector('#goods input'),
      awaiting: async (page) => {
        await press(page, '#form button');
        await element(page, 'awaiting');
      },
      paid: async (page, { sandbox }) => {
        const code = await page.$eval(
          'paystate-checkout',
          ({ shadowRoot }) => shadowRoot!.querySelector<HTMLInputElement>('[part=code]')!.value,
        );
        await sandbox.payer.pay(code);
        await element(page, 'paid');
      },
      office: async (page, { url, officeSecret }) => {
        await page.goto(`${url}/office.html`);
        await page.type('#door [name=secret]', officeSecret);
        await press(page, '#door button');
        await page.waitForSelector("[data-order][data-state='shipped']");
      },
    },
  }),
  stage: pictureSet({
    open: openStage,
    states: {
      goods: async (page) => {
        await page.waitForSelector('button');
        await inShop(page, '#goods input');
      },
      awaiting: async (page) => {
        await (await inShop(page, '#form button')).click();
        await inShop(page, 'paystate-checkout >>> [data-phase=awaiting]');
      },
      paid: async (page) => {
        await page.click('[data-act=pay]');
        await inShop(page, 'paystate-checkout >>> [data-phase=paid]');
      },
    },
  }),
  snippet: pictureSet({
    open: serveSnippet,
    states: {
      awaiting: (page) => element(page, 'awaiting'),
      paid: async (page) => {
        await press(page, '#pay');
        await element(page, 'paid');
      },
    },
  }),
  devtools: pictureSet({
    open: () => serveScript('devtools.js'),
    states: {
      requests: async (page) => {
        await page.waitForFunction('window.ready');
        await inDevtools('Requests')(page);
      },
      watches: inDevtools('Watches'),
      limits: inDevtools('Rate limits'),
      timeline: inDevtools('Timeline'),
      journal: inDevtools('Journal'),
    },
  }),
};
