// Send a page only a part of an invoice. Other members never leave your server, not even one that
// the service adds tomorrow.
import { type Client, createClient } from 'paystate';
import { InvoiceSchema } from 'paystate/schemas';
import { createSandbox } from 'paystate/sandbox';
import * as v from 'valibot';

// `pick` keeps a schema loose, like the service's responses. `object` drops unknown members.
const Shown = v.object(v.pick(InvoiceSchema, ['invoiceId', 'amount', 'state']).entries);

/** The members that the page may rely on. */
export type Shown = v.InferOutput<typeof Shown>;

export async function show(client: Client, invoiceId: string): Promise<Response> {
  const shown: Shown = v.parse(Shown, await client.invoices.get(invoiceId));
  return Response.json(shown);
}

export async function example() {
  const sandbox = createSandbox();
  const client = createClient(sandbox.clientOptions);
  const amount = { amount: '5.00', currency: 'EUR' };
  const { invoiceId } = await sandbox.run(
    client.invoices.create({ amount, description: 'secret' }),
  );
  const response = await sandbox.run(show(client, invoiceId));
  const { invoiceId: id, ...rest } = (await response.json()) as Shown;
  return [id === invoiceId, rest];
}

if (import.meta.main) console.log(await example());
