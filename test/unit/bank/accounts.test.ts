import { expect } from 'chai';
import { createClient } from 'paystate';
import { describe, it } from '#test';
import { failureOf } from '../core/shop.ts';
import { openBank } from './bank.ts';

const ACCOUNTS = [
  { handle: 'shop', currencies: ['EUR', 'BTC'], balances: { EUR: '100000.00' } },
  {
    handle: 'cafe',
    avatarUrl: 'https://cafe.example/a.png',
    description: 'Coffee',
    currencies: ['BTC', 'GBP'],
    canReceive: false,
  },
  { handle: 'hidden', isPrivate: true },
];

describe('account profiles', () => {
  it('say who somebody is, and what can be invoiced', async () => {
    const { client, run } = openBank({ accounts: ACCOUNTS });
    const cafe = await run(client.accounts.getProfileByHandle('cafe'));
    expect(cafe).to.deep.include({
      handle: 'cafe',
      avatarUrl: 'https://cafe.example/a.png',
      description: 'Coffee',
      canReceive: false,
    });
    expect(await run(client.accounts.getProfile(cafe.id!))).to.deep.equal(cafe);
    expect(cafe.currencies.find(({ currency }) => currency === 'GBP')).to.deep.equal({
      currency: 'GBP',
      isDefaultCurrency: true,
      isAvailable: true,
      isInvoiceable: false,
    });
    const own = await run(client.accounts.getProfileByHandle('shop'));
    expect(own).not.to.include.any.keys('avatarUrl', 'description');
    expect(
      own.currencies.filter(({ isInvoiceable }) => isInvoiceable).map(({ currency }) => currency),
    ).to.deep.equal(['BTC', 'EUR']);
  });

  it("are not found where they are private or nobody's", async () => {
    const { client, run, sandbox } = openBank({ accounts: ACCOUNTS });
    for (const handle of ['hidden', 'nobody', 'a/b?c'])
      expect((await failureOf(run(client.accounts.getProfileByHandle(handle)))).code).to.equal(
        'NOT_FOUND',
      );
    const hidden = createClient(sandbox.clientOptionsFor({ account: 'hidden' }));
    const { id } = await run(hidden.accounts.getProfileByHandle('hidden'));
    expect((await failureOf(run(client.accounts.getProfile(id!)))).code).to.equal('NOT_FOUND');
  });

  it('and limits need different scopes', async () => {
    const { run, sandbox } = openBank();
    const reader = createClient(
      sandbox.clientOptionsFor({ scopes: ['partner.account.profile.read'] }),
    );
    expect((await run(reader.accounts.getProfileByHandle('shop'))).handle).to.equal('shop');
    expect((await failureOf(run(reader.accounts.getLimits()))).neededScope).to.equal(
      'partner.account.profile.read-own',
    );
  });
});

describe('account limits', () => {
  it("count what was used, in the account's own currency", async () => {
    const { client, run, sandbox, method } = openBank({ accounts: ACCOUNTS });
    const money = (amount: string) => ({ amount, currency: 'EUR' });
    const fresh = await run(client.accounts.getLimits());
    expect(fresh.deposit).to.deep.equal({
      count: { effective: 10, cycles: [{ days: 7, limit: 10, used: 0 }] },
      amount: {
        effective: money('10000.00'),
        single: money('10000.00'),
        cycles: [{ days: 7, limit: money('50000.00'), used: money('0.00') }],
      },
    });
    expect([fresh.instant, fresh.send]).to.deep.equal([
      undefined,
      { amount: { effective: money('1000000.00') } },
    ]);
    const { id: paymentMethodId } = await method('SEPA');
    for (const amount of ['9990.00', '9990.00', '9990.00', '9990.00'])
      await run(client.deposits.create({ paymentMethodId, amount }));
    const { id } = await run(client.payouts.create({ paymentMethodId, amount: '1000.00' }));
    expect((await run(client.accounts.getLimits())).withdrawal!.count!.effective).to.equal(50);
    await run(client.payouts.initiate(id));
    const { deposit, withdrawal, achDeposit } = await run(client.accounts.getLimits());
    expect(deposit!.amount).to.deep.include({ effective: money('10000.00') });
    expect(deposit!.amount!.cycles![0]!.used).to.deep.equal(money('39999.96'));
    await run(client.deposits.create({ paymentMethodId, amount: '9980.00' }));
    expect((await run(client.accounts.getLimits())).deposit!.amount!.effective).to.deep.equal(
      money('10.06'),
    );
    const high = await failureOf(run(client.deposits.create({ paymentMethodId, amount: '10.06' })));
    expect([high.code, high.values]).to.deep.equal(['AMOUNT_TOO_HIGH', { limit: money('10.06') }]);
    expect([
      withdrawal!.count!.effective,
      withdrawal!.amount!.cycles![0]!.used,
      achDeposit!.count!.effective,
    ]).to.deep.equal([49, money('1000.00'), 5]);
    sandbox.move('payout', id, 'FAILED');
    expect((await run(client.accounts.getLimits())).withdrawal!.count!.effective).to.equal(50);
  });

  it('wait until the account is ready', async () => {
    const { client, run, sandbox } = openBank({
      accounts: [{ handle: 'shop', readyAfter: 60_000 }],
    });
    const error = await failureOf(run(client.accounts.getLimits({ maxAttempts: 1 })));
    expect([error.code, error.status, error.next, error.outcome]).to.deep.equal([
      'ACCOUNT_NOT_READY',
      425,
      'wait',
      'not-done',
    ]);
    await sandbox.advance(60_000);
    expect((await run(client.accounts.getLimits())).deposit!.count!.effective).to.equal(10);
  });
});
