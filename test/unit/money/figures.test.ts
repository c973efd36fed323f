// Protects: a bare figure of the service is paired with the currency beside it, and an absent one stays absent.
import { expect } from 'chai';
import { createClient, InputError } from 'paystate';
import { moneyIn } from 'paystate/money';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';

describe('moneyIn', () => {
  it('pairs every figure of a balance with its currency', async () => {
    const sandbox = createSandbox({ accounts: [{ handle: 'shop', balances: { EUR: '60.00' } }] });
    const balances = await sandbox.run(createClient(sandbox.clientOptions).balances.list());
    const euros = balances.find(({ currency }) => currency === 'EUR')!;
    for (const figure of ['current', 'pending', 'reserved', 'available', 'total'] as const)
      expect(moneyIn(euros, figure)).to.deep.equal({ amount: euros[figure], currency: 'EUR' });
  });

  it('keeps what the service left out apart from nothing, and a sign', () => {
    const balance = { currency: 'USD', current: '-12.50', available: undefined };
    expect(moneyIn(balance, 'available')).to.equal(undefined);
    expect(moneyIn(balance, 'current').amount).to.equal('-12.50');
  });

  it('refuses a figure that is no amount, and a currency that is none', () => {
    for (const current of [null, 12.5, '', '1,50', 'NaN'])
      expect(() => moneyIn({ currency: 'USD', current }, 'current')).to.throw(InputError);
    expect(() => moneyIn({ currency: 'usd', current: '1' }, 'current')).to.throw(InputError);
  });
});
