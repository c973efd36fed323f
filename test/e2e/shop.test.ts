// Protects: the story of the example's shop in Chromium: customer and back office side by side, before the real Worker.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createClient, type Invoice } from 'paystate';
import { after, describe } from '#test';
import { startShop } from '../../demo/serve/shop.ts';
import { root } from '../house/source.ts';
import { it, openEngine, type Tab, until } from './engines.ts';

const shop = await startShop();
const browser = (await openEngine('chromium'))!;
after(async () => {
  await browser.close();
  await shop.close();
});

/** What pages complained of: scripts, styles and sinks that the policy forbids are among it. */
const complaints: string[] = [];

async function visit(path: string, width = 390): Promise<Tab> {
  const tab = await browser.tab();
  tab.page!.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  tab.page!.on('pageerror', (error) => void complaints.push(String(error)));
  await tab.page!.setViewport({ width, height: 844 });
  await tab.go(`${shop.url}${path}`);
  return tab;
}

const CHECKOUT = "document.querySelector('paystate-checkout').shadowRoot";
const phase = (tab: Tab, wanted: string) =>
  until(tab, `${CHECKOUT}.querySelector("[data-phase='${wanted}']")`);
const text = (tab: Tab, selector: string) =>
  tab.run<string>(`return document.querySelector(${JSON.stringify(selector)})?.textContent ?? ''`);
const click = (tab: Tab, selector: string) =>
  tab.run(`document.querySelector(${JSON.stringify(selector)}).click()`);
const row = (orderId: string, state: string) =>
  `document.querySelector("[data-order='${orderId}'][data-state='${state}']")`;

/** Puts goods into the cart and orders, by `clicks` clicks at once; resolves to number and code. */
async function buy(tab: Tab, cart: Readonly<Record<string, number>> = { harbour: 1 }, clicks = 1) {
  await until(tab, "document.querySelector('#goods input')");
  for (const [name, count] of Object.entries(cart))
    await tab.run(
      `const input = document.querySelector('[name=${name}]'); input.value = ${count}; input.dispatchEvent(new Event('input', { bubbles: true }))`,
    );
  await tab.run(
    `for (let at = 0; at < ${clicks}; at++) document.querySelector('#form button').click()`,
  );
  await phase(tab, 'awaiting');
  const code = await tab.run<string>(`return ${CHECKOUT}.querySelector('[part=code]').value`);
  return { orderId: await text(tab, '#number'), code };
}

const office = await visit('/office.html');
await until(office, "document.querySelector('#door [name=secret]')");
await office.run(
  `document.querySelector('#door [name=secret]').value = ${JSON.stringify(shop.officeSecret)}; document.querySelector('#door button').click()`,
);
await until(office, "document.querySelector('#line').textContent === 'Live'");

describe("the example's shop", () => {
  it('sells a cart, packs it once it is paid, and the back office sees it without a reload', async () => {
    const tab = await visit('/');
    const { orderId, code } = await buy(tab, { harbour: 1, filters: 2 });
    expect(await text(tab, '#total')).to.equal('€25.20');
    const amount = `return ${CHECKOUT}.querySelector('[part=amount]').textContent`;
    expect(await tab.run(amount)).to.equal('€25.20');
    await until(office, row(orderId, 'open'));
    await shop.sandbox.payer.pay(code);
    await phase(tab, 'paid');
    await until(office, row(orderId, 'shipped'));
    await until(tab, "document.querySelector('#state').textContent.includes('Packed')");
    const receipt = `return ${CHECKOUT}.querySelector('[part=receipt]').textContent`;
    expect(await tab.run(receipt)).to.include(orderId);
  });

  it('takes a double click for one order', async () => {
    const rows = "return document.querySelectorAll('[data-order]').length";
    const before = await office.run<number>(rows);
    const tab = await visit('/');
    const { orderId } = await buy(tab, {}, 2);
    await until(office, row(orderId, 'open'));
    expect(await office.run<number>(rows)).to.equal(before + 1);
  });

  it('tells the customer at once that the shop has cancelled', async () => {
    const tab = await visit('/');
    const { orderId } = await buy(tab);
    await until(office, row(orderId, 'open'));
    await click(office, `[data-order='${orderId}']`);
    await click(office, '#drawer .cancel');
    await phase(tab, 'cancelled');
    await until(office, row(orderId, 'cancelled'));
    await until(office, "document.querySelector('#said').textContent.endsWith(': Cancelled.')");
  });

  it('shows an order with its history and what was compared, and orders by state', async () => {
    const tab = await visit('/');
    const { orderId, code } = await buy(tab);
    await shop.sandbox.payer.pay(code);
    await until(office, row(orderId, 'shipped'));
    await click(office, `[data-order='${orderId}']`);
    await until(office, "document.querySelectorAll('#drawer .same').length === 5");
    const shown = (selector: string) =>
      office.run<string[]>(
        `return [...document.querySelectorAll('#drawer ${selector}')].map((one) => one.textContent)`,
      );
    expect(await shown('dt')).to.deep.equal([
      'Invoice',
      'Amount',
      'Currency',
      'Order number',
      'Receiver',
      'State',
    ]);
    expect((await shown('dd')).slice(1, 4)).to.deep.equal(['16.80', 'EUR', orderId]);
    expect(await shown('.history span:last-child')).to.deep.equal(['Ordered', 'Packed', '€16.80']);
    await click(office, '[data-choice=shipped]');
    const states = await office.run<string[]>(
      "return [...document.querySelectorAll('[data-order]')].map(({ dataset }) => dataset.state)",
    );
    expect(new Set(states)).to.deep.equal(new Set(['shipped']));
    await click(office, "[data-choice='']");
    const ages = await office.run<string[]>(
      "return [...document.querySelectorAll('.age')].map((one) => one.title)",
    );
    expect(ages).to.have.length.above(2); // newest first
    const numbers = await office.run<string[]>(
      "return [...document.querySelectorAll('[data-order]')].map(({ dataset }) => dataset.order)",
    );
    expect(numbers[0]).to.equal(orderId);
    await office.page!.keyboard.press('Escape');
    expect(await office.run("return document.querySelector('#drawer').hidden")).to.equal(true);
  });

  it('pays back the amount that the back office asks for, and keeps the reason', async () => {
    const tab = await visit('/');
    const { orderId, code } = await buy(tab);
    await shop.sandbox.payer.pay(code);
    await until(office, row(orderId, 'shipped'));
    const to = shop.sandbox.payer.createBolt11();
    await click(office, `[data-order='${orderId}']`);
    await office.run(`for (const [name, value] of Object.entries(${JSON.stringify({ amount: '5.00', to, reason: 'A torn bag' })}))
      document.querySelector('#drawer [name=' + name + ']').value = value`);
    await click(office, '#drawer .refund');
    await until(office, row(orderId, 'refunded'));
    expect(await text(office, `[data-order='${orderId}'] .note`)).to.equal('5.00 EUR (A torn bag)');
    const [sent] = shop.sandbox.inspect()['payments'] as readonly { readonly amount: object }[];
    expect(sent!.amount).to.deep.equal({ amount: '5.00', currency: 'EUR' });
  });

  it('packs after a lost webhook when the books are compared with the service', async () => {
    const tab = await visit('/');
    const { orderId, code } = await buy(tab);
    const endLost = shop.sandbox.fault({ delivery: 'lost-before' });
    await shop.sandbox.payer.pay(code);
    await phase(tab, 'paid');
    await click(office, '#reconcile');
    await until(office, row(orderId, 'shipped'));
    endLost();
  });

  it('says in words what differs from the service, and what it has done about it', async () => {
    const tab = await visit('/');
    const { orderId } = await buy(tab);
    await until(office, row(orderId, 'open'));
    const invoices = shop.sandbox.inspect()['invoices'] as readonly Invoice[];
    const { invoiceId } = invoices.find(({ correlationId }) => correlationId === orderId)!;
    await createClient(shop.sandbox.clientOptions).invoices.cancel(invoiceId);
    await click(office, '#reconcile');
    await until(office, row(orderId, 'cancelled'));
    await until(office, "document.querySelector('#said').textContent.includes('now.')");
    expect(await text(office, '#said')).to.equal(
      `${orderId}: the shop said open, the service says CANCELLED. It is cancelled now.`,
    );
    await click(office, '#reconcile');
    await until(office, "document.querySelector('#said').textContent.endsWith(' agree.')");
  });

  it('fits a narrow phone, in light and dark, and gave no page reason to complain', async () => {
    const folder = join(root, '.cache/pictures/shop');
    mkdirSync(folder, { recursive: true });
    const [narrow, wide] = ['document.documentElement.scrollWidth', 'innerWidth'];
    for (const [name, tab] of [
      ['shop', await visit('/', 320)],
      ['office', office],
    ] as const)
      for (const value of ['light', 'dark']) {
        await tab.page!.bringToFront();
        await tab.page!.setViewport({ width: 320, height: 844 });
        await tab.page!.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
        await tab.page!.screenshot({ path: join(folder, `${name}-${value}.png`) });
        expect(await tab.run<boolean>(`return ${narrow} <= ${wide}`), name).to.equal(true);
      }
    expect(complaints).to.deep.equal([]);
  });
});
