// Protects: an idempotency key belongs to one body of one resource; elsewhere it is free.
import { expect } from 'chai';
import { describe, it } from '#test';
import { failureOf, openShop } from './shop.ts';

const KEY = '11111111-2222-4333-8444-555555555555';

describe('an idempotency key', () => {
  it('that made an exchange quote can also make a payment quote', async () => {
    const { sandbox, client, run } = openShop(
      {},
      { accounts: [{ handle: 'shop', balances: { USD: '900.00', EUR: '900.00' } }] },
    );
    await run(
      client.currencyExchangeQuotes.create(
        { sell: 'USD', buy: 'EUR', amount: { amount: '5', currency: 'USD' } },
        { idempotencyKey: KEY },
      ),
    );
    const quote = await run(
      client.paymentQuotes.createLightning(
        { lnInvoice: sandbox.payer.createBolt11({ sat: '900' }), sourceCurrency: 'USD' },
        { idempotencyKey: KEY },
      ),
    );
    expect(quote.paymentQuoteId).to.be.a('string');
  });

  it('that made one payment quote does not make another kind of payment quote', async () => {
    const { sandbox, client, run } = openShop();
    const first = { lnInvoice: sandbox.payer.createBolt11({ sat: '900' }) };
    await run(client.paymentQuotes.createLightning(first, { idempotencyKey: KEY }));
    const sent = sandbox.log.length;
    const second = {
      lnAddressOrUrl: 'friend@pay.example',
      sourceCurrency: 'EUR',
      amount: { amount: '5', currency: 'EUR' },
    };
    const error = await failureOf(
      run(client.paymentQuotes.createLnurl(second, { idempotencyKey: KEY })),
    );
    expect([error.kind, sandbox.log.length]).to.deep.equal(['input', sent]);
  });
});

describe('a correlationId', () => {
  it('of unknown fate is not said to be free by another way to create an invoice', async () => {
    const { sandbox, client, run } = openShop(
      { maxAttempts: 1 },
      { accounts: [{ handle: 'shop' }, { handle: 'friend' }] },
    );
    const draft = { amount: { amount: '5', currency: 'EUR' }, correlationId: 'order-1' };
    sandbox.fault({ method: 'POST', nth: 1, action: 'lost-after' });
    await failureOf(run(client.invoices.create(draft)));
    sandbox.fault({ method: 'POST', action: { status: 400, code: 'INVALID_DATA' } });
    const error = await failureOf(run(client.invoices.createFor('friend', draft)));
    expect([error.code, error.outcome]).to.deep.equal(['INVALID_DATA', 'unknown']);
  });
});
