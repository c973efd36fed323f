// A Worker as people write it: a client with an API key for each request, and a sandbox for all of them.
import { createClient, correlationIdFor } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

const sandbox = createSandbox();

export default {
  async fetch(): Promise<Response> {
    try {
      createClient({ baseUrl: 'https://payments.example', apiKey: 'KEY' });
      const client = createClient(sandbox.clientOptions);
      const amount = { amount: '12.50', currency: 'EUR' } as const;
      const { invoiceId } = await client.invoices.create({ amount });
      const { state } = await client.invoices.get(invoiceId);
      let count = 0;
      for await (const invoice of client.invoices.list()) count += invoice.invoiceId ? 1 : 0;
      return Response.json({ state, count, id: await correlationIdFor('a b') });
    } catch (thrown) {
      return Response.json({ failed: String(thrown), code: (thrown as { code?: string }).code });
    }
  },
};
