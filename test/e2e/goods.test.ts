// Protects: a parcel goes out for a paid order and for nothing else, with the example's Worker before a service that others use too.
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { createClient, type ServiceEvent } from 'paystate';
import { makeDelivery, makeEvent, type Members } from 'paystate/testing';
import { after, describe, it } from '#test';
import { startShop } from '../../demo/serve/shop.ts';

const shop = await startShop({ accounts: [{ handle: 'shop' }, { handle: 'mallory' }] });
after(() => shop.close());
shop.sandbox.fault({ delivery: { status: 410 } }); // the test delivers, and nothing is repeated

const { sandbox } = shop;
const own = createClient(sandbox.clientOptionsFor({ address: '203.0.113.9' }));
const mallory = createClient(
  sandbox.clientOptionsFor({ account: 'mallory', address: '203.0.113.66' }),
);
const [, webhookSecret = ''] = shop.secrets;

/** Waits until it holds; fails after eight seconds. */
async function until(what: string, holds: () => boolean): Promise<void> {
  for (const start = performance.now(); performance.now() - start < 8_000; ) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`never came: ${what}`);
}

interface Parcel {
  readonly order_id: string;
  readonly key: string;
  readonly what?: string;
}

const read = <T>(file: string, query: string): T[] => {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    return database.prepare(query).all() as T[];
  } finally {
    database.close();
  }
};

/** What the example's handler has packed: rows of its own table, in the files of its object. */
function parcels(): readonly Parcel[] {
  const files = globSync(join(shop.folder, 'state/**/*.sqlite')).filter((file) => existsSync(file));
  const file = files.find(
    (each) => read(each, "SELECT 1 FROM sqlite_master WHERE name = 'shop_parcel'").length > 0,
  );
  return file === undefined ? [] : read<Parcel>(file, 'SELECT * FROM shop_parcel');
}

const parcelsFor = (orderId: string | undefined) =>
  parcels().filter(({ order_id }) => order_id === orderId);

let customers = 0;

/** As a page asks; each from an address of its own. */
async function ask<T>(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<T> {
  const init = {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { origin: shop.url, 'cf-connecting-ip': `198.51.100.${(customers += 1)}`, ...headers },
  };
  const answer = await fetch(`${shop.url}${path}`, init);
  expect(answer.ok, `${path} ${answer.status}`).to.equal(true);
  return (await answer.json()) as T;
}

interface Order {
  readonly orderId: string;
  readonly orderSecret: string;
}

const order = (product = 'box', count = 10) =>
  ask<Order>('/orders', { key: crypto.randomUUID(), cart: { [product]: count } });

/** The order's invoice, made now. */
const opened = async ({ orderId, orderSecret }: Order) =>
  (
    await ask<{ invoiceId: string }>(
      '/pay/token',
      { orderId },
      { authorization: `Bearer ${orderSecret}` },
    )
  ).invoiceId;

/** Delivers what the service did not send. */
async function deliver(members: Members<ServiceEvent>): Promise<number> {
  const news = { id: crypto.randomUUID(), created: new Date().toISOString() };
  const url = `${shop.url}/hooks/main`;
  const event = makeEvent({ ...news, ...members });
  return (await fetch(await makeDelivery(event, webhookSecret, { url }))).status;
}

/** Buys honestly: what was paid before has been handled when its parcel is there. */
async function buy(): Promise<Order & { readonly invoiceId: string }> {
  const honest = await order('harbour', 2);
  const invoiceId = await opened(honest);
  await sandbox.payer.pay(invoiceId);
  await deliver({ data: { entityId: invoiceId } });
  await until('the parcel', () => parcelsFor(honest.orderId).length > 0);
  return { ...honest, invoiceId };
}

const cent = { amount: '0.01', currency: 'EUR' };

/** Pays what is no order's, tells the shop of it as the service does, and waits until it must have been handled. */
async function payAndTell(invoiceId: string): Promise<void> {
  await sandbox.payer.pay(invoiceId);
  expect(await deliver({ data: { entityId: invoiceId } })).to.equal(200);
  await buy();
  await new Promise((resolve) => setTimeout(resolve, 300));
}

describe('parcels of the example', () => {
  it('go out once for an order that was paid, with what was ordered', async () => {
    const { orderId, invoiceId } = await buy();
    for (let count = 0; count < 3; count++) await deliver({ data: { entityId: invoiceId } });
    await buy();
    expect(parcelsFor(orderId)).to.deep.equal([
      { order_id: orderId, what: '2 × Harbour Espresso, 500 g', key: `invoice:${invoiceId}:PAID` },
    ]);
  });

  it('do not go out for a cent that a stranger pays into the account under the name of an order', async () => {
    for (const isOpen of [false, true]) {
      const dear = await order();
      if (isOpen) await opened(dear);
      const cheap = await mallory.invoices.createFor('shop', {
        amount: cent,
        correlationId: dear.orderId,
      });
      await payAndTell(cheap.invoiceId);
      expect(parcelsFor(dear.orderId), `opened: ${isOpen}`).to.deep.equal([]);
    }
  });

  it("do not go out for a stranger's invoice of the right amount either", async () => {
    const wanted = await order('morning', 1);
    const { invoiceId } = await mallory.invoices.createFor('shop', {
      amount: { amount: '9.50', currency: 'EUR' },
      correlationId: wanted.orderId,
    });
    await payAndTell(invoiceId);
    expect(parcelsFor(wanted.orderId)).to.deep.equal([]);
  });

  it("do not go out for invoices of other applications, without a name, or of another amount or currency under an order's", async () => {
    const before = parcels().length;
    const [wanted, other] = [await order(), await order()];
    const drafts = [
      { amount: cent, correlationId: 'order 7 of the till' },
      { amount: cent },
      { amount: cent, correlationId: wanted.orderId },
      { amount: { amount: '380', currency: 'USD' }, correlationId: other.orderId },
    ];
    for (const draft of drafts) await payAndTell((await own.invoices.create(draft)).invoiceId);
    expect(parcels().length - before).to.equal(drafts.length); // the honest ones
    for (const { orderId } of [wanted, other]) expect(parcelsFor(orderId)).to.deep.equal([]);
  });

  it('do not go out for a signed delivery that says it is an effect', async () => {
    const before = parcels().length;
    const wanted = await order();
    const invoiceId = await opened(wanted);
    const key = `invoice:${invoiceId}:PAID`;
    const value = { ...(await own.invoices.get(invoiceId)), state: 'PAID' }; // right in everything, but never paid
    const like = {
      key,
      kind: 'state',
      resource: 'invoice',
      state: 'PAID',
      value,
      runs: 0,
      most: 20,
      since: 0,
      due: 0,
    };
    expect(
      await deliver({ ...like, id: `replay ${key} 20`, data: { entityId: invoiceId } }),
    ).to.equal(200);
    await buy();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([parcels().length - before, parcelsFor(wanted.orderId)]).to.deep.equal([1, []]);
  });

  // One that dies while it works on an order keeps it for 65 s more; death at each step is tried in virtual time.
  it('go out once when the Worker was killed before it was told of the payment, and when it was killed afterwards', async () => {
    const paid = async () => {
      const { orderId, ...secret } = await order('box', 1);
      const invoiceId = await opened({ orderId, ...secret });
      await sandbox.payer.pay(invoiceId);
      return { orderId, invoiceId };
    };
    const tell = ({ invoiceId }: { invoiceId: string }) =>
      deliver({ data: { entityId: invoiceId } });
    const told = await paid();
    expect(await tell(told)).to.equal(200);
    await until('the parcel', () => parcelsFor(told.orderId).length > 0);
    const untold = await paid();
    await shop.kill();
    await shop.start();
    for (const one of [told, untold]) await tell(one);
    await buy();
    await until('the parcel', () => parcelsFor(untold.orderId).length > 0);
    for (const { orderId, invoiceId } of [told, untold])
      expect(parcelsFor(orderId).map(({ key }) => key)).to.deep.equal([
        `invoice:${invoiceId}:PAID`,
      ]);
  });
});
