// Test your webhook handler: good, forged and doubled deliveries, without a server or a tunnel.
import { createClient, ensureSubscription } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { memoryInboxStore } from 'paystate/stores';
import { makeDelivery, makeEvent } from 'paystate/testing';
import { createInbox } from 'paystate/webhooks';

const secret = 'the secret of this test';
const webhookUrl = 'https://shop.example/hooks';
const eventTypes = ['invoice.updated'];

export async function example() {
  const shipped: string[] = [];
  const sandbox = createSandbox({ deliver: (request) => inbox.handle(request) });
  const client = createClient(sandbox.clientOptions);
  const inbox = createInbox({
    client,
    secrets: secret,
    store: memoryInboxStore(),
    on: { invoicePaid: ({ correlationId }) => shipped.push(correlationId ?? '') }, // under test
  });
  const draft = { webhookUrl, webhookVersion: 'v1', secret, enabled: true, eventTypes };
  await sandbox.run(ensureSubscription(client, draft));
  sandbox.fault({ eventType: 'invoice.updated', delivery: 'duplicated' });
  const order = { correlationId: 'order-1', amount: { amount: '5.00', currency: 'EUR' } };
  const { invoiceId } = await sandbox.run(client.invoices.create(order));
  await sandbox.run(sandbox.payer.pay(invoiceId));
  await sandbox.advance(10_000);
  const forged = await makeDelivery(makeEvent(), 'another secret of someone');
  const { status } = await sandbox.run(inbox.handle(forged));
  return { shipped, status };
}

if (import.meta.main) console.log(await example());
