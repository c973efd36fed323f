// Protects: `<paystate-checkout>` with nothing but attributes opens an order at a real relay, keeps its secret out of addresses, waits
// for a relay that is away, and says when the order cannot be opened.
import { expect } from 'chai';
import { describe } from '#test';
import { openPayShop, told } from './button-page.ts';
import { openEngines } from './element-page.ts';
import { it, type Tab, until } from './engines.ts';

const shop = await openPayShop();
const chromium = (await openEngines('chromium')).get('chromium')!;

interface Keys {
  readonly orderId: string;
  readonly orderSecret: string;
}

/** A new order of the shop. */
async function order(): Promise<Keys> {
  const body = JSON.stringify({ key: crypto.randomUUID() });
  const response = await fetch(`${shop.url}/orders`, { method: 'POST', body });
  return (await response.json()) as Keys;
}

const checkout = ({ orderId, orderSecret }: Keys, baseUrl = '/pay'): string =>
  `<paystate-checkout base-url="${baseUrl}" order-id="${orderId}" order-secret="${orderSecret}"></paystate-checkout>`;

async function visit(body: string): Promise<Tab> {
  const tab = await chromium.tab();
  await tab.go(shop.add(body));
  await until(tab, 'window.element');
  return tab;
}

const textOf = (tab: Tab, name: string) => tab.run<string>(`return inner('${name}').textContent`);

describe('a checkout by attributes', () => {
  it('shows the order and its end, and puts its secret into no address and no log', async () => {
    const keys = await order();
    const tab = await visit(checkout(keys));
    const said: string[] = [];
    tab.page!.on('console', (message) => said.push(message.text()));
    await told(tab, 'awaiting');
    expect(await textOf(tab, 'amount')).to.equal('€16.80');
    await shop.sandbox.payer.pay(await tab.run<string>("return inner('code').value"));
    await told(tab, 'paid');
    expect(await textOf(tab, 'receipt')).to.include(keys.orderId);
    const asked = await tab.run<string[]>(
      "return performance.getEntriesByType('resource').map(({ name }) => name)",
    );
    expect(asked.some((address) => address.endsWith('/pay/token'))).to.equal(true);
    for (const text of [...asked, ...said]) expect(text).to.not.include(keys.orderSecret);
    expect(await tab.run('return complaints')).to.deep.equal([]);
  });

  it('asks for nothing until all three are there, in any order, and once where only words change', async () => {
    const { orderId, orderSecret } = await order();
    const tab = await visit('<paystate-checkout order-id="x"></paystate-checkout>');
    const asked =
      "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/token')).length";
    await tab.run(
      `element.orderSecret = '${orderSecret}'; element.setAttribute('order-id', '${orderId}')`,
    );
    await tab.run('return new Promise((resolve) => setTimeout(resolve, 50))');
    expect(await tab.run(`return ${asked}`)).to.equal(0);
    expect(await tab.run('return views.map(({ phase }) => phase)')).to.deep.equal([]);
    expect(await tab.run("return element.hasAttribute('order-secret')")).to.equal(false);
    await tab.run("element.setAttribute('base-url', '/pay')");
    await told(tab, 'awaiting');
    await tab.run("element.locale = 'de'");
    await until(tab, "inner('amount').textContent.startsWith('16,80')");
    await told(tab, 'awaiting');
    expect(await tab.run(`return ${asked}`)).to.equal(1);
  });

  it('says that the order cannot be opened with another secret, and tries again by its button', async () => {
    const keys = await order();
    const tab = await visit(checkout({ ...keys, orderSecret: 'of-somebody-else' }));
    await told(tab, 'failed');
    expect(await textOf(tab, 'headline')).to.equal('We can’t show this order');
    expect(await textOf(tab, 'problem')).to.include('UNAUTHORIZED');
    await tab.page!.click('paystate-checkout >>> [part=again]');
    await until(tab, "views.filter(({ phase }) => phase === 'failed').length === 2");
    await tab.run(`element.orderSecret = '${keys.orderSecret}'`);
    await told(tab, 'awaiting');
  });

  it('waits for a relay that is away, says so, and goes on when it is back', async () => {
    const keys = await order();
    const tab = await visit(checkout(keys, '/away'));
    await until(tab, "views.at(-1)?.error === 'NOT_FROM_SERVICE'");
    expect(await textOf(tab, 'headline')).to.include('Connection problem');
    await tab.page!.setOfflineMode(true);
    await tab.run("element.setAttribute('base-url', '/pay')");
    await until(
      tab,
      "views.at(-1)?.phase === 'loading' && /OFFLINE|UNREACHABLE/.test(views.at(-1).error)",
    );
    await tab.page!.setOfflineMode(false);
    await tab.run('element.retry()');
    await told(tab, 'awaiting');
  });

  it('stops asking when it leaves the page', async () => {
    const tab = await visit(checkout(await order(), '/away'));
    await until(tab, "views.at(-1)?.error === 'NOT_FROM_SERVICE'");
    const asked =
      "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/token')).length";
    await tab.run('element.remove()');
    const before = await tab.run<number>(`return ${asked}`);
    await tab.run('return new Promise((resolve) => setTimeout(resolve, 2500))');
    expect(await tab.run(`return ${asked}`)).to.equal(before);

    const open = await visit(checkout(await order()));
    await told(open, 'awaiting');
    const sent = "performance.getEntriesByType('resource').length";
    await open.run(`element.remove(); window.sent = ${sent}`);
    await open.run('return new Promise((resolve) => setTimeout(resolve, 4_000))');
    expect(await open.run(`return ${sent} - window.sent`)).to.equal(0);
  });

  it('says what is wrong with an address that is none', async () => {
    const tab = await visit(checkout(await order(), 'pay'));
    await told(tab, 'failed');
    expect(await tab.run('return views.at(-1).error.message')).to.match(
      /^baseUrl: must start with https/,
    );
  });
});
