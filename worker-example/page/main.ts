// A checkout page: it knows ids and counts, an order's secret, and what the shop's Worker shows it of one invoice.
import { createClient } from 'paystate';
import { type CheckoutElement, defineElements } from 'paystate/elements';
import type { CheckoutView } from 'paystate/flows';
import { cartIn, showGoods } from './cart.ts';
import { firstPass, forgetOrder, keptOrder, type Order, orderState, passesFor, placeOrder } from './order.ts';

const byId = (id: string): HTMLElement => document.getElementById(id)!;
const checkout = document.querySelector('paystate-checkout') as CheckoutElement;
const form = byId('form') as HTMLFormElement;

/** What the shop says of a paid order; the checkout says the rest. */
const SAID: Readonly<Record<string, string>> = {
  shipped: 'Packed and on its way to you.',
  held: 'We have your payment, but it doesn’t match the order. We’ll check it and write to you.',
  refunding: 'Your money is on its way back.',
  refunded: 'Your money was sent back.',
};
const AGAIN = 2_000;
const LONGEST = 60_000;

let open: Order | undefined;

const say = (text: string): void => void (byId('trouble').textContent = text);
const trouble = (thrown: unknown): void => say(thrown instanceof Error ? thrown.message : '');

/** Shows an order until it is settled; the same in every tab that has its secret. */
async function show(order: Order): Promise<void> {
  open = order;
  form.hidden = true;
  byId('payment').hidden = false;
  byId('number').textContent = order.orderId;
  const pass = passesFor(order);
  const { invoiceId } = await firstPass(pass);
  if (open !== order) return;
  const client = createClient({ baseUrl: '/pay', token: async (last) => (await pass(last)).token });
  Object.assign(checkout, { client, invoiceId, orderId: order.orderId }); // its receipt shows the number
}

/** Asks until the shop has done something about the money, ever more rarely; it packs within seconds. */
async function showState(order: Order): Promise<void> {
  for (let wait = AGAIN; open === order; wait = Math.min(LONGEST, 2 * wait)) {
    const state = (await orderState(order)) ?? 'open';
    if (open !== order) return;
    byId('state').textContent = SAID[state] ?? '';
    if (SAID[state]) return;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

checkout.addEventListener('paystate-change', (event) => {
  const { phase } = (event as CustomEvent<CheckoutView>).detail;
  if (phase !== 'paid' && phase !== 'cancelled') return;
  forgetOrder();
  if (phase === 'paid' && open) void showState(open);
});

form.addEventListener('submit', (event) => {
  event.preventDefault();
  say('');
  const cart = cartIn(form);
  if (Object.keys(cart).length === 0) return say('Your cart is empty.');
  placeOrder(cart).then(show).catch(trouble);
});

byId('leave').addEventListener('click', () => {
  open = undefined;
  Object.assign(checkout, { client: undefined, invoiceId: undefined, orderId: undefined });
  forgetOrder();
  say('');
  byId('state').textContent = '';
  byId('payment').hidden = true;
  form.hidden = false;
});

defineElements();
showGoods(form, byId('goods'), byId('total'));
const kept = keptOrder();
if (kept) show(kept).catch(trouble);
