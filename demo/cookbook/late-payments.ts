// Close an order whose time is over, and ship it all the same if the payer was faster.
import { type Client, createClient } from 'paystate';
import { cancelInvoice } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';

export async function closeOrder(client: Client, invoiceId: string): Promise<string> {
  const result = await cancelInvoice(client, invoiceId); // waits for a payment that is on its way
  if (result.phase === 'paid') return 'ship it: it was paid in the last moment';
  if (result.phase === 'cancelled') return 'closed: it cannot be paid any more';
  return 'not known yet: try again later, and hold back the goods';
}

export async function example() {
  const sandbox = createSandbox();
  const client = createClient(sandbox.clientOptions);
  const draft = { amount: { amount: '5.00', currency: 'EUR' } };
  const abandoned = await sandbox.run(client.invoices.create(draft));
  const late = await sandbox.run(client.invoices.create(draft));
  await sandbox.advance(15 * 60_000);
  void sandbox.payer.pay(late.invoiceId, { pendingFor: 5_000 });
  return [
    await sandbox.run(closeOrder(client, abandoned.invoiceId)),
    await sandbox.run(closeOrder(client, late.invoiceId)),
  ];
}

if (import.meta.main) console.log(await example());
