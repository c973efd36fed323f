// Protects: the story of the example, in a real page before the real Worker and a service on the loopback.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { expect } from 'chai';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { describe, it } from '#test';
import { browserHints, findBrowsers } from '../../scripts/browsers.mjs';
import { startShop } from '../../scripts/shop.mjs';
import { root } from '../house/source.ts';
import { pack } from '../house/tarball.ts';

const { chromium } = findBrowsers();
if (!chromium) throw new Error(`No Chromium: ${browserHints.chromium}`);

const shop = await startShop();
const browser: Browser = await puppeteer.launch({ executablePath: chromium, args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--disable-dev-shm-usage'] });
after(async () => {
  await browser.close();
  await shop.close();
});

/** Everything that pages were sent, as text. */
const received: string[] = [];
const complaints: string[] = [];

async function hearing(page: Page): Promise<Page> {
  page.setDefaultTimeout(15_000);
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  page.on('pageerror', (error) => void complaints.push(String(error)));
  page.on('response', (response) => void response.text().then((text) => received.push(text, JSON.stringify(response.headers())), () => {}));
  const devtools = await page.createCDPSession();
  await devtools.send('Network.enable');
  devtools.on('Network.webSocketFrameReceived', ({ response }) => void received.push(response.payloadData));
  await devtools.send('Emulation.setFocusEmulationEnabled', { enabled: true });
  return page;
}

async function visit(): Promise<Page> {
  const page = await hearing(await (await browser.createBrowserContext()).newPage());
  await page.goto(shop.url);
  return page;
}

const phase = (page: Page, wanted: string) => page.waitForSelector(`#payment[data-phase='${wanted}']`);
const codeOf = (page: Page) => page.$eval('#qr', (element) => (element as HTMLElement).dataset['code'] ?? '');
const textOf = (page: Page, selector: string) => page.$eval(selector, (element) => element.textContent);

async function buy(page: Page): Promise<string> {
  await page.click('#form button');
  await phase(page, 'awaiting');
  return codeOf(page);
}

const askShop = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${shop.url}${path}`, { method: 'POST', body: JSON.stringify(body), headers: { origin: shop.url, ...headers } });

describe('the example Worker', () => {
  it('sells: the page orders, shows a code at the shop\'s price, and says paid within two seconds', async () => {
    const page = await visit();
    const code = await buy(page);
    expect(code).to.match(/^ln/);
    expect(await textOf(page, '#amount')).to.equal('€16.80');
    expect(await textOf(page, '#what')).to.equal('1 × Harbour Espresso, 500 g');
    const start = performance.now();
    await shop.sandbox.payer.pay(code);
    await phase(page, 'paid');
    expect(performance.now() - start).to.be.below(2_000);
    expect(await codeOf(page)).to.equal('');
    expect(shop.sandbox.deliveries.filter(({ outcome }) => outcome === 'delivered')).not.to.have.length(0);
  });

  it('shows the same code in every tab of an order, also after a reload', async () => {
    const page = await visit();
    const code = await buy(page);
    const kept = await page.evaluate(() => sessionStorage.getItem('order')!);
    const other = await hearing(await page.browserContext().newPage());
    await other.evaluateOnNewDocument((order) => sessionStorage.setItem('order', order), kept);
    await other.goto(shop.url);
    await phase(other, 'awaiting');
    expect(await codeOf(other)).to.equal(code);
    await page.reload();
    await phase(page, 'awaiting');
    expect(await codeOf(page)).to.equal(code);
    await shop.sandbox.payer.pay(code);
    await Promise.all([phase(page, 'paid'), phase(other, 'paid')]);
  });

  it('says paid when no webhook comes, within a period and a bit', async () => {
    const page = await visit();
    const code = await buy(page);
    const lost = shop.sandbox.fault({ delivery: 'lost-before' });
    const start = performance.now();
    await shop.sandbox.payer.pay(code);
    await phase(page, 'paid');
    lost.off();
    expect(performance.now() - start).to.be.below(1.2 * 2_000 + 500 + 1_000); // the last second is the machine's
  });

  it('takes no price from a page, and nothing that it does not sell', async () => {
    for (const wish of [{}, { product: 'free', count: 1 }, { product: '__proto__', count: 1 }, { product: 'morning', count: 0 }, { product: 'morning', count: 1.5 }, { product: 'morning', count: 11 }, { product: 'morning', count: '1' }])
      expect((await askShop('/orders', wish, { 'cf-connecting-ip': '198.51.100.1' })).status, JSON.stringify(wish)).to.equal(400);
    const order = (await (await askShop('/orders', { product: 'morning', count: 3, price: '0.01', amount: { amount: '0.01', currency: 'EUR' } })).json()) as { orderId: string; orderSecret: string };
    const pass = (await (await askShop('/pay/token', order, { authorization: `Bearer ${order.orderSecret}` })).json()) as { token: string; invoiceId: string };
    const invoice = await (await fetch(`${shop.url}/pay/v1/invoices/${pass.invoiceId}`, { headers: { origin: shop.url, authorization: `Bearer ${pass.token}` } })).json();
    expect((invoice as { amount: unknown }).amount).to.deep.equal({ amount: '28.50', currency: 'EUR' });
  });

  it('takes ten orders a minute from one address, and orders of its own pages only', async () => {
    const made = shop.sandbox.log.filter(({ path, method }) => method === 'POST' && path === '/v1/invoices').length;
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await askShop('/orders', { product: 'morning', count: 1 })).status));
    expect(statuses.filter((status) => status === 201).length).to.be.at.most(10);
    expect(statuses.filter((status) => status === 429).length).to.be.at.least(10);
    expect(shop.sandbox.log.filter(({ path, method }) => method === 'POST' && path === '/v1/invoices').length).to.equal(made); // invoices are made on demand
    expect((await askShop('/orders', { product: 'morning', count: 1 }, { origin: 'https://evil.example' })).status).to.equal(403);
  });

  it('sent no page a key or a secret, and gave none reason to complain', () => {
    const said = received.join('\n');
    expect(said).to.include('PAID');
    expect([shop.apiKey!, ...shop.secrets].filter((secret) => said.includes(secret))).to.deep.equal([]);
    expect(complaints).to.deep.equal([]);
  });

  it('deploys from the packed package, copied to another place, without any part of Node and in a small bundle', () => {
    const place = mkdtempSync(join(tmpdir(), 'shop-'));
    try {
      copyExample(place);
      run(place, 'tsc', '-p', '.');
      run(place, 'wrangler', 'deploy', '--dry-run', '--outdir', 'dist');
      const bundle = readFileSync(join(place, 'dist/index.js'), 'utf8');
      expect(/from\s*["']node:|require\(["']/.test(bundle)).to.equal(false);
      expect(bundle.length).to.be.below(400_000);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });
});

/** The example as somebody has copied it, with the package as it is published beside the packages that it asks for. */
function copyExample(place: string): void {
  for (const name of ['src', 'page', 'build.mjs', 'package.json', 'tsconfig.json', 'wrangler.jsonc']) cpSync(join(root, 'worker-example', name), join(place, name), { recursive: true });
  const modules = join(place, 'node_modules');
  mkdirSync(modules);
  const { path } = pack();
  run(place, 'tar', '-xzf', path);
  rmSync(dirname(path), { recursive: true, force: true });
  renameSync(join(place, 'package'), join(modules, 'paystate'));
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
  for (const name of [...new Set([...Object.keys(dependencies), 'esbuild'].map((each) => each.split('/')[0]!))]) symlinkSync(join(root, 'node_modules', name), join(modules, name));
}

function run(cwd: string, command: string, ...args: string[]): void {
  const own = join(root, 'node_modules/.bin', command);
  const { status, stdout, stderr } = spawnSync(existsSync(own) ? own : command, args, { cwd, encoding: 'utf8' });
  expect(status, `${command} ${args.join(' ')}: ${stdout}${stderr}`).to.equal(0);
}
