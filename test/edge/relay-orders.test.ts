// Protects: an order is told as paid by the invoice that was made for it and by nothing else, and is never lost, in real workerd.
import { expect } from 'chai';
import { createClient, type InvoiceDraft } from 'paystate';
import { makeEvent } from 'paystate/testing';
import { after, describe, it } from '#test';
import { openRelay } from './relay-harness.ts';
import { until } from './until.ts';

const { world, close } = await openRelay();
after(close);

const { sandbox } = world;
const mallory = createClient(
  sandbox.clientOptionsFor({ account: 'mallory', address: '203.0.113.66' }),
);

const DRAFT = { amount: { amount: '7.20', currency: 'EUR' }, description: 'Two cups' };
const DAY = 86_400_000;

type Row = Readonly<Record<string, string>>;

const sql = (query: string, ...bindings: unknown[]) =>
  world.call<readonly Row[]>('account/sql', [query, ...bindings]);
/** The object's memory is gone, its storage is not; the next request makes it anew. */
const kill = (): Promise<unknown> => world.call('account/kill', {}).catch(() => {});
const ring = () => world.call('account/ring', {});

interface Order {
  readonly orderId: string;
  readonly orderSecret: string;
}

const order = () => world.call<Order>('order', DRAFT);

async function opened({ orderId, orderSecret }: Order): Promise<string> {
  const answer = await world.ask('/pay/token', {
    method: 'POST',
    headers: { authorization: `Bearer ${orderSecret}` },
    body: JSON.stringify({ orderId }),
  });
  return ((await answer.json()) as { readonly invoiceId: string }).invoiceId;
}

const tell = (invoiceId: string, created = Date.now()) =>
  world.deliver(
    makeEvent({
      id: crypto.randomUUID(),
      data: { entityId: invoiceId },
      created: new Date(created).toISOString(),
    }),
  );

async function payAndTell(invoiceId: string): Promise<void> {
  await sandbox.payer.pay(invoiceId);
  expect(await tell(invoiceId)).to.equal(200);
}

const goodsFor = ({ orderId }: Order) => sql('SELECT * FROM goods WHERE order_id = ?', orderId);
const isPacked = (one: Order) => until('the goods', async () => (await goodsFor(one)).length > 0);
const isKnown = async ({ orderId }: Order) =>
  (await sql('SELECT 1 FROM paystate_order WHERE order_id = ?', orderId)).length > 0;
const problemsOf = async (invoiceId: string) =>
  (await sql('SELECT problem FROM problems WHERE invoice_id = ?', invoiceId)).map(
    ({ problem }) => JSON.parse(problem!) as unknown,
  );

describe('orders of the relay, paid', () => {
  it('are told once, with the draft and the invoice, though many pages opened them at once and many events tell of it', async () => {
    const one = await order();
    const ids = new Set(await Promise.all(Array.from({ length: 5 }, () => opened(one))));
    expect(ids.size).to.equal(1);
    const [invoiceId = ''] = ids;
    await payAndTell(invoiceId);
    await isPacked(one);
    for (let count = 0; count < 3; count++) await tell(invoiceId);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await goodsFor(one)).to.deep.equal([
      { order_id: one.orderId, what: 'Two cups', paid: '7.20', key: `invoice:${invoiceId}:PAID` },
    ]);
    expect(await problemsOf(invoiceId)).to.deep.equal([]);
  });

  const cases: Readonly<
    Record<string, readonly [string, (one: Order) => Promise<{ readonly invoiceId: string }>]>
  > = {
    'an invoice without a name': [
      'no-order',
      () => world.client.invoices.create({ amount: DRAFT.amount }),
    ],
    'an invoice of another application': ['no-order', ({ orderId }) => named(` ${orderId}`)],
    "an invoice with the order's name in other letters": [
      'no-order',
      ({ orderId }) => named(orderId.toUpperCase()),
    ],
    'a smaller amount': [
      'amount',
      ({ orderId }) => named(orderId, { amount: '7.19', currency: 'EUR' }),
    ],
    'a greater amount': [
      'amount',
      ({ orderId }) => named(orderId, { amount: '72.0', currency: 'EUR' }),
    ],
    'another currency': [
      'amount',
      ({ orderId }) => named(orderId, { amount: '7.20', currency: 'USD' }),
    ],
    "a stranger's invoice of the same amount": [
      'receiver',
      ({ orderId }) => mallory.invoices.createFor('shop', { ...DRAFT, correlationId: orderId }),
    ],
    "a stranger's cent, when the order has its invoice": [
      'other-invoice',
      async (one) => {
        await opened(one);
        return mallory.invoices.createFor('shop', {
          amount: { amount: '0.01', currency: 'EUR' },
          correlationId: one.orderId,
        });
      },
    ],
    "a stranger's invoice of the same amount, when the order has its own": [
      'other-invoice',
      async (one) => {
        await opened(one);
        return mallory.invoices.createFor('shop', { ...DRAFT, correlationId: one.orderId });
      },
    ],
  };
  const named = (correlationId: string, amount: InvoiceDraft['amount'] = DRAFT.amount) =>
    world.client.invoices.create({ ...DRAFT, amount, correlationId });

  for (const [title, [reason, make]] of Object.entries(cases))
    it(`are not taken for paid by ${title}: that is told, once`, async () => {
      const one = await order();
      const { invoiceId } = await make(one);
      await payAndTell(invoiceId);
      await tell(invoiceId);
      await until('the problem', async () => (await problemsOf(invoiceId)).length > 0);
      await tell(invoiceId);
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(await problemsOf(invoiceId)).to.deep.equal([{ kind: 'not-ours', invoiceId, reason }]);
      expect(await goodsFor(one)).to.deep.equal([]);
    });

  it('are found when the object died before it had kept the invoice, also while the service is away', async () => {
    for (const isAway of [false, true]) {
      const one = await order();
      const invoiceId = await opened(one);
      await sql(
        'UPDATE paystate_order SET invoice_id = NULL, receiver_id = NULL WHERE order_id = ?',
        one.orderId,
      );
      await kill();
      const endFault = isAway
        ? sandbox.fault({ method: 'POST', path: '/v1/invoices', action: { status: 503 } })
        : undefined;
      await payAndTell(invoiceId);
      if (endFault) {
        await until(
          'a failed run',
          async () => (await problemsOf(`invoice:${invoiceId}:PAID`)).length > 0,
        );
        expect(await goodsFor(one)).to.deep.equal([]);
        expect(await problemsOf(invoiceId)).to.deep.equal([]);
        endFault();
        await kill();
      }
      await until('the goods', async () => {
        await ring();
        return (await goodsFor(one)).length > 0;
      });
      expect(await goodsFor(one)).to.have.length(1);
      expect(
        (await sql('SELECT invoice_id FROM paystate_order WHERE order_id = ?', one.orderId))[0]![
          'invoice_id'
        ],
      ).to.equal(invoiceId);
    }
  });

  it('are packed once wherever the object dies', async () => {
    for (const point of [0, 20, 55, 70, 100, 200]) {
      const one = await order();
      const invoiceId = await opened(one);
      await payAndTell(invoiceId);
      await new Promise((resolve) => setTimeout(resolve, point));
      await kill();
      await until('the goods', async () => {
        await ring();
        return (await goodsFor(one)).length > 0;
      });
      expect(await goodsFor(one), `${point} ms`).to.have.length(1);
    }
  });

  it('are not forgotten before they are handled, and are afterwards', async () => {
    const one = await order();
    const invoiceId = await opened(one);
    await sql('INSERT INTO broken VALUES (?)', one.orderId);
    await payAndTell(invoiceId);
    await until(
      'the hold',
      async () =>
        (
          await sql(
            'SELECT 1 FROM paystate_order WHERE order_id = ? AND held_until > 0',
            one.orderId,
          )
        ).length > 0,
    );
    await sql(
      'UPDATE paystate_order SET until = ? WHERE order_id = ?',
      Date.now() - 400 * DAY,
      one.orderId,
    );
    await ring();
    expect(await isKnown(one)).to.equal(true);
    await sql('DELETE FROM broken');
    await until('the goods', async () => {
      await ring();
      return (await goodsFor(one)).length > 0;
    });
    await until('nothing open', async () => {
      await sql(
        'UPDATE paystate_order SET held_until = min(held_until, ?) WHERE order_id = ?',
        Date.now() - 31 * DAY,
        one.orderId,
      );
      await kill(); // it cleans at its start, and then every five minutes
      await ring();
      return !(await isKnown(one));
    });
    expect(await goodsFor(one)).to.have.length(1);
  });

  it('are not forgotten while an event that tells of them waits for the service', async () => {
    const one = await order();
    const invoiceId = await opened(one);
    await sandbox.payer.pay(invoiceId);
    const endFault = sandbox.fault({
      method: 'GET',
      path: '/v1/invoices/{id}',
      action: { status: 503 },
    });
    expect(await tell(invoiceId, Date.now() - DAY)).to.equal(200);
    await sql(
      'UPDATE paystate_order SET until = ? WHERE order_id = ?',
      Date.now() - 30.5 * DAY,
      one.orderId,
    );
    await ring();
    expect(await isKnown(one)).to.equal(true);
    endFault();
    await kill();
    await until('the goods', async () => {
      await ring();
      return (await goodsFor(one)).length > 0;
    });
  });
});
