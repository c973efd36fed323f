// Protects: the page of `npm start`: a shop and its customer side by side, while the shop itself stands in no frame.
import { expect } from 'chai';
import { after, describe } from '#test';
import { openStage } from '../../scripts/stage.mjs';
import { framedBy } from '../../scripts/stage/frame.mjs';
import { axe, bringAxe } from './axe.ts';
import { it, openEngine, until } from './engines.ts';

const stage = await openStage();
after(() => stage.close());

const POLICY = 'content-security-policy';
const policyOf = async (url: string) => (await fetch(url)).headers.get(POLICY);

describe('the page of npm start', () => {
  it('is the only one that may show the shop in a frame, and the Worker allows none', async () => {
    expect(await policyOf(stage.worker)).to.equal("frame-ancestors 'none'");
    expect(await policyOf(stage.shop.url)).to.equal(`frame-ancestors ${stage.url}`);
    expect(await policyOf(stage.url)).to.include(`frame-src ${stage.shop.url};`);
    const others = ['Content-Type', "frame-ancestors 'none'", 'X-Content-Type-Options', 'nosniff'];
    expect(framedBy(stage.url, others)).to.deep.equal(others);
  });

  it('sells in the page: order, pay as the customer, see it paid, and what the Worker says', async () => {
    const door = (await openEngine('chromium'))!;
    try {
      const tab = await door.tab();
      const page = tab.page!;
      const complaints: string[] = [];
      page.on(
        'console',
        (message) => message.type() === 'error' && complaints.push(message.text()),
      );
      page.on('pageerror', (error) => void complaints.push(String(error)));
      page.setDefaultTimeout(20_000);
      await page.setViewport({ width: 1_200, height: 900 });
      await tab.go(stage.url);
      const shop = await page.waitForFrame((frame) => frame.url().startsWith(stage.shop.url));
      await shop.waitForSelector('#goods input');
      await shop.$eval('#form button', (button) => (button as HTMLElement).click());
      await shop.waitForSelector('paystate-checkout >>> [data-phase=awaiting]');
      await tab.run("document.querySelector('[data-act=pay]').click()");
      await shop.waitForSelector('paystate-checkout >>> [data-phase=paid]');
      await until(tab, "document.querySelector('#said').textContent.startsWith('Paid: ')");
      await until(tab, "document.querySelector('#log').textContent.includes('/orders')");
      expect(await tab.run('return document.querySelector("#log").textContent')).to.not.include(
        '\u001b',
      );
      for (const width of [320, 1_200]) {
        await page.setViewport({ width, height: 800 });
        const wide = 'return document.documentElement.scrollWidth <= innerWidth';
        expect(await tab.run<boolean>(wide), `${width}`).to.equal(true);
      }
      expect(complaints).to.deep.equal([]);
    } finally {
      await door.close();
    }
  });

  it('does nothing for another site', async () => {
    const play = (site: string) =>
      fetch(`${stage.url}/play/pay`, { method: 'POST', headers: { 'sec-fetch-site': site } });
    expect((await play('cross-site')).status).to.equal(404);
  });
});

describe('the pages of shop, back office and npm start for everybody', () => {
  for (const engine of ['chromium', 'firefox', 'webkit'] as const)
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
            expect(await axe(tab), `${name}, ${value}`).to.deep.equal([]);
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
        await until(tab, "document.querySelector('#door input')");
        await expectClean('the door of the back office');
        await tab.run(
          `document.querySelector('#door input').value = ${JSON.stringify(stage.shop.officeSecret)}; document.querySelector('#door button').click()`,
        );
        await until(tab, "document.querySelector('[data-order]')");
        await expectClean('the back office');
        await tab.go(stage.url);
        await until(tab, "document.querySelector('[data-act=pay]')");
        await expectClean('the page of npm start');
      } finally {
        await door.close();
      }
    });
});
