// Protects: the page of `npm start`: a shop and its customer side by side, while the shop itself stands in no frame.
import { request } from 'node:http';
import { expect } from 'chai';
import { after, describe } from '#test';
import { cronNotice } from '../../demo/serve/worker-process.ts';
import { openStage } from '../../demo/serve/stage.ts';
import { framedBy } from '../../demo/serve/frame.ts';
import { axe, bringAxe } from './axe.ts';
import { engines, it, openEngine, type Tab, until } from './engines.ts';

const stage = await openStage();
after(() => stage.close());

/** The status of a request whose `Host` is another name than that of the address. */
const statusUnder = (host: string, url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(url, { headers: { host } }, ({ statusCode }) => resolve(statusCode))
      .on('error', reject)
      .end();
  });

const POLICY = 'content-security-policy';
const policyOf = async (url: string) => (await fetch(url)).headers.get(POLICY);

const chromium = (await openEngine('chromium'))!;
after(() => chromium.close());

/** What the pages of a test complained of. */
const complaints: string[] = [];

async function visit(url: string): Promise<Tab> {
  const tab = await chromium.tab();
  const page = tab.page!;
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => void complaints.push(String(error)));
  page.setDefaultTimeout(20_000);
  await page.setViewport({ width: 1_280, height: 800 });
  await tab.go(url);
  return tab;
}

/** Orders in the shop's frame. */
async function order(tab: Tab) {
  const shop = await tab.page!.waitForFrame((frame) => frame.url().startsWith(stage.shop.url));
  await shop.waitForSelector('#goods input');
  await shop.$eval('#form button', (button) => (button as HTMLElement).click());
  await shop.waitForSelector('paystate-checkout >>> [data-phase=awaiting]');
  await until(tab, "document.querySelector('[data-state=open]')");
  return shop;
}

const shown = (tab: Tab, selector: string): Promise<string[]> =>
  tab.run(
    `return [...document.querySelectorAll('${selector}')].filter((one) => one.checkVisibility()).map((one) => one.textContent)`,
  );
const click = (tab: Tab, act: string) =>
  tab.run(`document.querySelector('[data-act=${act}]').click()`);

describe('the page of npm start', () => {
  it('is the only one that may show the shop in a frame, and the Worker allows none', async () => {
    expect(await policyOf(stage.worker)).to.equal("frame-ancestors 'none'");
    expect(await policyOf(stage.shop.url)).to.equal(`frame-ancestors ${stage.url}`);
    expect(await policyOf(stage.url)).to.include(`frame-src ${stage.shop.url};`);
    const others = ['Content-Type', "frame-ancestors 'none'", 'X-Content-Type-Options', 'nosniff'];
    expect(framedBy(stage.url, others)).to.deep.equal(others);
  });

  it('tells a sale in one line: order, code, paid, webhook, packed, and the refund', async () => {
    const tab = await visit(stage.url);
    expect(await shown(tab, '[data-act]')).to.deep.equal([]);
    const shop = await order(tab);
    expect(await shown(tab, '[data-act]')).to.deep.equal([
      'Pay €16.80',
      'Pay slowly',
      'Let it fail',
    ]);
    await until(tab, "document.querySelectorAll('.ahead .name').length === 3"); // the code is shown
    expect(await shown(tab, '.ahead .name')).to.deep.equal(['Paid', 'Webhook', 'Parcel packed']);
    await click(tab, 'pay');
    await shop.waitForSelector('paystate-checkout >>> [data-phase=paid]');
    await until(tab, "document.querySelector('[data-state=refundable]')");
    expect(await shown(tab, '[data-act]')).to.deep.equal(['Refund me']);
    await click(tab, 'refund');
    await until(
      tab,
      "document.querySelector('#said').textContent === 'The shop sent €16.80 back.'",
    );
    await until(tab, "document.querySelectorAll('.done').length === 6");
    const [first, ...steps] = await shown(tab, '.done .name');
    expect(first).to.match(/^Order QK(-[0-9A-Z]{4}){3}$/);
    expect(steps).to.deep.equal(['Code shown', 'Paid', 'Webhook', 'Parcel packed', 'Refunded']);
    const [clock, ...waits] = await shown(tab, '.done .time');
    expect(clock).to.match(/^\d\d:\d\d:\d\d$/);
    for (const wait of waits) expect(wait).to.match(/^\+[\d.]+ (ms|s|min)$/);
    const fits = 'return document.documentElement.scrollHeight <= innerHeight';
    expect(await tab.run(fits)).to.equal(true);
    await tab.page!.setViewport({ width: 320, height: 800 });
    expect(await tab.run('return document.documentElement.scrollWidth <= innerWidth')).to.equal(
      true,
    );
    expect(await (await fetch(`${stage.url}/log`)).text()).to.match(
      /^[^\u001b]*\/orders[^\u001b]*$/,
    );
    expect(complaints).to.deep.equal([]);
  });

  it('leads from each step to what the workbench has of it', async () => {
    const tab = await visit(stage.url);
    await until(tab, "document.querySelectorAll('#steps a').length > 3");
    const links = await tab.run<string[]>(
      "return [...document.querySelectorAll('#steps a')].map(({ href }) => href)",
    );
    for (const [at, wanted] of ['Invoice', '/quote', 'Invoice', 'invoice.updated'].entries()) {
      await tab.go('about:blank');
      await tab.go(links[at]!);
      await until(
        tab,
        `document.querySelector('#inspector h2')?.textContent.includes('${wanted}')`,
      );
    }
    expect(complaints).to.deep.equal([]);
  });

  it('says first what to press, shows the whole code, and begins its line at the first step', async () => {
    const tab = await visit(stage.url);
    expect(await shown(tab, '.hint')).to.deep.equal([
      'Press “Pay with Lightning” in the shop, then “Pay” in the wallet. Test money only.',
    ]);
    const shop = await order(tab);
    const [top, bottom] = await shop.evaluate(() => {
      const { shadowRoot } = document.querySelector('paystate-checkout')!;
      const box = (name: string): DOMRect =>
        shadowRoot!.querySelector(`[part=${name}]`)!.getBoundingClientRect();
      return [box('qr').top, innerHeight - box('copy').bottom];
    });
    expect(top).to.be.at.least(0);
    expect(bottom).to.be.at.least(0);
    for (const width of [390, 768, 1_280]) {
      await tab.page!.setViewport({ width, height: 800 });
      const cut = `return [...document.querySelectorAll('#steps li')].filter((one) => {
        const [box, pane] = [one, one.parentElement].map((each) => each.getBoundingClientRect());
        return box.left < pane.left || box.right > pane.right;
      }).length`;
      expect(await tab.run(cut), `${width} px`).to.equal(0);
    }
  });

  it('shows a payment that fails, and can be paid after it', async () => {
    const tab = await visit(stage.url);
    await order(tab);
    await click(tab, 'fail');
    await until(tab, "document.querySelector('[data-state=pending]')");
    await until(tab, "document.querySelector('.bad')?.textContent.startsWith('Payment failed')");
    expect(await shown(tab, '[data-act]')).to.have.length(3);
  });

  it('does nothing for another site, nor under a name of elsewhere', async () => {
    const play = (site: string) =>
      fetch(`${stage.url}/play/pay`, { method: 'POST', headers: { 'sec-fetch-site': site } });
    expect((await play('cross-site')).status).to.equal(404);
    for (const url of [stage.url, stage.shop.url])
      expect(await statusUnder('evil.example', url), url).to.equal(421);
  });
});

describe('the back office of npm start', () => {
  it('opens by a button, once for each link, and keeps its cookie from scripts and other sites', async () => {
    const link = stage.office();
    for (let reads = 0; reads < 2; reads++) {
      const read = await fetch(link);
      expect([read.status, read.headers.get('set-cookie')]).to.deep.equal([200, null]);
    }
    const press = (origin: string) =>
      fetch(link, { method: 'POST', headers: { origin }, redirect: 'manual' });
    expect((await press('http://127.0.0.1:1')).status).to.equal(403);
    const opened = await press(stage.shop.url);
    expect(opened.status).to.equal(303);
    const cookie = opened.headers.get('set-cookie')!;
    expect(cookie).to.match(/^office=[\w-]{43}; Path=\/office; HttpOnly; SameSite=Strict$/);
    expect((await press(stage.shop.url)).status).to.equal(410);
    expect((await fetch(`${stage.shop.url}/office/enter/${'a'.repeat(32)}`)).status).to.equal(410);
    const ask = (headers: Record<string, string>) =>
      fetch(`${stage.shop.url}/office/cancel`, {
        method: 'POST',
        headers,
        body: '{"orderId":"no"}',
      });
    const session = cookie.split(';')[0]!;
    const own = { origin: stage.shop.url, cookie: session };
    expect((await ask(own)).status).to.equal(404); // it is open, and there is no such order
    expect((await ask({ ...own, cookie: 'office=no' })).status).to.equal(401);
    expect((await ask({ ...own, origin: stage.url })).status).to.equal(403);
    await fetch(`${stage.shop.url}/office/leave`, { method: 'POST', headers: own });
    expect((await ask(own)).status).to.equal(401);
    expect((await fetch(`${stage.worker}/office/enter/x`)).status).to.equal(403); // no part of the shop
  });

  it('is in a tab after one press, live', async () => {
    const tab = await visit(`${stage.url}/office`);
    await tab.run("document.querySelector('button').click()");
    await until(tab, "document.querySelector('#line')?.textContent === 'Live'");
    expect(complaints).to.deep.equal([]);
  });
});

describe('the notice of wrangler about crons', () => {
  it('is left out, and nothing else that it reports', () => {
    const notice = [
      '▲ [WARNING] Scheduled Workers are not automatically triggered during local development.',
      '',
      '  To manually trigger a scheduled event, run:',
      '    curl "http://127.0.0.1:38901/cdn-cgi/local/scheduled"',
      '  For more details, see https://docs.example/cron-triggers/#test',
      '',
    ];
    const others = [
      '▲ [WARNING] Something else',
      '',
      '  To manually trigger a scheduled event, run:',
      'error',
    ];
    const isNotice = cronNotice();
    const kept = [...others, ...notice, ...others].filter((line) => !isNotice(line));
    expect(kept).to.deep.equal([...others, ...others]);
  });
});

describe('the pages of shop, back office and npm start for everybody', () => {
  for (const engine of engines)
    it(`have nothing that axe complains of, in ${engine}`, async (context) => {
      const door = await openEngine(engine);
      if (!door) return context.skip(`${engine} is not installed`);
      try {
        const tab = await door.tab();
        const expectClean = async (name: string) => {
          const schemes = engine === 'chromium' ? ['light', 'dark'] : ['as it is'];
          for (const value of schemes) {
            if (engine === 'chromium')
              await tab.page!.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
            await bringAxe(tab);
            expect(await axe(tab, value === 'dark'), `${name}, ${value}`).to.deep.equal([]);
          }
        };
        await tab.go(stage.shop.url);
        await until(tab, "document.querySelector('#goods input')");
        await expectClean('the shop');
        await tab.run("document.querySelector('#form button').click()");
        await until(
          tab,
          "document.querySelector('paystate-checkout').shadowRoot.querySelector('[data-phase=awaiting]')",
        );
        await expectClean('an order');
        await tab.go(`${stage.shop.url}/office.html`);
        await until(tab, "document.querySelector('#door [name=secret]')");
        await expectClean('the door of the back office');
        await tab.run(
          `document.querySelector('#door [name=secret]').value = ${JSON.stringify(stage.shop.officeSecret)}; document.querySelector('#door button').click()`,
        );
        await until(tab, "document.querySelector('[data-order]')");
        await expectClean('the back office');
        await tab.run("document.querySelector('[data-order]').click()");
        await until(tab, "document.querySelector('#drawer .history')");
        await expectClean('an order of the back office');
        await tab.go(stage.url);
        await until(tab, "document.querySelector('[data-act=pay]')");
        await expectClean('the page of npm start');
      } finally {
        await door.close();
      }
    });
});
