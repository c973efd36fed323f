// Everybody can use the page: by keyboard, by ear, on a small screen, in the dark, after a slip of the finger.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Page, SerializedAXNode } from 'puppeteer-core';
import { describe, it } from '#test';
import { faintTexts } from './contrast.ts';
import { AT_ONCE, codeOf, moveTime, openStage, order, press, textOf, until } from './demo-page.ts';

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
    await page.waitForFunction(() => document.querySelector('#renewal')!.textContent !== '');
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
    for (let stop = 0; stop < 4; stop++) {
      await page.keyboard.press('Tab');
      stops.push(await focused(page));
    }
    expect(stops).to.deep.equal(['copy', 'wallet', 'code', 'leave']);
    await page.focus('#copy');
    await press(page, 'pay');
    await moveTime(page, 'plus-10');
    await until(page, 'paid');
    expect(await focused(page), 'focus does not fall out of the page with the code').to.equal(
      'payment-title',
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
      await page.$eval('#clock', (clock) => [
        clock.getAttribute('role'),
        clock.getAttribute('aria-live'),
        clock.closest('[role=status]'),
      ]),
    ).to.deep.equal(['timer', 'off', null]);
    expect(await page.$eval('#qr svg', (picture) => picture.getAttribute('role'))).to.equal('img');
    await page.evaluate(() => {
      const spoken: string[] = [];
      Object.assign(window, { spoken });
      new MutationObserver(() =>
        spoken.push(document.querySelector('#state')!.textContent!),
      ).observe(document.querySelector('#state')!, {
        subtree: true,
        childList: true,
        characterData: true,
      });
    });
    const before = await textOf(page, '#clock');
    await page.waitForFunction(
      (old) => document.querySelector('#clock')!.textContent !== old,
      {},
      before,
    );
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
    expect(await textOf(page, '#fiat')).to.equal('€7.50');
  });

  it('says "copied" only when it is true', async () => {
    const page = await stage.visit();
    await page
      .browserContext()
      .overridePermissions(stage.url, [
        'clipboard-read',
        'clipboard-write',
        'clipboard-sanitized-write',
      ]);
    await order(page);
    await page.click('#copy');
    await page.waitForFunction(() => document.querySelector('#copied')!.textContent !== '');
    expect(await textOf(page, '#copied')).to.match(/^Copied/);
    expect(await page.evaluate(() => navigator.clipboard.readText())).to.equal(
      (await codeOf(page)).text,
    );
    await moveTime(page, 'plus-60');
    await page.waitForFunction(() =>
      document.querySelector('#copied')!.textContent!.includes('replaced'),
    );

    const refused = await stage.visit({
      before: () => void (navigator.clipboard.writeText = () => Promise.reject(new Error('no'))),
    });
    await order(refused);
    await refused.click('#copy');
    await refused.waitForFunction(() => document.querySelector('#copied')!.textContent !== '');
    expect(await textOf(refused, '#copied')).to.include('does not let us copy');
    expect(await refused.$eval('#code', selectedIn)).to.equal((await codeOf(refused)).text);
  });

  it('holds still for those who asked for it', async () => {
    const page = await stage.visit({ motion: 'reduce' });
    await order(page);
    expect(await page.$eval('#qr', (code) => getComputedStyle(code).animationName)).to.equal(
      'none',
    );
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

/** Runs in the page: the part of a field that is selected. */
function selectedIn(field: Element): string {
  const { value, selectionStart, selectionEnd } = field as HTMLInputElement;
  return value.slice(selectionStart!, selectionEnd!);
}

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.id ?? '');

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
