// Find every five minutes what no webhook brought, with Deno's cron.
// The same works with a cron of Node, or with scheduled() of a Worker.
import { createClient } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { memoryInboxStore } from 'paystate/stores';
import { createInbox, type Inbox } from 'paystate/webhooks';

type Cron = (name: string, schedule: string, handler: () => Promise<unknown>) => unknown;

/** With `Deno.cron`. */
export const everyFiveMinutes = (cron: Cron, inbox: Inbox) =>
  cron('find missed webhooks', '*/5 * * * *', () => inbox.reconcile());

export async function example() {
  const sandbox = createSandbox(); // it delivers no webhook
  const client = createClient(sandbox.clientOptions);
  const paid: string[] = [];
  const inbox = createInbox({
    client,
    secrets: 'the secret of the shop',
    store: memoryInboxStore(), // in production: sqlInboxStore
    on: { invoicePaid: ({ correlationId }) => paid.push(correlationId ?? '') },
  });
  let runNow = async (): Promise<unknown> => undefined;
  everyFiveMinutes((_name, _schedule, handler) => (runNow = handler), inbox);
  await sandbox.run(runNow()); // the first run remembers the position in the feed
  const draft = { amount: { amount: '5.00', currency: 'EUR' }, correlationId: 'order-1' };
  const { invoiceId } = await sandbox.run(client.invoices.create(draft));
  await sandbox.run(sandbox.payer.pay(invoiceId));
  await sandbox.advance(60_000);
  await sandbox.run(runNow());
  return paid;
}

if (import.meta.main) console.log(await example());
