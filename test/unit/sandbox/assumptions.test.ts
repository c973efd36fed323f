// Node only: the sandbox computes the same in every engine.
// Protects: what the sandbox assumes can be otherwise, one by one; its books stay right, and it says which alternative holds.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { createSandbox, type Sandbox, SandboxObject } from 'paystate/sandbox';
import { describe, it, itLong } from '#test';
import { storageOf } from './object-storage.ts';

const SEPA = {
  transferType: 'SEPA',
  accountNumber: 'AT000000000000000000',
  routingNumber: 'EXAMATWWXXX',
  beneficiaries: [{ type: 'INDIVIDUAL', name: 'Edith Example' }],
} as const;

/** Moves money in every way, each to its end. */
const playDay = async (sandbox: Sandbox): Promise<void> => {
  const client = createClient(sandbox.clientOptions);
  const { invoiceId } = await client.invoices.create({
    amount: { amount: '5.01', currency: 'EUR' },
  });
  await sandbox.payer.pay(invoiceId);
  for (const feePolicy of ['INCLUSIVE', 'EXCLUSIVE'] as const)
    for (const currency of ['EUR', 'USD'] as const) {
      const amount = { amount: '10.01', currency, feePolicy };
      const { id } = await client.currencyExchangeQuotes.create({
        sell: 'EUR',
        buy: 'USD',
        amount,
      });
      await client.currencyExchangeQuotes.execute(id);
    }
  const { paymentQuoteId } = await client.paymentQuotes.createLightning({
    lnInvoice: sandbox.payer.createBolt11({ sat: '2101' }),
    sourceCurrency: 'EUR',
  });
  await client.paymentQuotes.execute(paymentQuoteId);
  const { id: method } = await client.bankPaymentMethods.create(SEPA);
  await sandbox.advance(86_400_000);
  for (const state of ['FAILED', 'REVERSED', undefined]) {
    const rule = { delay: 1_000, ...(state && { state }) };
    const ends = (['payout', 'deposit'] as const).map((subject) =>
      sandbox.fault({ subject, ...rule }),
    );
    await client.deposits.create({ paymentMethodId: method, amount: '10.01' });
    const payout = await client.payouts.create({ paymentMethodId: method, amount: '10.01' });
    await client.payouts.initiate(payout.id);
    await sandbox.advance(5_000);
    for (const end of ends) end();
  }
  await sandbox.advance(3 * 86_400_000);
};

const all = createSandbox().assumptions.flatMap(({ id, options }) =>
  options.map(({ value }) => [id, value] as const),
);

describe('sandbox: assumptions', () => {
  it('are many, each with alternatives and a sentence for each', () => {
    const { assumptions } = createSandbox();
    expect(assumptions.length).to.be.at.least(45);
    for (const { id, value, says, options } of assumptions) {
      expect(options.length, id).to.be.at.least(2);
      expect(options[0], id).to.deep.equal({ value, says });
      expect(new Set(options.map((one) => one.says)).size, id).to.equal(options.length);
    }
  });

  itLong('leave the books right, whatever they are', async () => {
    for (const [id, value] of all) {
      const sandbox = createSandbox({ signed: false, assume: { [id]: value } });
      if (id !== 'reads.lag') await playDay(sandbox);
      for (const currency of ['BTC', 'EUR', 'USD'])
        expect(sandbox.ledger.total(currency), `${id} ${value}`).to.match(/^0\.0+$/);
      expect(sandbox.log.filter(({ failure }) => failure !== undefined)).to.deep.equal([]);
    }
  });

  it('change what happens from then on', async () => {
    const sandbox = createSandbox({ assume: { 'exchanges.fee': 'none' } });
    const client = createClient(sandbox.clientOptions);
    const amount = { amount: '100.00', currency: 'EUR', feePolicy: 'INCLUSIVE' } as const;
    const quote = async (): Promise<string> => {
      const { source, fee } = await client.currencyExchangeQuotes.create({
        sell: 'EUR',
        buy: 'USD',
        amount,
      });
      return `${source.amount} ${fee?.amount} ${fee?.currency}`;
    };
    expect(await quote()).to.equal('100.00 0.00 EUR');
    sandbox.assume({ 'exchanges.fee': '0.9-percent' });
    expect(await quote()).to.equal('100.00 0.90 EUR');
    sandbox.assume({ 'exchanges.inside': 'apart' });
    expect(await quote()).to.equal('99.10 0.90 EUR');
    sandbox.assume({ 'exchanges.inside': 'target' });
    expect(await quote()).to.match(/^100\.00 \d\.\d\d USD$/);
  });

  it('are said by behaviours and report as they hold now', async () => {
    const sandbox = createSandbox({ assume: { 'payments.fees': 'none' } });
    const says = "Lightning is free, and on-chain payments cost the tier's fee.";
    expect(sandbox.behaviours.assumed['payments.fees']).to.equal(says);
    await playDay(sandbox);
    expect(sandbox.report().find(({ id }) => id === 'payments.fees')?.says).to.equal(says);
    const shown = sandbox.assumptions.find(({ id }) => id === 'payments.fees');
    expect(shown).to.include({ value: 'none', says });
    expect(shown?.count).to.be.above(0);
  });

  it('are read and changed over HTTP, and are the same after an eviction', async () => {
    const storage = storageOf();
    const { clock } = createSandbox();
    let box = new SandboxObject(storage, { clock });
    const send = async (
      method: string,
      body?: object,
    ): Promise<{ status: number; body: unknown }> => {
      const response = await box.fetch(
        new Request('https://box.example/_sandbox/assumptions', {
          method,
          headers: { 'x-paystate-control': '1' },
          ...(body && { body: JSON.stringify(body) }),
        }),
      );
      return { status: response.status, body: await response.json() };
    };
    expect((await send('GET')).body).to.deep.equal(createSandbox().assumptions);
    expect(await send('POST', { id: 'lists.page', value: '20' })).to.include({ status: 200 });
    expect(await send('POST', { id: 'lists.page', value: '21' })).to.deep.equal({
      status: 400,
      body: { code: 'INPUT_INVALID', message: 'lists.page: must be "50", "20" or "100"' },
    });
    expect((await send('POST', { id: 'list.page', value: '20' })).body).to.deep.include({
      message: 'id: must be an assumption with alternatives (did you mean lists.page?)',
    });
    box = new SandboxObject(storage, { clock });
    const after = (await send('GET')).body as { id: string; value: string }[];
    expect(after.find(({ id }) => id === 'lists.page')?.value).to.equal('20');
  });
});
