// Protects: whoever writes the text to be paid does not decide alone how much is paid.
import { expect } from 'chai';
import { isPaystateError, type PaystateError } from 'paystate';
import { parseRows, pay, plan, refund } from 'paystate/flows';
import { describe, it } from '#test';
import { openDesk } from './moves-desk.ts';
import { EUR, paymentsMoved } from './pay-lives.ts';

const BTC = (amount: string) => ({ amount, currency: 'BTC' });

const errorOf = (call: () => unknown): PaystateError => {
  try {
    call();
  } catch (thrown) {
    if (isPaystateError(thrown)) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
};

/** A payer who is given a text of 0.005 BTC, and has 1 BTC and 1,000 EUR. */
const openPayer = () => {
  const desk = openDesk();
  const { sandbox, client, journal } = desk;
  sandbox.fund('shop', BTC('1'));
  const to = sandbox.payer.createBolt11({ sat: '500000' });
  const start = (options: object) =>
    pay(client, { to, sourceCurrency: 'EUR', maxFee: 'any', journal, ...options } as never);
  const play = async (options: object) => (await sandbox.run(start(options).result)).phase;
  const refused = (options: object) => errorOf(() => start(options));
  return { ...desk, to, start, play, refused };
};

describe('a payment whose text names its amount', () => {
  it('needs an amount or maxTotal, and says so before anything is sent', () => {
    const { refused, requests } = openPayer();
    for (const maxFee of ['any', EUR('1.00'), { percent: '1' }]) {
      const error = refused({ maxFee });
      expect(error).to.include({ kind: 'input', next: 'fix-input', outcome: 'not-done' });
      expect(error.message).to.match(/^maxTotal: is required without amount: .* or 'any'/);
      expect(error.message.includes('percentage maxFee alone sets no limit')).to.equal(
        maxFee instanceof Object && 'percent' in maxFee,
      );
      expect(Object.keys(error.validationErrors!)).to.deep.equal(['maxTotal']);
    }
    expect(requests).to.deep.equal([]);
  });

  it('is paid where the stated amount is that of the text, by value', async () => {
    for (const amount of ['0.005', '0.00500000', '0.00500000000'])
      expect(await openPayer().play({ amount: BTC(amount) }), amount).to.equal('paid');
    expect(await openPayer().play({ maxTotal: EUR('900.00') })).to.equal('paid');
    expect(await openPayer().play({ maxTotal: 'any' })).to.equal('paid');
  });

  it('is not paid where another amount is stated, or one in another currency', () => {
    const { refused, requests, sandbox } = openPayer();
    for (const amount of ['0.00499999', '0.00500001', '0.05', '0.00500000001'])
      expect(refused({ amount: BTC(amount), maxTotal: 'any' }).message).to.match(
        /^amount: must be 0\.00500000 BTC, the amount of the invoice; or omit amount and limit .* maxTotal/,
      );
    for (const amount of [EUR('280.00'), EUR('0.005'), { amount: '500000', currency: 'SAT' }])
      expect(refused({ amount }).message).to.match(
        /^amount: must be in BTC, because the invoice asks for 0\.00500000 BTC; or omit/,
      );
    expect(refused({ amount: BTC('0.005'), feePolicy: 'INCLUSIVE' }).message).to.match(
      /^feePolicy: must be EXCLUSIVE/,
    );
    expect([requests, paymentsMoved(sandbox)]).to.deep.equal([[], []]);
  });

  it('is compared to the thousandth of a satoshi', async () => {
    const { refused, sandbox, play } = openPayer();
    const to = sandbox.payer.createBolt11({ msat: '2100001' });
    expect(refused({ to, amount: BTC('0.000021') }).message).to.match(
      /^amount: must be [\d.]+ [A-Z]+, the amount of the invoice/,
    );
    expect(await play({ to, amount: BTC('0.00002100001') })).to.equal('paid');
  });

  it('takes no limit for absent that is there and cannot be read', () => {
    const { refused } = openPayer();
    for (const value of [null, 0, '', '25.00', {}, { amount: 25, currency: 'EUR' }])
      expect(refused({ maxTotal: value }).message).to.match(
        /^maxTotal: must be an amount such as \{ amount: '25\.00', currency: 'EUR' \}/,
      );
    for (const value of [null, 0, '', '0.005'])
      expect(refused({ amount: value, maxTotal: 'any' }).message).to.match(/^amount: /);
    expect(refused({ maxTotal: BTC('0.01') }).message).to.match(/^maxTotal: must be in EUR/);
  });

  it('joins what was begun, whichever of the two bounds it', async () => {
    const { start, sandbox } = openPayer();
    const runs = [start({ maxTotal: EUR('900.00') }), start({ amount: BTC('0.005') })];
    for (const { result } of runs) expect((await sandbox.run(result)).phase).to.equal('paid');
    expect(paymentsMoved(sandbox)).to.have.length(1);
  });
});

describe('a link that asks for an amount', () => {
  it('is bounded as a text is', async () => {
    const { refused, play, sandbox } = openPayer();
    const to = `bitcoin:${sandbox.payer.createAddress()}?amount=0.005`;
    const link = { to, intent: 'a', onchainTierId: 'tier_fast' };
    expect(refused(link).message).to.match(/^maxTotal: is required without amount/);
    expect(await play({ ...link, maxTotal: EUR('20.00') })).to.equal('refused');
  });
});

describe('a row of a plan', () => {
  it('states its amount or has a maxTotal; a text of another amount is a problem of the plan', async () => {
    const { client, journal, sandbox, to } = openPayer();
    const common = { journal, sourceCurrency: 'EUR', maxFee: 'any' } as const;
    const told = async (csv: string, more: object = {}) =>
      (
        await sandbox.run(plan(client, parseRows(csv, { format: 'csv' }), { ...common, ...more }))
      ).problems.map(({ text }) => text);
    const bare = `to\n${to}`;
    expect(await told(bare)).to.match(/^maxTotal: is required without amount/);
    expect(await told(bare, { maxTotal: 'any' })).to.deep.equal([]);
    expect(await told(`to,maxTotal\n${to},any`)).to.deep.equal([]);
    expect(await told(`to,maxTotal\n${to},20.00 EUR`)).to.match(/exceeds maxTotal/);
    expect(await told(`to,amount,currency\n${to},0.005,BTC`)).to.deep.equal([]);
    expect(await told(`to,amount,currency\n${to},0.0005,BTC`)).to.match(
      /^amount: must be [\d.]+ [A-Z]+, the amount of the invoice/,
    );
  });

  it('without a limit of its own is held at what was planned', async () => {
    const { client, journal, sandbox, to } = openPayer();
    const made = await sandbox.run(
      plan(client, [{ to }], { journal, sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any' }),
    );
    const { maxTotal } = made.rows[0]!.options as {
      readonly maxTotal: { readonly currency: string };
    };
    expect(maxTotal.currency).to.equal('EUR');
  });
});

describe('a refund', () => {
  it('needs no further bound than what came in; a text of another amount is refused', async () => {
    const { client, journal, sandbox } = openPayer();
    const { invoiceId } = await sandbox.run(client.invoices.create({ amount: EUR('20.00') }));
    await sandbox.run(sandbox.payer.pay(invoiceId));
    const common = { invoiceId, sourceCurrency: 'EUR', maxFee: 'any', journal } as const;
    const to = sandbox.payer.createBolt11({ sat: '1000' });
    expect(
      errorOf(() => refund(client, { ...common, to, amount: BTC('0.0001') })).message,
    ).to.match(/^amount: must be [\d.]+ [A-Z]+, the amount of the invoice/);
    const run = refund(client, { ...common, to: 'ada@wallet.example' });
    expect((await sandbox.run(run.result)).phase).to.equal('paid');
  });
});
