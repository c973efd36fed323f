// List the newest twenty invoices with one request.
import { type Client, createClient, type Invoice } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

export const newest = (client: Client): Promise<Invoice[]> =>
  client.invoices.list({}, { order: 'desc', pageSize: 20 }).toArray({ limit: 20 });

export async function example() {
  const sandbox = createSandbox();
  const client = createClient(sandbox.clientOptions);
  const amount = { amount: '5.00', currency: 'EUR' };
  for (let number = 1; number <= 25; number += 1) {
    await sandbox.run(client.invoices.create({ amount, correlationId: `order-${number}` }));
    await sandbox.advance(1_000);
  }
  const before = sandbox.log.length;
  const invoices = await sandbox.run(newest(client));
  const requests = sandbox.log.length - before;
  return [invoices.length, invoices[0]?.correlationId, invoices.at(-1)?.correlationId, requests];
}

if (import.meta.main) console.log(await example());
