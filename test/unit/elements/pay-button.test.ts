// Protects: a button makes one order of what it is told, shows it in a dialog, and says what came of it.
import { expect } from 'chai';
import { isPaystateError, type PaystateError } from 'paystate';
import { definePayButton } from 'paystate/elements';
import type { CheckoutView } from 'paystate/flows';
import { elementsDe } from 'paystate/messages/de';
import { describe, it } from '#test';
import { openShop, refusal, type Shop } from '../state/shop.ts';
import { heardFrom, outline, part, place, replacing, settled, texts } from './page.ts';

const DRAFT = { amount: { amount: '16.80', currency: 'EUR' }, description: 'Harbour Espresso' };

interface Button extends HTMLElement {
  client: unknown;
  invoiceId: string | undefined;
  order: unknown;
  disabled: boolean | undefined;
  catalogue: unknown;
  locale: string | undefined;
  amount: string | undefined;
  retry(): void;
}

type Made = { readonly client?: unknown; readonly invoiceId?: unknown } | null;

interface Selling extends Shop {
  readonly element: Button;
  readonly views: CheckoutView[];
  /** Keys by which the page was asked for an order. */
  readonly keys: string[];
  /** Answers the next press with something else. */
  answer: ((key: string, signal: AbortSignal) => Promise<Made>) | undefined;
}

const fresh = (properties: object): Button => place<Button>('paystate-pay-button', properties);

/** A button whose page makes its orders itself, in virtual time. */
function openSelling(properties: object = {}): Selling {
  const shop = openShop({ signed: true });
  const { client, sandbox } = shop;
  const keys: string[] = [];
  const selling: Pick<Selling, 'answer'> = { answer: undefined };
  const createOrder = async (key: string, signal: AbortSignal): Promise<Made> => {
    keys.push(key);
    if (selling.answer) return selling.answer(key, signal);
    const { invoiceId } = await sandbox.run(
      client.invoices.create({ ...DRAFT, correlationId: key }),
    );
    return { client, invoiceId };
  };
  const element = fresh({ createOrder, amount: '16.80', currency: 'EUR', ...properties });
  return Object.assign(selling, {
    ...shop,
    element,
    keys,
    views: heardFrom<CheckoutView>(element),
  });
}

const buttonOf = (element: Element): HTMLButtonElement => part(element, 'button');
const dialogOf = (element: Element): HTMLDialogElement => part(element, 'dialog');
const labelOf = (element: Element): string => texts(element, 'label')[0]!;
const inner = (element: Element): HTMLElement =>
  dialogOf(element).querySelector<HTMLElement>('paystate-checkout')!;

/** Presses, and lets the order be made. */
async function press(element: Element): Promise<void> {
  const button = buttonOf(element);
  button.click();
  await settled();
  for (let turn = 0; turn < 20 && button.ariaBusy === 'true'; turn++) await settled();
  await settled();
}

/** Closes the dialog, and waits for the frame in which the page hears of that. */
async function leave(element: Element, name: 'close' | 'done'): Promise<void> {
  const heard = new Promise((resolve) => {
    dialogOf(element).addEventListener('close', resolve, { once: true });
  });
  part(element, name).click();
  await heard;
  await settled();
}

async function withWarnings(use: (warned: string[]) => Promise<void>): Promise<void> {
  const warned: string[] = [];
  await replacing(
    console,
    'warn',
    (text: string) => void warned.push(text),
    () => use(warned),
  );
}

/** Errors that the page's own functions have thrown, which are reported like any other. */
async function withReports(use: (reports: unknown[]) => Promise<void>): Promise<void> {
  const reports: unknown[] = [];
  await replacing(
    globalThis,
    'reportError',
    (error: unknown) => void reports.push(error),
    () => use(reports),
  );
}

const failureOf = (views: readonly CheckoutView[]): PaystateError => {
  const last = views.at(-1);
  if (last?.phase !== 'failed') throw new Error(`it has not failed: ${last?.phase}`);
  expect(isPaystateError(last.error)).to.equal(true);
  return last.error;
};

if (typeof document === 'undefined')
  describe('paystate-pay-button where no page is', () => {
    it('is nothing, and does no harm', () => definePayButton());
  });
else
  describe('paystate-pay-button in a page', () => {
    it('has its parts, roles and names', async () => {
      definePayButton();
      const { element } = openSelling();
      await settled();
      const { shadowRoot } = element;
      const lines = [...shadowRoot!.children].flatMap((one) => outline(one));
      expect(lines.join('\n')).to.equal(`button lang=en type=button
  label
    text: Pay €16.80
message role=status
dialog lang=en aria-label=Pay €16.80
  top
    close aria-label=Close type=button
      cross aria-hidden=true viewBox=0 0 20 20
        path`);
      expect(buttonOf(element).getAttribute('aria-haspopup')).to.equal('dialog');
      expect(buttonOf(element).getAttribute('aria-busy')).to.equal('false');
      element.remove();
    });

    it('opens its order in a dialog, and tells what becomes of it', async () => {
      const { element, sandbox, views, keys, requests } = openSelling();
      await settled();
      await press(element);
      expect([dialogOf(element).matches(':modal'), keys.length]).to.deep.equal([true, 1]);
      await sandbox.advance(1_000);
      expect(part(inner(element), 'card').getAttribute('data-phase')).to.equal('awaiting');
      expect(inner(element).getAttribute('exportparts')!.split(',')).to.include.members(
        visibleParts(inner(element)),
      );
      await press(element);
      expect(keys.length).to.equal(1);
      expect(texts(element, 'bottom')).to.deep.equal(['']);
      await leave(element, 'close');
      expect(dialogOf(element).open).to.equal(false);
      await sandbox.advance(60_000);
      requests.length = 0;
      await sandbox.advance(60_000);
      expect(requests.some(({ operation }) => operation === 'invoices.quote')).to.equal(false);
      await press(element);
      await sandbox.advance(1_000);
      expect([keys.length, views.at(-1)?.phase]).to.deep.equal([1, 'awaiting']);
      const { invoiceId } = inner(element) as unknown as { readonly invoiceId: string };
      await sandbox.payer.pay(invoiceId);
      await sandbox.advance(5_000);
      await settled();
      expect([labelOf(element), texts(element, 'done')[0]]).to.deep.equal(['Paid', 'Close']);
      expect(dialogOf(element).getAttribute('aria-label')).to.equal('Paid');
      await leave(element, 'done');
      expect([dialogOf(element).open, labelOf(element)]).to.deep.equal([false, 'Paid']);
      await press(element);
      expect([dialogOf(element).open, keys.length]).to.deep.equal([true, 1]);
      expect(new Set(views.map(({ phase }) => phase))).to.include.all.keys('awaiting', 'paid');
      element.remove();
    });

    it('is busy while its order is made, and makes one of two presses', async () => {
      const selling = openSelling();
      const { element, keys } = selling;
      const made = Promise.withResolvers<Made>();
      selling.answer = () => made.promise;
      await settled();
      await press(element);
      await press(element);
      expect(keys.length).to.equal(1);
      expect(buttonOf(element).getAttribute('aria-busy')).to.equal('true');
      expect(part(element, 'spinner').hidden).to.equal(false);
      expect(dialogOf(element).open).to.equal(false);
      made.resolve(null);
      await settled();
      expect(buttonOf(element).getAttribute('aria-busy')).to.equal('false');
      expect(part(element, 'spinner').hidden).to.equal(true);
      element.remove();
    });

    it('says that no order came, and asks with the same key until one does', async () => {
      const selling = openSelling();
      const { element, keys, views } = selling;
      await settled();
      await withReports(async (reports) => {
        const fault = new Error('a fault of the page');
        const codes: string[] = [];
        for (const answer of [
          async () => null,
          async () => ({}),
          async () => ({ client: selling.client }),
          () => Promise.reject(fault),
        ]) {
          selling.answer = answer as Selling['answer'];
          await press(element);
          const { code, outcome } = failureOf(views);
          codes.push(code);
          expect(outcome).to.equal('unknown');
          expect(texts(element, 'message')[0]).to.equal(
            'We couldn’t start the payment. Nothing was charged. Try again.',
          );
          expect(part(element, 'message').hasAttribute('data-failed')).to.equal(true);
          expect(dialogOf(element).open).to.equal(false);
        }
        expect(codes).to.deep.equal([
          ...['RESPONSE_INVALID', 'RESPONSE_INVALID', 'RESPONSE_INVALID', 'UNREACHABLE'],
        ]);
        expect(reports).to.deep.equal([fault]);
      });
      selling.answer = undefined;
      await press(element);
      expect([new Set(keys).size, keys.length, dialogOf(element).open]).to.deep.equal([1, 5, true]);
      expect(texts(element, 'message')[0]).to.equal('');
      expect(part(element, 'message').hasAttribute('data-failed')).to.equal(false);
      element.remove();
    });

    it('asks with the same key after a shop that took too long', async () => {
      const selling = openSelling();
      const { element, keys, views } = selling;
      await settled();
      selling.answer = () => new Promise(() => {});
      const start = globalThis.setTimeout;
      const hurried = (ring: () => void, ms: number) => start(ring, ms >= 30_000 ? 0 : ms);
      await replacing(globalThis, 'setTimeout', hurried, async () => {
        await press(element);
        for (let turn = 0; turn < 50 && views.length === 0; turn++) await settled();
      });
      expect(failureOf(views).code).to.equal('TIMEOUT');
      selling.answer = undefined;
      await press(element);
      expect([keys.length, new Set(keys).size]).to.deep.equal([2, 1]);
      element.remove();
    });

    it('makes another order where the page names one, and after one that ended', async () => {
      const { element, keys, sandbox } = openSelling({ order: { sku: 'espresso' } });
      await settled();
      await press(element);
      await sandbox.advance(1_000);
      element.catalogue = elementsDe;
      await settled();
      expect([dialogOf(element).open, keys.length]).to.deep.equal([true, 1]);
      expect(labelOf(element)).to.equal(elementsDe.payAmount.replace('{amount}', '16,80\u00a0€'));
      element.order = { sku: 'filter' };
      await settled();
      expect(dialogOf(element).open).to.equal(false);
      await press(element);
      await sandbox.advance(1_000);
      expect(new Set(keys).size).to.equal(2);
      const { invoiceId, client } = inner(element) as unknown as {
        readonly invoiceId: string;
        readonly client: Shop['client'];
      };
      await sandbox.run(client.invoices.cancel(invoiceId));
      await sandbox.advance(100_000);
      expect(texts(element, 'done')[0]).to.equal(elementsDe.close);
      await leave(element, 'done');
      await press(element);
      expect(new Set(keys).size).to.equal(3);
      element.remove();
    });

    it('leaves out an answer that comes after the page has named another order', async () => {
      const selling = openSelling({ order: { sku: 'espresso' } });
      const { element, keys, views, client, sandbox } = selling;
      const [first, second] = [Promise.withResolvers<Made>(), Promise.withResolvers<Made>()];
      selling.answer = () => (keys.length === 1 ? first : second).promise;
      await settled();
      await press(element);
      element.order = { sku: 'filter' };
      await settled();
      expect(buttonOf(element).getAttribute('aria-busy')).to.equal('false');
      await press(element);
      first.resolve(null);
      await settled();
      expect(buttonOf(element).getAttribute('aria-busy')).to.equal('true');
      expect([keys.length, views]).to.deep.equal([2, []]);
      const { invoiceId } = await sandbox.run(client.invoices.create(DRAFT));
      second.resolve({ client, invoiceId });
      await settled();
      await settled();
      expect(inner(element)).to.include({ invoiceId });
      element.remove();
    });

    it('shows an order that exists, and makes none', async () => {
      const shop = openShop({ signed: true });
      const { invoiceId } = await shop.sandbox.run(shop.client.invoices.create(DRAFT));
      const element = fresh({ client: shop.client, invoiceId });
      await settled();
      expect(labelOf(element)).to.equal('Pay');
      await press(element);
      await shop.sandbox.advance(1_000);
      expect([dialogOf(element).open, labelOf(element)]).to.deep.equal([true, 'Pay €16.80']);
      element.retry();
      await shop.sandbox.payer.pay(invoiceId);
      await shop.sandbox.advance(5_000);
      await settled();
      expect(labelOf(element)).to.equal('Paid');
      element.remove();
    });

    it('has the label that its price, language, slot and state give it', async () => {
      const { element } = openSelling({ amount: '0.00021', currency: 'BTC' });
      await settled();
      expect(labelOf(element)).to.equal('Pay 21,000 sat');
      element.setAttribute('amount', '5');
      element.setAttribute('currency', 'USD');
      element.locale = 'de';
      await settled();
      expect(labelOf(element)).to.equal('Pay 5,00\u00a0$');
      element.setAttribute('amount', 'five');
      await settled();
      expect(labelOf(element)).to.equal('Pay');
      element.removeAttribute('amount');
      await settled();
      expect([labelOf(element), element.amount]).to.deep.equal(['Pay', undefined]);
      for (const [set, isDisabled] of [
        [() => element.setAttribute('disabled', ''), true],
        [() => element.removeAttribute('disabled'), false],
        [() => (element.disabled = true), true],
        [() => (element.disabled = undefined), false],
      ] as const) {
        set();
        await settled();
        expect(buttonOf(element).disabled).to.equal(isDisabled);
      }
      element.remove();
    });

    it('takes the focus and a click as a button does, and no form sends it', async () => {
      const { element } = openSelling();
      const form = document.body.appendChild(document.createElement('form'));
      let sent = 0;
      form.onsubmit = (event) => (event.preventDefault(), sent++);
      form.append(element);
      await settled();
      element.focus();
      expect(document.activeElement === element).to.equal(true);
      element.click();
      await settled();
      await settled();
      expect([dialogOf(element).open, sent]).to.deep.equal([true, 0]);
      element.remove();
      form.remove();
    });

    it('shows in its checkout what the page has put into its slots, and nothing else', async () => {
      const { element, sandbox } = openSelling({ successUrl: '/thanks' });
      for (const slot of ['paid', 'help', 'elsewhere'])
        element.append(Object.assign(document.createElement('b'), { slot }));
      await settled();
      await press(element);
      await sandbox.advance(1_000);
      expect([...inner(element).children].map((one) => outline(one)[0])).to.deep.equal([
        'slot name=paid slot=paid',
        'slot name=help slot=help',
      ]);
      const { invoiceId } = inner(element) as unknown as { readonly invoiceId: string };
      await sandbox.payer.pay(invoiceId);
      await sandbox.advance(5_000);
      await settled();
      expect(part(element, 'bottom').hidden).to.equal(true); // the checkout leads back to the shop
      element.remove();
    });

    it('stops when it leaves the page, and shows the same order when it is back', async () => {
      const { element, sandbox, keys, timers, requests } = openSelling();
      await settled();
      await press(element);
      await sandbox.advance(1_000);
      element.remove();
      await settled();
      await sandbox.advance(0);
      expect([dialogOf(element).open, timers()]).to.deep.equal([false, 0]);
      requests.length = 0;
      await sandbox.advance(60_000);
      expect(requests.length).to.equal(0);
      const main = document.body.appendChild(document.createElement('main'));
      main.append(element);
      await settled();
      await press(element);
      expect([dialogOf(element).matches(':modal'), keys.length]).to.deep.equal([true, 1]);
      document.body.append(element);
      await settled();
      expect(dialogOf(element).matches(':modal')).to.equal(true);
      element.remove();
      main.remove();
    });
  });

/** The names of all parts inside of a checkout that a page can style. */
function visibleParts(checkout: Element): readonly string[] {
  return [...checkout.shadowRoot!.querySelectorAll('[part]')]
    .map((one) => one.getAttribute('part')!)
    .filter((name) => !['more', 'most', 'help'].includes(name) && name !== '');
}

/** What a button gives to its checkout. */
type Given = Readonly<Record<'baseUrl' | 'orderId' | 'orderSecret', string>>;

const ORDERS = 'https://shop.example/orders?from=page&tag=a&tag=b';

interface Asked {
  readonly url: string;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A page whose `fetch` reaches a shop that answers so. */
async function withOrders(
  answer: (asked: Asked, nth: number) => Response | Promise<Response>,
  use: (asked: Asked[]) => Promise<void>,
): Promise<void> {
  const asked: Asked[] = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const isOrder = `${url}`.includes('/orders');
    if (!isOrder) return refusal(401, 'UNAUTHORIZED');
    const body = JSON.parse(init.body as string) as Asked['body'];
    return answer(
      asked[asked.push({ url, headers: new Headers(init.headers), body }) - 1]!,
      asked.length,
    );
  };
  sessionStorage.clear();
  await replacing(globalThis, 'fetch', fetch, () => use(asked));
}

const ORDER = { orderId: 'o-1', orderSecret: 's-1' };
const RELAY = { baseUrl: 'https://relay.example/pay', ordersUrl: ORDERS };

if (typeof document !== 'undefined')
  describe('paystate-pay-button and the shop behind it', () => {
    it('posts what is ordered with a key, and opens the order of the relay', async () => {
      await withOrders(
        () => Response.json(ORDER, { status: 201 }),
        async (asked) => {
          const element = fresh({ ...RELAY, order: { sku: 'espresso' } });
          await settled();
          await press(element);
          expect(dialogOf(element).open).to.equal(true);
          const { baseUrl, orderId, orderSecret } = inner(element) as unknown as Given;
          expect({ baseUrl, orderId, orderSecret }).to.deep.equal({
            baseUrl: RELAY.baseUrl,
            ...ORDER,
          });
          const [{ url, headers, body }] = asked as [Asked];
          const { origin, pathname, searchParams } = new URL(url);
          expect([origin + pathname, [...searchParams]]).to.deep.equal([
            'https://shop.example/orders',
            [
              ['from', 'page'],
              ['tag', 'a'],
              ['tag', 'b'],
            ],
          ]);
          expect(body).to.deep.equal({ sku: 'espresso', key: headers.get('idempotency-key') });
          expect(headers.has('authorization')).to.equal(false);
          element.remove();
        },
      );
    });

    it('keeps its key for the tab until the order is known to be over', async () => {
      await withOrders(
        () => Response.json({}, { status: 201 }),
        async (asked) => {
          const given = { ...RELAY, order: '{"sku":"espresso"}' };
          for (const properties of [given, given, { ...given, order: '{"sku":"filter"}' }]) {
            const element = fresh(properties);
            const views = heardFrom<CheckoutView>(element);
            await settled();
            await press(element);
            expect(failureOf(views).code).to.equal('RESPONSE_INVALID');
            element.remove();
          }
          const keys = asked.map(({ body }) => body['key']);
          expect([keys[0] === keys[1], keys[0] === keys[2]]).to.deep.equal([true, false]);
          expect(sessionStorage.length).to.equal(2);
          expect(sessionStorage.getItem(`paystate:${ORDERS} {"sku":"espresso"}`)).to.equal(keys[0]);
        },
      );
    });

    it('orders again with a new key after an order that nobody can pay', async () => {
      await withOrders(
        () => Response.json(ORDER, { status: 201 }),
        async (asked) => {
          const element = fresh(RELAY);
          await settled();
          await press(element);
          expect(sessionStorage.length).to.equal(1);
          const views = heardFrom<CheckoutView>(element);
          for (let turn = 0; turn < 50 && views.at(-1)?.phase !== 'failed'; turn++) await settled();
          await leave(element, 'close');
          expect(sessionStorage.length).to.equal(0);
          await press(element);
          expect(new Set(asked.map(({ body }) => body['key'])).size).to.equal(2);
          element.remove();
        },
      );
    });

    it('works where the page has no storage', async () => {
      const away = {
        getItem() {
          throw new Error('no storage');
        },
        setItem() {
          throw new Error('no storage');
        },
      };
      await withOrders(
        () => Response.json(ORDER, { status: 201 }),
        async (asked) =>
          replacing(globalThis, 'sessionStorage', away, async () => {
            const element = fresh(RELAY);
            await settled();
            await press(element);
            expect([dialogOf(element).open, asked.length]).to.deep.equal([true, 1]);
            expect(Object.keys(asked[0]!.body)).to.deep.equal(['key']);
            element.remove();
          }),
      );
    });

    it('says what is wrong with the page, and sends nothing', async () => {
      const wrong: readonly (readonly [object, RegExp])[] = [
        [{}, /^ordersUrl: set ordersUrl or createOrder, because there is no order yet/],
        [{ ordersUrl: ORDERS }, /^baseUrl: is required/],
        [{ ...RELAY, ordersUrl: 'http://[' }, /^ordersUrl: must be a URL or a path/],
        [{ ...RELAY, order: 'espresso' }, /^order: must be an object/],
        [{ ...RELAY, order: '[1]' }, /^order: must be an object/],
        [{ ...RELAY, order: 'null' }, /^order: must be an object/],
        [{ ...RELAY, order: 7 }, /^order: must be an object/],
        [{ orderId: 'o', orderSecret: 's' }, /^baseUrl: is required/],
      ];
      await withOrders(
        () => Response.json(ORDER),
        async (asked) =>
          withWarnings(async (warned) => {
            for (const [properties, message] of wrong) {
              const element = fresh(properties);
              const views = heardFrom<CheckoutView>(element);
              await settled();
              await press(element);
              const error = failureOf(views);
              expect(error.code).to.equal('INPUT_INVALID');
              expect(error.message).to.match(message);
              expect(warned.pop()).to.equal(`paystate-pay-button: ${error.message}`);
              expect(texts(element, 'message')[0]).to.not.match(/[A-Z]{3}/);
              element.remove();
            }
            expect([asked.length, warned.length]).to.deep.equal([0, 0]);
          }),
      );
    });
  });
