import { expect } from 'chai';
import { createClient } from 'paystate';
import { payoutReferenceLengths, payoutStates } from 'paystate/endpoints';
import { describe, it } from '#test';
import { failureOf, reasonOf } from '../core/shop.ts';
import { EVEN, openBank, PERSON } from './bank.ts';

describe('payouts', () => {
  it('rank and settle as they should', () => {
    expect(
      Object.keys(payoutStates.transitions).map((state) => [
        payoutStates.rank(state),
        payoutStates.isSettled(state),
      ]),
    ).to.deep.equal([
      [0, false],
      [1, false],
      [2, true],
      [3, true],
      [3, true],
    ]);
  });

  it('move nothing until they are initiated; then the money is held, then gone', async () => {
    const { client, run, sandbox, method, originator, pots, sums, events } = openBank();
    const bankMethod = await method('SEPA');
    const { id: originatorId } = await originator();
    const draft = {
      paymentMethodId: bankMethod.id,
      amount: '250',
      originatorId,
      reference: 'Invoice 4711, thank you',
    };
    const payout = await run(client.payouts.create(draft));
    expect(payout).to.deep.include({
      state: 'NEW',
      paymentMethodId: bankMethod.id,
      originatorId,
      amount: { amount: '250.00', currency: 'EUR' },
      fee: { amount: '0.35', currency: 'EUR', feePolicy: 'EXCLUSIVE' },
      reference: draft.reference,
    });
    expect(pots('EUR').slice(0, 2)).to.deep.equal(['10000.00', undefined]);
    expect(await run(client.payouts.initiate(payout.id))).to.include({ state: 'INITIATED' });
    expect(pots('EUR').slice(0, 2)).to.deep.equal(['9749.65', '250.35']);
    const [, , euros] = await run(client.balances.list());
    expect(euros).to.deep.equal({
      currency: 'EUR',
      current: '10000.00',
      pending: '0.00',
      reserved: '250.35',
      available: '9749.65',
      outgoing: '250.35',
      total: '10000.00',
    });
    await sandbox.advance(2_000);
    const done = await run(client.payouts.get(payout.id));
    expect(done.state).to.equal('COMPLETED');
    expect(done).to.include.keys('initiated', 'completed', 'transactionId');
    expect(pots('EUR').slice(0, 2)).to.deep.equal(['9749.65', '0.00']);
    expect(sums()).to.deep.equal(EVEN);
    expect(await events(payout.id)).to.deep.equal([
      'payout.created',
      'payout.updated',
      'payout.updated',
    ]);
  });

  it('come back: failed with their fee, reversed without it', async () => {
    for (const [state, free, steps] of [
      ['FAILED', '10000.00', 1],
      ['REVERSED', '9999.65', 2],
    ] as const) {
      const { client, run, sandbox, method, pots, sums, events } = openBank();
      sandbox.fault({ subject: 'payout', state, delay: 5_000 });
      const { id } = await run(
        client.payouts.create({ paymentMethodId: (await method()).id, amount: '40.00' }),
      );
      await run(client.payouts.initiate(id));
      await sandbox.advance(5_000);
      expect([
        (await run(client.payouts.get(id))).state,
        pots('EUR')[0],
        pots('EUR')[1],
        sums(),
      ]).to.deep.equal([state, free, '0.00', EVEN]);
      expect(await events(id)).to.have.length(2 + steps);
    }
  });

  it('are moved by hand as their life says', async () => {
    const { client, run, sandbox, method, pots, sums } = openBank();
    const { id } = await run(
      client.payouts.create({ paymentMethodId: (await method()).id, amount: '40.00' }),
    );
    const refused = (to: string) =>
      reasonOf(Promise.resolve().then(() => sandbox.move('payout', id, to)));
    for (const to of ['COMPLETED', 'FAILED', 'REVERSED', 'NEW'])
      expect(await refused(to)).to.include({ code: 'UNPROCESSABLE_ENTITY' });
    await run(client.payouts.initiate(id));
    sandbox.move('payout', id, 'COMPLETED');
    await sandbox.advance(5_000);
    sandbox.move('payout', id, 'FAILED');
    for (const to of Object.keys(payoutStates.transitions))
      expect(await refused(to)).to.include({ code: 'UNPROCESSABLE_ENTITY' });
    expect([pots('EUR')[0], sums()]).to.deep.equal(['9999.65', EVEN]);
    const dear = await run(
      client.payouts.create({ paymentMethodId: (await method()).id, amount: '99999.00' }),
    );
    expect(
      await reasonOf(Promise.resolve().then(() => sandbox.move('payout', dear.id, 'INITIATED'))),
    ).to.include({ code: 'BALANCE_TOO_LOW' });
    sandbox.fault({ subject: 'payout', delay: Infinity });
    const waiting = await run(
      client.payouts.create({ paymentMethodId: (await method()).id, amount: '40.00' }),
    );
    await run(client.payouts.initiate(waiting.id));
    await sandbox.advance(86_400_000);
    expect((await run(client.payouts.get(waiting.id))).state).to.equal('INITIATED');
  });

  it('take the fee from the amount where asked', async () => {
    const { client, run, method } = openBank();
    const { id: paymentMethodId } = await method('ACH');
    const payout = await run(
      client.payouts.create({ paymentMethodId, amount: '10.00', feePolicy: 'INCLUSIVE' }),
    );
    expect([payout.amount, payout.fee]).to.deep.equal([
      { amount: '9.50', currency: 'USD' },
      { amount: '0.50', currency: 'USD', feePolicy: 'INCLUSIVE' },
    ]);
    const error = await failureOf(
      run(client.payouts.create({ paymentMethodId, amount: '0.50', feePolicy: 'INCLUSIVE' })),
    );
    expect([error.code, error.values]).to.deep.equal([
      'AMOUNT_TOO_LOW',
      { limit: { amount: '0.50', currency: 'USD' } },
    ]);
  });

  it('hold references to the length of their transfer type', async () => {
    const { client, run, method, sandbox } = openBank();
    for (const [type, most] of [
      ['ACH', 10],
      ['US_DOMESTIC_WIRE', 15],
      ['SEPA', 128],
      ['FPS', 5],
    ] as const) {
      expect(payoutReferenceLengths[type]).to.equal(most);
      const { id: paymentMethodId } = await method(type);
      const reference = 'x'.repeat(most);
      expect(
        (await run(client.payouts.create({ paymentMethodId, amount: '1', reference }))).reference,
      ).to.equal(reference);
      const error = await failureOf(
        run(client.payouts.create({ paymentMethodId, amount: '1', reference: `${reference}x` })),
      );
      expect(error.validationErrors?.['reference']?.[0]).to.deep.include({
        code: 'INVALID_DATA_MAXLENGTH',
      });
      expect(error.validationErrors?.['reference']?.[0]?.values).to.include({ maxLength: most });
    }
    const sent = sandbox.log.length;
    for (const amount of ['1,50', '-1', '1e2', '', ' 1'])
      expect(
        (await failureOf(run(client.payouts.create({ paymentMethodId: 'm', amount }))))
          .validationErrors,
      ).to.have.keys('amount');
    expect([sandbox.log.length, payoutReferenceLengths['BSB']]).to.deep.equal([sent, undefined]);
  });

  it('need a method that is ready and an originator that is approved, when made and when sent', async () => {
    const { client, run, sandbox, method, originator } = openBank();
    sandbox.fault({ subject: 'bankPaymentMethod', nth: 1, delay: 60_000 });
    const pending = await method();
    const codeOf = async (work: PromiseLike<unknown>) => (await failureOf(run(work))).code;
    expect(
      await codeOf(client.payouts.create({ paymentMethodId: pending.id, amount: '1' })),
    ).to.equal('PAYMENT_METHOD_NOT_READY');
    const { id: paymentMethodId } = await method();
    const reviewed = await run(client.payoutOriginators.create(PERSON));
    expect(
      await codeOf(
        client.payouts.create({ paymentMethodId, amount: '1', originatorId: reviewed.id }),
      ),
    ).to.equal('PAYOUT_ORIGINATOR_NOT_APPROVED');
    const { id: originatorId } = await originator();
    const payout = await run(client.payouts.create({ paymentMethodId, amount: '1', originatorId }));
    sandbox.move('bankPaymentMethod', paymentMethodId, 'SUSPENDED');
    expect(await codeOf(client.payouts.initiate(payout.id))).to.equal('PAYMENT_METHOD_NOT_READY');
    sandbox.move('bankPaymentMethod', paymentMethodId, 'INVALID');
    expect(await codeOf(client.payouts.initiate(payout.id))).to.equal('INVALID_PAYMENT_METHOD');
    const other = await run(
      client.payouts.create({ paymentMethodId: (await method()).id, amount: '1', originatorId }),
    );
    await run(client.payoutOriginators.remove(originatorId));
    expect(await codeOf(client.payouts.initiate(other.id))).to.equal(
      'PAYOUT_ORIGINATOR_NOT_APPROVED',
    );
    for (const draft of [
      { paymentMethodId: 'none', amount: '1' },
      { paymentMethodId: (await method()).id, amount: '1', originatorId: 'none' },
    ]) {
      const error = await failureOf(run(client.payouts.create(draft)));
      expect([error.code, error.values]).to.deep.equal(['NOT_FOUND', { id: 'none' }]);
    }
  });

  it('are initiated once, and only with money', async () => {
    const { client, run, method, pots } = openBank({
      accounts: [{ handle: 'shop', balances: { EUR: '100.00' } }],
    });
    const { id: paymentMethodId } = await method();
    const [first, second] = await Promise.all(
      ['60.00', '60.00'].map((amount) => run(client.payouts.create({ paymentMethodId, amount }))),
    );
    await run(client.payouts.initiate(first!.id));
    const again = await failureOf(run(client.payouts.initiate(first!.id)));
    expect([again.code, again.status, again.outcome]).to.deep.equal([
      'PAYOUT_ALREADY_INITIATED',
      422,
      'unknown',
    ]);
    const poor = await failureOf(run(client.payouts.initiate(second!.id)));
    expect([
      poor.code,
      (await run(client.payouts.get(second!.id))).state,
      pots('EUR')[0],
    ]).to.deep.equal(['BALANCE_TOO_LOW', 'NEW', '39.65']);
    for (const [amount, code] of [
      ['0', 'INVALID_AMOUNT'],
      ['0.00', 'INVALID_AMOUNT'],
      ['1000000.01', 'AMOUNT_TOO_HIGH'],
      ['1.001', 'INVALID_DATA'],
    ] as const)
      expect(
        (await failureOf(run(client.payouts.create({ paymentMethodId, amount })))).code,
      ).to.equal(code);
  });

  it('are limited in number and in amount', async () => {
    const { client, run, method } = openBank({
      accounts: [{ handle: 'shop', balances: { USD: '900000.00' } }],
    });
    const { id: paymentMethodId } = await method('ACH');
    const pay = async (amount: string) =>
      run(
        client.payouts.initiate((await run(client.payouts.create({ paymentMethodId, amount }))).id),
      );
    const high = await failureOf(pay('100000.01'));
    expect([high.code, high.values]).to.deep.equal([
      'AMOUNT_TOO_HIGH',
      { limit: { amount: '100000.00', currency: 'USD' } },
    ]);
    for (let count = 0; count < 50; count++) await pay('1.00');
    expect((await failureOf(pay('1.00'))).code).to.equal('TOO_MANY_TRANSACTIONS');
    const { withdrawal } = await run(client.accounts.getLimits());
    expect(withdrawal!.count).to.deep.include({
      effective: 0,
      cycles: [{ days: 1, limit: 50, used: 50 }],
    });
  });

  it('after a lost answer: a create says so, an initiate is asked again and read', async () => {
    const { client, run, sandbox, method, pots } = openBank();
    const { id: paymentMethodId } = await method();
    sandbox.fault({ method: 'POST', path: '/v1/payouts', nth: 1, action: 'lost-after' });
    const error = await failureOf(run(client.payouts.create({ paymentMethodId, amount: '5' })));
    expect([error.outcome, error.maybeCreated, error.next]).to.deep.equal([
      'unknown',
      true,
      'read-first',
    ]);
    const [orphan] = await run(client.payouts.list().toArray({ limit: 5 }));
    sandbox.fault({ method: 'PATCH', nth: 1, action: 'lost-after' });
    expect(await run(client.payouts.initiate(orphan!.id))).to.include({
      id: orphan!.id,
      state: 'INITIATED',
    });
    expect([pots('EUR')[1], sandbox.log.slice(-3).map(({ method: verb }) => verb)]).to.deep.equal([
      '5.35',
      ['PATCH', 'PATCH', 'GET'],
    ]);
  });

  it("are listed whole, and nobody else's", async () => {
    const { client, run, sandbox, method } = openBank({
      accounts: [{ handle: 'shop' }, { handle: 'other' }],
    });
    const { id: paymentMethodId } = await method();
    const made = await Promise.all(
      Array.from({ length: 7 }, () => run(client.payouts.create({ paymentMethodId, amount: '1' }))),
    );
    const listed = await run(client.payouts.list({ pageSize: 3 }).toArray({ limit: 50 }));
    expect(listed.map(({ id }) => id).sort()).to.deep.equal(made.map(({ id }) => id).sort());
    const other = createClient(sandbox.clientOptionsFor({ account: 'other' }));
    for (const call of [
      () => other.payouts.get(made[0]!.id),
      () => other.payouts.initiate(made[0]!.id),
      () => other.payouts.create({ paymentMethodId, amount: '1' }),
    ])
      expect((await failureOf(run(call()))).code).to.equal('NOT_FOUND');
  });
});
