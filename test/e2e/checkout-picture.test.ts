// Protects: what draws the codes of `<paystate-checkout>` is loaded later; a picture is never of another code than the text.
import { basename } from 'node:path';
import { expect } from 'chai';
import { qrSvg } from 'paystate/elements';
import { describe } from '#test';
import { budgets } from '../house/budgets.ts';
import { act, ask, openEngines, phase, serveElement, textOf } from './element-page.ts';
import { it, type Tab, until } from './engines.ts';
import { readQr } from './pixels.ts';

const url = await serveElement();
const chromium = (await openEngines('chromium')).get('chromium')!;
const PICTURE = 'paystate-checkout >>> [part=qr]';

/** Notes text, link and picture whenever one of them has changed, from before the first code on. */
const NOTE = `window.codes = [];
const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (options) {
  const shadow = attach.call(this, options);
  const part = (name) => shadow.querySelector('[part=' + name + ']');
  const note = () => part('qr') && codes.push([part('code').value, part('wallet').getAttribute('href') ?? '', part('qr').firstElementChild.getAttribute('d') ?? '']);
  new MutationObserver(note).observe(shadow, { subtree: true, childList: true, attributes: true });
  return shadow;
};
addEventListener('paystate-change', ({ detail, target }) => {
  if (detail.phase === 'awaiting') window.atFirst ??= target.shadowRoot.querySelector('[part=code]').value;
});`;

type Answer = 'refuse' | 'hold' | 'let';

/** A page whose file of the encoder goes as `answer` says; what was held goes on with `release`. */
async function visit(first: Answer) {
  const tab = await chromium.tab();
  const page = tab.page!;
  let answer = first;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => void (release = resolve));
  let asked = 0;
  await page.evaluateOnNewDocument(NOTE);
  await page.setRequestInterception(true);
  page.on('request', async (request) => {
    const isEncoder = request.url().includes('/qr-path-');
    if (isEncoder) asked++;
    if (isEncoder && answer === 'hold') await released;
    await (isEncoder && answer === 'refuse' ? request.abort() : request.continue());
  });
  await tab.go(`${url}/split`);
  return { tab, release, asked: () => asked, answer: (next: Answer) => void (answer = next) };
}

/** All codes that were shown; none with a picture or link of another. */
async function shownTexts(tab: Tab): Promise<readonly string[]> {
  const codes = await tab.run<[string, string, string][]>('return codes');
  for (const [text, link, path] of codes) {
    expect(link).to.equal(text && `lightning:${text}`);
    if (path) expect(qrSvg(text.toUpperCase())).to.include(`"${path}"`);
  }
  return [...new Set(codes.map(([text]) => text))].filter(Boolean);
}

const pathOf = (tab: Tab) => ask<string>(tab, "part('qr').firstElementChild.getAttribute('d')");

describe('the picture of a code', () => {
  it('is all that a page loads later until it shows an open order, as budgets say', async () => {
    const { tab } = await visit('let');
    await phase(tab, 'awaiting');
    expect(await pathOf(tab)).to.not.equal('');
    const loaded = await tab.run<string[]>(
      "return performance.getEntriesByType('resource').map(({ name }) => /\\/split\\/(.*)-\\w+\\.js$/.exec(name)?.[1])",
    );
    const late = budgets.flatMap(({ live }) => (live && 'late' in live ? live.late : []));
    expect(late).to.have.length.above(0);
    expect(new Set(loaded.filter((name) => name && name !== 'chunk'))).to.deep.equal(
      new Set(late.map((file) => basename(file, '.js'))),
    );
  });

  it('that cannot be loaded is missed in words, beside text, link and copy, and comes with a later code', async () => {
    const { tab, answer } = await visit('refuse');
    await phase(tab, 'awaiting');
    const code = await ask<string>(tab, "part('code').value");
    expect(await ask(tab, "part('wallet').getAttribute('href')")).to.equal(`lightning:${code}`);
    expect(await ask(tab, "part('copy').checkVisibility({ visibilityProperty: true })")).to.equal(
      true,
    );
    expect(await ask(tab, "part('qr').checkVisibility({ visibilityProperty: true })")).to.equal(
      false,
    );
    expect(await pathOf(tab)).to.equal('');
    expect(await textOf(tab, 'hint')).to.include('didn’t load');
    answer('let');
    await act(tab, 'sandbox.advance(40_000)');
    await until(
      tab,
      "element.shadowRoot.querySelector('[part=hint]').textContent.startsWith('Scan the code')",
    );
    const next = await ask<string>(tab, "part('code').value");
    expect(await readQr(tab.page!, PICTURE)).to.equal(next.toUpperCase());
    expect(await shownTexts(tab)).to.include.members([code, next]);
  });

  it('is never that of another code while it loads: codes wait a little, then come without it', async () => {
    const { tab, release, asked } = await visit('hold');
    await phase(tab, 'awaiting');
    expect(await tab.run('return atFirst')).to.equal('');
    expect(asked()).to.equal(1);
    expect(await pathOf(tab)).to.equal('');
    await act(tab, 'sandbox.advance(40_000)');
    await phase(tab, 'awaiting');
    expect((await shownTexts(tab)).length).to.be.at.least(2);
    expect(await pathOf(tab)).to.equal('');
    release();
    await until(tab, "element.shadowRoot.querySelector('[part=qr] path').getAttribute('d')");
    const code = await ask<string>(tab, "part('code').value");
    expect(await readQr(tab.page!, PICTURE)).to.equal(code.toUpperCase());
    expect(await textOf(tab, 'hint')).to.match(/^Scan the code/);
    await shownTexts(tab);
  });
});
