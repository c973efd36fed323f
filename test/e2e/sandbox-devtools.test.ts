// Protects: the devtools of the sandbox command: a client that works in the page, each part with what it really did, for everybody.
import { expect } from 'chai';
import { describe } from '#test';
import { axe, bringAxe } from './axe.ts';
import { askOf, withCommand } from './command.ts';
import { engines, it, openEngine, type Tab, until } from './engines.ts';

const SHADOW = "document.querySelector('paystate-devtools').shadowRoot";
const FRONT = `${SHADOW}.querySelector('[role=tabpanel]:not([hidden])')`;

const press = (tab: Tab, id: string, said: string): Promise<void> =>
  tab
    .run(`document.querySelector('#${id}').click()`)
    .then(() => until(tab, `document.querySelector('#status').textContent.includes('${said}')`));
const choose = (tab: Tab, name: string): Promise<void> =>
  tab.run(
    `[...${SHADOW}.querySelectorAll('[role=tab]')].find(({ textContent }) => textContent === '${name}').click()`,
  );
const shows = (tab: Tab, text: string): Promise<void> =>
  until(tab, `${FRONT}.textContent.includes('${text}')`);

/** Each part of the devtools, and what it has to show after a sale and a payment. */
const PARTS = {
  Timeline: ['invoices.create', '201', 'a new order'],
  Watches: ['invoice ·', 'live', 'next read in'],
  'Rate limits': [' of '],
  Journal: ['round 1', 'paid'],
};

async function visit(tab: Tab, url: string): Promise<void> {
  await tab.go(`${url}/devtools`);
  await until(tab, `${SHADOW}?.textContent.includes('balances.list')`);
}

describe('the devtools of the sandbox command', () => {
  it('are a page that only its own pages can read, with its script in one file', async () => {
    await withCommand(async ({ url }) => {
      const page = await fetch(`${url}/devtools`);
      const policy = page.headers.get('content-security-policy');
      expect([page.status, policy]).to.deep.equal([
        200,
        (await fetch(url)).headers.get('content-security-policy'),
      ]);
      expect(page.headers.get('access-control-allow-origin')).to.equal(null);
      const [, script] = /src="([^"]+)"/.exec(await page.text())!;
      const text = await (await fetch(url + script)).text();
      expect(text).to.not.match(/\bimport\b\s*[({'"\w]/);
      expect(await (await fetch(url)).text())
        .to.include('href="/devtools"')
        .and.not.include(script!);
      expect((await fetch(`${url}/devtools`, { method: 'POST' })).status).to.equal(404);
    });
  });

  for (const engine of engines)
    it(`show what the client of the page does, and axe finds nothing, in ${engine}`, async (context) => {
      const door = await openEngine(engine);
      if (!door) return context.skip(`${engine} is not installed`);
      try {
        await withCommand(async (command) => {
          const tab = await door.tab();
          await visit(tab, command.url);
          const draft = { amount: { amount: '3.20', currency: 'EUR' } };
          const { body } = await askOf(command)('POST', '/v1/invoices', draft);
          await choose(tab, 'Watches');
          await shows(tab, String(body['invoiceId']).slice(0, 8)); // made by another program
          await press(tab, 'create', 'under Watches and Timeline');
          const id = await tab.run<string>(
            "return /Invoice ([\\w-]+)/.exec(document.querySelector('#status').textContent)[1]",
          );
          await shows(tab, id.slice(0, 8));
          await press(tab, 'pay', 'under Journal');
          await bringAxe(tab);
          for (const [name, words] of Object.entries(PARTS)) {
            await choose(tab, name);
            for (const word of words) await shows(tab, word);
            expect(await axe(tab), name).to.deep.equal([]);
          }
          await choose(tab, 'Watches');
          await tab.run(
            `[...${FRONT}.querySelectorAll('button')].find(({ textContent }) => textContent.includes('${id.slice(0, 8)}')).click()`,
          );
          await shows(tab, 'created');
          await press(tab, 'customer', 'Paid');
          await shows(tab, 'UNPAID → PAID');
          expect(await axe(tab), 'Timeline').to.deep.equal([]);
          await tab.go(command.url);
          await until(tab, "document.querySelector('#key')?.textContent");
          await bringAxe(tab);
          expect(await axe(tab), 'the first page').to.deep.equal([]);
        });
      } finally {
        await door.close();
      }
    });

  it('keep focus and button while the facts beside them change', async () => {
    const door = (await openEngine('chromium'))!;
    try {
      await withCommand(async ({ url }) => {
        const tab = await door.tab();
        await visit(tab, url);
        await choose(tab, 'Watches');
        await until(tab, `${FRONT}.querySelector('button')`);
        await tab.run(
          `window.button = ${FRONT}.querySelector('button'); button.focus(); window.facts = button.textContent`,
        );
        await until(tab, 'button.textContent !== facts');
        expect(await tab.run(`return ${SHADOW}.activeElement === button`)).to.equal(true);
      });
    } finally {
      await door.close();
    }
  });
});
