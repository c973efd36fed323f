// Receive webhooks in Express, or another server of Node: app.post('/hooks', webhooks(inbox)).
// Put the route before express.json(), because the signature is over the raw bytes.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from 'paystate';
import { nodeHandler } from 'paystate/host';
import { createSandbox } from 'paystate/sandbox';
import { memoryInboxStore } from 'paystate/stores';
import { makeDelivery, makeEvent } from 'paystate/testing';
import { createInbox, type Inbox } from 'paystate/webhooks';

/** The handler that Express calls with its request and its response. */
export const webhooks = (inbox: Inbox) => nodeHandler((request) => inbox.handle(request));

export async function example() {
  const secret = 'the secret of the shop';
  const client = createClient(createSandbox({ clock: 'real' }).clientOptions);
  const store = memoryInboxStore(); // in production: sqlInboxStore or fileInboxStore
  const inbox = createInbox({ client, secrets: secret, store, on: {}, drainTimeout: 0 });
  const server = createServer(webhooks(inbox)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const statuses = [];
  for (const key of [secret, 'another secret of someone']) {
    const delivery = await makeDelivery(makeEvent(), key);
    const { method, headers } = delivery;
    const body = await delivery.text();
    statuses.push(
      (await fetch(`http://127.0.0.1:${port}/hooks`, { method, headers, body })).status,
    );
  }
  server.close();
  server.closeAllConnections();
  return statuses;
}

if (import.meta.main) console.log(await example());
