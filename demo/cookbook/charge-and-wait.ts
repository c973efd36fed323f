// Charge a customer and wait for the payment, no longer than a minute.
// Time over is not a failure: the invoice stays open and may still be paid.
import { type Client, createClient, waitUntilSettled, watchInvoice } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

export async function charge(
  client: Client,
  amount: string,
  show: (lnInvoice: string) => void,
): Promise<string> {
  const invoice = await client.invoices.create({ amount: { amount, currency: 'EUR' } });
  const { lnInvoice } = await client.invoices.quote(invoice.invoiceId);
  show(lnInvoice);
  const watch = watchInvoice(client, invoice);
  const { settled, snapshot } = await waitUntilSettled(watch, { timeout: 60_000 });
  return settled ? snapshot.value!.state : 'still open';
}

export async function example() {
  const sandbox = createSandbox();
  const client = createClient(sandbox.clientOptions);
  const pay = (lnInvoice: string) => void sandbox.payer.pay(lnInvoice);
  const bought = await sandbox.run(charge(client, '12.50', pay));
  const abandoned = await sandbox.run(charge(client, '12.50', console.log));
  return { bought, abandoned };
}

if (import.meta.main) console.log(await example());
