// Add up the paid invoices of last month, by currency, without a float.
import { type Client, createClient, type Money, whereInvoice } from 'paystate';
import { addMoney } from 'paystate/money';
import { createSandbox } from 'paystate/sandbox';

export async function sumOfLastMonth(client: Client, now: Date): Promise<readonly Money[]> {
  const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1));
  const to = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  const paid = whereInvoice((f) =>
    f.state.eq('PAID').and(f.created.ge(from)).and(f.created.lt(to)),
  );
  const sums = new Map<string, Money>();
  for await (const { amount } of client.invoices.list(paid)) {
    const sum = sums.get(amount.currency);
    sums.set(amount.currency, sum ? addMoney(sum, amount) : amount);
  }
  return [...sums.values()];
}

export async function example() {
  const sandbox = createSandbox({ startAt: Date.UTC(2026, 0, 30) });
  const client = createClient(sandbox.clientOptions);
  for (const amount of ['0.10', '0.20', '7.00']) {
    const draft = { amount: { amount, currency: 'EUR' } };
    const { invoiceId } = await sandbox.run(client.invoices.create(draft));
    if (amount !== '7.00') await sandbox.run(sandbox.payer.pay(invoiceId));
  }
  await sandbox.advance(5 * 86_400_000);
  return sandbox.run(sumOfLastMonth(client, new Date(sandbox.clock.now())));
}

if (import.meta.main) console.log(await example());
