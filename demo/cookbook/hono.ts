// Make an order in Hono: app.post('/orders', (c) => makeOrder(client, c.req.raw)).
// The server decides the price. The page gets only what it shows, and no key.
import { type Client, createClient, userMessage } from 'paystate';
import { en } from 'paystate/messages/en';
import { createSandbox } from 'paystate/sandbox';

const PRICES: Readonly<Record<string, string>> = { tea: '3.20', coffee: '4.20' };

export async function makeOrder(client: Client, request: Request): Promise<Response> {
  const { product, orderId } = (await request.json()) as { product: string; orderId: string };
  const price = PRICES[product];
  if (!price) return Response.json({ error: 'There is no such product.' }, { status: 404 });
  try {
    const { invoice } = await client.invoices.ensure({
      correlationId: orderId,
      amount: { amount: price, currency: 'EUR' },
      description: product,
    });
    const { lnInvoice, expiration } = await client.invoices.quote(invoice.invoiceId);
    return Response.json({ orderId, lnInvoice, expiration }, { status: 201 });
  } catch (thrown) {
    return Response.json({ error: userMessage(thrown, en) }, { status: 502 });
  }
}

export async function example() {
  const sandbox = createSandbox();
  const client = createClient(sandbox.clientOptions);
  const order = (product: string) => {
    const body = JSON.stringify({ product, orderId: 'order-1' });
    return new Request('https://shop.example/orders', { method: 'POST', body });
  };
  const made = await sandbox.run(makeOrder(client, order('tea')));
  const { lnInvoice } = (await made.json()) as { lnInvoice: string };
  const none = await sandbox.run(makeOrder(client, order('gold')));
  return [made.status, lnInvoice.slice(0, 4), none.status];
}

if (import.meta.main) console.log(await example());
