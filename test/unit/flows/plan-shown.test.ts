// Protects: what a person decides by: what a plan leaves of an account, rows that are begun already, payouts whose price is not
// known, and a report that shows what was not paid as it was planned.
import { expect } from 'chai';
import { applyPlan, formatReport, parseRows, pay, plan, type PlanReport } from 'paystate/flows';
import { describe, it } from '#test';
import { altered } from '../state/shop.ts';
import { planWithin, rowsOf, used } from './limited-account.ts';
import { openDesk } from './moves-desk.ts';
import { EUR } from './pay-lives.ts';

describe('what a plan leaves', () => {
  const leavesOf = async (send: object) => {
    const made = await planWithin(send, '1.00', '2.00');
    const total = Number(made.totals[0]!.amount);
    const { count, amount } = made.limit ?? {};
    // what is left beside the total, which holds fees
    return [count, amount && (Number(amount.amount) + total).toFixed(2), made.problems.length];
  };

  it('of the limits of an account is the least that is left of them, and never less than nothing', async () => {
    const effective = EUR('50.00');
    const count = { effective: 5 };
    const cases: readonly (readonly [object, readonly unknown[]])[] = [
      [{ count, amount: { effective, lifetime: used('100.00', '60.00') } }, [3, '40.00', 0]],
      [
        {
          amount: { effective, lifetime: used('90.00', '0'), calendarYear: used('80.00', '10.00') },
        },
        [undefined, '70.00', 0],
      ],
      [{ amount: { effective, lifetime: { limit: EUR('30.00') } } }, [undefined, '30.00', 0]],
      [{ amount: { effective, calendarYear: used('80.00', '80.00') } }, [undefined, undefined, 1]],
      // a limit of another currency cannot be compared: nothing is said of it
      [
        { amount: { effective, lifetime: used('90.00', '1.00', 'USD') } },
        [undefined, undefined, 0],
      ],
      [{ count: { effective: 1 } }, [0, undefined, 1]],
    ];
    for (const [send, left] of cases)
      expect(await leavesOf(send), JSON.stringify(send)).to.deep.equal(left);
  });
});

describe('a plan of rows that are begun', () => {
  it('asks again for what was never agreed to, and counts nothing that is paid', async () => {
    const { sandbox, client, journal } = openDesk();
    const [paid, open] = rowsOf('1.00', '2.00');
    expect((await sandbox.run(pay(client, { ...paid!, journal }).result)).phase).to.equal('paid');
    // the row is written, and its process dies before it has asked for terms
    const store: typeof journal = {
      ...journal,
      compareAndSet: async (...given) => {
        const isWritten = await journal.compareAndSet(...given);
        run.detach();
        return isWritten;
      },
    };
    const run = pay(client, { ...open!, journal: store });
    await sandbox.advance(1_000);
    const made = await sandbox.run(plan(client, [paid!, open!], { journal }));
    expect(made.rows.map(({ phase, terms }) => [phase, terms !== undefined])).to.deep.equal([
      ['paid', false],
      ['new', true],
    ]);
    expect(made.totals).to.deep.equal([made.rows[1]!.terms!.total]);
    const report = await sandbox.run(applyPlan(client, made, { journal }).result);
    expect([report.isComplete, ...report.rows.map(({ phase }) => phase)]).to.deep.equal([
      true,
      'paid',
      'paid',
    ]);
  });
});

describe('a plan of payouts', () => {
  it('has no fee where any is allowed, and the highest inside where it is paid by who gets it', async () => {
    const { sandbox, client, journal, method } = openDesk();
    const common = { bankPaymentMethodId: await method(), amount: '250.00' };
    const rows = [
      { ...common, intent: 'any', maxFee: 'any' },
      { ...common, intent: 'top', maxFee: EUR('2.00') },
      { ...common, intent: 'inside', maxFee: EUR('2.00'), feePolicy: 'INCLUSIVE' },
    ] as const;
    const made = await sandbox.run(plan(client, rows, { journal }));
    expect(made.rows.map(({ terms }) => [terms!.fee?.amount, terms!.total.amount])).to.deep.equal([
      [undefined, '250.00'],
      ['2.00', '252.00'],
      ['2.00', '250.00'],
    ]);
  });

  it('names a bank method whose currency nobody knows, and a highest fee in another one', async () => {
    const desk = openDesk({}, async (url, verb, send) =>
      verb === 'GET' && url.includes('/payment-methods/bank/') && isNew
        ? altered(await send(), (one: object) => ({ ...one, transferType: 'PIGEON' }))
        : send(),
    );
    let isNew = false;
    const { sandbox, client, journal } = desk;
    const bankPaymentMethodId = await desk.method();
    const row = { intent: 'a', bankPaymentMethodId, amount: '250.00' } as const;
    const dollars = { ...row, maxFee: { amount: '2.00', currency: 'USD' } };
    const guardsOf = async (given: typeof dollars | (typeof row & { maxFee: 'any' })) =>
      (await sandbox.run(plan(client, [given], { journal }))).problems.map(({ guard }) => guard);
    expect(await guardsOf(dollars)).to.deep.equal(['fee']);
    isNew = true;
    expect(await guardsOf({ ...row, maxFee: 'any' })).to.deep.equal(['currency']);
    expect(desk.sent('POST', '/payouts')).to.equal(0);
  });
});

describe('a report of a plan', () => {
  it('lists what was not paid as planned, and nothing else', () => {
    const none = EUR('0');
    const report = {
      hash: 'a'.repeat(64),
      rows: [
        { intent: 'as planned', phase: 'paid', planned: EUR('1.00'), total: EUR('1.0') },
        { intent: 'no plan', phase: 'paid', total: EUR('1.00') },
        {
          intent: 'dearer',
          phase: 'paid',
          planned: EUR('1.00'),
          total: EUR('1.01'),
          paymentId: 'p',
        },
        { intent: 'refused', phase: 'refused', planned: EUR('2.00') },
        { intent: 'later', phase: 'not-begun', planned: EUR('3.00') },
        { intent: 'late\u001br', phase: 'not-begun' },
      ],
      sums: [
        {
          currency: 'EUR',
          planned: EUR('7.00'),
          paid: EUR('3.01'),
          fees: EUR('0.03'),
          underWay: none,
          unknown: none,
          notPaid: EUR('5.00'),
        },
      ],
      isComplete: false,
    } satisfies PlanReport;
    expect(formatReport(report).split('\n')).to.deep.equal([
      'plan aaaaaaaaaaaa: 3 of 6 rows paid, 1 refused, 2 not-begun',
      'EUR: planned 7.00, paid 3.01 with fees of 0.03, under way 0, unknown 0, not paid 5.00',
      '  dearer: paid; planned 1.00 EUR; takes 1.01 EUR; payment p',
      '  refused: refused; planned 2.00 EUR',
      '  later: not-begun; planned 3.00 EUR',
      '  late\uFFFDr: not-begun',
    ]);
  });
});

describe('a list of payments', () => {
  it('keeps who gets the money beside the payment, and an amount without a currency a mistake', async () => {
    const { sandbox, client, journal } = openDesk();
    const csv = (text: string) => parseRows(text, { format: 'csv' });
    const [row] = csv(
      'intent,to,amount,currency,beneficiary.type\na,ada@wallet.example,1.00,EUR,COMPANY',
    );
    expect(row).to.deep.equal({
      intent: 'a',
      to: 'ada@wallet.example',
      amount: EUR('1.00'),
      beneficiary: { type: 'COMPANY' },
    });
    const [bare] = csv('intent,to\na,ada@wallet.example');
    expect(bare).to.deep.equal({ intent: 'a', to: 'ada@wallet.example' });
    const options = { journal, sourceCurrency: 'EUR', maxFee: 'any' } as const;
    const made = await sandbox.run(plan(client, [bare!], options));
    expect(made.problems.map(({ code }) => code)).to.deep.equal(['INPUT_INVALID']);
    for (const text of ['intent,to,amount\na,ada@wallet.example,1.00'])
      expect(() => csv(text)).to.throw(/currency/);
  });
});
