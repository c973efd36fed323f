// Protects: the site can be read from any folder of a host: links, the search, the shop, and nothing from elsewhere.
import { expect } from 'chai';
import { describe } from '#test';
import { SHOWN_HITS } from '../../demo/site/make/search.ts';
import { axe, bringAxe } from '../e2e/axe.ts';
import { it } from '../e2e/engines.ts';
import { openSite, press, tabOf } from './site-page.ts';

/** One page of each kind. */
const KINDS = [
  'index.html',
  'start.html',
  'manual/flows/pay.html',
  'cookbook/abort.html',
  'errors/index.html',
  'go-live.html',
  'reference/money.html',
  'troubleshooting.html',
  'program.html',
];

describe('the site', () => {
  const site = openSite();

  for (const [width, scheme] of [
    [1280, 'light'],
    [360, 'dark'],
  ] as const)
    it(`can be read by all at ${width} px, in ${scheme}`, async () => {
      for (const path of KINDS) {
        const { page } = await site.visit(path);
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
        await page.setViewport({ width, height: 800 });
        await page.reload({ waitUntil: 'networkidle0' });
        await bringAxe(tabOf(page));
        expect(await axe(tabOf(page)), path).to.deep.equal([]);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(wide, path).to.be.at.most(width);
      }
    });

  it('leads from page to page without leaving its folder', async () => {
    const { page, complaints } = await site.visit('manual/flows/pay.html');
    const go = async (href: string): Promise<void> => {
      await page.waitForSelector(`a[href$="${href}"]`); // a page is shown after its address
      await page.$eval(`a[href$="${href}"]`, (link) => (link as HTMLElement).click());
      await page.waitForFunction((end) => location.pathname.endsWith(end), {}, href);
    };
    await go('/cookbook/');
    await go('/cookbook/abort.html');
    await go('/reference/');
    await go('/reference/money.html');
    await go('/errors/');
    await page.waitForFunction(() => document.querySelector('h1')?.textContent?.includes('Error'));
    expect(page.url()).to.equal(site.urlOf('errors/'));
    await page.reload({ waitUntil: 'networkidle0' });
    expect(await page.title()).to.equal('Error codes | paystate');
    expect(complaints).to.deep.equal([]);
  });

  it('has a shop that is alive on its first page', async () => {
    const { page, complaints } = await site.visit('index.html');
    const shop = await page.waitForSelector('section.shop iframe');
    await shop!.scrollIntoView();
    const frame = await page.waitForFrame((one) => one.url().endsWith('/shop/index.html'));
    await frame.waitForSelector('.choice');
    await frame.$eval('#submit', (button) => (button as HTMLElement).click());
    await frame.waitForSelector('#payment[data-phase="awaiting"]');
    expect(complaints).to.deep.equal([]);
  });

  it('finds in the page what the index finds', async () => {
    const { page, complaints } = await site.visit('start.html');
    await page.$eval('button.DocSearch-Button', (button) => (button as HTMLElement).click());
    await page.waitForSelector('#localsearch-input');
    await page.type('#localsearch-input', 'rotate the key');
    await page.waitForSelector('.results .result');
    const links = await page.$$eval('.results .result', (all) =>
      all.map((link) => link.getAttribute('href')!),
    );
    expect(links.slice(0, SHOWN_HITS).some((link) => link.includes('go-live'))).to.equal(true);
    expect(links.every((link) => link.startsWith('/some/folder/'))).to.equal(true);
    expect(complaints).to.deep.equal([]);
  });

  it('runs the page of the README in a frame', async () => {
    const { page, complaints } = await site.visit('start.html');
    const number = await page.$$eval('manual-program:not([command])', (all) =>
      all.findIndex((one) => one.getAttribute('kind') === 'page'),
    );
    await press(page, 'run', number);
    const frame = await page.waitForFrame(async (one) =>
      one.url().includes('/run/frame.html') ? (await one.$('paystate-checkout')) !== null : false,
    );
    // A frame that is out of sight draws nothing, so the polling must not wait for a drawing.
    await frame.waitForFunction(
      () => document.querySelector('paystate-checkout')?.shadowRoot?.querySelector('[part=qr]'),
      { polling: 50 },
    );
    expect(complaints).to.deep.equal([]);
  });
});
