// Protects: `<paystate-pay-button>` makes an order once, whatever the network and the payer do, and shows it in a dialog that
// everybody can use and leave.
import { expect } from 'chai';
import { describe } from '#test';
import { axe } from './axe.ts';
import { button, type Mode, openDialog, openPayShop, told } from './button-page.ts';
import { openEngines } from './element-page.ts';
import { engines, it, type Tab, until } from './engines.ts';

const shop = await openPayShop();
const doors = await openEngines(...engines);
const chromium = doors.get('chromium')!;

async function visit(body: string, attributes?: string): Promise<Tab> {
  const tab = await chromium.tab();
  await tab.page!.setViewport({ width: 1_000, height: 800 });
  await tab.go(shop.add(body, attributes));
  await until(tab, "window.element && part('button')?.textContent !== ''");
  return tab;
}

const textOf = (tab: Tab, name: string) =>
  tab.run<string>(`return part('${name}').textContent.replace(/\\u00a0/g, ' ')`);
const isOpen = (tab: Tab) => tab.run<boolean>("return part('dialog').open");
const complaints = (tab: Tab) => tab.run<string[]>('return complaints');
const pay = async (tab: Tab): Promise<void> => {
  const id = await tab.run<string>('return views.at(-1).invoice.invoiceId');
  await shop.sandbox.payer.pay(id);
};
/** The keys that the shop was asked with while `deed` went on. */
async function keysOf(deed: () => Promise<void>): Promise<readonly string[]> {
  const before = shop.asked.length;
  await deed();
  return shop.asked.slice(before).map(({ key }) => key);
}
/** Numbers of the orders that the shop made while `deed` went on. */
async function madeBy(deed: () => Promise<void>): Promise<number> {
  const before = shop.made.size;
  await deed();
  return shop.made.size - before;
}

describe('the pay button', () => {
  it('is plain HTML: it names the price, opens the order in a dialog, and tells what becomes of it', async () => {
    const tab = await visit(button());
    expect(await textOf(tab, 'label')).to.equal('Pay €16.80');
    const made = await madeBy(() => openDialog(tab));
    expect(made).to.equal(1);
    await told(tab, 'awaiting');
    expect(shop.asked.at(-1)!.body).to.deep.include({ good: 'espresso' });
    expect(await tab.run("return part('dialog').matches(':modal')")).to.equal(true);
    expect(await tab.run("return inner('code').value")).to.match(/^lntb/);
    const margin = "return part('dialog').clientWidth - inner('card').offsetWidth";
    expect(await tab.run(margin)).to.equal(0);
    const hidden = `const checkout = part('dialog').querySelector('paystate-checkout');
      const styled = new Set(checkout.getAttribute('exportparts').split(','));
      return [...checkout.shadowRoot.querySelectorAll('[part]:not(slot)')].map((one) => one.getAttribute('part')).filter((name) => !styled.has(name));`;
    expect(await tab.run(hidden), 'parts of the checkout that no page can style').to.deep.equal([]);
    await pay(tab);
    await told(tab, 'paid');
    expect(await tab.run(margin), 'beside the receipt').to.equal(0);
    expect(await textOf(tab, 'label')).to.equal('Paid');
    const order = (await tab.run<string>("return inner('receipt').textContent")).toString();
    expect(order).to.match(/Order[0-9a-f]{20}Time/);
    await tab.page!.click('paystate-pay-button >>> [part=done]');
    expect(await isOpen(tab)).to.equal(false);
    expect(await tab.run("return element.shadowRoot.activeElement === part('button')")).to.equal(
      true,
    );
    expect(await complaints(tab)).to.deep.equal([]);
  });

  it('tells the page by events that come from itself, through every shadow root', async () => {
    const tab = await visit(`<div id="frame">${button()}</div>`);
    await tab.run(`window.targets = [];
      document.addEventListener('paystate-change', ({ target, detail }) => targets.push(target === element && !!detail.phase));`);
    await openDialog(tab);
    await told(tab, 'awaiting');
    expect(await tab.run('return [...new Set(targets)]')).to.deep.equal([true]);
  });

  it('keeps its size and its name while the order is made, and says so to screen readers', async () => {
    const tab = await visit(button('slow'));
    const sizes = "JSON.stringify([part('button').offsetWidth, element.offsetHeight])";
    const before = await tab.run(`return ${sizes}`);
    await tab.run('element.click()');
    expect(await tab.run("return part('button').getAttribute('aria-busy')")).to.equal('true');
    expect(await tab.run(`return ${sizes}`)).to.equal(before);
    expect(await tab.run("return part('spinner').hidden")).to.equal(false);
    const snapshot = await tab.page!.accessibility.snapshot();
    expect(JSON.stringify(snapshot)).to.include('Pay €16.80');
    await until(tab, "part('dialog').open");
    expect(await tab.run("return part('button').getAttribute('aria-busy')")).to.equal('false');
    expect(await tab.run("return part('spinner').hidden")).to.equal(true);
  });

  it('closes by Escape without a question, and shows the same order again, with a code of its own time', async () => {
    const tab = await visit(button());
    await openDialog(tab);
    await told(tab, 'awaiting');
    const invoice = await tab.run('return views.at(-1).invoice.invoiceId');
    const made = await madeBy(async () => {
      await tab.page!.keyboard.press('Escape');
      await until(tab, "!part('dialog').open");
      await told(tab, 'paused'); // nobody looks at the code, so none is asked for
      expect(await tab.run("return inner('code').value")).to.equal('');
      await openDialog(tab);
      await told(tab, 'awaiting');
    });
    expect(made).to.equal(0);
    expect(await tab.run('return views.at(-1).invoice.invoiceId')).to.equal(invoice);
  });

  it('tells of a payment that comes after its dialog was closed, and shows the receipt when it is pressed', async () => {
    const tab = await visit(button());
    await openDialog(tab);
    await told(tab, 'awaiting');
    const code = await tab.run<string>("return inner('code').value");
    await tab.page!.keyboard.press('Escape');
    await told(tab, 'paused');
    await shop.sandbox.payer.pay(code);
    await told(tab, 'paid');
    expect(await textOf(tab, 'label')).to.equal('Paid');
    expect(await madeBy(() => openDialog(tab))).to.equal(0);
    expect(await tab.run("return inner('headline').textContent")).to.equal('Paid');
  });

  it('has its words from the catalogue, its price as the language writes it, and the label of its slot', async () => {
    const tab = await visit(button('500', 'id="one"'));
    await tab.run(
      "element.catalogue = new Proxy({}, { get: (_, name) => ({ locale: 'de', payAmount: '{amount} bezahlen' })[name] ?? String(name) })",
    );
    await until(tab, "part('label').textContent.includes('bezahlen')");
    expect(await textOf(tab, 'label')).to.equal('16,80 € bezahlen');
    expect(await tab.run("return part('button').lang")).to.equal('de');
    await tab.run('element.amount = "no number"');
    await until(tab, "part('label').textContent === 'pay'");
    const slotted = await visit(button().replace('></', '><b>Buy it</b></'));
    expect(await slotted.run("return part('text').assignedElements()[0].textContent")).to.equal(
      'Buy it',
    );
  });

  it('shows an order that exists already, by attributes or by client and invoice, and makes none', async () => {
    const made = await visit(button());
    await openDialog(made);
    const asked = await keysOf(async () => {
      const order = await made.run<Record<string, string>>(
        "const { baseUrl, orderId, orderSecret } = part('dialog').querySelector('paystate-checkout'); return { baseUrl, orderId, orderSecret }",
      );
      const given = `base-url="${order['baseUrl']}" order-id="${order['orderId']}" order-secret="${order['orderSecret']}"`;
      const tab = await visit(`<paystate-pay-button ${given}></paystate-pay-button>`);
      expect(await textOf(tab, 'label')).to.equal('Pay');
      await openDialog(tab);
      await told(tab, 'awaiting');
      expect(await textOf(tab, 'label')).to.equal('Pay €16.80');
      const alone = await visit(`<paystate-checkout ${given}></paystate-checkout>`);
      await told(alone, 'awaiting');
      expect(await alone.run("return inner('amount').textContent")).to.equal('€16.80');
      expect(
        await alone.run(
          'return performance.getEntriesByType("resource").map(({ name }) => name).join()',
        ),
      ).to.not.include(order['orderSecret']!);
    });
    expect(asked).to.deep.equal([]);
  });
});

describe('the pay button, where no order comes', () => {
  for (const mode of ['500', 'html', 'refused', 'empty'] as const)
    it(`says so, can be pressed again, and asks with the same key: ${mode}`, async () => {
      const tab = await visit(button(mode));
      const keys = await keysOf(async () => {
        await tab.run('element.click()');
        await until(tab, "part('message').textContent !== ''");
        await told(tab, 'failed');
        expect(await textOf(tab, 'message')).to.match(
          /^We couldn’t start the payment.* Try again\.$/,
        );
        expect(await isOpen(tab)).to.equal(false);
        expect(await tab.run("return part('button').disabled")).to.equal(false);
        await tab.run('element.click()');
        await until(tab, "views.filter(({ phase }) => phase === 'failed').length === 2");
      });
      expect(keys.length).to.be.at.least(2);
      expect(new Set(keys).size).to.equal(1);
    });

  it('makes one order of a lost answer, also after a reload', async () => {
    const tab = await visit(button('lost-once'));
    const made = await madeBy(async () => {
      await openDialog(tab);
      await told(tab, 'awaiting');
      const invoice = await tab.run('return views.at(-1).invoice.invoiceId');
      await tab.page!.reload();
      await until(tab, "window.element && part('button')");
      await openDialog(tab);
      await told(tab, 'awaiting');
      expect(await tab.run('return views.at(-1).invoice.invoiceId')).to.equal(invoice);
    });
    expect(made).to.equal(1);
  });

  it('begins with a new order after the last one was paid and the page loaded again', async () => {
    const tab = await visit(button());
    const made = await madeBy(async () => {
      await openDialog(tab);
      await told(tab, 'awaiting');
      await pay(tab);
      await told(tab, 'paid');
      await tab.page!.reload();
      await until(tab, "window.element && part('button')");
      await openDialog(tab);
      await told(tab, 'awaiting');
    });
    expect(made).to.equal(2);
  });

  it('asks a page that makes orders itself with one key until there is an order', async () => {
    const tab = await visit('<paystate-pay-button base-url="/pay"></paystate-pay-button>');
    await tab.run(`window.keys = []; window.fails = 2;
      element.createOrder = async (key) => {
        keys.push(key);
        if (fails-- > 0) throw new Error('of the page');
        const headers = { 'content-type': 'application/json' };
        return (await fetch('/orders', { method: 'POST', headers, body: JSON.stringify({ key }) })).json();
      };`);
    for (const count of [1, 2]) {
      // as a framework does that makes the function anew at each rendering
      await tab.run(
        'const make = element.createOrder; element.createOrder = (...given) => make(...given); element.click()',
      );
      await until(tab, `views.filter(({ phase }) => phase === 'failed').length === ${count}`);
    }
    await openDialog(tab);
    await told(tab, 'awaiting');
    expect(await tab.run('return [keys.length, new Set(keys).size]')).to.deep.equal([3, 1]);
    expect([...new Set(await complaints(tab))]).to.deep.equal(['Uncaught Error: of the page']);
  });

  for (const [what, attributes, field] of [
    ['nothing that makes an order', '', 'ordersUrl'],
    ['no relay', 'orders-url="/orders"', 'baseUrl'],
    ['an order that is no JSON', 'orders-url="/orders" base-url="/pay" order="{"', 'order'],
    ['an address that is none', 'orders-url="http://[" base-url="/pay"', 'ordersUrl'],
  ] as const)
    it(`says what is wrong with the page, and sends nothing: ${what}`, async () => {
      const tab = await visit(`<paystate-pay-button ${attributes}></paystate-pay-button>`);
      const keys = await keysOf(async () => {
        await tab.run('element.click()');
        await told(tab, 'failed');
      });
      expect(keys).to.deep.equal([]);
      const { code, message } = await tab.run<Record<string, string>>(
        'const { code, message } = views.at(-1).error; return { code, message }',
      );
      expect(code).to.equal('INPUT_INVALID');
      expect(message).to.match(new RegExp(`^${field}: `));
    });
});

describe('the pay button in other hands', () => {
  it('makes one order of two fast presses, and opens one dialog', async () => {
    const tab = await visit(button('slow'));
    const keys = await keysOf(async () => {
      await tab.page!.click('paystate-pay-button', { count: 2 });
      await tab.run('element.click()');
      await until(tab, "part('dialog').open");
      await told(tab, 'awaiting');
    });
    expect(keys).to.have.length(1);
    expect(
      await tab.run("return part('dialog').querySelectorAll('paystate-checkout').length"),
    ).to.equal(1);
  });

  it('goes on after Escape while the order is made', async () => {
    const tab = await visit(button('slow'));
    await tab.page!.focus('paystate-pay-button >>> [part=button]');
    await tab.page!.keyboard.press('Enter');
    await tab.page!.keyboard.press('Escape');
    await until(tab, "part('dialog').open");
    expect(await complaints(tab)).to.deep.equal([]);
  });

  for (const [engine, door] of doors)
    it(`stops when it leaves the page, open or while its order is made, and comes back with the same order, in ${engine}`, async () => {
      const open = async (mode: Mode): Promise<Tab> => {
        const tab = await door.tab();
        await tab.go(shop.add(button(mode)));
        await until(tab, "window.element && part('button')?.textContent !== ''");
        return tab;
      };
      const tab = await open('ok');
      await openDialog(tab);
      await told(tab, 'awaiting');
      const made = await madeBy(async () => {
        await tab.run('element.remove()');
        await until(tab, "!part('dialog').open");
        expect(await tab.run("return document.querySelector(':modal')")).to.equal(null);
        await tab.run('document.querySelector("main").append(element)');
        await openDialog(tab);
        await told(tab, 'awaiting');
        await tab.run('document.body.append(element)'); // only moved
        await until(tab, "part('dialog').matches(':modal')");
      });
      expect(made).to.equal(0);
      const other = await open('slow');
      await other.run('element.click(); setTimeout(() => element.remove())');
      await until(other, "part('button').getAttribute('aria-busy') === 'false'");
      expect(await isOpen(other)).to.equal(false);
      expect(await complaints(other)).to.deep.equal([]);
    });

  it('is there twice: the same order twice is one, another one is another', async () => {
    const tab = await visit(button() + button().replace('espresso', 'filter') + button());
    const made = await madeBy(async () => {
      for (const nth of [0, 1, 2]) {
        await tab.run(
          `window.nth = document.querySelectorAll('paystate-pay-button')[${nth}]; nth.click()`,
        );
        await until(tab, "nth.shadowRoot.querySelector('dialog').open");
        await tab.page!.keyboard.press('Escape');
        await until(tab, "!nth.shadowRoot.querySelector('dialog').open");
      }
    });
    expect(made).to.equal(2);
  });

  it('cannot be pressed while it is disabled, and shows it', async () => {
    const tab = await visit(button('ok', 'disabled'));
    expect(await tab.run('return element.disabled')).to.equal(true);
    const keys = await keysOf(async () => {
      await tab.page!.click('paystate-pay-button');
      await tab.run('element.click()');
    });
    expect(keys).to.deep.equal([]);
    await tab.run('element.removeAttribute("disabled")');
    await until(tab, "!part('button').disabled");
    await openDialog(tab);
  });

  it('sends no form that it stands in', async () => {
    const tab = await visit(`<form action="/elsewhere">${button()}<input name="mail"></form>`);
    await openDialog(tab);
    await told(tab, 'awaiting');
    await tab.run("inner('copy').click(); part('close').click()");
    expect(await tab.run('return location.pathname')).to.match(/^\/page\//);
    expect(await isOpen(tab)).to.equal(false);
  });

  it('is used by the keyboard alone: the focus goes in, stays in, and comes back', async () => {
    const tab = await visit(`${button()}<button id="after">After</button>`);
    const { keyboard } = tab.page!;
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await until(tab, "part('dialog').open");
    await told(tab, 'awaiting');
    const focus = `const { activeElement } = part('dialog').querySelector('paystate-checkout').shadowRoot;
      return [activeElement?.localName, getComputedStyle(activeElement).outlineStyle]`;
    expect(await tab.run(focus), 'no ring around what nobody can press').to.deep.equal([
      'h2',
      'none',
    ]);
    for (let count = 0; count < 8; count++) {
      await keyboard.press('Tab');
      expect(await tab.run("return document.activeElement?.id ?? ''")).to.not.equal('after');
    }
    await keyboard.press('Escape');
    await until(tab, "!part('dialog').open");
    expect(await tab.run("return element.shadowRoot.activeElement === part('button')")).to.equal(
      true,
    );
  });

  it('holds still for those who asked for it', async () => {
    const tab = await visit(button('slow'));
    await tab.page!.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
    await tab.run('element.click()');
    const motion = (name: string) =>
      tab.run(`return getComputedStyle(part('${name}')).animationName`);
    expect(await motion('spinner')).to.equal('none');
    await until(tab, "part('dialog').open");
    expect(await motion('dialog')).to.equal('none');
  });

  it('is another order where the page names another one, and the same where only its words change', async () => {
    const tab = await visit(button());
    await openDialog(tab);
    await told(tab, 'awaiting');
    await tab.run("element.locale = 'de'; element.createOrder = async () => ({})");
    await until(tab, "inner('amount')?.textContent.includes(',')");
    expect(await isOpen(tab)).to.equal(true);
    await tab.run("element.createOrder = undefined; element.order = { good: 'filter' }");
    await until(tab, "!part('dialog').open");
    expect(await madeBy(() => openDialog(tab))).to.equal(1);
  });

  for (const width of [240, 360, 1_000])
    it(`fits ${width} px, from left to right and from right to left`, async () => {
      for (const attributes of ['lang="en"', 'lang="ar" dir="rtl"']) {
        const tab = await visit(button(), attributes);
        await tab.page!.setViewport({ width, height: 640 });
        await openDialog(tab);
        await told(tab, 'awaiting');
        expect(await tab.run('return document.documentElement.scrollWidth')).to.equal(width);
        const isInside = `const { left, right } = part('dialog').getBoundingClientRect();
          const edge = inner('card').getBoundingClientRect();
          return left >= 0 && right <= innerWidth && edge.left >= left && edge.right <= right &&
            part('dialog').scrollWidth <= part('dialog').clientWidth;`;
        expect(await tab.run(isInside), attributes).to.equal(true);
      }
    });
});

describe('the pay button for everybody', () => {
  for (const [engine, door] of doors)
    it(`has nothing that axe complains of: closed, failed, open, paid, in ${engine}`, async () => {
      const open = async (mode: Mode): Promise<Tab> => {
        const tab = await door.tab();
        await tab.go(shop.add(button(mode), undefined, true));
        await until(tab, "window.element && part('button')?.textContent !== ''");
        return tab;
      };
      const schemes = engine === 'chromium' ? ['light', 'dark'] : ['as it is'];
      const look = async (tab: Tab, name: string): Promise<void> => {
        for (const scheme of schemes) {
          if (scheme !== 'as it is')
            await tab.page!.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
          expect(await axe(tab, scheme === 'dark'), `${name}, ${scheme}`).to.deep.equal([]);
        }
      };
      const failed = await open('refused');
      await look(failed, 'closed');
      await failed.run('element.click()');
      await told(failed, 'failed');
      await look(failed, 'failed');
      const tab = await open('ok');
      await openDialog(tab);
      await told(tab, 'awaiting');
      await look(tab, 'open');
      await pay(tab);
      await told(tab, 'paid');
      await look(tab, 'paid');
      expect(await complaints(tab)).to.deep.equal([]);
    });

  it('is nothing on a server, and does no harm there', async () => {
    const { definePayButton } = await import('paystate/elements');
    definePayButton();
  });
});
