// Compare the shop's orders with the service: paid and not shipped, shipped and not paid, or paid
// with another amount? For all money that moved there is `npx paystate export`.
import { type Client, createClient, type Money, whereInvoice } from 'paystate';
import { isSameMoney } from 'paystate/money';
import { createSandbox } from 'paystate/sandbox';

export interface Order {
  readonly invoiceId: string;
  readonly amount: Money;
  readonly isShipped: boolean;
}

export async function differences(client: Client, orders: readonly Order[], from: Date) {
  const open = new Map(orders.map((order) => [order.invoiceId, order]));
  const found: string[] = [];
  const paid = whereInvoice((f) => f.state.eq('PAID').and(f.created.ge(from)));
  for await (const { invoiceId, amount, correlationId } of client.invoices.list(paid)) {
    const order = open.get(invoiceId);
    open.delete(invoiceId);
    if (!order) found.push(`${correlationId}: paid, and no order`);
    else if (!isSameMoney(order.amount, amount)) found.push(`${correlationId}: other amount`);
    else if (!order.isShipped) found.push(`${correlationId}: paid, not shipped`);
  }
  const unpaid = [...open.values()].filter(({ isShipped }) => isShipped);
  return [...found, ...unpaid.map(({ invoiceId }) => `${invoiceId}: shipped, not paid`)];
}

export async function example() {
  const sandbox = createSandbox();
  const client = createClient(sandbox.clientOptions);
  const amount = { amount: '5.00', currency: 'EUR' };
  const draft = { amount, correlationId: 'order-1' };
  const { invoiceId } = await sandbox.run(client.invoices.create(draft));
  await sandbox.run(sandbox.payer.pay(invoiceId));
  const lost = { invoiceId: 'another', amount, isShipped: true };
  const orders = [{ invoiceId, amount, isShipped: false }, lost];
  return sandbox.run(differences(client, orders, new Date(0)));
}

if (import.meta.main) console.log(await example());
