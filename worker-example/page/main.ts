// The checkout page. It has ids and counts, an order's secret, and one invoice from the shop's
// Worker.
import { createClient } from 'paystate';
import { type CheckoutElement, defineElements } from 'paystate/elements';
import type { CheckoutView } from 'paystate/flows';
import { cartIn, showGoods } from './cart.ts';
import { firstPass, forgetOrder, keptOrder, type Order, orderState, passesFor, placeOrder } from './order.ts';

const byId = (id: string): HTMLElement => document.getElementById(id)!;
const checkout = document.querySelector('paystate-checkout') as CheckoutElement;
const form = byId('form') as HTMLFormElement;

/** The shop's texts for a paid order. The checkout has all others. */
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

/** Shows an order until it is settled. Every tab with its secret shows the same. */
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

/**
 * Asks less and less often until the shop has acted on the payment. The shop packs within seconds.
 */
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
