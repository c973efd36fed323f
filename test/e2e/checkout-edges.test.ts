// Protects: `<paystate-checkout>` where it is used otherwise than its makers do: other ways to pay, sizes, colours, neighbours.
import { expect } from 'chai';
import { describe } from '#test';
import { axe } from './axe.ts';
import { act, ask, openEngines, phase, serveElement, textOf } from './element-page.ts';
import { it, type Tab, until } from './engines.ts';
import { readQr } from './pixels.ts';

const url = await serveElement();
const chromium = (await openEngines('chromium')).get('chromium')!;
const PICTURE = 'paystate-checkout >>> [part=qr]';

async function visit(path = '/', size = { width: 1_200, height: 800 }): Promise<Tab> {
  const tab = await chromium.tab();
  await tab.page!.setViewport(size);
  await tab.go(url + path);
  await phase(tab, 'awaiting');
  return tab;
}

const tabsOf = (tab: Tab): Promise<string[]> =>
  ask(tab, "[...part('tabs').children].map(({ textContent }) => textContent)");

describe('a code with an on-chain address', () => {
  it('is one picture of each way, and text, link, picture and advice agree', async () => {
    const tab = await visit('/onchain');
    const address = await tab.run<string>('return address');
    expect(await tabsOf(tab)).to.deep.equal(['Lightning', 'Bitcoin on-chain']);
    expect(await ask(tab, "part('way').hidden")).to.equal(true);
    const ways: (readonly [text: string, link: string, scanned: string | undefined])[] = [];
    for (const [at, name] of ['Lightning', 'Bitcoin on-chain'].entries()) {
      await tab.page!.click(`paystate-checkout >>> [part=tab]:nth-child(${at + 1})`);
      ways.push([
        await ask(tab, "part('code').value"),
        await ask(tab, "part('wallet').getAttribute('href')"),
        await readQr(tab.page!, PICTURE),
      ]);
      expect(await tab.run('return element.shadowRoot.activeElement.textContent')).to.equal(name);
      const advice = at === 0 ? 'Lightning wallet' : 'Bitcoin wallet';
      expect(await textOf(tab, 'hint')).to.include(advice);
    }
    const [[code], [copied, link]] = ways as [(typeof ways)[0], (typeof ways)[0]];
    expect(ways[0]).to.deep.equal([code, `lightning:${code}`, code.toUpperCase()]);
    expect(copied).to.equal(address);
    expect(link).to.match(new RegExp(`^bitcoin:${address}\\?amount=0\\.0\\d+$`));
    const amount = link.split('amount=')[1]!;
    expect(ways[1]![2]).to.equal(`BITCOIN:${address.toUpperCase()}?amount=${amount}`);
  });

  it('stays the way that was chosen when the code is renewed, and goes when it is paid', async () => {
    const tab = await visit('/onchain');
    await tab.page!.click('paystate-checkout >>> [part=tab]:nth-child(2)');
    const link = await ask<string>(tab, "part('wallet').href");
    await act(tab, 'sandbox.advance(40_000)');
    await until(
      tab,
      `![${JSON.stringify(link)}, ''].includes(element.shadowRoot.querySelector('[part=wallet]').href)`,
    );
    expect(await ask(tab, "part('code').value")).to.equal(await tab.run('return address'));
    expect(
      await ask(tab, "part('tabs').querySelector('[aria-pressed=true]').textContent"),
    ).to.equal('Bitcoin on-chain');
    expect(await axe(tab)).to.deep.equal([]);
    await act(tab, 'sandbox.payer.pay(invoiceId)');
    await phase(tab, 'paid');
    expect(await ask(tab, "part('code').value")).to.equal('');
    expect(await tab.run('return complaints')).to.deep.equal([]);
  });

  it('has whole words in its tabs on a phone', async () => {
    const tab = await visit('/onchain', { width: 360, height: 640 });
    const lines = await ask<number[]>(
      tab,
      "[...part('tabs').children].map((one) => { const range = document.createRange(); range.selectNodeContents(one); return range.getClientRects().length; })",
    );
    expect(lines).to.deep.equal([1, 1]);
    expect(await tab.run('return document.documentElement.scrollWidth')).to.equal(360);
  });
});

describe('a code that failed its check', () => {
  it('is not shown, and its button asks for another one, which is checked too', async () => {
    const tab = await visit();
    await act(
      tab,
      `import('/paystate.min.js').then(({ createClient }) => {
        window.wrong = true;
        const fetch = async (url, init) => {
          const response = await sandbox.fetch(url, init);
          if (!wrong || !url.endsWith('/quote')) return response;
          return Response.json({ ...(await response.json()), targetAmount: { amount: '1.00', currency: 'EUR' } });
        };
        element.client = createClient({ ...sandbox.clientOptions, fetch });
      })`,
    );
    await phase(tab, 'unsafe');
    expect(await textOf(tab, 'again')).to.equal('Try again');
    const quotes = "sandbox.log.filter(({ path }) => path.endsWith('/quote')).length";
    const before = await tab.run<number>(`return ${quotes}`);
    await tab.page!.click('paystate-checkout >>> [part=again]');
    await until(tab, `${quotes} === ${before + 1}`);
    await phase(tab, 'unsafe');
    expect(await ask(tab, "part('code').value")).to.equal('');
    await tab.run('window.wrong = false');
    await tab.page!.click('paystate-checkout >>> [part=again]');
    await phase(tab, 'awaiting');
    expect(await ask(tab, "part('code').value")).to.match(/^lntb/);
    expect(await ask(tab, "part('again').hidden")).to.equal(true);
    expect(await tab.run('return complaints')).to.deep.equal([]);
  });
});

describe('the checkout element in hard places', () => {
  for (const scheme of ['light', 'dark'])
    it(`has a code that a camera reads in forced colours, ${scheme}`, async () => {
      const tab = await visit();
      const session = await tab.page!.createCDPSession();
      await session.send('Emulation.setEmulatedMedia', {
        features: [
          { name: 'forced-colors', value: 'active' },
          { name: 'prefers-color-scheme', value: scheme },
        ],
      });
      expect(await tab.run("return matchMedia('(forced-colors: active)').matches")).to.equal(true);
      const code = await ask<string>(tab, "part('code').value");
      expect(await readQr(tab.page!, PICTURE)).to.equal(code.toUpperCase());
    });

  it('fits a window that is magnified four times, with the longest texts', async () => {
    const text = 'W'.repeat(200);
    const tab = await visit(`/?text=${text}&texts=elementsDe`, { width: 320, height: 256 });
    expect(await tab.run('return document.documentElement.scrollWidth')).to.equal(320);
    expect(await textOf(tab, 'title')).to.equal(text);
    await act(tab, 'sandbox.payer.pay(invoiceId)');
    await phase(tab, 'paid');
    expect(await tab.run('return document.documentElement.scrollWidth')).to.equal(320);
  });

  it('names amounts in the currency of the invoice, and no rate where nothing is converted', async () => {
    const dollars = await visit('/?amount=123456.50&currency=USD');
    expect(await textOf(dollars, 'amount')).to.equal('$123,456.50');
    expect(await textOf(dollars, 'rate')).to.match(/1 BTC = \$[\d,]+/);
    const bitcoin = await visit('/?amount=0.00021&currency=BTC');
    expect(await textOf(bitcoin, 'amount')).to.equal('21,000 sat');
    expect(await textOf(bitcoin, 'rate')).to.equal('');
  });

  it('is there twice for one invoice, and both tell the same', async () => {
    const tab = await visit('/axe');
    await tab.run(
      "window.twin = document.createElement('paystate-checkout'); document.querySelector('main').append(twin); Object.assign(twin, { client, invoiceId })",
    );
    await until(tab, "twin.shadowRoot.querySelector('[data-phase=awaiting]')");
    await act(tab, 'sandbox.payer.pay(invoiceId)');
    await phase(tab, 'paid');
    await until(tab, "twin.shadowRoot.querySelector('[data-phase=paid]')");
    expect(await axe(tab)).to.deep.equal([]);
  });

  it('says by a typed error which property is wrong where its client is none, and begins with a right one', async () => {
    const tab = await visit();
    await tab.run(
      "element.addEventListener('paystate-change', ({ detail }) => { window.last = detail; }); element.client = {};",
    );
    await phase(tab, 'failed');
    const { code, message, next } = await tab.run<Record<string, string>>(
      'const { code, message, next } = last.error; return { code, message, next };',
    );
    expect([code, next]).to.deep.equal(['INPUT_INVALID', 'fix-input']);
    expect(message).to.match(/^client: must be a client from createClient/);
    expect(await ask(tab, "part('code').value")).to.equal('');
    await tab.run('element.client = client');
    await phase(tab, 'awaiting');
    expect(await tab.run('return complaints')).to.deep.equal([]);
  });

  it('keeps its code where only its words change, and says nothing of the last order after the next', async () => {
    const tab = await visit();
    const code = await ask<string>(tab, "part('code').value");
    await tab.run("element.locale = 'de'");
    await until(
      tab,
      "element.shadowRoot.querySelector('[part=amount]').textContent === '16,80\u00a0€'",
    );
    await phase(tab, 'awaiting');
    expect(await ask(tab, "part('code').value")).to.equal(code);

    await act(tab, 'void sandbox.payer.pay(invoiceId, { pendingFor: 60_000 })');
    await phase(tab, 'pending');
    await act(
      tab,
      "(async () => { window.next = (await client.invoices.create({ amount: { amount: '5.00', currency: 'EUR' } })).invoiceId; element.invoiceId = next; })()",
    );
    await phase(tab, 'awaiting');
    expect(await textOf(tab, 'amount')).to.equal('5,00\u00a0€');
    await act(tab, 'sandbox.advance(70_000)');
    await phase(tab, 'awaiting');
    expect(await textOf(tab, 'title')).to.equal('Your order');
  });

  it('leaves no code on the page where it cannot begin with what it was given', async () => {
    const tab = await visit();
    expect(await ask(tab, "part('code').value")).to.match(/^ln/);
    await tab.run(
      "element.catalogue = new Proxy({}, { get() { throw new Error('no such text'); } })",
    );
    await until(tab, "complaints.some((one) => one.includes('no such text'))");
    expect(await tab.run('return element.shadowRoot.childNodes.length')).to.equal(0);
    await tab.run('element.catalogue = undefined');
    await phase(tab, 'awaiting');
  });

  it('counts no further down once it has left the page', async () => {
    const tab = await visit();
    await tab.run("window.timer = element.shadowRoot.querySelector('[part=timer]')");
    const before = await tab.run<string>('return timer.textContent');
    await act(tab, 'sandbox.advance(2_000)');
    await until(tab, `timer.textContent !== ${JSON.stringify(before)}`);
    await tab.run('element.remove()');
    await act(tab, 'Promise.resolve()');
    const left = await tab.run<string>('return timer.textContent');
    await act(tab, 'sandbox.advance(5_000)');
    expect(await tab.run('return timer.textContent')).to.equal(left);
  });

  it('does not say of a new code that it was copied', async () => {
    const tab = await visit('/onchain');
    await tab.run(
      'navigator.clipboard.writeText = () => new Promise((resolve) => { window.copied = resolve; })',
    );
    await tab.page!.click('paystate-checkout >>> [part=copy]');
    await until(tab, 'window.copied');
    await tab.page!.click('paystate-checkout >>> [part=tab]:nth-child(2)');
    const before = await textOf(tab, 'copy');
    await tab.run('copied()');
    await act(tab, 'Promise.resolve()');
    expect(await textOf(tab, 'copy')).to.equal(before);
    expect(before).to.not.equal('Copied');
  });

  it('shows what stands between its tags where no script runs', async () => {
    const tab = await chromium.tab();
    await tab.page!.setJavaScriptEnabled(false);
    await tab.go(url);
    const text = await tab.page!.$eval('paystate-checkout', (element) => element.textContent);
    expect(text).to.equal('This page needs scripts.');
  });
});
