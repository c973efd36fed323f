// Protects: `<paystate-checkout>` at its ends and edges: what a shop puts into it, where it leads, what it prints and copies,
// and that it fits in narrow places and in both directions of writing.
import { expect } from 'chai';
import { describe } from '#test';
import { act, ask, openEngines, phase, serveElement, textOf } from './element-page.ts';
import { it, type Tab, until } from './engines.ts';

const url = await serveElement();
const chromium = (await openEngines('chromium')).get('chromium')!;

async function visit(path = '/'): Promise<Tab> {
  const tab = await chromium.tab();
  await tab.page!.setViewport({ width: 1_200, height: 800 });
  await tab.go(url + path);
  await phase(tab, 'awaiting');
  return tab;
}

async function pay(tab: Tab): Promise<void> {
  await act(tab, 'sandbox.payer.pay(invoiceId)');
  await phase(tab, 'paid');
}

/** Keeps what is copied in `copied`. */
const KEEP_COPIES =
  'window.copied = []; navigator.clipboard.writeText = async (text) => void copied.push(text)';

/** Keeps the text of a frame that is printed in `printed`. */
const KEEP_PRINTS = `const { get } = Object.getOwnPropertyDescriptor(HTMLIFrameElement.prototype, 'contentWindow');
Object.defineProperty(HTMLIFrameElement.prototype, 'contentWindow', { get() {
  const page = get.call(this);
  page.print = () => { window.printed = page.document.body.innerText; page.dispatchEvent(new page.Event('afterprint')); };
  return page;
} })`;

describe('the end of a checkout', () => {
  it('leads back to the shop by http or https only, and says why it ignores another address', async () => {
    const tab = await visit();
    await tab.run('window.warned = []; console.warn = (text) => void warned.push(text)');
    await tab.run("element.setAttribute('success-url', 'javascript:alert(1)')");
    await until(tab, 'warned.length === 1');
    expect(await tab.run('return warned[0]')).to.match(/must be http or https, not javascript:$/);
    await phase(tab, 'awaiting');
    await pay(tab);
    expect(await ask(tab, "part('back').hidden")).to.equal(true);
    await tab.run("element.setAttribute('success-url', '/thanks')");
    await until(tab, "!element.shadowRoot.querySelector('[part=back]').hidden");
    expect(await ask(tab, "part('back').href")).to.equal(new URL('/thanks', url).href);
    expect(await tab.run('return warned.length')).to.equal(1);
  });

  it('shows what the shop has for this state, and its help where that is of use', async () => {
    const tab = await visit();
    await tab.run(`for (const name of ['shop', 'paid', 'cancelled', 'help']) {
      const child = element.appendChild(document.createElement('p'));
      Object.assign(child, { slot: name, id: 'of-' + name, textContent: name });
    }`);
    const shown = (): Promise<string[]> =>
      tab.run(
        'return [...element.children].filter((one) => one.checkVisibility()).map(({ id }) => id)',
      );
    expect(await shown()).to.deep.equal(['of-shop']);
    await pay(tab);
    expect(await shown()).to.deep.equal(['of-shop', 'of-paid']);
    await act(tab, 'sandbox.payer.reverse(invoiceId)');
    await act(tab, 'sandbox.advance(400_000)');
    await phase(tab, 'reversed');
    expect(await shown()).to.deep.equal(['of-shop', 'of-help']);
  });

  it('prints the card alone, with what was bought, and leaves no frame behind', async () => {
    const tab = await visit();
    await pay(tab);
    await tab.run(KEEP_PRINTS);
    await tab.page!.click('paystate-checkout >>> [part=print]');
    await until(tab, 'window.printed');
    const printed = await tab.run<string>('return printed');
    for (const text of ['Harbour Espresso', 'Amount paid', 'QK-7F3A91C2'])
      expect(printed).to.include(text);
    expect(printed).not.to.include('The Quiet Kettle');
    expect(await tab.run("return document.querySelectorAll('iframe').length")).to.equal(0);
    expect(await tab.run('return complaints')).to.deep.equal([]);
  });
});

describe('amounts and the code of a checkout', () => {
  it('are copied by a click, amounts as numbers in the unit that is shown', async () => {
    const tab = await visit();
    await tab.run(KEEP_COPIES);
    for (const name of ['amount', 'sent', 'qr'])
      await tab.page!.click(`paystate-checkout >>> [part=${name}]`);
    await until(tab, 'copied.length === 3');
    const [price, sent, code] = await tab.run<string[]>('return copied');
    expect(price).to.equal('16.80');
    expect(sent).to.equal((await textOf(tab, 'sent')).replaceAll(/\D/g, ''));
    expect(code).to.equal(await ask(tab, "part('code').value"));
    expect(await textOf(tab, 'short')).to.equal(`${code!.slice(0, 8)}…${code!.slice(-4)}`);
    expect(await textOf(tab, 'copy')).to.equal('Copied');
    await act(tab, 'sandbox.advance(3_000)');
    await until(tab, "element.shadowRoot.querySelector('[part=copy]').textContent === 'Copy'");
  });

  it('stay in one line with their unit in a page that is written from right to left', async () => {
    const tab = await visit('/rtl');
    const figures = "[...element.shadowRoot.querySelectorAll('bdi')]";
    expect(await ask(tab, `${figures}.map((one) => one.textContent)`)).to.have.length.above(3);
    const lines = await ask<number[]>(tab, `${figures}.map((one) => one.getClientRects().length)`);
    expect(new Set(lines)).to.deep.equal(new Set([1]));
    const order = `${figures}.filter((one) => one.textContent.endsWith(' sat')).map((one) => {
      const at = (from, to) => { const range = document.createRange(); range.setStart(one.firstChild, from); range.setEnd(one.firstChild, to); return range.getBoundingClientRect().left; };
      return at(0, 1) < at(one.textContent.length - 1, one.textContent.length);
    })`;
    expect(await ask(tab, order)).to.deep.equal([true]);
  });

  for (const [path, side] of [
    ['/', 'left'],
    ['/rtl', 'right'],
  ] as const)
    it(`keep a gap between a sentence and its mark, which is at the ${side} in ${path}`, async () => {
      const tab = await visit(path);
      for (const width of [240, 320, 480, 960])
        for (const name of ['headline', 'timer']) {
          await tab.run(`element.style.width = '${width}px'`);
          const gaps = await ask<number[]>(
            tab,
            `(() => {
              const line = part('${name}');
              const range = document.createRange();
              range.selectNodeContents(line);
              const box = line.getBoundingClientRect();
              const mark = parseFloat(getComputedStyle(line, '::before').width);
              const inset = parseFloat(getComputedStyle(line, '::before').${side});
              return [...range.getClientRects()].map((text) => Math.abs(text.${side} - box.${side}) - inset - mark);
            })()`,
          );
          expect(Math.min(...gaps), `${name}, ${width} px`).to.be.at.least(7);
        }
      // the sentence itself runs from left to right, its number after its words
      const runs =
        "[...part('timer').childNodes].map((one) => { const range = document.createRange(); range.selectNode(one); return range.getBoundingClientRect().left; })";
      const [words, number] = await ask<number[]>(tab, runs);
      expect(words).to.be.below(number!);
    });

  for (const width of [240, 320, 759, 760])
    it(`fit in ${width} px, in as many columns as there is room for`, async () => {
      const tab = await visit();
      await tab.run(`element.style.width = '${width}px'`);
      const isWide =
        "part('pay').getBoundingClientRect().left > part('bill').getBoundingClientRect().right";
      expect(await ask(tab, isWide)).to.equal(width >= 760);
      const overflow =
        "[...element.shadowRoot.querySelectorAll('*')].filter((one) => one.getBoundingClientRect().right > part('card').getBoundingClientRect().right + 0.5).length";
      expect(await ask(tab, overflow)).to.equal(0);
      await pay(tab);
      expect(await ask(tab, overflow)).to.equal(0);
      const fills = "part('end').offsetWidth / part('bill').offsetWidth";
      expect(await ask(tab, fills)).to.equal(1);
    });
});
