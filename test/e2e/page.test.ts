// A customer at the demo's checkout: the story of the first five minutes, in the real page.
import { expect } from 'chai';
import { decodeBolt11 } from 'paystate/lightning';
import { describe } from '#test';
import {
  AT_ONCE,
  codeOf,
  moveTime,
  openStage,
  order,
  part,
  press,
  textOf,
  until,
} from './demo-page.ts';
import { it } from './engines.ts';
import { readQr } from './pixels.ts';

const stage = await openStage();

describe('the checkout page', AT_ONCE, () => {
  for (const width of [1_200, 360])
    it(`shows a code that a camera can read, ${width} px wide`, async () => {
      const page = await stage.visit({ width });
      await order(page);
      const { text, link, pictures } = await codeOf(page);
      expect(await readQr(page, part('qr'))).to.equal(text.toUpperCase());
      expect(link).to.equal(`lightning:${text}`);
      expect(pictures).to.equal(1);
      const { amountMsat, network } = decodeBolt11(text);
      expect(network).to.equal('testnet');
      expect(await textOf(page, part('amount'))).to.equal('€16.80');
      expect((await textOf(page, part('rate'))).split(' sat')[0]!.replace(/\D/g, '')).to.equal(
        String(BigInt(amountMsat!) / 1_000n),
      );
    });

  it('says paid by itself, and takes the code away', async () => {
    const page = await stage.visit();
    await order(page);
    await page.evaluate(() => Object.assign(window, { sameDocument: true }));
    await press(page, 'pay');
    await until(page, 'paid');
    expect(await textOf(page, part('headline'))).to.include('Paid');
    expect(await codeOf(page)).to.deep.equal({ text: '', link: '', pictures: 0 });
    expect(await page.evaluate(() => 'sameDocument' in window)).to.equal(true);
  });

  it('shows at most one code while codes are renewed, and none twice', async () => {
    const page = await stage.visit();
    await page.evaluate(watchCodes);
    await order(page);
    for (const id of ['plus-10', 'plus-10', 'plus-10', 'plus-60']) await moveTime(page, id);
    const seen = await page.evaluate(() => (window as unknown as { codes: Seen[] }).codes);
    expect(seen.filter(({ pictures }) => pictures > 1)).to.deep.equal([]);
    const shown = seen.filter(({ text }) => text !== '');
    expect(shown.filter(({ text, link }) => link !== `lightning:${text}`)).to.deep.equal([]);
    const texts = shown.map(({ text }) => text).filter((text, at, all) => text !== all[at - 1]);
    expect(texts.length).to.be.at.least(3);
    expect(new Set(texts).size, 'a replaced code came back').to.equal(texts.length);
    expect(new Set(shown.map(({ picture }) => picture)).size, 'one picture for each text').to.equal(
      texts.length,
    );
    expect(await textOf(page, part('note'))).to.match(/^Updated/);
    expect(await readQr(page, part('qr'))).to.equal(texts.at(-1)!.toUpperCase());
  });

  it('counts down rightly on a device whose clock is an hour ahead', async () => {
    const page = await stage.visit();
    await order(page);
    const first = await codeOf(page);
    await press(page, 'skew');
    const [, hours, minutes] = /(\d\d):(\d\d) UTC/.exec(await textOf(page, '#panel-note'))!;
    const ahead =
      (Number(hours) * 60 +
        Number(minutes) -
        new Date().getUTCHours() * 60 -
        new Date().getUTCMinutes() +
        1_440) %
      1_440;
    expect(ahead).to.be.within(59, 61);
    await page.waitForFunction(
      (old) =>
        ![old, ''].includes(
          document
            .querySelector('paystate-checkout')!
            .shadowRoot!.querySelector<HTMLInputElement>('[part=code]')!.value,
        ),
      {},
      first.text,
    );
    const [, seconds] = (await textOf(page, part('timer'))).split(':');
    expect(Number(seconds)).to.be.within(20, 30);
    await press(page, 'pay');
    await moveTime(page, 'plus-10');
    await until(page, 'paid');
  });

  it('follows a slow payment, one that comes back, and one that is reversed', async () => {
    const page = await stage.visit();
    await order(page);
    await press(page, 'pay-failing');
    await until(page, 'pending');
    expect((await codeOf(page)).text).to.equal('');
    await moveTime(page, 'plus-60'); // a state is believed to have gone back only after half a minute
    await until(page, 'awaiting');
    await press(page, 'pay-slowly');
    await until(page, 'pending');
    await moveTime(page, 'plus-10');
    await until(page, 'paid');
    await press(page, 'reverse');
    await moveTime(page, 'plus-60'); // what is settled is read each 18 seconds
    await until(page, 'reversed');
  });

  it('notices that the order was cancelled elsewhere', async () => {
    const page = await stage.visit();
    await order(page);
    await press(page, 'cancel');
    await moveTime(page, 'plus-10');
    await until(page, 'cancelled');
    expect((await codeOf(page)).pictures).to.equal(0);
    await press(page, 'leave');
    await page.waitForSelector('#shop:not([hidden])');
  });

  it('makes one invoice although the answer was lost', async () => {
    const page = await stage.visit();
    await press(page, 'lose');
    await order(page);
    const requests = await page.$$eval('#log .line', (lines) =>
      lines.map((line) => line.textContent!).reverse(),
    );
    expect(requests[0]).to.match(/^POST \/invoices no answer/);
    expect(requests[1]).to.match(/^POST \/invoices 409 DUPLICATE_INVOICE/);
    expect(requests[2]).to.match(/^GET \/invoices 200/);
    expect(
      await page.$$eval('#log .why', (whys) => whys.every((why) => why.textContent !== '')),
    ).to.equal(true);
  });

  it('keeps the number of an order that nobody answered for', async () => {
    const page = await stage.visit();
    for (let answer = 0; answer < 3; answer++) await press(page, 'lose');
    await press(page, 'submit');
    await moveTime(page, 'plus-10');
    await page.waitForFunction(() => document.querySelector('#order-error')!.textContent !== '');
    expect(await textOf(page, '#order-error')).to.include('can’t be placed twice');
    const number = await page.evaluate(
      () => JSON.parse(Object.values(sessionStorage)[0]!).correlationId,
    );
    await order(page);
    expect(await textOf(page, '#order-number')).to.equal(number);
    expect(await textOf(page, '#log')).to.include('DUPLICATE_INVOICE');
  });

  it('takes the code away while nobody looks, and shows a good one afterwards', async () => {
    const page = await stage.visit();
    await order(page);
    await page.evaluate(turnTo, 'hidden');
    await until(page, 'paused');
    expect(await codeOf(page)).to.deep.equal({ text: '', link: '', pictures: 0 });
    await moveTime(page, 'plus-60');
    await page.evaluate(turnTo, 'visible');
    await until(page, 'awaiting');
    expect(await readQr(page, part('qr'))).to.equal((await codeOf(page)).text.toUpperCase());
  });

  it('keeps the order over a reload, and says what was lost', async () => {
    const page = await stage.visit();
    await order(page);
    const number = await textOf(page, '#order-number');
    await page.reload();
    await until(page, 'awaiting');
    expect(await textOf(page, '#order-number')).to.equal(number);
    expect(await textOf(page, '#reloaded')).to.include('reloaded');
  });
});

describe('afterwards, the checkout page', () => {
  it('had nothing to complain of, and had asked nobody but its own server', () => {
    expect(stage.complaints).to.deep.equal([]);
  });
});

interface Seen {
  readonly text: string;
  readonly link: string;
  readonly picture: string;
  readonly pictures: number;
}

/** Runs in the page: writes down every state that anybody could have seen of the code. */
function watchCodes(): void {
  const codes: Seen[] = [];
  Object.assign(window, { codes });
  const root = document.querySelector('paystate-checkout')!.shadowRoot!;
  const look = (): void => {
    if (!root.querySelector('[part=code]')) return;
    const picture = root.querySelector('[part=qr]')!.firstElementChild!.getAttribute('d') ?? '';
    codes.push({
      text: root.querySelector<HTMLInputElement>('[part=code]')!.value,
      link: root.querySelector('[part=wallet]')!.getAttribute('href') ?? '',
      picture,
      pictures: root.querySelectorAll('[part=qr]').length,
    });
  };
  new MutationObserver(look).observe(root, {
    subtree: true,
    childList: true,
    attributes: true,
    characterData: true,
  });
}

/** Runs in the page: as if its tab were left, or returned to. */
function turnTo(visibility: string): void {
  Object.defineProperty(document, 'visibilityState', { configurable: true, value: visibility });
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true })); // as the browser's own does
}
