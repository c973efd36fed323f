import { isPaystateError, type PaystateError } from '../core/errors/index.ts';
import { type Connection, internals, refuseClient } from '../core/http/index.ts';
import { parseUrl } from '../core/platform.ts';
import type { Clock } from '../core/time.ts';
import { checkout, type CheckoutOptions, type CheckoutView, countdown } from '../flows/index.ts';
import type { InvoiceId } from '../resources/invoices.ts';
import { CHECKOUT_LOOK, CheckoutCard } from './checkout-card.ts';
import type { QrPathOf } from './checkout-code.ts';
import { elementClass, chooseLocale, type Shown } from './element-class.ts';
import { OrderAccess, OrderSale, type Sale } from './order-access.ts';
import type { TypedElement } from './page-element.ts';
import { checkoutEn, type CheckoutTexts } from './texts.ts';

/**
 * Properties of `<paystate-checkout>`. Set either `client` and `invoiceId`, or `baseUrl`, `orderId`
 * and `orderSecret` for an order on your relay. The latter three are also available as attributes.
 * No request is sent until either set is complete.
 */
export interface CheckoutProperties {
  /** A client, or a connection from `createConnection`. */
  client?: Connection | undefined;
  /** Id of an existing invoice. */
  invoiceId?: InvoiceId | undefined;
  /** URL of the relay, such as `/pay`. Also available as the `base-url` attribute. */
  baseUrl?: string | undefined;
  /** The relay order's id. Also available as the `order-id` attribute. */
  orderId?: string | undefined;
  /**
   * The relay order's secret, which the element exchanges for tokens. Also available as the
   * `order-secret` attribute. Unlike the attribute, the property isn't visible in the document.
   */
  orderSecret?: string | undefined;
  /** Locale for numbers and times, as a BCP 47 tag. Defaults to the texts' locale. */
  locale?: string | undefined;
  /**
   * Texts to display. Defaults to English. For other languages, pass for example `elementsDe` from
   * `paystate/messages/de`.
   */
  catalogue?: CheckoutTexts | undefined;
  /**
   * Whether to also offer payment to an on-chain address. Such an address never expires and has no
   * fixed exchange rate.
   */
  includeOnchain?: boolean | undefined;
  /**
   * When to stop watching the invoice. With `'never'`, the element also shows when a paid invoice
   * is reversed. Defaults to `'settled'`.
   */
  until?: CheckoutOptions['until'];
  /**
   * How long payment codes are renewed after the last tap or key press on the page, in
   * milliseconds. Defaults to 600,000. With 0, the element only watches the invoice and doesn't
   * request a code.
   */
  pauseAfter?: number | undefined;
  /**
   * URL for the "Back to the shop" link after payment. It must use http or https. Other URLs are
   * ignored with a console warning. Also available as the `success-url` attribute.
   */
  successUrl?: string | undefined;
}

/** Maximum time to hold back the first code until the QR encoder is loaded, in milliseconds. */
const LONGEST = 1_500;

/** Number of milliseconds after which a loading message appears. */
export const SLOW_MS = 2_000;

/** Attributes of `<paystate-checkout>`. */
export interface CheckoutAttributes {
  /** Sets the `baseUrl` property. */
  'base-url'?: string | undefined;
  /** Sets the `orderId` property. */
  'order-id'?: string | undefined;
  /** Sets the `orderSecret` property. */
  'order-secret'?: string | undefined;
  /** Sets the `successUrl` property. */
  'success-url'?: string | undefined;
  /** The card's color scheme. Defaults to the page's color scheme. */
  theme?: 'light' | 'dark' | undefined;
}

/** Events of `<paystate-checkout>` by name. */
export interface CheckoutEvents {
  /** Dispatched when the checkout's view changes. The event's `detail` is the new view. */
  'paystate-change': CustomEvent<CheckoutView>;
}

/** The `<paystate-checkout>` element, which shows the checkout for an invoice. */
export interface CheckoutElement extends TypedElement<CheckoutProperties, CheckoutEvents> {}

export const CHECKOUT_ATTRIBUTES = {
  'base-url': 'baseUrl',
  'order-id': 'orderId',
  'order-secret': 'orderSecret',
  'success-url': 'successUrl',
} as const;

/** Names of properties that have no attribute and are shared with `<paystate-pay-button>`. */
export const CHECKOUT_NAMES = [
  'client',
  'invoiceId',
  'locale',
  'catalogue',
  'includeOnchain',
  'until',
] as const;

/** Creates the `<paystate-checkout>` class. Requires a document. */
export function checkoutElement(): new () => CheckoutElement {
  return elementClass<CheckoutProperties, CheckoutView>(
    [...CHECKOUT_NAMES, 'pauseAfter'],
    () => {
      const orders = new Orders();
      return (properties, changed) => startCheckout(properties, changed, orders);
    },
    CHECKOUT_ATTRIBUTES,
  ) as new () => CheckoutElement;
}

/**
 * An element's relay order. It's kept if only other properties change, such as the texts or the
 * locale.
 */
class Orders {
  #key: string = '';
  #access: OrderAccess | undefined;

  /** Returns the object for accessing the order, or `undefined` if a property is missing. */
  accessOf({ baseUrl, orderId, orderSecret }: CheckoutProperties): OrderAccess | undefined {
    if (!baseUrl || !orderId || !orderSecret) return undefined;
    const key = JSON.stringify([baseUrl, orderId, orderSecret]);
    if (key !== this.#key || !this.#access)
      this.#access = new OrderAccess({ baseUrl, orderId, orderSecret });
    this.#key = key;
    return this.#access;
  }
}

/** Returns the URL only if it uses http or https, because other URLs could run a script. */
function safeUrl(given: string | undefined): string | undefined {
  if (!given) return undefined;
  const url = parseUrl(given, document.baseURI);
  if (url && /^https?:$/.test(url.protocol)) return url.href;
  const fault = url ? `must be http or https, not ${url.protocol}` : 'is not a URL';
  console.warn(`paystate-checkout: success-url is ignored; it ${fault}`);
  return undefined;
}

/**
 * Returns a card's time functions, which use the client's clock. They aren't called if there's no
 * client.
 */
function makeTime(clock: Clock | undefined, signal: AbortSignal) {
  return {
    now: () => clock!.now(),
    monotonic: () => clock?.monotonic() ?? 0,
    wait: (ms: number) => clock!.wait(ms, signal),
  };
}

/** The checkout for the current properties, or an error if a property is invalid. */
interface Opened {
  readonly client?: Connection | undefined;
  readonly sale?: Sale | undefined;
  readonly error?: PaystateError | undefined;
}

function openSale(properties: CheckoutProperties, orders: Orders): Opened {
  const { client, invoiceId, includeOnchain, until, pauseAfter } = properties;
  const options = { includeOnchain, until, pauseAfter };
  if (client) {
    const error = refuseClient(client);
    if (error) return { error };
    return { client, sale: invoiceId ? checkout(client, { ...options, invoiceId }) : undefined };
  }
  try {
    const access = orders.accessOf(properties);
    return access ? { client: access.client, sale: new OrderSale(access, options) } : {};
  } catch (thrown) {
    if (isPaystateError(thrown)) return { error: thrown }; // a property is invalid, such as the URL
    throw thrown;
  }
}

function startCheckout(
  properties: CheckoutProperties,
  changed: (view: CheckoutView) => void,
  orders: Orders,
): Shown {
  void loadEncoder(); // in parallel with the first request
  const { client, sale, error } = openSale(properties, orders);
  let stopCount = (): void => {};
  let counted: number | undefined;
  const touch = (): void => sale?.touch();
  const clock = client?.[internals].clock;
  const end = new AbortController();
  const card = makeCard(properties, sale, makeTime(clock, end.signal));
  const use = (encoder?: QrPathOf): void => card.useEncoder(encoder);
  const show = (view: CheckoutView): void => {
    card.show(view);
    if (view.phase === 'awaiting' && !card.encoder) {
      void clock!.external(loadEncoder()).then(use);
      void clock!.wait(LONGEST, end.signal).then(() => use());
    }
    const endsAt = view.phase === 'awaiting' ? view.quote.expiresAt : undefined;
    if (endsAt !== counted) stopCount();
    if (endsAt && endsAt !== counted)
      stopCount = countdown(client!, { expiresAt: endsAt }).subscribe((left) => card.tick(left));
    counted = endsAt;
    changed(view);
  };
  if (properties.pauseAfter !== 0) listenForPayer(touch, end.signal);
  const stopSale = sale?.subscribe({ next: show, error() {} });
  if (error) show({ phase: 'failed', error });
  else if (sale) void clock!.wait(SLOW_MS, end.signal).then(() => card.sayLoading());
  else card.sayLoading();
  return {
    root: card.parts.card,
    look: CHECKOUT_LOOK,
    retry: () => sale?.retry(),
    stop() {
      end.abort();
      stopSale?.();
      stopCount();
    },
  };
}

function makeCard(
  { locale, catalogue, successUrl, orderId }: CheckoutProperties,
  sale: Sale | undefined,
  time: ReturnType<typeof makeTime>,
): CheckoutCard {
  const texts = catalogue ?? checkoutEn;
  return new CheckoutCard({
    texts,
    locale: chooseLocale(locale, texts),
    orderId,
    successUrl: safeUrl(successUrl),
    touch: () => sale?.touch(),
    retry: sale && (() => sale.retry()),
    ...time,
    nextCheck: () => sale?.status().blockedUntil ?? sale?.status().nextReadAt,
  });
}

function listenForPayer(touch: () => void, signal: AbortSignal): void {
  for (const type of ['pointerdown', 'keydown']) document.addEventListener(type, touch, { signal });
}

/** Loads the QR encoder. Resolves to `undefined` if it can't be loaded. Never rejects. */
function loadEncoder(): Promise<QrPathOf | undefined> {
  return import('./qr-path.ts').then(
    (module) => module.qrPath,
    () => undefined,
  );
}
