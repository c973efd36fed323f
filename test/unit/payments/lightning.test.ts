import { expect } from 'chai';
import { decodeBolt11, isPreimageOf } from 'paystate/lightning';
import { describe, it } from '#test';
import { failureOf } from '../core/shop.ts';
import { openTwo, sums } from './two.ts';

const MINUTE = 60_000;

describe('payments over Lightning', () => {
  it('are quoted, executed, booked and told of', async () => {
    const { sandbox, client, run, events, held, postings } = openTwo();
    const lnInvoice = sandbox.payer.createBolt11({ sat: '20000', description: 'Coffee beans' });
    const quote = await run(
      client.paymentQuotes.createLightning({ lnInvoice, sourceCurrency: 'USD' }),
    );
    expect(quote.description).to.equal('Coffee beans');
    expect(quote.amount.currency).to.equal('USD');
    expect([quote.totalFee, quote.lightningNetworkFee]).to.deep.equal([
      { amount: '0.02', currency: 'USD' },
      { amount: '0.02', currency: 'USD' },
    ]);
    expect(quote.conversionRate).to.include({ sourceCurrency: 'BTC', targetCurrency: 'USD' });
    expect(Date.parse(quote.validUntil!) - sandbox.clock.now()).to.be.within(
      MINUTE - 1_000,
      MINUTE,
    );
    expect(await events()).to.deep.equal([]);
    const { value: payment, status } = await run(
      client.paymentQuotes.execute(quote.paymentQuoteId).withResponse(),
    );
    expect([status, payment.state, payment.result]).to.deep.equal([200, 'COMPLETED', 'SUCCESS']);
    expect([payment.amount, payment.totalAmount]).to.deep.equal([quote.amount, quote.totalAmount]);
    expect(
      isPreimageOf(payment.lightning!.preImage!, decodeBolt11(lnInvoice).paymentHash),
    ).to.equal(true);
    expect([payment.lightning!.networkFee, payment.delivered]).to.deep.equal([
      quote.totalFee,
      payment.completed,
    ]);
    expect(await run(client.payments.get(payment.paymentId))).to.deep.equal(payment);
    expect(await events()).to.deep.equal(['payment.created', 'payment.updated']);
    expect(postings()).to.deep.equal([
      `payment PENDING: payer.free > payer.held ${quote.totalAmount.amount} USD`,
      `payment COMPLETED: payer.held > fx ${quote.amount.amount} USD`,
      'payment COMPLETED: payer.held > fees 0.02 USD',
      'payment COMPLETED: fx > ln 0.00020000 BTC',
    ]);
    expect(held('payer.held', 'USD')).to.equal('0.00');
    expect(sums(sandbox)).to.deep.equal([]);
  });

  it('in bitcoin need no exchange, and the fee goes with the money', async () => {
    const { sandbox, client, run, postings } = openTwo();
    const quote = await run(
      client.paymentQuotes.createLightning({
        lnInvoice: sandbox.payer.createBolt11({ msat: '1500001' }),
        sourceCurrency: 'BTC',
      }),
    );
    expect(quote).not.to.have.property('conversionRate');
    expect([quote.amount.amount, quote.totalFee!.amount, quote.totalAmount.amount]).to.deep.equal([
      '0.00001501',
      '0.00000003',
      '0.00001504',
    ]);
    await run(client.paymentQuotes.execute(quote.paymentQuoteId));
    expect(postings().at(-1)).to.equal('payment COMPLETED: payer.held > ln 0.00001504 BTC');
    expect(sums(sandbox)).to.deep.equal([]);
  });

  it('spend the default currency where none is named', async () => {
    const { sandbox, client, run } = openTwo();
    expect(
      (
        await run(
          client.paymentQuotes.createLightning({
            lnInvoice: sandbox.payer.createBolt11({ sat: '100' }),
          }),
        )
      ).totalAmount.currency,
    ).to.equal('USD');
  });

  for (const [feePolicy, amount, total] of [
    ['EXCLUSIVE', '12.00', '12.02'],
    ['INCLUSIVE', '11.98', '12.00'],
    [undefined, '12.00', '12.02'],
  ] as const)
    it(`of an invoice without amount take the fee ${feePolicy ?? 'as usual'}`, async () => {
      const { sandbox, client, run } = openTwo();
      const quote = await run(
        client.paymentQuotes.createLightning({
          lnInvoice: sandbox.payer.createBolt11(),
          sourceCurrency: 'USD',
          amount: { amount: '12.00', currency: 'USD', feePolicy },
        }),
      );
      expect([quote.amount.amount, quote.totalAmount.amount]).to.deep.equal([amount, total]);
    });

  it('take a fiat amount from bitcoin', async () => {
    const { sandbox, client, run } = openTwo();
    const quote = await run(
      client.paymentQuotes.createLightning({
        lnInvoice: sandbox.payer.createBolt11(),
        sourceCurrency: 'BTC',
        amount: { amount: '6.00', currency: 'USD' },
      }),
    );
    expect(quote.amount.currency).to.equal('BTC');
    expect(quote.amount.amount).to.match(/^0\.000(09|10)\d{3}$/);
  });

  it('that fail give everything back, and the invoice can be paid again', async () => {
    const { sandbox, client, run, held, events } = openTwo();
    const before = held('payer.free', 'USD');
    const lnInvoice = sandbox.payer.createBolt11({ sat: '20000' });
    const endRule = sandbox.fault({ subject: 'payment', state: 'FAILED', delay: 5_000 });
    const first = await run(client.paymentQuotes.createLightning({ lnInvoice }));
    const { value, status } = await run(
      client.paymentQuotes.execute(first.paymentQuoteId).withResponse(),
    );
    expect([status, value.state, value.completed]).to.deep.equal([202, 'PENDING', undefined]);
    expect(held('payer.held', 'USD')).to.equal(first.totalAmount.amount);
    const second = await failureOf(run(client.paymentQuotes.createLightning({ lnInvoice })));
    expect(second.code).to.equal('PROCESSING_PAYMENT');
    await sandbox.advance(5_000);
    expect(await run(client.payments.get(value.paymentId))).to.include({
      state: 'FAILED',
      result: 'FAILURE',
    });
    expect([held('payer.free', 'USD'), held('payer.held', 'USD')]).to.deep.equal([before, '0.00']);
    expect(await events()).to.deep.equal(['payment.created', 'payment.updated']);
    endRule();
    const again = await run(client.paymentQuotes.createLightning({ lnInvoice }));
    expect((await run(client.paymentQuotes.execute(again.paymentQuoteId))).state).to.equal(
      'COMPLETED',
    );
    expect(sums(sandbox)).to.deep.equal([]);
  });

  it('bring a reward where the account has one, once they have arrived', async () => {
    const { sandbox, client, run, held, postings } = openTwo({
      accounts: [{ handle: 'payer', reward: '0.015', balances: { USD: '20.00' } }],
    });
    const quote = await run(
      client.paymentQuotes.createLightning({
        lnInvoice: sandbox.payer.createBolt11(),
        amount: { amount: '3.99', currency: 'USD' },
      }),
    );
    expect(quote.reward).to.deep.equal({ amount: '0.05', currency: 'USD' });
    const payment = await run(client.paymentQuotes.execute(quote.paymentQuoteId));
    expect(payment.reward).to.deep.equal(quote.reward);
    expect(postings().at(-1)).to.equal('payment COMPLETED: rewards > payer.free 0.05 USD');
    expect(held('payer.free', 'USD')).to.equal('16.05');
    expect(() => openTwo({ accounts: [{ handle: 'payer', reward: '5' }] })).to.throw(/^accounts/);
  });

  it('are moved by hand, as their life allows', async () => {
    const { sandbox, client, run } = openTwo();
    sandbox.fault({ subject: 'payment', delay: Infinity });
    const { paymentQuoteId } = await run(
      client.paymentQuotes.createLightning({ lnInvoice: sandbox.payer.createBolt11({ sat: '5' }) }),
    );
    const { paymentId } = await run(client.paymentQuotes.execute(paymentQuoteId));
    await sandbox.advance(24 * 60 * MINUTE);
    expect((await run(client.payments.get(paymentId))).state).to.equal('PENDING');
    sandbox.move('payment', paymentId, 'COMPLETED');
    expect((await run(client.payments.get(paymentId))).state).to.equal('COMPLETED');
    expect(() => sandbox.move('payment', paymentId, 'FAILED'))
      .to.throw()
      .with.property('code', 'UNPROCESSABLE_ENTITY');
    expect(() => sandbox.move('payment', 'none', 'FAILED'))
      .to.throw()
      .with.property('code', 'NOT_FOUND');
  });
});

describe('payments that end at once', () => {
  it('are told of once where the world is so', async () => {
    const { sandbox, client, run, events } = openTwo({
      assume: { 'payments.both-events': 'created' },
    });
    const { paymentQuoteId } = await run(
      client.paymentQuotes.createLightning({ lnInvoice: sandbox.payer.createBolt11({ sat: '5' }) }),
    );
    await run(client.paymentQuotes.execute(paymentQuoteId));
    expect(await events()).to.deep.equal(['payment.created']);
  });
});
