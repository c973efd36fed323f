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
 * Properties of `<paystate-checkout>` that a page sets. Set `client` and `invoiceId`, or a relay
 * order with `baseUrl`, `orderId` and `orderSecret`, which are attributes too. Nothing is requested
 * until they're complete.
 */
export interface CheckoutProperties {
  /** A client, or a connection from `createConnection`. */
  client?: Connection | undefined;
  /** Id of an existing invoice. */
  invoiceId?: InvoiceId | undefined;
  /** URL of the relay, such as `/pay`. Also the attribute `base-url`. */
  baseUrl?: string | undefined;
  /** Id of the order at the relay. Also the attribute `order-id`. */
  orderId?: string | undefined;
  /**
   * Secret of the order, which the relay exchanges for tokens. Also the attribute `order-secret`.
   * Unlike an attribute, the property isn't part of the document.
   */
  orderSecret?: string | undefined;
  /** BCP 47 tag for numbers and times. Defaults to the locale of the texts. */
  locale?: string | undefined;
  /**
   * Texts to display. Defaults to English. Others are `elementsDe` from `paystate/messages/de`, and
   * so on.
   */
  catalogue?: CheckoutTexts | undefined;
  /** Also offers the code's on-chain address, which never expires and has no fixed rate. */
  includeOnchain?: boolean | undefined;
  /**
   * With `'never'`, continues after the end, because a paid invoice may be reversed. Defaults to
   * `'settled'`.
   */
  until?: CheckoutOptions['until'];
  /**
   * How long codes are renewed after the last tap or key press on the page, in milliseconds.
   * Defaults to 600,000. With 0, no code is requested and the order is only watched.
   */
  pauseAfter?: number | undefined;
  /**
   * URL for "Back to the shop" after a payment, http or https. Also the attribute `success-url`.
   * Others are ignored with a warning on the console.
   */
  successUrl?: string | undefined;
}

/** How long the first code waits for its QR code, in milliseconds. */
const LONGEST = 1_500;

/** How long loading isn't mentioned, in milliseconds. */
export const SLOW_MS = 2_000;

/** Attributes of `<paystate-checkout>`. */
export interface CheckoutAttributes {
  /** Sets the property `baseUrl`. */
  'base-url'?: string | undefined;
  /** Sets the property `orderId`. */
  'order-id'?: string | undefined;
  /** Sets the property `orderSecret`. */
  'order-secret'?: string | undefined;
  /** Sets the property `successUrl`. */
  'success-url'?: string | undefined;
  /** Color scheme of the card. Defaults to the page's. */
  theme?: 'light' | 'dark' | undefined;
}

/** Events of `<paystate-checkout>`, by name. */
export interface CheckoutEvents {
  /** The checkout shows something else, which is the event's `detail`. */
  'paystate-change': CustomEvent<CheckoutView>;
}

/** `<paystate-checkout>`. */
export interface CheckoutElement extends TypedElement<CheckoutProperties, CheckoutEvents> {}

export const CHECKOUT_ATTRIBUTES = {
  'base-url': 'baseUrl',
  'order-id': 'orderId',
  'order-secret': 'orderSecret',
  'success-url': 'successUrl',
} as const;

/** Properties without attributes that a pay button has too. */
export const CHECKOUT_NAMES = [
  'client',
  'invoiceId',
  'locale',
  'catalogue',
  'includeOnchain',
  'until',
] as const;

/** Creates the class of `<paystate-checkout>`. It needs a document. */
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

/** The element's order, which stays open if only texts or locale change. */
class Orders {
  #key: string = '';
  #access: OrderAccess | undefined;

  /** Opens the order. Returns `undefined` while a property is missing. */
  accessOf({ baseUrl, orderId, orderSecret }: CheckoutProperties): OrderAccess | undefined {
    if (!baseUrl || !orderId || !orderSecret) return undefined;
    const key = JSON.stringify([baseUrl, orderId, orderSecret]);
    if (key !== this.#key || !this.#access)
      this.#access = new OrderAccess({ baseUrl, orderId, orderSecret });
    this.#key = key;
    return this.#access;
  }
}

/** Returns a URL that's safe to follow, so not a script. */
function safeUrl(given: string | undefined): string | undefined {
  if (!given) return undefined;
  const url = parseUrl(given, document.baseURI);
  if (url && /^https?:$/.test(url.protocol)) return url.href;
  const fault = url ? `must be http or https, not ${url.protocol}` : 'is not a URL';
  console.warn(`paystate-checkout: success-url is ignored; it ${fault}`);
  return undefined;
}

/** Returns the client's time. Without a client, no card needs it. */
function makeTime(clock: Clock | undefined, signal: AbortSignal) {
  return {
    now: () => clock!.now(),
    monotonic: () => clock?.monotonic() ?? 0,
    wait: (ms: number) => clock!.wait(ms, signal),
  };
}

/** What to sell according to the properties, or the error in them. */
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
    if (isPaystateError(thrown)) return { error: thrown }; // for example, an invalid URL
    throw thrown;
  }
}

function startCheckout(
  properties: CheckoutProperties,
  changed: (view: CheckoutView) => void,
  orders: Orders,
): Shown {
  void loadEncoder(); // at the same time as the first request
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

/** Resolves to `undefined` if it can't be loaded now. Never rejects. */
function loadEncoder(): Promise<QrPathOf | undefined> {
  return import('./qr-path.ts').then(
    (module) => module.qrPath,
    () => undefined,
  );
}
