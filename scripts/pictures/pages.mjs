// Pages as they are, each with the states that it can be brought to: { open(): { url, close }, states: { name: (page) => … } }.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { serve } from '../../dist/cli/loopback.js';
import { serveSandbox } from '../../dist/cli/serve-sandbox.js';
import { createClient } from '../../dist/index.js';
import { createSandbox } from '../../dist/sandbox/index.js';
import { serveDemo } from '../demo.mjs';
import { startShop } from '../shop.mjs';
import { openStage } from '../stage.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; require-trusted-types-for 'script'";
const LOOK = ':root{color-scheme:light dark}body{margin:0;padding:1rem}';

/** Serves texts under paths. */
export const serveFiles = (files) =>
  serve((request) => {
    const [type, text] = files[new URL(request.url).pathname] ?? [];
    return text === undefined
      ? new Response(null, { status: 404 })
      : new Response(text, { headers: { 'content-type': type } });
  });

/** An empty page with one script, under the strictest policy. */
export const serveScript = async (file) => {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'scripts/pictures', file)],
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
    '/page.js': ['text/javascript', outputFiles[0].text],
    '/page.css': ['text/css', LOOK],
  });
};

/** The HTML of the manual, as somebody copies it. */
const serveSnippet = () => {
  const manual = readFileSync(join(root, 'src/flows/README.md'), 'utf8');
  const file = 'dist/paystate.min.js';
  return serveFiles({
    '/': ['text/html', /```html\n([\s\S]*?)```/.exec(manual)[1]],
    [`/node_modules/paystate/${file}`]: ['text/javascript', readFileSync(join(root, file), 'utf8')],
  });
};

/** The sandbox's page, empty at first. */
const serveCommand = async () => {
  const sandbox = createSandbox({ seed: 'pictures', clock: 'real' });
  const served = await serveSandbox(sandbox);
  const { apiKey } = sandbox.clientOptions;
  const client = createClient({ baseUrl: served.url, apiKey });
  return { ...served, sandbox, client };
};

const busy = async (page, { sandbox, client }) => {
  sandbox.fund('shop', { amount: '12345678.90', currency: 'EUR' });
  const invoices = [];
  for (const amount of ['4.20', '16.80', '1234.50']) {
    const draft = {
      amount: { amount, currency: 'EUR' },
      description: '1 × Harbour Espresso, 500 g',
    };
    invoices.push(await client.invoices.create(draft));
    await client.invoices.quote(invoices.at(-1).invoiceId);
  }
  await sandbox.payer.pay(invoices[0].invoiceId);
  await client.invoices.cancel(invoices[2].invoiceId);
  await client.receiveRequests.create({
    onchain: {},
    bolt11: { amount: { amount: '0.0002', currency: 'BTC' } },
  });
  await client.invoices.get('00000000-0000-4000-8000-000000000000').catch(() => {});
  await page.waitForFunction(() =>
    document.querySelector('#rows').textContent.includes('NOT_FOUND'),
  );
};

const order = async (page) => {
  await page.click('#submit');
  await phase(page, 'awaiting');
};
const phase = (page, name) =>
  page.waitForFunction(
    (wanted) => document.querySelector('#payment').dataset.phase === wanted,
    {},
    name,
  );
const press = (page, id) => page.$eval(id, (button) => button.click());
const element = (page, name) =>
  page.waitForFunction(
    (wanted) =>
      document
        .querySelector('paystate-checkout')
        .shadowRoot?.querySelector(`[data-phase=${wanted}]`),
    {},
    name,
  );
/** Something of the shop in the stage's frame. */
const inShop = async (page, selector) => {
  const frame = await page.waitForFrame((one) => one.parentFrame() !== null);
  return frame.waitForSelector(selector);
};
const inCommand = (name) => async (page) => {
  const tab = await page.waitForSelector(`paystate-devtools >>> ::-p-text(${name})`);
  await tab.click();
};
const inDevtools = (name) => (page) => page.evaluate((tab) => window.choose(tab), name);

export const PAGES = {
  demo: {
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
        await page.waitForFunction(() => document.querySelector('#devtools').open);
      },
      cancelled: async (page) => {
        await press(page, '#leave');
        await order(page);
        await press(page, '#cancel');
        await phase(page, 'cancelled');
      },
    },
  },
  sandbox: {
    open: serveCommand,
    states: {
      empty: (page) => page.waitForFunction(() => document.querySelector('#key').textContent),
      busy,
      list: async (page) => {
        await press(page, '[data-place=invoices]');
        await page.waitForSelector('[data-id] button');
      },
      item: (page) => page.$eval('[data-id]:last-child button', (button) => button.click()),
      drawer: async (page) => {
        await press(page, '#faults-open');
        await page.$$eval('#faults [role=switch]', (all) => all[2].click());
        await page.waitForSelector('#faults [aria-checked=true]');
      },
      trouble: async (page, { client }) => {
        await press(page, '#drawer-close');
        await press(page, '[data-place=""]');
        await client.balances.list().catch(() => {});
        await page.waitForSelector('[role=option] .bad');
        await page.$$eval('[role=option] .bad', (all) => all.at(-1).click());
      },
      form: (page) => press(page, '#new'),
    },
  },
  'sandbox-devtools': {
    open: async () => {
      const command = await serveCommand();
      return { ...command, url: `${command.url}/devtools` };
    },
    states: {
      requests: async (page) => {
        for (const id of ['create', 'pay']) {
          await press(page, `#${id}`);
          await page.waitForFunction(() =>
            /Watches|Journal/.test(document.querySelector('#status').textContent),
          );
        }
      },
      watches: inCommand('Watches'),
      limits: inCommand('Rate limits'),
      journal: inCommand('Journal'),
    },
  },
  shop: {
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
          ({ shadowRoot }) => shadowRoot.querySelector('[part=code]').value,
        );
        await sandbox.payer.pay(code);
        await element(page, 'paid');
      },
      office: async (page, { url, officeSecret }) => {
        await page.goto(`${url}/office.html`);
        await page.type('#door input', officeSecret);
        await press(page, '#door button');
        await page.waitForSelector("[data-order][data-state='shipped']");
      },
    },
  },
  stage: {
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
  },
  snippet: {
    open: serveSnippet,
    states: {
      awaiting: (page) => element(page, 'awaiting'),
      paid: async (page) => {
        await press(page, '#pay');
        await element(page, 'paid');
      },
    },
  },
  devtools: {
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
  },
};
