// Protects: a relay that has kept its objects shows nothing of a sandbox's former world, though ids begin again there: a new order is
// not paid, and is shipped when it is.
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { createClient } from 'paystate';
import { createHostedRelay } from 'paystate/host';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { sqliteDriver } from 'paystate/stores';
import { describe, it } from '#test';
import { until } from '../edge/until.ts';

const ORIGIN = 'https://shop.example';
const DRAFT = { amount: { amount: '7.20', currency: 'EUR' }, description: 'Two cups' };

/** A shop whose objects live on while the sandbox behind it is started again. */
const openShop = () => {
  let sandbox: Sandbox;
  const start = (): Sandbox =>
    (sandbox = createSandbox({
      seed: 'the same',
      clock: 'real',
      signed: false,
      deliver: (request) => relay.handleWebhook('main', request),
    }));
  const { apiKey, baseUrl } = start().clientOptions;
  const shipped: string[] = [];
  const relay = createHostedRelay({
    driver: sqliteDriver(new DatabaseSync(':memory:')),
    mayForget: true,
    account: () => ({
      client: createClient({ baseUrl, apiKey, fetch: (url, init) => sandbox.fetch(url, init) }),
      secrets: 'a secret for the webhooks of tests',
      on: { orderPaid: ({ orderId }) => void shipped.push(orderId) },
    }),
    origin: ORIGIN,
    tokenSecret: 'a secret for the tokens of tests, long enough',
    webhookUrl: `${ORIGIN}/hooks/main`,
  });
  const ask = async (path: string, authorization: string, body?: object) => {
    const method = body ? 'POST' : 'GET';
    const headers = { origin: ORIGIN, authorization: `Bearer ${authorization}` };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await relay.handle(new Request(`${ORIGIN}/pay${path}`, init), {
      address: '203.0.113.5',
    });
    return (await response.json()) as Record<string, string>;
  };
  const order = async () => {
    const made = await relay.createOrder('main', DRAFT);
    const { invoiceId, token } = await ask('/token', made.orderSecret, { orderId: made.orderId });
    const state = async () => (await ask(`/v1/invoices/${invoiceId}`, token!))['state'];
    return { ...made, invoiceId: invoiceId!, state };
  };
  return {
    start,
    order,
    shipped,
    pay: (id: string) => sandbox.payer.pay(id),
    close: () => relay.close(),
  };
};

describe('a relay whose sandbox was started again with its seed', () => {
  it('shows a new order as it is, and ships it when it is paid', async () => {
    const shop = openShop();
    const first = await shop.order();
    await shop.pay(first.invoiceId);
    await until('the first parcel', () => shop.shipped.length === 1);
    await until('paid', async () => (await first.state()) === 'PAID');
    await new Promise((resolve) => setTimeout(resolve, 1_100)); // the new world begins later
    shop.start();
    const second = await shop.order();
    expect(second.invoiceId).to.equal(first.invoiceId);
    expect(await second.state()).to.equal('UNPAID');
    expect(shop.shipped).to.deep.equal([first.orderId]);
    await shop.pay(second.invoiceId);
    await until('the second parcel', () => shop.shipped.length === 2);
    expect(shop.shipped).to.deep.equal([first.orderId, second.orderId]);
    await until('paid', async () => (await second.state()) === 'PAID');
    await shop.close();
  });
});
