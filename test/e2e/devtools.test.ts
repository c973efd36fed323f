// Protects: `<paystate-devtools>` shows what a client does, to everybody, in a page with the strictest policy.
import { expect } from 'chai';
import { describe } from '#test';
import { axe } from './axe.ts';
import { act, ask, openEngines, serveElement, textOf } from './element-page.ts';
import { engines, it, type Tab, until } from './engines.ts';

const url = await serveElement();
const doors = await openEngines(...engines);
const chromium = doors.get('chromium')!;

async function visit(door = chromium, size = { width: 1_200, height: 800 }): Promise<Tab> {
  const tab = await door.tab();
  await tab.page?.setViewport(size);
  await tab.go(`${url}/devtools`);
  await until(tab, "window.element?.shadowRoot.textContent.includes('invoices.create')");
  return tab;
}

/** Brings a tab of the devtools to the front. */
const choose = (tab: Tab, name: string): Promise<void> =>
  tab.run(
    `[...element.shadowRoot.querySelectorAll('[role=tab]')].find(({ textContent }) => textContent === '${name}').click()`,
  );

const FRONT = "element.shadowRoot.querySelector('[role=tabpanel]:not([hidden])')";

const shows = (tab: Tab, text: string): Promise<void> =>
  until(tab, `${FRONT}?.textContent.includes(${JSON.stringify(text)})`);

describe('the devtools', () => {
  it('show requests with reason, time and answer in their order, and beside them what was sent', async () => {
    const tab = await visit();
    await shows(tab, 'invoices.quote');
    const rows = await textOf(tab, 'rows');
    expect(rows).to.match(/invoices\.create.*an order.*201\d+ ms/s);
    expect(rows.indexOf('invoices.create')).to.be.within(0, rows.indexOf('invoices.quote'));
    await tab.run("element.shadowRoot.querySelector('[role=option]').click()");
    await until(tab, "!element.shadowRoot.querySelector('[part=detail]').hidden");
    const detail = await textOf(tab, 'detail');
    expect(detail)
      .to.match(/ms · priority \w+ · an order/)
      .and.include('16.80');
    const text = await tab.run<string>('return element.shadowRoot.textContent');
    expect(text).to.not.include(await tab.run('return sandbox.clientOptions.apiKey'));
    await ask(tab, "part('close').click()");
    expect(await ask(tab, "part('detail').hidden")).to.equal(true);
  });

  it('keep what was unfolded open while more comes in', async () => {
    const tab = await visit();
    await tab.run("element.shadowRoot.querySelector('[role=option]').click()");
    await until(tab, "element.shadowRoot.querySelector('details')");
    await tab.run("window.first = element.shadowRoot.querySelector('details'); first.open = false");
    await act(tab, 'client.rates.list()');
    await shows(tab, 'rates.list');
    expect(await tab.run('return first.isConnected && !first.open')).to.equal(true);
  });

  it('show what a stranger wrote as text', async () => {
    const tab = await visit();
    const evil = '<img src=x onerror=alert(1)>';
    await act(tab, `client.invoices.get('${evil}').catch(() => {})`);
    await act(
      tab,
      `client.invoices.create({ amount: { amount: '1.00', currency: 'EUR' }, description: '${evil}' })`,
    );
    await until(tab, "element.shadowRoot.querySelectorAll('[role=option]').length > 3");
    for (let at = 0; at < 4; at++)
      await tab.run(`element.shadowRoot.querySelectorAll('[role=option]')[${at}].click()`);
    expect(await ask(tab, "element.shadowRoot.querySelectorAll('img').length")).to.equal(0);
    expect(await tab.run('return complaints')).to.deep.equal([]);
  });

  it('show watches, and the timeline of the one that is chosen', async () => {
    const tab = await visit();
    await choose(tab, 'Watches');
    await shows(tab, 'UNPAID');
    expect(await tab.run(`return ${FRONT}.textContent`)).to.match(
      /invoice · [\w-]+….*live · .* old · .+ · next read in .* · 1 listening.*UNPAID/,
    );
    await act(tab, 'sandbox.payer.pay(invoiceId)');
    await tab.run(`${FRONT}.querySelector('button').click()`);
    await shows(tab, 'UNPAID → PAID');
    expect(await ask(tab, "part('search').value")).to.equal(await tab.run('return invoiceId'));
    await ask(tab, "((part('search').value = 'of nothing'), part('search').oninput())");
    await shows(tab, 'Nothing matches.');
  });

  it('draw the rate limits against time, with limit and forecast', async () => {
    const tab = await visit();
    await choose(tab, 'Rate limits');
    await shows(tab, 'others');
    await until(
      tab,
      "element.shadowRoot.querySelector('[part~=used]').getAttribute('d').includes('H')",
    );
    expect(await ask(tab, "part('picture').getAttribute('aria-label')")).to.match(
      /^\S+: \d+ of \d+ in /,
    );
    await tab.run(
      'for (let count = 0; count < 150; count++) void client.invoices.get(crypto.randomUUID()).catch(() => {})',
    );
    await until(tab, '/a block in|blocked/.test(element.shadowRoot.textContent)');
    expect(
      await tab.run(
        "return [...element.shadowRoot.querySelectorAll('[part~=forecast]')].some((path) => path.getAttribute('d'))",
      ),
    ).to.equal(true);
  });

  it('show the open runs of a journal, and how they end', async () => {
    const tab = await visit();
    await tab.run('element.journal = journal');
    await until(tab, "element.shadowRoot.textContent.includes('Journal')");
    await choose(tab, 'Journal');
    await shows(tab, 'No run is open');
    await act(
      tab,
      "(async () => { sandbox.fund('shop', { amount: '100.00', currency: 'EUR' }); window.run = pay(client, { to: sandbox.payer.createBolt11({ sat: '1000' }), sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any', journal }); })()",
    );
    await shows(tab, 'round 1');
    await shows(tab, 'paid');
  });

  it('export a recording, without the key', async () => {
    const tab = await visit();
    await tab.run(
      'window.blobs = []; const create = URL.createObjectURL; URL.createObjectURL = (blob) => (blobs.push(blob), create.call(URL, blob))',
    );
    await tab.run("element.shadowRoot.querySelector('[part=save]').click()");
    await tab.run('blobs[0].text().then((text) => (window.file = text))');
    await until(tab, 'window.file');
    const file = await tab.run<string>('return file');
    const { version, exchanges } = JSON.parse(file);
    expect(version).to.equal(2);
    expect(exchanges[0]).to.include({ method: 'POST', path: '/v1/invoices' });
    expect(file).to.not.include(await tab.run('return sandbox.clientOptions.apiKey'));
    await tab.run("document.querySelector('paystate-checkout').remove()"); // it goes on asking
    await until(
      tab,
      `(element.shadowRoot.querySelector('[part=clear]').click(), ${FRONT}.textContent.includes('None yet'))`,
    );
  });

  it('take another client, and leave the first one alone', async () => {
    const tab = await visit();
    await tab.run('element.client = other');
    await shows(tab, 'None yet');
    await act(tab, 'other.balances.list()');
    await shows(tab, 'balances.list');
    await act(tab, 'client.rates.list()');
    expect(await textOf(tab, 'panel')).to.not.include('rates.list');
    await tab.run('element.remove()');
    await act(tab, 'other.rates.list()');
    await tab.run("document.querySelector('main').append(element)");
    await shows(tab, 'balances.list');
    expect(await textOf(tab, 'panel')).to.not.include('rates.list');
  });

  it('are used by keyboard, and fit a phone', async () => {
    const tab = await visit(chromium, { width: 360, height: 640 });
    expect(await tab.run('return document.documentElement.scrollWidth')).to.equal(360);
    await tab.page!.focus('paystate-devtools >>> [role=tab]');
    for (const name of ['Watches', 'Rate limits', 'Timeline']) {
      await tab.page!.keyboard.press('ArrowRight');
      expect(await tab.run('return element.shadowRoot.activeElement.textContent')).to.equal(name);
      expect(await tab.run('return document.documentElement.scrollWidth'), name).to.equal(360);
    }
    for (const name of ['tab', 'save', 'clear', 'kind', 'search'])
      expect(await ask(tab, `part('${name}').offsetHeight`), name).to.be.at.least(44);
    await choose(tab, 'Timeline');
    await tab.run("element.shadowRoot.querySelector('[role=option]').click()");
    const covers = "part('detail').offsetWidth === part('split').offsetWidth";
    expect(await ask(tab, covers), 'the detail lies over the list').to.equal(true);
    expect(await tab.run('return element.shadowRoot.activeElement.part.value')).to.equal('detail');
    await tab.page!.keyboard.press('Escape');
    expect(await tab.run('return element.shadowRoot.activeElement.part.value')).to.equal('rows');
    const row = "element.shadowRoot.querySelector('[role=option]').offsetHeight";
    expect(await ask(tab, row)).to.be.at.least(44);
    await tab.page!.setViewport({ width: 1_200, height: 800 });
    await tab.run("element.shadowRoot.querySelector('[role=option]').click()");
    expect(await ask(tab, covers), 'it stands beside the list').to.equal(false);
  });

  it('are nothing on a server, and do no harm there', async () => {
    const { defineDevtools } = await import('paystate/devtools');
    defineDevtools();
  });
});

describe('the devtools for everybody', () => {
  for (const [engine, door] of doors)
    it(`have nothing that axe complains of, in any tab and colour, in ${engine}`, async () => {
      const tab = await visit(door);
      await tab.run('element.journal = journal');
      await until(tab, "element.shadowRoot.textContent.includes('Journal')");
      await act(tab, 'client.rates.list()');
      await tab.run("element.shadowRoot.querySelector('[role=option]').click()");
      for (const name of ['Timeline', 'Watches', 'Rate limits', 'Journal'])
        for (const scheme of tab.page && engine === 'chromium' ? ['light', 'dark'] : ['as it is']) {
          await choose(tab, name);
          if (scheme !== 'as it is')
            await tab.page!.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
          expect((await axe(tab, scheme === 'dark')).join('\n'), `${name}, ${scheme}`).to.equal('');
        }
      expect(await tab.run('return complaints')).to.deep.equal([]);
    });
});
