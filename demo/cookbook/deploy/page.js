// The shop's page. It orders a good, keeps the order of this tab, and shows its checkout.
import { createConnection, defineElements } from './paystate-checkout.min.js';

defineElements();
const form = document.querySelector('form');
const checkout = document.querySelector('paystate-checkout');
const alert = document.querySelector('[role=alert]');

/** Sends a request until the shop answers. Sending it twice has no further effect. */
async function ask(path, body, headers = {}) {
  for (;;) {
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(path, init).catch(() => undefined);
    if (response?.ok) return response.json();
    if (response && response.status < 500 && response.status !== 429)
      throw new Error(`The shop refuses this order (${response.status}).`);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
}

async function pay(good, key) {
  form.hidden = true;
  const { orderId, orderSecret } = await ask('/orders', { good, key });
  const exchange = () => ask('/pay/token', { orderId }, { authorization: `Bearer ${orderSecret}` });
  let pass = exchange();
  const { invoiceId } = await pass;
  // `last` is a token that has expired
  const token = async (last) => (await (last ? (pass = exchange()) : pass)).token;
  const client = createConnection({ baseUrl: '/pay', token });
  Object.assign(checkout, { client, invoiceId, hidden: false });
}

/** Keeps the order's key, so this tab has the same order after a reload. */
function start(good, key = crypto.randomUUID()) {
  sessionStorage.setItem('order', JSON.stringify({ good, key }));
  pay(good, key).catch((error) => {
    sessionStorage.removeItem('order');
    form.hidden = false;
    alert.textContent = error.message;
  });
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  start(event.submitter.value);
});
const kept = JSON.parse(sessionStorage.getItem('order') ?? 'null');
if (kept) start(kept.good, kept.key);
