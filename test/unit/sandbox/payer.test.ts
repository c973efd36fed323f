import { expect } from 'chai';
import { RefusedError } from 'paystate';
import { decodeBolt11 } from 'paystate/lightning';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import { type Ask, asker, failure, newInvoice } from './ask.ts';

const stateOf = async (ask: Ask, id: string): Promise<unknown> =>
  (await ask('GET', `/v1/invoices/${id}`)).at('state');

const set = (): { sandbox: Sandbox; ask: Ask } => {
  const sandbox = createSandbox();
  return { sandbox, ask: asker(sandbox) };
};

const sha256 = async (hex: string): Promise<string> => {
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
};

describe('sandbox: payer', () => {
  it('pays a Lightning text in either case, a quote or an invoice, and gets the proof', async () => {
    const { sandbox, ask } = set();
    for (const target of ['lnInvoice', 'upper', 'quoteId', 'invoice', 'unquoted']) {
      const id = await newInvoice(ask);
      const quote =
        target === 'unquoted' ? undefined : await ask('POST', `/v1/invoices/${id}/quote`);
      const text = quote?.word('lnInvoice') ?? '';
      const receipt = await sandbox.payer.pay(
        {
          lnInvoice: text,
          upper: `LIGHTNING:${text.toUpperCase()}`,
          quoteId: quote?.word('quoteId'),
        }[target] ?? id,
      );
      expect(receipt.invoiceId).to.equal(id);
      if (quote)
        expect([receipt.quoteId, receipt.paymentHash]).to.deep.equal([
          quote.at('quoteId'),
          decodeBolt11(text).paymentHash,
        ]);
      expect(await sha256(receipt.preimage!)).to.equal(receipt.paymentHash);
      expect(await stateOf(ask, id)).to.equal('PAID');
    }
  });

  it('holds a payment PENDING as long as told', async () => {
    const { sandbox, ask } = set();
    const id = await newInvoice(ask);
    const paying = sandbox.payer.pay(id, { pendingFor: 3_000 });
    expect(await stateOf(ask, id)).to.equal('PENDING');
    expect(
      (await ask('GET', `/v1/invoices/${id}?includeTransactions=true`)).at('transactions.0.state'),
    ).to.equal('PENDING');
    await sandbox.advance(2_999);
    expect(await stateOf(ask, id)).to.equal('PENDING');
    await sandbox.advance(1);
    expect(await stateOf(ask, id)).to.equal('PAID');
    await paying;
  });

  it('can fail, and leaves the invoice to be paid again', async () => {
    const { sandbox, ask } = set();
    const id = await newInvoice(ask);
    const receipt = await sandbox.run(sandbox.payer.pay(id, { pendingFor: 500, fails: true }));
    expect(receipt.preimage).to.equal(undefined);
    expect(await stateOf(ask, id)).to.equal('UNPAID');
    expect(
      (await ask('GET', `/v1/invoices/${id}?includeTransactions=true`)).at('transactions'),
    ).to.deep.equal([]);
    await sandbox.payer.pay(id);
    expect(await stateOf(ask, id)).to.equal('PAID');
  });

  it('pays an older quote until its own end, and not a millisecond longer', async () => {
    const { sandbox, ask } = set();
    const [early, late] = [await newInvoice(ask), await newInvoice(ask)];
    const quotes = [];
    for (const id of [early, late])
      quotes.push((await ask('POST', `/v1/invoices/${id}/quote`)).word('lnInvoice'));
    for (const id of [early, late]) await ask('POST', `/v1/invoices/${id}/quote`);
    await sandbox.advance(29_999);
    await sandbox.payer.pay(quotes[0]!);
    await sandbox.advance(1);
    const error = await failure(sandbox.payer.pay(quotes[1]!));
    expect(error).to.be.an.instanceOf(RefusedError);
    expect(error).to.include({
      code: 'INVALID_STATE_FOR_INVOICE_EXPIRED',
      kind: 'refused',
      status: 422,
      outcome: 'not-done',
    });
    expect([await stateOf(ask, early), await stateOf(ask, late)]).to.deep.equal(['PAID', 'UNPAID']);
    await sandbox.payer.pay(late);
  });

  it('lets an invoice be settled by one payer only', async () => {
    const { sandbox, ask } = set();
    const id = await newInvoice(ask);
    const [one, two] = [
      await ask('POST', `/v1/invoices/${id}/quote`),
      await ask('POST', `/v1/invoices/${id}/quote`),
    ];
    const first = sandbox.payer.pay(one.word('lnInvoice'), { pendingFor: 1_000 });
    expect((await failure(sandbox.payer.pay(two.word('lnInvoice')))).code).to.equal(
      'PROCESSING_PAYMENT',
    );
    await sandbox.run(first);
    for (const target of [one.word('lnInvoice'), two.word('quoteId'), id])
      expect((await failure(sandbox.payer.pay(target))).code).to.equal(
        'INVALID_STATE_FOR_INVOICE_PAID',
      );
    expect(
      (await ask('GET', `/v1/invoices/${id}?includeTransactions=true`)).at('transactions.length'),
    ).to.equal(1);
  });

  it('pays nothing that is cancelled or that nobody waits for', async () => {
    const { sandbox, ask } = set();
    const id = await newInvoice(ask);
    const { word } = await ask('POST', `/v1/invoices/${id}/quote`);
    await ask('PATCH', `/v1/invoices/${id}/cancel`);
    expect((await failure(sandbox.payer.pay(word('lnInvoice')))).code).to.equal(
      'INVALID_STATE_FOR_INVOICE_CANCELLED',
    );
    const stranger = createSandbox({ seed: 2 });
    const theirs = asker(stranger);
    const foreign = await theirs('POST', `/v1/invoices/${await newInvoice(theirs)}/quote`);
    expect((await failure(sandbox.payer.pay(foreign.word('lnInvoice')))).code).to.equal(
      'NOT_FOUND',
    );
    expect((await failure(sandbox.payer.pay('lnnonsense'))).name).to.equal('InputError');
  });

  it('takes a payment back', async () => {
    const { sandbox, ask } = set();
    const id = await newInvoice(ask);
    expect((await failure(sandbox.payer.reverse(id))).code).to.equal('UNPROCESSABLE_ENTITY');
    await sandbox.payer.pay(id);
    await sandbox.payer.reverse(id);
    expect(await stateOf(ask, id)).to.equal('REVERSED');
    expect((await failure(sandbox.payer.pay(id))).code).to.equal(
      'INVALID_STATE_FOR_INVOICE_REVERSED',
    );
    expect((await failure(sandbox.payer.reverse('nobody'))).code).to.equal('NOT_FOUND');
  });
});
