// Node only: the sandbox computes the same in every engine.
import { expect } from 'chai';
import { decodeBolt11 } from 'paystate/lightning';
import { verifyBolt11 } from 'paystate/lightning/signature';
import { fromMsat } from 'paystate/money';
import { createSandbox } from 'paystate/sandbox';
import { describe, it, itLong } from '#test';
import { asker, newInvoice } from './ask.ts';

const START = 1_767_603_600_000;

describe('sandbox: quotes', () => {
  it('make a signed text on the test network that says what the quote says', async () => {
    const ask = asker(createSandbox());
    const id = await newInvoice(ask, { description: 'Kaffee ☕' });
    const answer = await ask('POST', `/v1/invoices/${id}/quote`);
    expect(answer.status).to.equal(201);
    const invoice = verifyBolt11(answer.word('lnInvoice'));
    expect(invoice.text).to.match(/^lntb/);
    expect(invoice.network).to.equal('testnet');
    expect(invoice.timestamp).to.equal(START / 1_000);
    expect(invoice.expiresAt).to.equal(START + 30_000);
    expect(invoice.description).to.equal('Kaffee ☕');
    expect(answer.at('description')).to.equal('Kaffee ☕');
    expect(answer.at('expiration')).to.equal('2026-01-05T09:00:30+00:00');
    expect(answer.at('expirationInSec')).to.equal(30);
    expect(answer.at('targetAmount')).to.deep.equal({ amount: '12.50', currency: 'EUR' });
    expect(answer.at('sourceAmount')).to.deep.equal(fromMsat(invoice.amountMsat!));
  });

  it('all have the same payee', async () => {
    const ask = asker(createSandbox());
    const payees = new Set<string>();
    for (const id of [await newInvoice(ask), await newInvoice(ask)])
      payees.add(
        verifyBolt11((await ask('POST', `/v1/invoices/${id}/quote`)).word('lnInvoice')).payee,
      );
    expect(payees.size).to.equal(1);
  });

  it('convert with a rate, rounded up to whole satoshi', async () => {
    const ask = asker(createSandbox());
    for (const currency of ['EUR', 'USD', 'GBP', 'AUD', 'USDT']) {
      const id = await newInvoice(ask, { amount: { amount: '12.50', currency } });
      const answer = await ask('POST', `/v1/invoices/${id}/quote`);
      expect(answer.at('conversionRate')).to.include({
        sourceCurrency: 'BTC',
        targetCurrency: currency,
      });
      const rate = BigInt(answer.word('conversionRate.amount').replace('.', ''));
      const sats = BigInt(answer.word('sourceAmount.amount').replace('.', ''));
      const target = 125_000n * 100_000_000n;
      expect(sats * rate >= target && (sats - 1n) * rate < target, currency).to.equal(true);
    }
  });

  it('need no rate and live an hour where the invoice is in bitcoin', async () => {
    const ask = asker(createSandbox());
    const id = await newInvoice(ask, { amount: { amount: '0.00012345', currency: 'BTC' } });
    const answer = await ask('POST', `/v1/invoices/${id}/quote`);
    expect(answer.at('sourceAmount')).to.deep.equal({ amount: '0.00012345', currency: 'BTC' });
    expect(answer.at('conversionRate')).to.deep.equal({
      amount: '1.00000000',
      sourceCurrency: 'BTC',
      targetCurrency: 'BTC',
    });
    expect(answer.at('expirationInSec')).to.equal(3_600);
    expect(decodeBolt11(answer.word('lnInvoice')).amountMsat).to.equal('12345000');
  });

  it('take a description hash instead of the description', async () => {
    const ask = asker(createSandbox());
    const id = await newInvoice(ask, { description: 'long story' });
    const descriptionHash = 'AB'.repeat(32);
    const answer = await ask('POST', `/v1/invoices/${id}/quote`, { descriptionHash });
    const invoice = decodeBolt11(answer.word('lnInvoice'));
    expect(invoice.descriptionHash).to.equal(descriptionHash.toLowerCase());
    expect(invoice.description).to.equal(undefined);
    expect(answer.at('description')).to.equal(undefined);
    const bad = await ask('POST', `/v1/invoices/${id}/quote`, { descriptionHash: 'ab' });
    expect([bad.status, Object.keys(bad.at('data.validationErrors') as object)]).to.deep.equal([
      400,
      ['descriptionHash'],
    ]);
  });

  itLong('follow the rate, which moves in steps of ten seconds and in small ones', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    const id = await newInvoice(ask);
    const rates: number[] = [];
    for (let step = 0; step < 30; step++) {
      const answers = [await ask('POST', `/v1/invoices/${id}/quote`)];
      await sandbox.advance(9_999);
      answers.push(await ask('POST', `/v1/invoices/${id}/quote`));
      await sandbox.advance(1);
      const [early, late] = answers.map((answer) => +answer.word('conversionRate.amount'));
      expect(early).to.equal(late);
      rates.push(early!);
    }
    expect(new Set(rates).size).to.be.above(20);
    for (const [index, rate] of rates.slice(1).entries())
      expect(Math.abs(rate / rates[index]! - 1)).to.be.below(0.002);
  });

  it('are refused where the invoice is not to be paid', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    const [paid, cancelled, running] = [
      await newInvoice(ask),
      await newInvoice(ask),
      await newInvoice(ask),
    ];
    await sandbox.payer.pay(paid);
    await ask('PATCH', `/v1/invoices/${cancelled}/cancel`);
    void sandbox.payer.pay(running, { pendingFor: 1 });
    const codes = [];
    for (const id of [paid, cancelled, running])
      codes.push((await ask('POST', `/v1/invoices/${id}/quote`)).at('data.code'));
    expect(codes).to.deep.equal([
      'INVALID_STATE_FOR_INVOICE_PAID',
      'INVALID_STATE_FOR_INVOICE_CANCELLED',
      'PROCESSING_PAYMENT',
    ]);
  });

  it('can go unsigned and live longer or shorter', async () => {
    const ask = asker(createSandbox({ signed: false, quoteLifetimes: { converted: 7_000 } }));
    const answer = await ask('POST', `/v1/invoices/${await newInvoice(ask)}/quote`);
    expect(answer.at('expirationInSec')).to.equal(7);
    expect(decodeBolt11(answer.word('lnInvoice')).expirySeconds).to.equal(7);
    expect(() => verifyBolt11(answer.word('lnInvoice'))).to.throw('signature');
  });
});
