// A checkout page: it knows ids and counts, an order's secret, and what the shop's Worker shows it of one invoice.
import { createClient } from 'paystate';
import { type CheckoutElement, defineElements } from 'paystate/elements';
import type { CheckoutView } from 'paystate/flows';
import { firstPass, forgetOrder, keptOrder, type Order, passesFor, placeOrder } from './order.ts';

const byId = (id: string): HTMLElement => document.getElementById(id)!;
const checkout = document.querySelector('paystate-checkout') as CheckoutElement;

let open: Order | undefined;

const say = (text: string): void => void (byId('trouble').textContent = text);
const trouble = (thrown: unknown): void => say(thrown instanceof Error ? thrown.message : '');

/** Shows an order until it is settled; the same in every tab that has its secret. */
async function show(order: Order): Promise<void> {
  open = order;
  byId('form').hidden = true;
  byId('payment').hidden = false;
  const pass = passesFor(order);
  const { invoiceId } = await firstPass(pass);
  if (open !== order) return;
  const client = createClient({ baseUrl: '/pay', token: async () => (await pass()).token });
  Object.assign(checkout, { client, invoiceId });
}

checkout.addEventListener('paystate-change', (event) => {
  const { phase } = (event as CustomEvent<CheckoutView>).detail;
  if (phase === 'paid' || phase === 'cancelled') forgetOrder();
});

byId('form').addEventListener('submit', (event) => {
  event.preventDefault();
  const wish = new FormData(event.target as HTMLFormElement);
  say('');
  placeOrder(String(wish.get('product')), Number(wish.get('count'))).then(show).catch(trouble);
});

byId('leave').addEventListener('click', () => {
  open = undefined;
  Object.assign(checkout, { client: undefined, invoiceId: undefined });
  forgetOrder();
  say('');
  byId('payment').hidden = true;
  byId('form').hidden = false;
});

defineElements();
const kept = keptOrder();
if (kept) show(kept).catch(trouble);
