import { expect } from 'chai';
import { createClient } from 'paystate';
import { describe, it } from '#test';
import { asRead, failureOf } from '../core/shop.ts';
import { openTwo, sums } from '../payments/two.ts';

const DRAFT = { amount: { amount: '2.00', currency: 'EUR' }, description: 'tea' };

describe('invoices for another account', () => {
  it('credit that account; both sides see them and hear of them', async () => {
    const { sandbox, client, shop, run, events, held } = openTwo();
    const { value: invoice, status } = await run(
      client.invoices.createFor('shop', { ...DRAFT, correlationId: 'order-1' }).withResponse(),
    );
    expect([status, invoice.state, invoice.correlationId]).to.deep.equal([
      201,
      'UNPAID',
      'order-1',
    ]);
    expect(invoice.issuerId).not.to.equal(invoice.receiverId);
    expect(await run(shop.invoices.get(invoice.invoiceId))).to.deep.equal(asRead(invoice));
    expect(await run(shop.invoices.list({ state: 'UNPAID' }).toArray({ limit: 2 }))).to.deep.equal([
      asRead(invoice),
    ]);
    await sandbox.payer.pay(invoice.invoiceId);
    expect([held('shop.free', 'EUR'), held('payer.free', 'EUR')]).to.deep.equal([
      '1002.00',
      '1000.00',
    ]);
    for (const side of [client, shop])
      expect(await events(side)).to.deep.equal([
        'invoice.created',
        'invoice.updated',
        'invoice.updated',
      ]);
    expect(sums(sandbox)).to.deep.equal([]);
  });

  it('can be cancelled by either side', async () => {
    const { client, shop, run } = openTwo();
    for (const side of [client, shop]) {
      const { invoiceId } = await run(client.invoices.createFor('shop', DRAFT));
      expect((await run(side.invoices.cancel(invoiceId))).state).to.equal('CANCELLED');
    }
  });

  it('are one, whatever answer was lost, and only for whom they were meant', async () => {
    const { sandbox, client, run } = openTwo();
    sandbox.fault({
      method: 'POST',
      path: '/v1/invoices/handle/{handle}',
      nth: [1, 3],
      action: 'lost-after',
    });
    const { value, attempts } = await run(client.invoices.createFor('shop', DRAFT).withResponse());
    expect([value.state, attempts]).to.deep.equal(['UNPAID', 2]);
    expect(value.correlationId).to.match(/^[\da-f-]{36}$/);
    expect(await run(client.invoices.list().count())).to.equal(1);
    const named = { ...DRAFT, correlationId: 'order-2' };
    await run(client.invoices.create(named));
    const error = await failureOf(run(client.invoices.createFor('shop', named)));
    expect(error).to.include({
      code: 'DUPLICATE_INVOICE',
      outcome: 'unknown',
      correlationId: 'order-2',
    });
  });

  it('are found again by ensure, in another process too, and never for another amount', async () => {
    const { sandbox, client, run } = openTwo();
    const named = { ...DRAFT, correlationId: 'order-1' };
    sandbox.fault({ method: 'POST', nth: [1, 2, 3], action: 'lost-after' });
    const lost = await failureOf(run(client.invoices.createFor('shop', named)));
    expect(lost.outcome).to.equal('unknown');
    const later = createClient({ ...sandbox.clientOptionsFor({ account: 'payer' }) });
    expect((await failureOf(run(later.invoices.createFor('shop', named)))).outcome).to.equal(
      'unknown',
    );
    const { invoice, existed } = await run(later.invoices.ensure(named, { handle: 'shop' }));
    expect([existed, invoice.correlationId]).to.deep.equal([true, 'order-1']);
    expect(invoice.issuerId).not.to.equal(invoice.receiverId);
    expect(await run(client.invoices.list().count())).to.equal(1);
    const made = await run(
      later.invoices.ensure({ ...named, correlationId: 'order-2' }, { handle: 'shop' }),
    );
    expect([made.existed, made.invoice.receiverId]).to.deep.equal([false, invoice.receiverId]);
    const dearer = { ...named, amount: { amount: '3.00', currency: 'EUR' } };
    expect(await failureOf(run(later.invoices.ensure(dearer, { handle: 'shop' })))).to.include({
      code: 'DUPLICATE_INVOICE',
      outcome: 'unknown',
    });
    // one for another account is not one of our own
    expect(await failureOf(run(later.invoices.ensure(named)))).to.include({
      code: 'DUPLICATE_INVOICE',
    });
  });

  it('are refused for who is unknown, private, closed, or does not take the currency', async () => {
    const { client, run } = openTwo({
      accounts: [
        { handle: 'payer' },
        { handle: 'hidden', isPrivate: true },
        { handle: 'closed', canReceive: false },
        { handle: 'dollar', currencies: ['USD'] },
      ],
    });
    const refused = async (handle: string) =>
      failureOf(run(client.invoices.createFor(handle, DRAFT)));
    for (const handle of ['nobody', 'hidden'])
      expect((await refused(handle)).code).to.equal('NOT_FOUND');
    expect((await refused('closed')).code).to.equal('INVALID_RECIPIENT');
    expect(await refused('dollar')).to.deep.include({
      code: 'USER_CURRENCY_UNAVAILABLE',
      values: { currency: 'EUR' },
    });
    expect((await refused('')).kind).to.equal('input');
  });
});

describe('money of invoices', () => {
  it('from the network is booked when they are PAID and taken back when they are REVERSED', async () => {
    const { sandbox, shop, run, postings, held } = openTwo();
    for (const amount of [DRAFT.amount, { amount: '0.001', currency: 'BTC' }]) {
      const { invoiceId } = await run(shop.invoices.create({ amount }));
      await run(sandbox.payer.pay(invoiceId, { pendingFor: 1_000, fails: true }));
      await sandbox.payer.pay(invoiceId);
      await sandbox.payer.reverse(invoiceId);
    }
    const lines = postings();
    const sent = /(0\.\d{8}) BTC/.exec(lines[0]!)![1]!;
    expect(lines).to.deep.equal([
      `invoice PAID: ln > fx ${sent} BTC`,
      'invoice PAID: fx > shop.free 2.00 EUR',
      'invoice REVERSED: shop.free > fx 2.00 EUR',
      `invoice REVERSED: fx > ln ${sent} BTC`,
      'invoice PAID: ln > shop.free 0.00100000 BTC',
      'invoice REVERSED: shop.free > ln 0.00100000 BTC',
    ]);
    expect([held('shop.free', 'EUR'), sums(sandbox)]).to.deep.equal(['1000.00', []]);
  });

  it('that is spent already leaves a debt when it is reversed, and nothing else may', async () => {
    const { sandbox, client, shop, run, held } = openTwo({
      accounts: [{ handle: 'payer' }, { handle: 'shop', defaultCurrency: 'EUR' }],
    });
    const { invoiceId } = await run(shop.invoices.create(DRAFT));
    await sandbox.payer.pay(invoiceId);
    const { bolt11 } = await run(
      client.receiveRequests.create({ bolt11: { amount: DRAFT.amount } }),
    );
    const { paymentQuoteId } = await run(
      shop.paymentQuotes.createLightning({ lnInvoice: bolt11!.invoice, sourceCurrency: 'EUR' }),
    );
    await run(shop.paymentQuotes.execute(paymentQuoteId));
    await sandbox.payer.reverse(invoiceId);
    expect([held('shop.free', 'EUR'), sums(sandbox)]).to.deep.equal(['-2.00', []]);
    sandbox.fund('shop', { amount: '1.00', currency: 'EUR' });
    const more = await run(
      client.receiveRequests.create({ bolt11: { amount: { amount: '0.01', currency: 'EUR' } } }),
    );
    expect(
      (
        await failureOf(
          run(shop.paymentQuotes.createLightning({ lnInvoice: more.bolt11!.invoice })),
        )
      ).code,
    ).to.equal('BALANCE_TOO_LOW');
  });

  it('moved by hand is booked too', async () => {
    const { sandbox, shop, run, postings } = openTwo();
    const { invoiceId } = await run(shop.invoices.create(DRAFT));
    for (const state of ['PENDING', 'PAID', 'REVERSED']) sandbox.move('invoice', invoiceId, state);
    expect(postings()).to.have.length(4);
    expect(sums(sandbox)).to.deep.equal([]);
  });
});
