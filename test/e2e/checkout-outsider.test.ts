// Protects: `<paystate-checkout>` in the hands of those who have not read its manual: it never shows a code that is not meant.
import { expect } from 'chai';
import { describe } from '#test';
import { openEngines, phase, serveElement, textOf } from './element-page.ts';
import { it, type Tab, until } from './engines.ts';

const url = await serveElement();
const doors = await openEngines('chromium');

async function visit(path = '/'): Promise<Tab> {
  const tab = await doors.get('chromium')!.tab();
  await tab.go(url + path);
  await until(tab, 'window.element');
  await phase(tab, 'awaiting');
  return tab;
}

const whole = (tab: Tab) => tab.run<string>('return element.shadowRoot.textContent');
const complaints = (tab: Tab) => tab.run<string[]>('return complaints');

describe('the checkout element, used wrongly', () => {
  it('gives back what was set, before it was defined too, and has all its members from the start', async () => {
    const names = ['client', 'invoiceId', 'locale', 'catalogue', 'includeOnchain', 'until'];
    const read = `return [element.client === client, element.invoiceId === invoiceId, element.includeOnchain, ${JSON.stringify(names)}.every((name) => name in document.createElement('paystate-checkout'))]`;
    expect(await (await visit('/onchain')).run(read)).to.deep.equal([true, true, true, true]);
    const tab = await visit();
    for (const value of ['de', null, '', undefined])
      expect(
        await tab.run(`element.locale = ${String(JSON.stringify(value))}; return [element.locale]`),
      ).to.deep.equal(await tab.run(`return [${String(JSON.stringify(value))}]`));
  });

  it('shows nothing of the last order after an id that is none, says so, and goes on with the right one', async () => {
    const tab = await visit();
    await tab.run('element.invoiceId = 5');
    await until(tab, 'complaints.length > 0');
    expect(await whole(tab)).to.equal('');
    await tab.run('Object.assign(element, { client, invoiceId })');
    await phase(tab, 'awaiting');
  });

  it('shows nothing of the last order after a client that is none, says so, and goes on with the right one', async () => {
    const tab = await visit();
    await tab.run('element.client = {}');
    await phase(tab, 'failed');
    const shown = await whole(tab);
    for (const last of ['16.80', 'lnbc']) expect(shown).not.to.include(last);
    expect(await tab.run("return element.shadowRoot.querySelector('[part=code]').value")).to.equal(
      '',
    );
    await tab.run('element.client = client');
    await phase(tab, 'awaiting');
  });

  it('speaks on with a locale that is none, and with texts that are null', async () => {
    const tab = await visit();
    for (const wrong of ["locale = 'en_US'", "locale = ''", 'locale = null', 'catalogue = null']) {
      await tab.run(`element.shadowRoot.replaceChildren(); element.${wrong}`);
      await phase(tab, 'awaiting');
      expect(await textOf(tab, 'amount'), wrong).to.equal('€16.80');
    }
    expect(await complaints(tab)).to.deep.equal([]);
  });

  it('keeps its look in another document', async () => {
    const tab = await visit();
    await tab.run(
      "const frame = document.body.appendChild(document.createElement('iframe')); frame.contentDocument.body.append(element)",
    );
    await until(tab, 'element.shadowRoot.adoptedStyleSheets.length === 1');
    await tab.run("element.locale = 'de'");
    await until(tab, "element.shadowRoot.textContent.includes('16,80')");
    expect(await complaints(tab)).to.deep.equal([]);
  });

  it('goes on beside listeners that throw, set it anew, or take it away', async () => {
    const tab = await visit();
    await tab.run(
      "element.addEventListener('paystate-change', () => { throw new Error('of the page') }); let left = 3; element.addEventListener('paystate-change', () => { if (left-- > 0) element.locale = ['en-GB', 'en-US', 'de'][left] }); element.locale = 'fr'",
    );
    await until(tab, "element.shadowRoot.textContent.includes('€16.80')");
    await phase(tab, 'awaiting');
    await tab.run(
      "element.addEventListener('paystate-change', () => element.remove()); element.locale = 'de'",
    );
    await until(tab, '!element.isConnected');
    expect([...new Set(await complaints(tab))]).to.deep.equal(['Uncaught Error: of the page']);
  });
});
