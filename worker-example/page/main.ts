// A checkout page: it knows ids and counts, an order's secret, and what the shop's Worker shows it of one invoice.
import { createClient } from 'paystate';
import { qrSvg } from 'paystate/elements';
import { checkout, type CheckoutView, countdown } from 'paystate/flows';
import { formatMoney } from 'paystate/money';
import { firstPass, forgetOrder, keptOrder, type Order, passesFor, placeOrder } from './order.ts';

const byId = (id: string): HTMLElement => document.getElementById(id)!;

const TEXTS: Readonly<Record<CheckoutView['phase'], string>> = {
  loading: 'One moment …',
  failed: 'This order cannot be shown any more.',
  awaiting: 'Pay with any Lightning wallet',
  renewing: 'Renewing the code …',
  paused: 'Paused. Touch this page for a new code.',
  pending: 'Payment on its way …',
  partial: 'Only a part has come in. Please ask the shop.',
  paid: 'Paid. Thank you!',
  cancelled: 'This order was cancelled.',
  reversed: 'The payment was taken back.',
  unknown: 'One moment …',
  unsafe: 'This code cannot be shown. Please ask the shop.',
};

let stop = (): void => {};

function show(view: CheckoutView, count: (end: number) => void): void {
  byId('payment').dataset['phase'] = view.phase;
  byId('state').textContent = TEXTS[view.phase];
  byId('amount').textContent = view.invoice ? formatMoney(view.invoice.amount, { locale: 'en' }) : '';
  byId('what').textContent = view.invoice?.description ?? '';
  const code = view.phase === 'awaiting' ? view.quote : undefined;
  const qr = byId('qr');
  if (qr.dataset['code'] !== (code?.lnInvoice ?? '')) {
    qr.dataset['code'] = code?.lnInvoice ?? '';
    qr.innerHTML = code ? qrSvg(code.qrText) : '';
    (byId('wallet') as HTMLAnchorElement).href = code?.link ?? '';
    if (code) count(code.expiresAt);
  }
  byId('wallet').hidden = code === undefined;
  if (view.phase === 'paid' || view.phase === 'cancelled') forgetOrder();
}

/** Shows an order until it is settled; the same in every tab that has its secret. */
async function open(order: Order): Promise<void> {
  stop();
  byId('shop').hidden = true;
  byId('payment').hidden = false;
  const pass = passesFor(order);
  const client = createClient({ baseUrl: '/pay', token: async () => (await pass()).token });
  let isLeft = false;
  stop = () => void (isLeft = true);
  const { invoiceId } = await firstPass(pass);
  if (isLeft) return;
  let stopCount = (): void => {};
  const count = (end: number): void => {
    stopCount();
    stopCount = countdown(client, { expiresAt: end }).subscribe((left) => void (byId('clock').textContent = `${left} s`));
  };
  const sale = checkout(client, { invoiceId });
  addEventListener('pointerdown', sale.touch);
  const stopShow = sale.subscribe({
    next: (view) => show(view, count),
    error: () => void (byId('state').textContent = 'This order cannot be shown any more.'),
  });
  stop = () => {
    stopShow();
    removeEventListener('pointerdown', sale.touch);
    stopCount();
  };
}

const trouble = (thrown: unknown): void => void (byId('trouble').textContent = thrown instanceof Error ? thrown.message : '');

byId('form').addEventListener('submit', (event) => {
  event.preventDefault();
  const wish = new FormData(event.target as HTMLFormElement);
  byId('trouble').textContent = '';
  placeOrder(String(wish.get('product')), Number(wish.get('count'))).then(open).catch(trouble);
});

byId('leave').addEventListener('click', () => {
  stop();
  forgetOrder();
  byId('payment').hidden = true;
  byId('shop').hidden = false;
});

const kept = keptOrder();
if (kept) open(kept).catch(trouble);
