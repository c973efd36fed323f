// Make four hundred invoices at once. The client respects the rate limit, so it takes a minute or
// two, nothing is refused, and nobody is blocked.
import { type Client, createClient, type Invoice } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

export const makeAll = (client: Client, orders: readonly string[]): Promise<Invoice[]> =>
  Promise.all(
    orders.map(async (correlationId) => {
      const amount = { amount: '5.00', currency: 'EUR' };
      return (await client.invoices.ensure({ correlationId, amount })).invoice;
    }),
  );

export async function example() {
  const sandbox = createSandbox();
  const waits: number[] = [];
  const client = createClient({
    ...sandbox.clientOptions,
    queueTimeout: 600_000, // how long a call may wait for its slot
    onWait: ({ delay }) => waits.push(delay),
  });
  const orders = Array.from({ length: 400 }, (_, index) => `order-${index}`);
  const begin = sandbox.clock.now();
  const invoices = await sandbox.run(makeAll(client, orders));
  const minutes = Math.ceil((sandbox.clock.now() - begin) / 60_000);
  const hasWaited = waits.length > 0;
  return { made: invoices.length, hasWaited, minutes, blocks: sandbox.blocks };
}

if (import.meta.main) console.log(await example());
