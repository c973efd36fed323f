// Protects: `<paystate-checkout>` tells the truth about an order, to everybody, in a page with the strictest policy.
import { expect } from 'chai';
import { describe } from '#test';
import { axe } from './axe.ts';
import { act, ask, openEngines, phase, serveElement, textOf } from './element-page.ts';
import { engines, it, type Tab, until } from './engines.ts';
import { readQr } from './pixels.ts';

const url = await serveElement();
const doors = await openEngines(...engines);
const chromium = doors.get('chromium')!;

async function visit(path = '/', size = { width: 1_200, height: 800 }): Promise<Tab> {
  const tab = await chromium.tab();
  await tab.page!.setViewport(size);
  await tab.go(url + path);
  await phase(tab, 'awaiting');
  return tab;
}

const PHONE = { width: 360, height: 640, hasTouch: true, isMobile: true };

/** The order's stages, each with what brings it about. */
const STORY: readonly (readonly [phase: string, act: string])[] = [
  ['pending', 'void sandbox.payer.pay(invoiceId, { pendingFor: 60_000 })'],
  ['paid', 'sandbox.advance(70_000)'],
  ['reversed', '(await sandbox.payer.reverse(invoiceId), await sandbox.advance(400_000))'],
];

describe('the checkout element', () => {
  it('shows price, what is sent, the rate, and a code that a camera can read', async () => {
    const tab = await visit();
    expect(await textOf(tab, 'amount')).to.equal('€16.80');
    expect(await textOf(tab, 'title')).to.equal('1 × Harbour Espresso, 500 g');
    expect(await textOf(tab, 'rate')).to.match(/^[\d,]+ sat · 1 BTC = €[\d,]+\.\d\d$/);
    expect(await textOf(tab, 'timer')).to.match(/^Rate valid for 0:\d\d$/);
    const code = await ask<string>(tab, "part('code').value");
    expect(await ask(tab, "part('wallet').getAttribute('href')")).to.equal(`lightning:${code}`);
    expect(await readQr(tab.page!, 'paystate-checkout >>> [part=qr]')).to.equal(code.toUpperCase());
    expect(await ask(tab, "part('ribbon').hidden")).to.equal(false);
  });

  it('has the wallet first and filled on a phone, copy in its first view, and the picture after them', async () => {
    const tab = await visit('/', PHONE);
    const bottom = (name: string): Promise<number> =>
      ask(tab, `part('${name}').getBoundingClientRect().bottom`);
    expect(await bottom('wallet')).to.be.below(await bottom('qr'));
    const ground = "getComputedStyle(part('wallet')).backgroundColor";
    expect(await ask(tab, ground)).to.not.equal('rgba(0, 0, 0, 0)');
    const desk = await visit();
    expect(await ask(desk, ground)).to.equal('rgba(0, 0, 0, 0)');
    const isBelow =
      "part('wallet').getBoundingClientRect().top > part('qr').getBoundingClientRect().bottom";
    expect(await ask(desk, isBelow)).to.equal(true);
    expect(await bottom('copy')).to.be.below(480);
    expect(await ask(tab, 'document.documentElement.scrollWidth')).to.equal(360);
    expect(await ask(tab, "part('qr').clientWidth")).to.be.within(200, 320);
    for (const name of ['wallet', 'copy'])
      expect(await ask(tab, `part('${name}').offsetHeight`)).to.be.at.least(44);
  });

  for (const size of [PHONE, { width: 1_200, height: 800 }])
    it(`keeps no room for a code that is gone, and offers none, ${size.width} px wide`, async () => {
      const tab = await visit('/', size);
      const heightOf = (name: string): Promise<number> => ask(tab, `part('${name}').offsetHeight`);
      const awaiting = await heightOf('card');
      for (const [name, deed] of STORY) {
        await act(tab, deed);
        await phase(tab, name);
        expect(await heightOf('pay'), name).to.equal(0);
        expect(await heightOf('card'), name).to.be.below(awaiting);
        expect(await ask(tab, "part('code').value"), name).to.equal('');
        expect(await ask(tab, "part('short').textContent"), name).to.equal('');
        expect(await ask(tab, "part('wallet').hasAttribute('href')"), name).to.equal(false);
      }
      expect(await ask(tab, 'phases.at(-1)')).to.equal('reversed');
    });

  it('does not move while its code is renewed or copied', async () => {
    const tab = await visit();
    const height = await ask(tab, "part('card').offsetHeight");
    await tab.run(
      "navigator.clipboard.writeText = async () => {}; part = (name) => element.shadowRoot.querySelector('[part=' + name + ']'); window.heights = new Set(); new ResizeObserver(() => heights.add(part('card').offsetHeight)).observe(part('card'))",
    );
    await tab.page!.click('paystate-checkout >>> [part=copy]');
    await until(tab, "part('copy').textContent === 'Copied'");
    await act(tab, 'sandbox.advance(40_000)');
    await until(tab, "part('note').textContent.startsWith('Updated')");
    await until(tab, 'heights.size > 0');
    expect(await tab.run('return [...heights]')).to.deep.equal([height]);
  });

  it('gives success a colour that nothing else has', async () => {
    const colours = new Map<string, string>();
    const colourOf = (tab: Tab): Promise<string> =>
      ask(tab, "getComputedStyle(part('glyph')).stroke");
    const paid = await visit();
    const waiting = "getComputedStyle(part('headline'), '::before').backgroundColor";
    colours.set('awaiting', await ask(paid, waiting));
    for (const [name, deed] of STORY) {
      await act(paid, deed);
      await phase(paid, name);
      colours.set(name, await colourOf(paid));
    }
    const cancelled = await visit();
    await act(cancelled, 'client.invoices.cancel(invoiceId)');
    await phase(cancelled, 'cancelled');
    colours.set('cancelled', await colourOf(cancelled));
    await cancelled.run('element.client = stranger');
    await phase(cancelled, 'failed');
    colours.set('failed', await colourOf(cancelled));
    expect(new Set(colours.values()).size, JSON.stringify([...colours])).to.equal(colours.size);
    expect(await textOf(cancelled, 'detail')).to.not.match(/[A-Z]{3}/);
    expect(await textOf(cancelled, 'problem')).to.equal('Copy: UNAUTHORIZED');
  });

  it('has a button that tries again where it has failed, and a method', async () => {
    const tab = await visit();
    expect(await ask(tab, "part('again').hidden")).to.equal(true);
    await tab.run('element.client = stranger');
    await phase(tab, 'failed');
    expect(await textOf(tab, 'again')).to.equal('Try again');
    expect(await ask(tab, "part('again').hidden")).to.equal(false);
    const failures = "phases.filter((name) => name === 'failed').length";
    await ask(tab, "part('again').click()");
    await until(tab, `${failures} === 2`);
    await act(tab, 'element.retry()');
    await until(tab, `${failures} === 3`);
  });

  it('gives a receipt with reference, time and amount', async () => {
    const tab = await visit();
    await act(tab, 'sandbox.payer.pay(invoiceId)');
    await phase(tab, 'paid');
    await until(tab, "element.shadowRoot.querySelectorAll('dd').length === 3");
    const values = await ask<string[]>(
      tab,
      "[...element.shadowRoot.querySelectorAll('dd')].map(({ textContent }) => textContent)",
    );
    expect(values.slice(0, 2)).to.deep.equal(['€16.80', 'QK-7F3A91C2']);
    expect(values[2]).to.match(/\d{4}, \d+:\d\d/);
    expect(await ask(tab, "part('print').hidden")).to.equal(false);
  });

  it('shows at most one code while codes are renewed, none twice, and says what has changed', async () => {
    const tab = await visit();
    await tab.run(`window.codes = []; new MutationObserver(() => {
      const part = (name) => element.shadowRoot.querySelector('[part=' + name + ']');
      codes.push([part('code').value, part('wallet').getAttribute('href') ?? '', part('qr').firstElementChild.getAttribute('d')]);
    }).observe(element.shadowRoot, { subtree: true, childList: true, attributes: true, characterData: true })`);
    for (let count = 0; count < 3; count++) await act(tab, 'sandbox.advance(20_000)');
    await phase(tab, 'awaiting');
    const codes = await tab.run<[string, string, string][]>('return codes');
    const shown = codes.filter(([text]) => text !== '');
    expect(shown.filter(([text, link]) => link !== `lightning:${text}`)).to.deep.equal([]);
    const texts = shown.map(([text]) => text).filter((text, at, all) => text !== all[at - 1]);
    expect(texts.length).to.be.at.least(2);
    expect(new Set(texts).size).to.equal(texts.length);
    expect(new Set(shown.map(([, , path]) => path)).size).to.equal(texts.length);
    expect(await textOf(tab, 'note')).to.match(/^Updated/);
    expect(await textOf(tab, 'timer')).to.match(/0:[12]\d/);
  });

  it('says "copied" in the button, only when it is true, and says when that code is replaced', async () => {
    const tab = await visit();
    await tab
      .page!.browserContext()
      .overridePermissions(url, ['clipboard-read', 'clipboard-write', 'clipboard-sanitized-write']);
    await tab.page!.click('paystate-checkout >>> [part=copy]');
    await until(tab, "element.shadowRoot.querySelector('[part=copy]').textContent === 'Copied'");
    expect(await tab.page!.evaluate(() => navigator.clipboard.readText())).to.equal(
      await ask(tab, "part('code').value"),
    );
    await act(tab, 'sandbox.advance(40_000)');
    await until(
      tab,
      "element.shadowRoot.querySelector('[part=note]').textContent.includes('no longer valid')",
    );
    expect(await textOf(tab, 'copy')).to.equal('Copy');

    await tab.run("navigator.clipboard.writeText = () => Promise.reject(new Error('no'))");
    await tab.page!.click('paystate-checkout >>> [part=copy]');
    await until(
      tab,
      "element.shadowRoot.querySelector('[part=note]').textContent.includes('Couldn’t copy')",
    );
    expect(await textOf(tab, 'copy')).to.equal('Copy');
    expect(await ask(tab, "part('code').selectionEnd - part('code').selectionStart")).to.equal(
      await ask(tab, "part('code').value.length"),
    );
  });

  it('shows no code while nobody is there, and a fresh one by its button', async () => {
    const tab = await visit();
    for (let minute = 0; minute < 11; minute++) await act(tab, 'sandbox.advance(60_000)');
    await phase(tab, 'paused');
    expect(await ask(tab, "part('code').value")).to.equal('');
    await tab.page!.focus('paystate-checkout >>> [part=fresh]');
    await tab.page!.keyboard.press('Enter');
    await phase(tab, 'awaiting');
  });

  it('pays by the wallet of a browser that has one, and says when that did not work', async () => {
    const tab = await visit();
    expect(await ask(tab, "part('webln').hidden")).to.equal(true);
    await tab.run(
      'window.webln = { enable: async () => {}, sendPayment: () => Promise.reject(new Error()) }',
    );
    await act(tab, 'sandbox.advance(40_000)');
    await until(tab, "!element.shadowRoot.querySelector('[part=webln]').hidden");
    await tab.page!.click('paystate-checkout >>> [part=webln]');
    await until(
      tab,
      "element.shadowRoot.querySelector('[part=note]').textContent.includes('didn’t confirm')",
    );
    await tab.run('window.webln.sendPayment = (code) => sandbox.payer.pay(code)');
    await tab.page!.click('paystate-checkout >>> [part=webln]');
    await phase(tab, 'paid');
  });

  it('keeps the focus when the code is taken away', async () => {
    const tab = await visit();
    await tab.page!.focus('paystate-checkout >>> [part=copy]');
    await act(tab, 'sandbox.payer.pay(invoiceId)');
    await phase(tab, 'paid');
    expect(await ask(tab, "element.shadowRoot.activeElement.getAttribute('part')")).to.equal(
      'title',
    );
  });

  it('stops asking when it leaves the document, and goes on where it is only moved', async () => {
    const tab = await visit();
    const code = await ask(tab, "part('code').value");
    await tab.run('document.body.append(element)');
    await tab.run('return 0');
    expect(await ask(tab, "part('code').value")).to.equal(code);
    await tab.run('element.remove()');
    await act(tab, 'sandbox.advance(1_000)');
    const sent = await tab.run<number>('return sandbox.log.length');
    await act(tab, 'sandbox.advance(120_000)');
    expect(await tab.run('return sandbox.log.length')).to.equal(sent);
    await tab.run('document.body.append(element); defineElements()');
    await phase(tab, 'awaiting');
  });

  it('is right to left in such a page', async () => {
    const tab = await visit('/rtl');
    const left = (name: string): Promise<number> =>
      ask(tab, `part('${name}').getBoundingClientRect().left`);
    expect(await left('bill')).to.be.above(await left('pay'));
    expect(await ask(tab, "getComputedStyle(part('code')).direction")).to.equal('ltr');
  });
});

describe('the elements in other languages', () => {
  for (const [name, headline, rate] of [
    ['elementsDe', 'Warten auf Ihre Zahlung', /1 BTC = [\d.]+,\d\d/],
    ['elementsEs', 'Esperando su pago', /1 BTC = [\d.]+,\d\d/],
    ['elementsFr', 'En attente de votre paiement', /1 BTC = [\d\s]+,\d\d/],
    ['elementsEn', 'Waiting for your payment', /1 BTC = €[\d,]+/],
  ] as const)
    it(`speak and count as ${name} do`, async () => {
      const tab = await visit(`/?texts=${name}`, PHONE);
      expect(await textOf(tab, 'headline')).to.equal(headline);
      expect(await textOf(tab, 'rate')).to.match(rate);
      expect(await ask(tab, "part('card').lang")).to.equal(name.slice(-2).toLowerCase());
      expect(await ask(tab, 'document.documentElement.scrollWidth')).to.equal(360);
    });
});

describe('the list of receives', () => {
  it('tells what has come in, the newest first, with a sum, and axe has nothing to say', async () => {
    const tab = await chromium.tab();
    await tab.go(`${url}/list`);
    await until(tab, "element.shadowRoot.textContent.includes('Nothing received yet')");
    expect(await axe(tab)).to.deep.equal([]);
    await act(tab, 'sandbox.payer.pay(request.bolt11.invoice)');
    await until(tab, "element.shadowRoot.querySelectorAll('li').length === 1");
    await until(tab, "!element.shadowRoot.querySelector('li').textContent.includes('on its way')");
    expect(await textOf(tab, 'list')).to.match(/^20,000 sat/);
    const first = (await textOf(tab, 'amount')).replaceAll(/\D/g, '');
    expect(first).to.match(/\d/);
    expect(await textOf(tab, 'note')).to.equal('');
    expect(await axe(tab)).to.deep.equal([]);
    await tab.run("sandbox.payer.pay(request.onchain.address, { amount: '0.0015' })");
    await until(tab, "element.shadowRoot.querySelectorAll('li').length === 2");
    await act(tab, 'sandbox.advance(900_000)');
    await until(tab, "!element.shadowRoot.textContent.includes('on its way')");
    await act(
      tab,
      'client.receiveRequests.listReceives(request.receiveRequestId).toArray({ limit: 9 }).then((all) => { window.all = all; })',
    );
    const credited = await tab.run<string[]>(
      "return all.map(({ amountCredited }) => amountCredited.amount.replace('.', ''))",
    );
    const sum = credited.reduce((before, one) => before + BigInt(one), 0n);
    expect(credited).to.have.length(2);
    expect((await textOf(tab, 'amount')).replaceAll(/\D/g, '')).to.equal(`${sum}`);
    await tab.run('element.catalogue = elementsDe');
    await until(tab, "element.shadowRoot.textContent.includes('Bisher erhalten')");
    expect(await tab.run('return complaints')).to.deep.equal([]);
  });
});

describe('the checkout element for everybody', () => {
  for (const [engine, door] of doors)
    it(`has nothing that axe complains of, in any stage and colour, in ${engine}`, async () => {
      const tab = await door.tab();
      await tab.go(`${url}/axe`);
      await phase(tab, 'awaiting');
      const schemes = tab.page && engine === 'chromium' ? ['light', 'dark'] : ['as it is'];
      const look = async (name: string): Promise<void> => {
        for (const scheme of schemes) {
          if (scheme !== 'as it is')
            await tab.page!.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
          expect(await axe(tab, scheme === 'dark'), `${name}, ${scheme}`).to.deep.equal([]);
        }
      };
      await look('awaiting');
      for (const [name, deed] of STORY) {
        await act(tab, deed);
        await phase(tab, name);
        await look(name);
      }
      await tab.run('element.client = stranger');
      await phase(tab, 'failed');
      await ask(tab, "part('details').open = true");
      await look('failed');
      expect(await tab.run('return complaints')).to.deep.equal([]);
    });

  it('is nothing on a server, and does no harm there', async () => {
    const { defineElements } = await import('paystate/elements');
    defineElements();
  });
});
