import { type Connection, internals, refuseClient } from '../core/http/index.ts';
import type { Clock } from '../core/time.ts';
import { checkout, type CheckoutOptions, type CheckoutView, countdown } from '../flows/index.ts';
import type { InvoiceId } from '../resources/invoices.ts';
import { CheckoutCard } from './checkout-card.ts';
import type { QrPathOf } from './checkout-code.ts';
import { CHECKOUT_LOOK } from './checkout-look.ts';
import { elementClass, type Shown } from './element-class.ts';
import { localeOf } from './locale-of.ts';
import type { TypedElement } from './page-element.ts';
import { checkoutEn, type CheckoutTexts } from './texts.ts';

/** What a page gives to `<paystate-checkout>`. */
export interface CheckoutProperties {
  /** A client, or a connection of `connect`. */
  client?: Connection | undefined;
  /** Of an invoice that exists. */
  invoiceId?: InvoiceId | undefined;
  /** BCP 47 tag for numbers and times; that of the texts. */
  locale?: string | undefined;
  /** The texts; English. `elementsDe` of `paystate/messages/de`, and so on. */
  catalogue?: CheckoutTexts | undefined;
  /** Offers the on-chain address of a code too, which never ends and has no rate. */
  includeOnchain?: boolean | undefined;
  /** `'never'`: goes on after the end, since a paid invoice may be reversed; `'settled'`. */
  until?: CheckoutOptions['until'];
  /**
   * Address behind "Back to the shop" after a payment, http or https; also the attribute
   * `success-url`. Any other is ignored, which a warning on the console says.
   */
  successUrl?: string | undefined;
}

/** How long the first code waits for its picture, milliseconds. */
const LONGEST = 1_500;

/** Loading goes unmentioned for this long, milliseconds. */
const SLOW_MS = 2_000;

/** Attributes of `<paystate-checkout>`. */
export interface CheckoutAttributes {
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

/** Makes the class of `<paystate-checkout>`; only where there is a document. */
export function checkoutElement(): new () => CheckoutElement {
  const names = ['client', 'invoiceId', 'locale', 'catalogue', 'includeOnchain', 'until'];
  return elementClass<CheckoutProperties, CheckoutView>(names, startCheckout, {
    'success-url': 'successUrl',
  }) as new () => CheckoutElement;
}

/** An address that can be followed, or `undefined`; a script is none. */
function safeUrl(given: string | undefined): string | undefined {
  if (!given) return undefined;
  try {
    const { href, protocol } = new URL(given, document.baseURI);
    if (/^https?:$/.test(protocol)) return href;
    console.warn(
      `paystate-checkout: success-url is ignored; it must be http or https, not ${protocol}`,
    );
  } catch {
    console.warn('paystate-checkout: success-url is ignored; it is not a URL');
  }
  return undefined;
}

/** The client's time; without a client, no card needs any. */
function timeOf(clock: Clock | undefined, signal: AbortSignal) {
  return {
    now: () => clock!.now(),
    monotonic: () => clock?.monotonic() ?? 0,
    wait: (ms: number) => clock!.wait(ms, signal),
  };
}

function startCheckout(
  { client, invoiceId, locale, catalogue, successUrl, ...rest }: CheckoutProperties,
  changed: (view: CheckoutView) => void,
): Shown {
  void loadEncoder(); // beside the first request
  const texts = catalogue ?? checkoutEn;
  const error = client && refuseClient(client);
  const sale = client && invoiceId && !error ? checkout(client, { ...rest, invoiceId }) : undefined;
  let stopCount = (): void => {};
  let counted: number | undefined;
  const touch = (): void => sale?.touch();
  const clock = client?.[internals]?.clock;
  const end = new AbortController();
  const card = new CheckoutCard({
    texts,
    locale: localeOf(locale, texts),
    successUrl: safeUrl(successUrl),
    touch,
    retry: sale && (() => sale.retry()),
    ...timeOf(clock, end.signal),
    nextCheck: () => sale?.status().blockedUntil ?? sale?.status().nextReadAt,
  });
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
  for (const type of ['pointerdown', 'keydown'])
    document.addEventListener(type, touch, { signal: end.signal });
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

/** `undefined` where it cannot be loaded now; never rejects. */
function loadEncoder(): Promise<QrPathOf | undefined> {
  return import('./qr-path.ts').then(
    (module) => module.qrPath,
    () => undefined,
  );
}
