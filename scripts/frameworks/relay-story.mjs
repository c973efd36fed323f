// A sale through the relay that a framework has mounted: order, page, payment, webhook, parcel, and the end in order.
import { createClient, watchInvoice } from '../../dist/index.js';

const LONGEST = 30_000;

async function until(what, holds) {
  for (const begun = performance.now(); performance.now() - begun < LONGEST; ) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`timed out waiting for ${what}`);
}

/** The story's result where all went well: the parcel was sent once, for this order, and the relay was closed. */
export const stopped = { forged: 401, way: 'polling', shipped: 1, isOurs: true, isClosed: true };

/** The page's client: the SDK with nothing but the order's secret. */
async function openPage(url, origin) {
  const ask = async (path, init) => {
    const headers = { origin, ...init.headers };
    const response = await fetch(`${url}${path}`, { ...init, headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const { orderId, orderSecret } = await ask('/sell', { method: 'POST' });
  const exchange = () => {
    const headers = { authorization: `Bearer ${orderSecret}` };
    return ask('/pay/token', { method: 'POST', headers, body: JSON.stringify({ orderId }) });
  };
  const { invoiceId } = await exchange();
  const client = createClient({
    baseUrl: `${url}/pay`,
    token: async () => (await exchange()).token,
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, origin } }),
    WebSocket: class extends WebSocket {
      constructor(to, protocols) {
        super(to, { protocols, headers: { origin } });
      }
    },
  });
  return { orderId, invoiceId, client, watch: watchInvoice(client, invoiceId, { until: 'never' }) };
}

/** @param world what `frameworks.mjs` gives: the sandbox, the origin of pages, the process and what it has said */
export async function story(url, { sandbox, origin, server, deliver, secret }) {
  const page = await openPage(url, origin);
  const stop = page.watch.subscribe(() => {});
  try {
    await until('the first value', () => page.watch.current().value);
    await sandbox.payer.pay((await page.client.invoices.quote(page.invoiceId)).lnInvoice);
    const forged = await deliver(`${url}/deliveries`, 'another secret of someone', page.invoiceId);
    await deliver(`${url}/deliveries`, secret, page.invoiceId);
    await deliver(`${url}/deliveries`, secret, page.invoiceId);
    await until('paid', () => page.watch.current().value?.state === 'PAID');
    const isRelayed = page.watch.status().reason.startsWith('relay');
    await until('the parcel', () => server.said.includes('shipped '));
    stop();
    server.child.kill('SIGTERM');
    await until('the end', () => server.said.includes('closed'));
    const orders = [...server.said.matchAll(/shipped (\S+)/g)].map(([, order]) => order);
    const isOurs = orders[0] === page.orderId;
    const way = isRelayed ? 'relay' : 'polling';
    return { forged, way, shipped: orders.length, isOurs, isClosed: true };
  } finally {
    stop();
  }
}
