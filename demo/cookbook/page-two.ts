// Show a list by pages with "next". The cursor of a page is a text that leads to the one after it.
import { type Client, createClient } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

export interface PageOfOrders {
  readonly orders: readonly (string | undefined)[];
  /** For the link to the next page. Absent on the last one. */
  readonly next?: string | undefined;
}

export async function pageOfOrders(client: Client, cursor?: string): Promise<PageOfOrders> {
  const list = client.invoices.list({}, { pageSize: 10, cursor });
  for await (const page of list.pages()) {
    const orders = page.items.map(({ correlationId }) => correlationId);
    return { orders, next: page.items.length < 10 ? undefined : page.cursor };
  }
  return { orders: [] };
}

export async function example() {
  const sandbox = createSandbox();
  const client = createClient(sandbox.clientOptions);
  const amount = { amount: '5.00', currency: 'EUR' };
  for (let number = 1; number <= 15; number += 1)
    await sandbox.run(client.invoices.create({ amount, correlationId: `order-${number}` }));
  const first = await sandbox.run(pageOfOrders(client));
  const second = await sandbox.run(pageOfOrders(client, first.next));
  return [first.orders.length, second.orders, second.next];
}

if (import.meta.main) console.log(await example());
