import type { PaystateError } from '../core/errors/index.ts';
import { systemClock } from '../core/time.ts';
import type { CheckoutView } from '../flows/index.ts';
import { formatMoney, type Money } from '../money/index.ts';
import { isOver, isPaying } from './checkout-card.ts';
import {
  CHECKOUT_ATTRIBUTES,
  CHECKOUT_NAMES,
  type CheckoutAttributes,
  type CheckoutElement,
  type CheckoutEvents,
  type CheckoutProperties,
  SLOW_MS,
} from './checkout-element.ts';
import { draw, figure, make, makePicture, mark, say } from './dom.ts';
import {
  announce,
  dress,
  type HostedElement,
  hostedElement,
  chooseLocale,
  type PropertyValues,
} from './element-class.ts';
import { coloursFor } from './look.ts';
import type { TypedElement } from './page-element.ts';
import {
  type CreateOrder,
  orderError,
  OrderMaker,
  payable,
  type PayableOrder,
} from './pay-order.ts';
import { payButtonEn, type PayButtonTexts } from './texts.ts';

/**
 * Returns the pay button's style sheet. While an order is being created, the label is only made
 * transparent, so the button keeps its size and its accessible name.
 */
const payButtonLook =
  (): string => `:host{display:inline-block;max-width:100%}:host([theme=light]){color-scheme:light}:host([theme=dark]){color-scheme:dark}[hidden],:host([hidden]){display:none!important}*{box-sizing:border-box;margin:0}
${coloursFor(':is([part=button],[part=message],[part=dialog])')}
[part=button],[part=done]{position:relative;display:block;width:100%;min-height:44px;padding:8px 24px;border:1px solid var(--accent);border-radius:var(--paystate-control-radius,8px);background:var(--accent);color:var(--paystate-on-accent,var(--card));font:var(--paystate-font,1rem/1.45 system-ui,sans-serif);font-weight:500;cursor:pointer}[part=button]:disabled{opacity:.5;cursor:default}[aria-busy=true]{cursor:progress}[aria-busy=true] [part=label]{opacity:0}
[part=label],[part=message]{unicode-bidi:plaintext}bdi{unicode-bidi:isolate;white-space:nowrap}
[part=spinner]{position:absolute;inset:0;width:20px;height:20px;margin:auto;border:2px solid;border-top-color:#0000;border-radius:50%}
[part=message]{contain:inline-size;min-width:min(15rem,90vw);max-width:40ch;margin-top:8px;padding:8px 12px;border:1px solid color-mix(in srgb,currentColor 35%,var(--card));border-radius:var(--paystate-control-radius,8px);background:var(--card);color:var(--ink);font:var(--paystate-font,1rem/1.45 system-ui,sans-serif);font-size:.875rem;overflow-wrap:anywhere}[part=message]:empty{display:none}[part=message][data-failed]{color:var(--bad)}
[part=dialog]{width:calc(100% - 16px);max-width:562px;max-height:calc(100dvh - 16px);margin:auto;padding:0;border:1px solid var(--paystate-line,color-mix(in srgb,var(--ink) 18%,var(--card)));border-radius:var(--paystate-radius,16px);background:var(--card);color:var(--ink);overscroll-behavior:contain;text-align:start}@media (min-width:780px){[wide]{max-width:762px}}[part=dialog]::backdrop{background:rgb(0 0 0/.5)}
[part=top]{position:sticky;top:0;z-index:1;display:flex;justify-content:flex-end;padding:8px 8px 0;background:var(--card)}[part=close]{display:grid;place-items:center;width:44px;height:44px;padding:0;border:0;border-radius:var(--paystate-control-radius,8px);background:none;color:inherit;cursor:pointer}[part=cross]{width:20px;fill:none;stroke:currentColor;stroke-width:1.5;stroke-linecap:round}
[part=bottom]{padding:0 5% 24px}
paystate-checkout::part(card){padding-top:0;border:0;background:none}:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
@media (prefers-reduced-motion:no-preference){[part=spinner]{animation:turn 1s linear infinite}[part=dialog][open]{animation:come .15s ease-out}}@keyframes turn{to{rotate:1turn}}@keyframes come{from{opacity:0}}@media print{[part=top],[part=bottom]{display:none}}`;

/**
 * Properties of `<paystate-pay-button>`. They specify an existing order or how to create one, and
 * include the checkout's properties.
 */
export interface PayButtonProperties extends Omit<CheckoutProperties, 'catalogue' | 'pauseAfter'> {
  /**
   * URL of the shop for creating orders. The button posts `{ ...order, key }` to it and expects the
   * response `{ orderId, orderSecret }`. Requires `baseUrl`. Also available as the `orders-url`
   * attribute.
   */
  ordersUrl?: string | undefined;
  /**
   * The order's fields, which are sent to `ordersUrl`. Also available as the `order` attribute,
   * which must contain JSON.
   */
  order?: object | string | undefined;
  /** A function that creates the order, as an alternative to `ordersUrl`. */
  createOrder?: CreateOrder | undefined;
  /**
   * Price to show on the button until the order is created. Also available as the `amount`
   * attribute.
   */
  amount?: string | undefined;
  /** Currency of `amount`. Also available as the `currency` attribute. */
  currency?: string | undefined;
  /** Whether the button is disabled. Also available as the `disabled` attribute. */
  disabled?: boolean | undefined;
  /**
   * Texts to display. Defaults to English. For other languages, pass for example `elementsDe` from
   * `paystate/messages/de`.
   */
  catalogue?: PayButtonTexts | undefined;
}

/** Attributes of `<paystate-pay-button>` whose names differ from their properties. */
export interface PayButtonAttributes extends CheckoutAttributes {
  /** Sets the `ordersUrl` property. */
  'orders-url'?: string | undefined;
}

/** The `<paystate-pay-button>` element, which shows a checkout in a dialog. */
export interface PayButtonElement extends TypedElement<PayButtonProperties, CheckoutEvents> {}

/** Creates the `<paystate-pay-button>` class. Requires a document. */
export function payButton(): new () => PayButtonElement {
  const attributes = {
    ...CHECKOUT_ATTRIBUTES,
    'orders-url': 'ordersUrl',
    order: 'order',
    amount: 'amount',
    currency: 'currency',
    disabled: 'disabled',
  };
  const hostElement = (element: HTMLElement, values: PropertyValues): HostedElement =>
    new PayButton(element, values as Given);
  return class extends hostedElement([...CHECKOUT_NAMES, 'createOrder'], attributes, hostElement) {
    override focus(options?: FocusOptions): void {
      this.shadowRoot!.querySelector('button')!.focus(options);
    }

    override click(): void {
      this.shadowRoot!.querySelector('button')!.click();
    }
  } as unknown as new () => PayButtonElement;
}

type Given = PropertyValues & PayButtonProperties;

/** The button's slots that are passed to its checkout. */
const SLOTS = ['shop', 'summary', 'paid', 'late', 'partial', 'cancelled', 'failed', 'help'];
/** Parts of the checkout that the page's style sheet can access. */
const PARTS =
  'card,ribbon,bill,title,amount,rate,sent,price,timer,pay,how,way,mark,tabs,tab,hint,qr,line,short,copy,code,wallet,webln,end,glyph,state,headline,detail,details,problem,receipt,name,value,number,figure,actions,back,fresh,again,print,note';
const CROSS = 'M4 4l12 12M16 4L4 16';
const CROSS_SIZE = 20;

/**
 * The HTML elements that make up the button and its dialog, without their texts and the checkout.
 */
class ButtonParts {
  readonly label: HTMLElement = make('slot', 'text');
  readonly spinner: HTMLElement = mark(make('span', 'spinner'), { 'aria-hidden': 'true' });
  readonly button: HTMLButtonElement = mark(
    make('button', 'button', make('span', 'label', this.label), this.spinner),
    { type: 'button', 'aria-haspopup': 'dialog' },
  );
  readonly message: HTMLElement = mark(make('p', 'message'), { role: 'status' });
  readonly close: HTMLButtonElement = mark(make('button', 'close'), { type: 'button' });
  readonly done: HTMLButtonElement = mark(make('button', 'done'), { type: 'button' });
  readonly bottom: HTMLElement = make('div', 'bottom', this.done);
  readonly dialog: HTMLDialogElement = make(
    'dialog',
    'dialog',
    make('div', 'top', this.close),
    this.bottom,
  );

  constructor() {
    const cross = mark(makePicture('cross'), { 'aria-hidden': 'true' });
    draw(cross, CROSS_SIZE, CROSS);
    this.close.append(cross);
  }
}

class PayButton implements HostedElement {
  readonly #element: HTMLElement;
  readonly #given: Given;
  readonly #root: ShadowRoot;
  readonly #parts: ButtonParts = new ButtonParts();
  /** Identifies the order that the properties specify. */
  #name: string | undefined;
  #maker: OrderMaker;
  /** The order, after the shop has created it. */
  #order: PayableOrder | undefined;
  #checkout: CheckoutElement | undefined;
  #price: Money | undefined;
  #phase: CheckoutView['phase'] = 'loading';
  #isBusy: boolean = false;

  constructor(element: HTMLElement, given: Given) {
    this.#element = element;
    this.#given = given;
    this.#maker = new OrderMaker(given);
    this.#root = element.attachShadow({ mode: 'open' });
    const { button, message, close, done, dialog } = this.#parts;
    this.#root.append(button, message, dialog);
    button.onclick = () => void this.#press();
    close.onclick = done.onclick = () => dialog.close();
    dialog.onclose = () => this.#leave();
    dialog.addEventListener('paystate-change', (event) =>
      this.#show((event as CustomEvent<CheckoutView>).detail),
    );
  }

  changed(): void {
    this.follow();
  }

  follow(): void {
    queueMicrotask(() => this.#update());
  }

  retry(): void {
    this.#checkout?.retry();
  }

  get #texts(): PayButtonTexts {
    return this.#given.catalogue ?? payButtonEn();
  }

  #update(): void {
    const { dialog } = this.#parts;
    this.#nameOrder();
    if (!this.#element.isConnected) return dialog.close();
    if (!this.#root.adoptedStyleSheets[0]) dress(this.#root, payButtonLook());
    this.#write();
    this.#fill();
    if (!dialog.open || dialog.matches(':modal')) return;
    dialog.close(); // If the button was moved, the dialog is no longer modal.
    dialog.showModal();
  }

  /** Discards the current order if the properties specify another one. */
  #nameOrder(): void {
    const { invoiceId, orderId, ordersUrl, order } = this.#given;
    const name = JSON.stringify([invoiceId, orderId, ordersUrl, order]);
    if (name !== this.#name) this.#leaveOrder();
    this.#name = name;
  }

  #leaveOrder(): void {
    this.#parts.dialog.close();
    this.#checkout?.remove();
    this.#checkout = this.#order = this.#price = undefined;
    this.#phase = 'loading';
    this.#maker = new OrderMaker(this.#given);
    this.#setBusy(false);
    this.#say('');
  }

  /** Sets the texts, which depend on the language and the order. */
  #write(): void {
    const { button, label, close, done, dialog, bottom } = this.#parts;
    const { disabled, successUrl } = this.#given;
    const texts = this.#texts;
    button.lang = dialog.lang = texts.locale;
    say(label, this.#labelIn(texts));
    say(done, texts.close);
    mark(close, { 'aria-label': texts.close });
    mark(dialog, { 'aria-label': label.textContent });
    button.disabled = !!disabled;
    dialog.toggleAttribute('wide', isPaying(this.#phase));
    bottom.hidden = !isOver(this.#phase) || (this.#phase === 'paid' && !!successUrl);
  }

  #labelIn(texts: PayButtonTexts): string {
    if (this.#phase === 'paid') return texts.paid.split('|')[0]!;
    const { amount = '', currency = '', locale } = this.#given;
    try {
      const price = this.#price ?? { amount, currency };
      const options = { locale: chooseLocale(locale, texts), bitcoinUnit: 'sat' } as const;
      return texts.payAmount.replace('{amount}', () => figure(formatMoney(price, options)));
    } catch {
      return texts.pay; // the page hasn't set a valid price
    }
  }

  /** Passes the button's properties and the order to the checkout. */
  #fill(): void {
    const checkout = this.#checkout;
    if (!checkout || !this.#order) return;
    const { locale, catalogue, includeOnchain, until, successUrl } = this.#given;
    const order = payable(this.#given, this.#order);
    Object.assign(checkout, { locale, catalogue, includeOnchain, until, successUrl, ...order });
  }

  /**
   * Opens the dialog. Creates the order first if necessary, and ignores further clicks meanwhile.
   */
  async #press(): Promise<void> {
    this.#nameOrder();
    if (this.#isBusy || this.#parts.dialog.open) return;
    this.#say('');
    const maker = this.#maker;
    if (!this.#order) await this.#make(maker);
    if (this.#order && maker === this.#maker && this.#element.isConnected) this.#open();
  }

  async #make(maker: OrderMaker): Promise<void> {
    this.#setBusy(true);
    const end = new AbortController();
    void systemClock.wait(SLOW_MS, end.signal).then(() => {
      if (!end.signal.aborted) this.#say(this.#texts.loading);
    });
    const [order, error] = await maker.make().then(
      (made) => [made] as const,
      (thrown: unknown) => [undefined, orderError(thrown)] as const,
    );
    end.abort();
    if (maker !== this.#maker) return; // the page has switched to another order meanwhile
    this.#order = order;
    this.#setBusy(false);
    this.#say('');
    if (error) this.#fail(error);
  }

  #setBusy(isBusy: boolean): void {
    const { button, spinner } = this.#parts;
    this.#isBusy = isBusy;
    spinner.hidden = !isBusy;
    mark(button, { 'aria-busy': `${isBusy}` });
  }

  #fail(error: PaystateError): void {
    if (error.kind === 'input') console.warn(`paystate-pay-button: ${error.message}`);
    this.#say(this.#texts.orderFailed, true);
    announce(this.#element, { phase: 'failed', error });
  }

  #say(text: string, hasFailed: boolean = false): void {
    const { message } = this.#parts;
    message.toggleAttribute('data-failed', hasFailed);
    say(message, text);
  }

  #open(): void {
    const { button, dialog, bottom } = this.#parts;
    this.#checkout ??= mark(document.createElement('paystate-checkout'), { exportparts: PARTS });
    // Only pass slots that have content, because an empty slot would hide the checkout's default
    // content.
    const filled = SLOTS.filter((name) => this.#element.querySelector(`:scope>[slot=${name}]`));
    this.#checkout.replaceChildren(
      ...filled.map((name) => mark(document.createElement('slot'), { name, slot: name })),
    );
    if (!isOver(this.#phase)) this.#checkout.pauseAfter = undefined;
    this.#fill();
    if (!this.#checkout.isConnected) bottom.before(this.#checkout);
    // Focus the button, so that focus returns to it later. Some browsers don't focus a button when
    // it's clicked.
    button.focus({ preventScroll: true });
    dialog.showModal();
    // The card only exists after a microtask. Focus its title instead of the close button.
    queueMicrotask(() => this.#checkout?.shadowRoot!.querySelector('h2')?.focus());
  }

  /**
   * Called when the dialog is closed. Keeps watching the order without requesting codes, or
   * discards it if it can no longer be paid.
   */
  #leave(): void {
    if (this.#parts.dialog.open || !this.#checkout) return; // the dialog was opened again meanwhile
    const isLost = this.#phase === 'cancelled' || (this.#phase === 'failed' && !this.#price);
    if (isLost) {
      this.#maker.forget();
      this.#leaveOrder();
    } else if (!isOver(this.#phase)) this.#checkout.pauseAfter = 0;
    this.#write();
  }

  #show({ phase, invoice }: CheckoutView): void {
    if (phase === 'paid') this.#maker.forget();
    if (phase !== 'loading') this.#phase = phase;
    this.#price = invoice?.amount ?? this.#price;
    this.#write();
  }
}
