// Protects: rows to bank accounts are planned and applied like all others: each payout is initiated once.
import { expect } from 'chai';
import { applyPlan, parseRows, plan } from 'paystate/flows';
import { describe, it } from '#test';
import { openDesk } from './moves-desk.ts';

describe('a plan of payouts', () => {
  it('is read, planned with the highest fee, and applied once, beside payments', async () => {
    const desk = openDesk();
    const { sandbox, client, journal } = desk;
    const method = await desk.method();
    const text = [
      'intent,bankPaymentMethodId,to,amount,currency,reference,maxFee',
      `may-edith,${method},,250.00,,SALARY 05,2.00 EUR`,
      `may-fred,${method},,100.00,,SALARY 05,1%`,
      'may-ada,,ada@wallet.example,12.50,EUR,,1%',
    ].join('\n');
    const rows = parseRows(text, { format: 'csv' });
    const made = await sandbox.run(plan(client, rows, { journal, sourceCurrency: 'EUR' }));
    expect(made.problems).to.deep.equal([]);
    expect(
      made.rows.map(({ terms }) => [terms!.total.amount.slice(0, 4), terms!.isEstimate]),
    ).to.deep.equal([
      ['252.', true],
      ['101.', true],
      ['12.5', undefined],
    ]);
    expect(desk.sent('POST', '/payouts')).to.equal(0);
    const report = await sandbox.run(applyPlan(client, made, { journal }).result);
    expect(report.rows.map(({ phase }) => phase)).to.deep.equal(['paid', 'paid', 'paid']);
    expect(report.isComplete).to.equal(true);
    const takes = report.rows.map(({ fee, total }) => [Number(fee!.amount), Number(total!.amount)]);
    for (const [index, amount] of [250, 100, 12.5].entries()) {
      const [fee = 0, total] = takes[index]!;
      expect(fee).to.be.above(0);
      expect(total).to.be.closeTo(amount + fee, 1e-9);
    }
    expect(desk.moved('payout')).to.have.members(
      report.rows.flatMap(({ payoutId }) => payoutId ?? []),
    );
    await sandbox.run(applyPlan(client, made, { journal }).result);
    expect([desk.sent('POST', '/payouts'), desk.sent('PATCH', '/initiate')]).to.deep.equal([2, 2]);
  });

  it("gives a row the plan's own fee limit and policy, and keeps what the row says", async () => {
    const { sandbox, client, journal, ...desk } = openDesk();
    const bankPaymentMethodId = await desk.method();
    const row = { bankPaymentMethodId, amount: '250.00', reference: 'SALARY 05' } as const;
    const rows = [
      { ...row, intent: 'a' },
      { ...row, intent: 'b', maxFee: { percent: '5' }, feePolicy: 'EXCLUSIVE' },
    ] as const;
    const common = { maxFee: { percent: '3' }, feePolicy: 'INCLUSIVE', sourceCurrency: 'EUR' };
    const made = await sandbox.run(plan(client, rows, { journal, ...common } as never));
    expect(made.problems).to.deep.equal([]);
    const given = made.rows.map(({ options }) => options as unknown as Record<string, unknown>);
    expect(
      given.map(({ maxFee, feePolicy, sourceCurrency }) => [maxFee, feePolicy, sourceCurrency]),
    ).to.deep.equal([
      [{ percent: '3' }, 'INCLUSIVE', undefined], // a payout has no source currency
      [{ percent: '5' }, 'EXCLUSIVE', undefined],
    ]);
  });

  it('refuses rows that are of no bank method, or of both kinds', async () => {
    const { sandbox, client, journal } = openDesk();
    const row = {
      intent: 'a',
      bankPaymentMethodId: 'none',
      amount: '1.00',
      maxFee: 'any',
    } as const;
    const { problems } = await sandbox.run(plan(client, [row], { journal }));
    expect(problems.map(({ row: at, code }) => [at, code])).to.deep.equal([[1, 'NOT_FOUND']]);
    const both = 'intent,bankPaymentMethodId,to,amount\na,b,ada@wallet.example,1.00';
    expect(() => parseRows(both, { format: 'csv' })).to.throw(
      /^parseRows: line 2, column 3 \(to\)/,
    );
    const foreign = 'intent,bankPaymentMethodId,amount,currency\na,b,1.00,EUR';
    expect(() => parseRows(foreign, { format: 'csv' })).to.throw(/^parseRows: line 2, column 3/);
  });
});
