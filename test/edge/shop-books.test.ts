// Protects: what the example's shop does with money that came late, in part or too much, against the service in virtual time.
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { createClient, type Invoice } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { sqliteDriver } from 'paystate/stores';
import { describe, it } from '#test';
import { Books } from '../../worker-example/src/books.ts';
import { fulfil, objection } from '../../worker-example/src/fulfil.ts';
import { reconcile } from '../../worker-example/src/reconcile.ts';

const HOUR = 3_600_000;
const PRICE = { amount: '9.50', currency: 'EUR' };
const WHAT = '1 × Morning Blend, 250 g';

/** Books on SQLite, and the service; `alter` changes what the service says of an invoice. */
function openBooks(alter: (invoice: Invoice) => Invoice = (invoice) => invoice) {
  const database = new DatabaseSync(':memory:');
  const sandbox = createSandbox({ seed: 'books' });
  const { fetch: ask, ...options } = sandbox.clientOptions;
  const client = createClient({
    ...options,
    async fetch(input, init) {
      const answer = await ask!(input, init);
      if (!String(input).includes('includeTransactions')) return answer;
      const { status } = answer;
      return Response.json(alter((await answer.json()) as Invoice), { status });
    },
  });
  const now = () => sandbox.clock.now();
  const books = new Books(sqliteDriver(database), now);
  let orders = 0;
  return {
    sandbox,
    client,
    books,
    async order() {
      const orderId = `QK-${(orders += 1)}`;
      await books.add({ orderId, hash: 'h', what: WHAT, total: PRICE });
      return orderId;
    },
    invoice: (correlationId: string, amount = PRICE, description = WHAT) =>
      sandbox.run(client.invoices.create({ amount, correlationId, description })),
    reconcile: () => sandbox.run(reconcile(client, books, now())),
    seen: async (orderId: string) => {
      const { state, note } = (await books.get(orderId))!;
      return [state, note];
    },
    parcels: () => database.prepare('SELECT * FROM shop_parcel').all(),
  };
}

describe('a parcel of the example', () => {
  it('goes out for an invoice that agrees in state, number, maker, amount and currency, and for no other', async () => {
    const { order, books, sandbox, client, invoice } = openBooks();
    const placed = (await books.get(await order()))!;
    const { invoiceId } = await invoice(placed.orderId);
    await sandbox.run(sandbox.payer.pay(invoiceId));
    const paid = await sandbox.run(client.invoices.get(invoiceId));
    expect(objection(placed, paid)).to.equal(undefined);
    const others: readonly Partial<Invoice>[] = [
      { state: 'PENDING' },
      { correlationId: 'QK-other' },
      { receiverId: 'another' },
      { issuerId: 'another' },
      { amount: { ...PRICE, amount: '9.49' } },
      { amount: { ...PRICE, amount: '9.51' } },
      { amount: { ...PRICE, currency: 'USD' } },
    ];
    for (const other of others)
      expect(objection(placed, { ...paid, ...other }), JSON.stringify(other)).to.be.a('string');
  });

  it('goes out once, whoever brings the payment and however often', async () => {
    const { order, books, sandbox, client, invoice, parcels, seen, ...shop } = openBooks();
    const orderId = await order();
    const { invoiceId } = await invoice(orderId);
    await sandbox.run(sandbox.payer.pay(invoiceId));
    await shop.reconcile();
    await fulfil(books, await sandbox.run(client.invoices.get(invoiceId)));
    await shop.reconcile();
    expect(parcels().map(({ key }) => key)).to.deep.equal([`invoice:${invoiceId}:PAID`]);
    expect(await seen(orderId)).to.deep.equal(['shipped', '']);
  });

  it('waits for a person where the money is late', async () => {
    const { order, books, sandbox, client, invoice, seen, parcels } = openBooks();
    const orderId = await order();
    const { invoiceId } = await invoice(orderId);
    await books.change((await books.get(orderId))!, 'expired');
    await sandbox.run(sandbox.payer.pay(invoiceId));
    await fulfil(books, await sandbox.run(client.invoices.get(invoiceId)));
    expect(await seen(orderId)).to.deep.equal(['held', 'paid late: the order was expired']);
    expect(parcels()).to.deep.equal([]);
  });
});

describe("the example's cron", () => {
  const received = (amount: string) => ({
    transactionId: `of ${amount}`,
    state: 'COMPLETED',
    amountReceived: { amount, currency: 'EUR' },
  });

  it('ends an order that nobody has paid for a day, and its invoice with it', async () => {
    const { order, sandbox, client, invoice, seen, ...shop } = openBooks();
    const [young, old, unseen] = [await order(), await order(), await order()];
    const { invoiceId } = await invoice(old);
    await shop.reconcile();
    expect(await seen(old)).to.deep.equal(['open', '']);
    await sandbox.advance(25 * HOUR);
    const late = await order();
    await shop.reconcile();
    const states = await Promise.all([old, unseen, young, late].map(seen));
    expect(states.map(([state]) => state)).to.deep.equal(['expired', 'open', 'open', 'open']);
    const { state } = await sandbox.run(client.invoices.get(invoiceId));
    expect(state).to.equal('CANCELLED');
    await sandbox.advance(24 * HOUR);
    await shop.reconcile();
    expect([(await seen(unseen))[0], (await seen(late))[0]]).to.deep.equal(['expired', 'open']);
  });

  it('ends other orders where one cannot be ended: its number has another invoice', async () => {
    const { order, sandbox, invoice, seen, ...shop } = openBooks();
    const [taken, old] = [await order(), await order()];
    await invoice(taken, PRICE, 'something else');
    await invoice(old);
    await sandbox.advance(25 * HOUR);
    await shop.reconcile();
    expect([(await seen(taken))[0], (await seen(old))[0]]).to.deep.equal(['open', 'expired']);
  });

  it('keeps an order for a person where a part was paid', async () => {
    const alter = (invoice: Invoice) => ({ ...invoice, transactions: [received('4.00')] });
    const { order, sandbox, invoice, seen, ...shop } = openBooks(alter);
    const orderId = await order();
    await invoice(orderId);
    await sandbox.advance(25 * HOUR);
    await shop.reconcile();
    expect(await seen(orderId)).to.deep.equal(['held', 'paid in part: 4.00 EUR']);
  });

  it('ships what was paid twice, and says so', async () => {
    const transactions = [received('9.50'), received('3.00')];
    const { order, sandbox, invoice, seen, ...shop } = openBooks((one) => ({
      ...one,
      transactions,
    }));
    const orderId = await order();
    await sandbox.run(sandbox.payer.pay((await invoice(orderId)).invoiceId));
    await shop.reconcile();
    expect(await seen(orderId)).to.deep.equal(['shipped', 'overpaid: 9.50 EUR + 3.00 EUR']);
  });

  it('changes nothing that is shipped where a list is behind, and tells of it', async () => {
    const { order, books, invoice, seen, ...shop } = openBooks();
    const orderId = await order();
    const { invoiceId } = await invoice(orderId);
    await books.ship((await books.get(orderId))!, `invoice:${invoiceId}:PAID`, invoiceId);
    expect(await shop.reconcile()).to.deep.equal([
      { orderId, shop: 'shipped', service: 'UNPAID', done: 'nothing' },
    ]);
    expect((await seen(orderId))[0]).to.equal('shipped');
  });
});
