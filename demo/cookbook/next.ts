// Show the state of an order in Next: app/orders/[id]/route.ts exports stateOf(client) as GET.
// In Next 15 and newer the parameters are a promise.
import { type Client, createClient, hasCode, isPaystateError } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

interface Context {
  readonly params: Promise<{ readonly id: string }>;
}

export const stateOf =
  (client: Client) =>
  async (request: Request, { params }: Context): Promise<Response> => {
    const { id: correlationId } = await params;
    try {
      const [invoice] = await client.invoices
        .list({ correlationId }, { signal: request.signal })
        .toArray({ limit: 1 });
      if (!invoice) return new Response(null, { status: 404 });
      return Response.json({ state: invoice.state }, { headers: { 'cache-control': 'no-store' } });
    } catch (thrown) {
      if (!isPaystateError(thrown)) throw thrown; // Next steers by errors of its own
      const status = hasCode(thrown, 'UNREACHABLE') ? 503 : 500; // not known is not "not paid"
      return new Response(null, { status });
    }
  };

export async function example() {
  const sandbox = createSandbox();
  const client = createClient(sandbox.clientOptions);
  const amount = { amount: '5.00', currency: 'EUR' };
  await sandbox.run(client.invoices.create({ amount, correlationId: 'order-1' }));
  const get = (id: string) => {
    const request = new Request(`https://shop.example/orders/${id}`);
    return sandbox.run(stateOf(client)(request, { params: Promise.resolve({ id }) }));
  };
  const known = await get('order-1');
  return [await known.json(), (await get('order-2')).status];
}

if (import.meta.main) console.log(await example());
