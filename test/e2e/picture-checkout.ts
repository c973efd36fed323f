// The script of a page that shows one state of the checkout at a time.
import { createClient } from 'paystate';
import type { CheckoutView } from 'paystate/flows';
import { elementsEn } from 'paystate/messages/en';
import { createSandbox } from 'paystate/sandbox';
import { CheckoutCard } from '../../dist/elements/checkout-card.js';
import { CHECKOUT_LOOK } from '../../dist/elements/checkout-card.js';
import { baseLook } from '../../dist/elements/look.js';
import { qrPath } from '../../dist/elements/qr-path.js';

declare global {
  interface Window {
    /** Shows one state. */
    show(name: string): void;
  }
}

const sandbox = createSandbox({ seed: 'pictures' });
const client = createClient(sandbox.clientOptions);
const invoice = await sandbox.run(
  client.invoices.create({
    amount: { amount: '16.80', currency: 'EUR' },
    description: '1 × Harbour Espresso, 500 g',
    correlationId: 'QK-7F3A91C2',
  }),
);
const { lnInvoice } = await sandbox.run(client.invoices.quote(invoice.invoiceId));
const quote = {
  lnInvoice,
  link: `lightning:${lnInvoice}`,
  qrText: lnInvoice.toUpperCase(),
  amount: { amount: '0.00027418', currency: 'BTC' },
  expiresAt: 0,
};
const onchain = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';
const known = { invoice, freshness: 'live' };
const awaiting = { ...known, phase: 'awaiting', quote, renewed: false };
const paid = { ...known, phase: 'paid', late: false, over: false };
const other = {
  ...quote,
  lnInvoice: `${lnInvoice}q`,
  amount: { amount: '0.00027502', currency: 'BTC' },
};
const part = { state: 'COMPLETED', amountReceived: { amount: '6.00', currency: 'EUR' } };
// The views have only the members of errors and invoices that the card reads.
const views: Readonly<Record<string, readonly unknown[]>> = {
  loading: [{ phase: 'loading' }],
  awaiting: [awaiting],
  renewed: [awaiting, { ...awaiting, quote: other, renewed: true }],
  stale: [awaiting, { ...awaiting, freshness: 'stale' }],
  offline: [awaiting, { ...awaiting, freshness: 'offline' }],
  blocked: [awaiting, { ...awaiting, freshness: 'blocked' }],
  onchain: [{ ...awaiting, quote: { ...quote, onchain } }],
  renewing: [awaiting, { ...known, phase: 'renewing' }],
  paused: [awaiting, { ...known, phase: 'paused' }],
  pending: [awaiting, { ...known, phase: 'pending' }],
  unconfirmed: [awaiting, { ...known, phase: 'pending', unconfirmed: 'UNPAID', knownAt: 24_000 }],
  partial: [
    awaiting,
    { ...known, invoice: { ...invoice, transactions: [part] }, phase: 'partial' },
  ],
  less: [awaiting, { ...known, phase: 'partial' }],
  paid: [awaiting, paid],
  late: [awaiting, { ...paid, late: true }],
  over: [awaiting, { ...paid, over: true }],
  cancelled: [awaiting, { ...known, phase: 'cancelled' }],
  reversed: [awaiting, { ...known, phase: 'reversed' }],
  unsafe: [awaiting, { ...known, phase: 'unsafe', problem: 'QUOTE_PAYEE_CHANGED' }],
  details: [
    awaiting,
    {
      ...known,
      invoice: { ...invoice, correlationId: undefined },
      phase: 'unsafe',
      problem: 'QUOTE_PAYEE_CHANGED',
    },
  ],
  unknown: [awaiting, { ...known, phase: 'unknown' }],
  failed: [awaiting, { phase: 'failed', error: { code: 'FORBIDDEN' }, invoice }],
  notFound: [{ phase: 'failed', error: { code: 'NOT_FOUND' } }],
};

const NOW = Date.UTC(2026, 10, 22, 14, 5);

window.show = (name) => {
  const place = document.createElement('div');
  document.querySelector('main')!.replaceChildren(place);
  const look = new CSSStyleSheet();
  look.replaceSync(baseLook() + CHECKOUT_LOOK);
  const shadow = place.attachShadow({ mode: 'open' });
  shadow.adoptedStyleSheets = [look];
  const card = new CheckoutCard({
    texts: elementsEn,
    locale: 'en',
    successUrl: 'https://shop.example/thanks',
    touch() {},
    retry() {},
    now: () => NOW,
    monotonic: () => 0,
    wait: () => new Promise(() => {}),
    nextCheck: () => NOW,
  });
  card.useEncoder(qrPath);
  shadow.append(card.parts.card);
  for (const view of views[name] ?? []) card.show(view as CheckoutView);
  if (name !== 'loading') card.tick(26);
  card.parts.details.toggleAttribute('open', name === 'details');
};
