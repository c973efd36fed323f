import { expect } from 'chai';
import { createClient } from 'paystate';
import { depositStates } from 'paystate/endpoints';
import { describe, it } from '#test';
import { failureOf, reasonOf } from '../core/shop.ts';
import { EVEN, openBank } from './bank.ts';

const KEY = '7b1d9c52-3f4e-4a60-8b7c-1d2e3f405162';
const DAY = 86_400_000;

describe('deposits', () => {
  it('rank and settle as they should', () => {
    expect(
      Object.keys(depositStates.transitions).map((state) => [
        depositStates.rank(state),
        depositStates.isSettled(state),
      ]),
    ).to.deep.equal([
      [0, false],
      [1, false],
      [2, true],
      [3, true],
      [3, true],
    ]);
  });

  it('by ACH: drawn at once, seen as pending, free after five days', async () => {
    const { client, run, sandbox, method, pots, sums, events } = openBank();
    const { id: paymentMethodId } = await method('ACH');
    const deposit = await run(client.deposits.create({ paymentMethodId, amount: '500' }));
    const money = (amount: string) => ({ amount, currency: 'USD' });
    expect(deposit).to.deep.include({
      state: 'PENDING',
      amount: money('500.00'),
      fee: money('0.00'),
      totalAmount: money('500.00'),
    });
    const [, dollars] = await run(client.balances.list());
    expect(dollars).to.include({
      current: '10500.00',
      pending: '500.00',
      available: '10000.00',
      total: '10000.00',
    });
    await sandbox.advance(5 * DAY);
    expect(await run(client.deposits.get(deposit.id))).to.deep.equal({
      ...deposit,
      state: 'COMPLETED',
    });
    expect([pots('USD'), sums()]).to.deep.equal([['10500.00', undefined, '0.00'], EVEN]);
    expect(await events(deposit.id)).to.deep.equal(['deposit.updated']);
  });

  it('by transfer: NEW, PENDING, COMPLETED, with a fee on top or inside', async () => {
    const { client, run, sandbox, method, pots, sums, events } = openBank();
    const { id: paymentMethodId } = await method('SEPA');
    const onTop = await run(client.deposits.create({ paymentMethodId, amount: '200.00' }));
    const inside = await run(
      client.deposits.create({ paymentMethodId, amount: '200.00', feePolicy: 'INCLUSIVE' }),
    );
    expect([onTop.state, onTop.amount.amount, onTop.totalAmount.amount]).to.deep.equal([
      'NEW',
      '200.00',
      '200.20',
    ]);
    expect([inside.amount.amount, inside.fee.amount, inside.totalAmount.amount]).to.deep.equal([
      '199.80',
      '0.20',
      '200.00',
    ]);
    await sandbox.advance(1_000);
    expect([(await run(client.deposits.get(onTop.id))).state, pots('EUR')[2]]).to.deep.equal([
      'PENDING',
      '399.80',
    ]);
    await sandbox.advance(2_000);
    expect([pots('EUR'), sums()]).to.deep.equal([['10399.80', undefined, '0.00'], EVEN]);
    expect(await events(onTop.id)).to.deep.equal(['deposit.updated', 'deposit.updated']);
  });

  it('fail with a reason and give the fee back; reversed ones may leave less than nothing', async () => {
    const { client, run, sandbox, method, pots, sums } = openBank({
      accounts: [{ handle: 'shop', balances: { EUR: '1.00' } }],
    });
    const { id: paymentMethodId } = await method('SEPA');
    const endFault = sandbox.fault({ subject: 'deposit', state: 'FAILED', delay: 1_000 });
    const failed = await run(client.deposits.create({ paymentMethodId, amount: '100.00' }));
    await sandbox.advance(2_000);
    expect(await run(client.deposits.get(failed.id))).to.include({
      state: 'FAILED',
      failureReason: 'DECLINED_BY_BANK',
    });
    expect([pots('EUR'), sums()]).to.deep.equal([['1.00', undefined, '0.00'], EVEN]);
    endFault();
    const { id } = await run(client.deposits.create({ paymentMethodId, amount: '100.00' }));
    await sandbox.advance(5_000);
    const payout = await run(client.payouts.create({ paymentMethodId, amount: '90.00' }));
    await run(client.payouts.initiate(payout.id));
    sandbox.move('deposit', id, 'REVERSED');
    expect([pots('EUR')[0], sums()]).to.deep.equal(['-89.35', EVEN]);
    const euros = (await run(client.balances.list())).find(({ currency }) => currency === 'EUR');
    expect(euros).to.include({ available: '-89.35', reserved: '90.35', total: '1.00' });
    expect(
      (
        await failureOf(
          run(
            client.payouts.initiate(
              (
                await run(client.payouts.create({ paymentMethodId, amount: '1.00' }))
              ).id,
            ),
          ),
        )
      ).code,
    ).to.equal('BALANCE_TOO_LOW');
  });

  it('are moved by hand as their life says', async () => {
    const { client, run, sandbox, method, sums } = openBank();
    const { id } = await run(
      client.deposits.create({ paymentMethodId: (await method('SEPA')).id, amount: '100.00' }),
    );
    const refused = (to: string) =>
      reasonOf(Promise.resolve().then(() => sandbox.move('deposit', id, to)));
    for (const to of ['COMPLETED', 'REVERSED', 'NEW'])
      expect(await refused(to)).to.include({ code: 'UNPROCESSABLE_ENTITY' });
    for (const to of ['PENDING', 'COMPLETED', 'FAILED']) sandbox.move('deposit', id, to);
    await sandbox.advance(10_000);
    expect([(await run(client.deposits.get(id))).state, sums()]).to.deep.equal(['FAILED', EVEN]);
    for (const to of Object.keys(depositStates.transitions))
      expect(await refused(to)).to.include({ code: 'UNPROCESSABLE_ENTITY' });
  });

  it('are estimated as they then are', async () => {
    const { client, run, sandbox, method } = openBank();
    for (const type of ['ACH', 'SEPA', 'FPS'] as const)
      for (const feePolicy of ['EXCLUSIVE', 'INCLUSIVE', undefined]) {
        const draft = { paymentMethodId: (await method(type)).id, amount: '77.77', feePolicy };
        const { amount, fee, total, ...rest } = await run(client.deposits.estimateFee(draft));
        expect(await run(client.deposits.create(draft))).to.deep.include({
          amount,
          fee,
          totalAmount: total,
        });
        const now = sandbox.clock.now();
        expect(rest.settledAt === undefined ? now : Date.parse(rest.settledAt)).to.be.within(
          now,
          now + (type === 'ACH' ? 5 * DAY : 0),
        );
        expect([rest.settlementPeriodInDay, rest.feeFixed]).to.deep.equal([
          type === 'ACH' ? 5 : undefined,
          '0.00',
        ]);
      }
  });

  it('are refused where the method cannot do it', async () => {
    const { client, run, sandbox, method } = openBank();
    const codeOf = async (paymentMethodId: string, amount = '1.00') =>
      (await failureOf(run(client.deposits.create({ paymentMethodId, amount })))).code;
    expect(await codeOf((await method('US_DOMESTIC_WIRE')).id)).to.equal(
      'UNSUPPORTED_PAYMENT_METHOD',
    );
    const { id } = await method('SEPA');
    expect(await codeOf('none')).to.equal('NOT_FOUND');
    expect(await codeOf(id, '0')).to.equal('INVALID_AMOUNT');
    expect(await codeOf(id, '10000.01')).to.equal('AMOUNT_TOO_HIGH');
    sandbox.move('bankPaymentMethod', id, 'SUSPENDED');
    expect(await codeOf(id)).to.equal('PAYMENT_METHOD_NOT_READY');
    await run(client.bankPaymentMethods.remove(id));
    expect(await codeOf(id)).to.equal('INVALID_PAYMENT_METHOD');
    const { id: paymentMethodId } = await method('SEPA');
    const low = await failureOf(
      run(client.deposits.create({ paymentMethodId, amount: '0.01', feePolicy: 'INCLUSIVE' })),
    );
    expect(low.code).to.equal('AMOUNT_TOO_LOW');
  });

  it('are limited in number, and the limits say how many are left', async () => {
    const { client, run, sandbox, method } = openBank();
    const { id: paymentMethodId } = await method('SEPA');
    for (let count = 0; count < 10; count++)
      await run(client.deposits.create({ paymentMethodId, amount: '1.00' }));
    const error = await failureOf(run(client.deposits.create({ paymentMethodId, amount: '1.00' })));
    expect([error.code, error.status]).to.deep.equal(['DEPOSIT_LIMIT_EXCEEDED', 422]);
    const { deposit, achDeposit } = await run(client.accounts.getLimits());
    expect([deposit!.count!.effective, achDeposit!.count!.effective]).to.deep.equal([0, 5]);
    await sandbox.advance(7 * DAY + 1_000);
    expect((await run(client.deposits.create({ paymentMethodId, amount: '1.00' }))).state).to.equal(
      'NEW',
    );
  });

  it('after a lost answer: the one that was made is read and returned, once', async () => {
    const { client, run, sandbox, method } = openBank();
    const { id: paymentMethodId } = await method('SEPA');
    sandbox.fault({ method: 'POST', path: '/v1/deposits', nth: 1, action: 'lost-after' });
    const deposit = await run(
      client.deposits.create({ paymentMethodId, amount: '30', feePolicy: 'INCLUSIVE' }),
    );
    expect(deposit.totalAmount.amount).to.equal('30.00');
    expect(await run(client.deposits.list().count())).to.equal(1);
    const again = await failureOf(
      run(
        client.deposits
          .create(
            { paymentMethodId, amount: '30' },
            { idempotencyKey: KEY, firstSentAt: sandbox.clock.now() },
          )
          .then(() =>
            client.deposits.create({ paymentMethodId, amount: '30' }, { idempotencyKey: KEY }),
          ),
      ),
    );
    expect([again.code, again.outcome, again.idempotencyKey]).to.deep.equal([
      'DUPLICATE_DEPOSIT',
      'unknown',
      KEY,
    ]);
    expect(again.values).to.have.keys('depositId');
  });

  it('under a key that stands for another amount are refused after doubt', async () => {
    const { client, run, sandbox, method } = openBank();
    const { id: paymentMethodId } = await method('SEPA');
    const { id } = await run(
      client.deposits.create(
        { paymentMethodId, amount: '30' },
        { idempotencyKey: KEY, firstSentAt: sandbox.clock.now() },
      ),
    );
    const fresh = createClient(sandbox.clientOptions);
    sandbox.fault({ method: 'POST', path: '/v1/deposits', nth: 1, action: 'lost-before' });
    const error = await failureOf(
      run(
        fresh.deposits.create(
          { paymentMethodId, amount: '31' },
          { idempotencyKey: KEY, firstSentAt: sandbox.clock.now() },
        ),
      ),
    );
    expect([error.code, error.outcome, error.next, error.values]).to.deep.equal([
      'DUPLICATE_DEPOSIT',
      'unknown',
      'read-first',
      { depositId: id },
    ]);
  });

  it('whose fee is asked for are harmless to repeat', async () => {
    const { client, run, sandbox, method } = openBank();
    const { id: paymentMethodId } = await method('SEPA');
    sandbox.fault({ method: 'POST', path: '/v1/deposits/fee', nth: [1, 2], action: 'lost-after' });
    expect(
      (await run(client.deposits.estimateFee({ paymentMethodId, amount: '30' }))).fee.amount,
    ).to.equal('0.03');
  });
});
