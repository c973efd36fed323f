// Look an order up for a customer who calls: is it paid, with how much, and when?
import { type Client, createClient } from 'paystate';
import { formatMoney } from 'paystate/money';
import { createSandbox } from 'paystate/sandbox';

export async function lookUp(client: Client, orderId: string): Promise<readonly string[]> {
  const [found] = await client.invoices.list({ correlationId: orderId }).toArray({ limit: 1 });
  if (!found) return [`${orderId}: no such order`];
  const { invoiceId } = found;
  const invoice = await client.invoices.get(invoiceId, { includeTransactions: true });
  const shown = formatMoney(invoice.amount, { locale: 'en' });
  const payments = (invoice.transactions ?? []).map(({ amountReceived, state, created }) => {
    const received = formatMoney(amountReceived, { locale: 'en' });
    return `${received} ${state} ${created?.slice(0, 16) ?? ''}`;
  });
  return [`${orderId}: ${shown} ${invoice.state}`, ...payments];
}

export async function example() {
  const sandbox = createSandbox();
  const client = createClient(sandbox.clientOptions);
  const draft = { correlationId: 'order-1', amount: { amount: '12.50', currency: 'EUR' } };
  const { invoiceId } = await sandbox.run(client.invoices.create(draft));
  await sandbox.run(sandbox.payer.pay(invoiceId));
  const paid = await sandbox.run(lookUp(client, 'order-1'));
  return [...paid, ...(await sandbox.run(lookUp(client, 'order-2')))];
}

if (import.meta.main) console.log(await example());
