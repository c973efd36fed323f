// A Worker as people write it: a client with an API key for each request, and a sandbox for all of them.
import { createClient, correlationIdFor } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

const sandbox = createSandbox({ clock: 'virtual' });

async function sell(): Promise<object> {
  createClient({ baseUrl: 'https://payments.example', apiKey: 'KEY' });
  const client = createClient(sandbox.clientOptions);
  const amount = { amount: '12.50', currency: 'EUR' } as const;
  const { invoiceId } = await sandbox.run(client.invoices.create({ amount }));
  await sandbox.advance(1_000);
  const { state } = await sandbox.run(client.invoices.get(invoiceId));
  return { state, now: sandbox.clock.monotonic(), id: await correlationIdFor('a b') };
}

export default {
  async fetch(): Promise<Response> {
    return Response.json(await sell().catch((thrown: unknown) => ({ failed: String(thrown) })));
  },
};
