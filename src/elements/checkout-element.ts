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
 * Properties of `<paystate-checkout>` that a page sets: `client` and `invoiceId`, or an order of a
 * relay by `baseUrl`, `orderId` and `orderSecret`, which are attributes too. Nothing is requested
 * before all of them are there.
 */
export interface CheckoutProperties {
  /** A client, or a connection of `connect`. */
  client?: Connection | undefined;
  /** Id of an invoice that exists. */
  invoiceId?: InvoiceId | undefined;
  /** Address of the relay, such as `/pay`; also the attribute `base-url`. */
  baseUrl?: string | undefined;
  /** The order's number at the relay; also the attribute `order-id`. */
  orderId?: string | undefined;
  /**
   * The order's secret, which the relay exchanges for tokens; also the attribute `order-secret`. As
   * a property it is not part of the document.
   */
  orderSecret?: string | undefined;
  /** BCP 47 tag for numbers and times; that of the texts. */
  locale?: string | undefined;
  /** The texts; English. `elementsDe` of `paystate/messages/de`, and so on. */
  catalogue?: CheckoutTexts | undefined;
  /** Offers the on-chain address of a code too, which never ends and has no rate. */
  includeOnchain?: boolean | undefined;
  /** `'never'`: goes on after the end, since a paid invoice may be reversed; `'settled'`. */
  until?: CheckoutOptions['until'];
  /**
   * Time for which codes are renewed after the last tap or key on the page, milliseconds; 600,000.
   * 0: no code is requested, and the order is only followed.
   */
  pauseAfter?: number | undefined;
  /**
   * Address behind "Back to the shop" after a payment, http or https; also the attribute
   * `success-url`. Any other is ignored, which a warning on the console says.
   */
  successUrl?: string | undefined;
}

/** Longest wait of the first code for its picture, milliseconds. */
const LONGEST = 1_500;

/** Loading goes unmentioned for this long, milliseconds. */
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
  /** Colour scheme of the card; that of the page. */
  theme?: 'light' | 'dark' | undefined;
}

/** Events of `<paystate-checkout>`, by name. */
export interface CheckoutEvents {
  /** The checkout shows something else, which is `detail` of the event. */
  'paystate-change': CustomEvent<CheckoutView>;
}

/** `<paystate-checkout>`. */
export interface CheckoutElement extends TypedElement<CheckoutProperties, CheckoutEvents> {}

/** Attributes, and the properties that they set. */
export const CHECKOUT_ATTRIBUTES = {
  'base-url': 'baseUrl',
  'order-id': 'orderId',
  'order-secret': 'orderSecret',
  'success-url': 'successUrl',
} as const;

/** Properties that no attribute sets, and that a pay button has too. */
export const CHECKOUT_NAMES = [
  'client',
  'invoiceId',
  'locale',
  'catalogue',
  'includeOnchain',
  'until',
] as const;

/** Makes the class of `<paystate-checkout>`; only where there is a document. */
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

/** The order of one element, which stays open where only words of the element change. */
class Orders {
  #key: string = '';
  #access: OrderAccess | undefined;

  /** Opens the order; `undefined` while a part of its name is missing. */
  accessOf({ baseUrl, orderId, orderSecret }: CheckoutProperties): OrderAccess | undefined {
    if (!baseUrl || !orderId || !orderSecret) return undefined;
    const key = JSON.stringify([baseUrl, orderId, orderSecret]);
    if (key !== this.#key || !this.#access)
      this.#access = new OrderAccess({ baseUrl, orderId, orderSecret });
    this.#key = key;
    return this.#access;
  }
}

/** An address that can be followed, or `undefined`, as for a script. */
function safeUrl(given: string | undefined): string | undefined {
  if (!given) return undefined;
  const url = parseUrl(given, document.baseURI);
  if (url && /^https?:$/.test(url.protocol)) return url.href;
  const fault = url ? `must be http or https, not ${url.protocol}` : 'is not a URL';
  console.warn(`paystate-checkout: success-url is ignored; it ${fault}`);
  return undefined;
}

/** The client's time; without a client, no card needs any. */
function makeTime(clock: Clock | undefined, signal: AbortSignal) {
  return {
    now: () => clock!.now(),
    monotonic: () => clock?.monotonic() ?? 0,
    wait: (ms: number) => clock!.wait(ms, signal),
  };
}

/**
 * The sale that properties ask for, with the client whose time it has; or what is wrong with them.
 */
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
    if (isPaystateError(thrown)) return { error: thrown }; // an invalid address, for instance
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

/** `undefined` where it cannot be loaded now; never rejects. */
function loadEncoder(): Promise<QrPathOf | undefined> {
  return import('./qr-path.ts').then(
    (module) => module.qrPath,
    () => undefined,
  );
}
