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

/** Pages of the sidebar whose code is measured. */
const CODE_PAGES = 20;

describe('the site', () => {
  const site = openSite();

  for (const [width, scheme] of [
    [1280, 'light'],
    [768, 'light'],
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

  it('fits code into its column at 1280 px', async () => {
    const { page } = await site.visit('start.html');
    await page.setViewport({ width: 1280, height: 800 });
    const links = await page.$$eval('.VPSidebar a.link', (all) =>
      all.map((link) => (link as HTMLAnchorElement).href),
    );
    expect(links.length).to.be.at.least(CODE_PAGES);
    for (const link of links.slice(0, CODE_PAGES)) {
      await page.goto(link, { waitUntil: 'load' });
      const wide = await page.$$eval('.vp-doc pre', (all) =>
        all.filter((pre) => pre.scrollWidth > pre.clientWidth).map((pre) => pre.textContent),
      );
      expect(wide, link).to.deep.equal([]);
    }
  });

  it('shows the rows of a table as cards on a phone', async () => {
    for (const path of ['errors/index.html', 'manual/core/errors/codes.html']) {
      const { page } = await site.visit(path);
      await page.setViewport({ width: 390, height: 844 });
      const cells = await page.$$eval('.vp-doc td', (all) =>
        all.map((cell) => {
          const { left, right } = cell.getBoundingClientRect();
          const title = getComputedStyle(cell, '::before').content;
          return { isInside: left >= 0 && right <= innerWidth, title };
        }),
      );
      expect(cells.length, path).to.be.above(50);
      expect(
        cells.every(({ isInside }) => isInside),
        path,
      ).to.equal(true);
      expect(cells[1]!.title, path).to.match(/what happened|message for your user/);
    }
  });

  it('has a tab for each platform on the start page, with its own program', async () => {
    const { page, complaints } = await site.visit('start.html');
    const shown: Record<string, string> = {};
    for (const label of await page.$$('.vp-code-group .tabs label')) {
      await label.click();
      const [title] = await label.evaluate((one) => [one.textContent!]);
      shown[title!] = await page.$$eval('.vp-code-group pre code', (all) =>
        all
          .filter((code) => (code as HTMLElement).offsetParent)
          .map((code) => code.textContent!)
          .join('|'),
      );
    }
    expect(Object.keys(shown)).to.deep.equal([
      'Node',
      'Deno',
      'Worker',
      'Browser',
      'curl',
      'Python',
    ]);
    expect(shown['Deno']).to.equal(shown['Node']);
    expect(shown['Node']).to.include('createSandbox').and.not.to.include('|');
    expect(shown['Worker']).to.include('export default');
    expect(shown['Browser']).to.include('<!doctype html>');
    expect(shown['curl']).to.include('curl -sS');
    expect(shown['Python']).to.include('urllib.request');
    expect(complaints).to.deep.equal([]);
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

  it('runs the page of a tab in a frame', async () => {
    const { page, complaints } = await site.visit('start.html');
    const number = await page.$$eval('manual-program:not([command])', (all) =>
      all.findIndex((one) => one.getAttribute('kind') === 'page'),
    );
    await page.$$eval('.vp-code-group .tabs label', (all) =>
      all.find((label) => label.textContent === 'Browser')!.click(),
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
