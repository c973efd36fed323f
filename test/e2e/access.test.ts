// Everybody can use the page: by keyboard, by ear, on a small screen, in the dark, after a slip of the finger.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Page, SerializedAXNode } from 'puppeteer-core';
import { describe } from '#test';
import { faintTexts } from './contrast.ts';
import { AT_ONCE, moveTime, openStage, order, part, press, textOf, until } from './demo-page.ts';
import { it } from './engines.ts';

const stage = await openStage();
const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the checkout page for everybody', AT_ONCE, () => {
  for (const scheme of ['light', 'dark'] as const)
    it(`can be read in ${scheme} colours`, async () => {
      const page = await stage.visit({ scheme, motion: 'reduce' });
      expect(await faintTexts(page)).to.deep.equal([]);
      await typeAmount(page, 'ten');
      expect(await faintTexts(page)).to.deep.equal([]);
      await page.click('.choice');
      await order(page);
      expect(await faintTexts(page)).to.deep.equal([]);
      await press(page, 'pay');
      await moveTime(page, 'plus-10');
      await until(page, 'paid');
      expect(await faintTexts(page)).to.deep.equal([]);
      expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).to.match(
        scheme === 'dark' ? /^rgb\(\d{1,2}, / : /^rgb\(2\d\d, /,
      );
    });

  it('fits 360 px without scrolling sideways', async () => {
    const page = await stage.visit({ width: 360, height: 640 });
    const isTooWide = (): Promise<boolean> =>
      page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(
      await page.$eval('#panel', (panel) => (panel as HTMLDetailsElement).open),
      'the panel waits to be opened',
    ).to.equal(false);
    await page.click('#panel summary');
    expect(await isTooWide()).to.equal(false);
    await typeAmount(page, '-3');
    expect(await isTooWide()).to.equal(false);
    await page.click('.choice');
    await order(page);
    await moveTime(page, 'plus-60');
    await until(page, 'awaiting');
    expect(await isTooWide()).to.equal(false);
  });

  it('can be used with the keyboard alone', async () => {
    const page = await stage.visit();
    await page.focus('input[name=product]:checked');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await until(page, 'awaiting');
    expect(await focused(page)).to.equal('payment-title');
    const stops: string[] = [];
    for (let stop = 0; stop < 5; stop++) {
      await page.keyboard.press('Tab');
      stops.push(await focused(page));
    }
    expect(stops).to.deep.equal(['amount', 'sent', 'copy', 'wallet', 'leave']);
    await page.focus(part('copy'));
    await press(page, 'pay');
    await moveTime(page, 'plus-10');
    await until(page, 'paid');
    expect(await focused(page), 'focus does not fall out of the page with the code').to.equal(
      'title',
    );
  });

  it('has a name for everything that can be used, and speaks of states, not of seconds', async () => {
    const page = await stage.visit();
    await page.click('.choice:last-of-type');
    expect(await namelessOf(page)).to.deep.equal([]);
    await page.click('.choice');
    await order(page);
    expect(await namelessOf(page)).to.deep.equal([]);
    expect(await page.$$eval('h1', (titles) => titles.length)).to.equal(1);
    expect(
      await page.$eval(part('timer'), (timer) => [
        timer.getAttribute('role'),
        timer.closest('[role=status]'),
      ]),
    ).to.deep.equal(['timer', null]);
    expect(await page.$eval(part('qr'), (picture) => picture.getAttribute('role'))).to.equal('img');
    await page.$eval(part('state'), (state) => {
      const spoken: string[] = [];
      Object.assign(window, { spoken });
      new MutationObserver(() => spoken.push(state.textContent!)).observe(state, {
        subtree: true,
        childList: true,
        characterData: true,
      });
    });
    const before = await textOf(page, part('timer'));
    for (let look = 0; (await textOf(page, part('timer'))) === before; look++)
      expect(look, 'looks at the timer').to.be.below(1_000);
    expect(
      await page.evaluate(() => (window as unknown as { spoken: string[] }).spoken),
    ).to.deep.equal([]);
  });

  it('names the field and the rule when an amount is wrong, and loses nothing', async () => {
    const page = await stage.visit();
    const rules: Readonly<Record<string, RegExp>> = {
      '': /^Amount: is missing/,
      '-5': /^Amount: must be more than zero/,
      '0,00': /^Amount: must be more than zero/,
      ten: /^Amount: must be digits/,
      '1e3': /^Amount: must be digits/,
      '1,000.00': /^Amount: must be digits/,
      '12,345': /^Amount: has at most two decimals/,
      '123456789': /^Amount: must be below/,
    };
    for (const [typed, rule] of Object.entries(rules)) {
      await typeAmount(page, typed);
      expect(await textOf(page, '#amount-error')).to.match(rule);
      expect(await page.$eval('#amount', (field) => (field as HTMLInputElement).value)).to.equal(
        typed,
      );
      expect(await page.$eval('#amount', (field) => field.getAttribute('aria-invalid'))).to.equal(
        'true',
      );
      expect(await focused(page)).to.equal('amount');
    }
    expect(await textOf(page, '#count'), 'nothing was sent').to.equal('0');
    await typeAmount(page, '9999999');
    await page.waitForFunction(() => document.querySelector('#order-error')!.textContent !== '');
    expect(await textOf(page, '#order-error')).to.equal('Amount: must be at most €1,000,000.00.');
    await typeAmount(page, '7,5');
    await until(page, 'awaiting');
    expect(await textOf(page, part('amount'))).to.equal('€7.50');
  });

  it('loads the devtools when somebody opens them, and not before', async () => {
    const page = await stage.visit({ width: 360 });
    const loaded = (): Promise<number> =>
      page.evaluate(() => performance.getEntriesByType('resource').length);
    const before = await loaded();
    await page.click('#devtools summary');
    await page.waitForSelector('paystate-devtools >>> [role=tab]');
    expect(await loaded()).to.be.above(before);
    await page.click('.choice');
    await order(page);
    await page.waitForFunction(() =>
      document
        .querySelector('paystate-devtools')!
        .shadowRoot!.textContent.includes('the customer wants to pay'),
    );
    expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).to.equal(
      false,
    );
  });

  it('holds still for those who asked for it', async () => {
    const page = await stage.visit({ motion: 'reduce' });
    await order(page);
    expect(
      await page.$eval(`${part('glyph')} path`, (path) => getComputedStyle(path).animationName),
    ).to.equal('none');
  });

  it('is written in types that hold', () => {
    const { status, stdout } = spawnSync(`${root}/node_modules/.bin/tsc`, ['-p', 'demo'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(status, stdout).to.equal(0);
  });
});

describe('afterwards, the checkout page for everybody', () => {
  it('had nothing to complain of', () => {
    expect(stage.complaints).to.deep.equal([]);
  });
});

/** Chooses the gift card, types an amount and sends the form. */
async function typeAmount(page: Page, text: string): Promise<void> {
  await page.click('.choice:last-of-type');
  await page.$eval('#amount', (field) => (field as HTMLInputElement).select());
  await page.keyboard.press('Backspace');
  await page.type('#amount', text);
  await page.click('#submit');
}

/** The id, or the part of the checkout, that has the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement } = document;
    const inside = activeElement?.shadowRoot?.activeElement;
    return inside?.getAttribute('part') ?? activeElement?.id ?? '';
  });

const USABLE = new Set([
  'button',
  'link',
  'textbox',
  'combobox',
  'radio',
  'checkbox',
  'image',
  'img',
]);

/** What a screen reader would have no word for. */
async function namelessOf(page: Page): Promise<string[]> {
  const nameless: string[] = [];
  const walk = (node: SerializedAXNode): void => {
    if (USABLE.has(node.role) && !node.name) nameless.push(node.role);
    node.children?.forEach(walk);
  };
  walk((await page.accessibility.snapshot())!);
  return nameless;
}
