// Protects: the recipes for Express, Hono and TanStack Query fit the real packages, not only their forms.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createClient, type Invoice } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { memoryInboxStore } from 'paystate/stores';
import { makeDelivery, makeEvent } from 'paystate/testing';
import { createInbox, type InboxProblem } from 'paystate/webhooks';
import { after, describe, it } from '#test';
import { webhooks } from '../../demo/cookbook/express.ts';
import { makeOrder } from '../../demo/cookbook/hono.ts';
import { invoiceQuery, keepUpToDate } from '../../demo/cookbook/tanstack-query.ts';
import { express, Hono, QueryClient, QueryObserver, serveHono } from '../peers/peers.mjs';

const HOST = '127.0.0.1';
const DRAFT = { amount: { amount: '5.00', currency: 'EUR' } };

/** Where a server listens; it ends with the tests. */
async function urlOf(server: Server): Promise<string> {
  if (!server.listening) await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://${HOST}:${(server.address() as AddressInfo).port}`;
}

describe('the recipes with the real packages', () => {
  it('Express: takes a signed delivery before express.json(), and refuses another', async () => {
    const secret = 'the secret of the shop';
    const client = createClient(createSandbox({ clock: 'real' }).clientOptions);
    const store = memoryInboxStore();
    const inbox = createInbox({ client, secrets: secret, store, on: {}, drainTimeout: 0 });
    const app = express().post('/hooks', webhooks(inbox)).use(express.json());
    const url = await urlOf(app.listen(0, HOST));
    const send = async (key: string) => {
      const delivery = await makeDelivery(makeEvent(), key);
      const { method, headers } = delivery;
      const body = await delivery.text();
      return (await fetch(`${url}/hooks`, { method, headers, body })).status;
    };
    expect(await send(secret)).to.equal(200);
    expect(await send('another secret of someone')).to.equal(401);
  });

  it('Express: is told once that a parser in front has read the deliveries', async () => {
    const secret = 'the secret of the shop';
    const client = createClient(createSandbox({ clock: 'real' }).clientOptions);
    for (const [parser, status, told] of [
      [express.json(), 500, ['setup-failed BODY_ALREADY_READ']],
      [express.text({ type: '*/*' }), 200, []],
      [express.raw({ type: '*/*' }), 200, []],
    ] as const) {
      const problems: string[] = [];
      const onProblem = (problem: InboxProblem) =>
        void problems.push(`${problem.kind} ${Object(problem).error?.code}`);
      const store = memoryInboxStore();
      const options = { client, secrets: secret, store, on: {}, drainTimeout: 0 };
      const inbox = createInbox({ ...options, onProblem });
      const app = express().use(parser).post('/hooks', webhooks(inbox));
      const url = await urlOf(app.listen(0, HOST));
      for (let turn = 0; turn < 2; turn += 1) {
        const delivery = await makeDelivery(makeEvent(), secret);
        const { method, headers } = delivery;
        const body = await delivery.text();
        const response = await fetch(`${url}/hooks`, { method, headers, body });
        expect(response.status).to.equal(status);
      }
      expect(problems).to.deep.equal(told);
    }
  });

  it('Hono: makes the order at the price of the server', async () => {
    const client = createClient(createSandbox({ clock: 'real' }).clientOptions);
    const app = new Hono().post('/orders', (context) => makeOrder(client, context.req.raw));
    const url = await urlOf(serveHono({ fetch: app.fetch, port: 0, hostname: HOST }));
    const order = (product: string) => {
      const body = JSON.stringify({ product, orderId: 'order-1', amount: '0.01' });
      return fetch(`${url}/orders`, { method: 'POST', body });
    };
    const made = await order('tea');
    expect([made.status, (await order('gold')).status]).to.deep.equal([201, 404]);
    const invoices = await client.invoices.list({ correlationId: 'order-1' }).toArray({ limit: 9 });
    expect(invoices.map(({ amount }) => amount)).to.deep.equal([
      { amount: '3.20', currency: 'EUR' },
    ]);
  });

  it('TanStack Query: reads once, and whoever observes the query sees what the watch sees', async () => {
    const sandbox = createSandbox();
    const client = createClient(sandbox.clientOptions);
    const { invoiceId } = await sandbox.run(client.invoices.create(DRAFT));
    const cache = new QueryClient();
    const query = invoiceQuery(client, invoiceId);
    const seen: (string | undefined)[] = [];
    const before = sandbox.log.length;
    const leave = new QueryObserver<Invoice>(cache, query).subscribe(({ data }) =>
      seen.push(data?.state),
    );
    await sandbox.run(cache.fetchQuery(query));
    expect([
      sandbox.log.length - before,
      cache.getQueryData<Invoice>(query.queryKey)?.state,
    ]).to.deep.equal([1, 'UNPAID']);
    const stop = keepUpToDate(client, invoiceId, cache);
    await sandbox.run(sandbox.payer.pay(invoiceId));
    await sandbox.advance(5_000);
    await new Promise((resolve) => setTimeout(resolve)); // the cache tells its observers after this task
    expect(seen.at(-1)).to.equal('PAID');
    stop();
    leave();
    cache.clear();
  });
});
